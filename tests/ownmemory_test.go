package tests

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"emu/tests/need"

	"golang.org/x/sys/unix"
)

// asleep is an emu with a program that sleeps.
func asleep(t *testing.T) *exec.Cmd {
	t.Helper()
	guest, _ := busybox(t)
	cmd := exec.Command(emuPath(t), guest, "sleep", "30")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	comm := fmt.Sprintf("/proc/%d/comm", cmd.Process.Pid)
	for range 500 { // until emu has named the process after the program
		if name, _ := os.ReadFile(comm); string(name) == "busybox\n" {
			return cmd
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatal("the program does not run")
	return nil
}

// TestLowAddressesAreTheGuests looks for memory of emu's own where programs ask for
// addresses: AddressSanitizer's shadow was taken now and then by Go's heap.
func TestLowAddressesAreTheGuests(t *testing.T) {
	maps, err := os.ReadFile(fmt.Sprintf("/proc/%d/maps", asleep(t).Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(maps), "busybox") {
		t.Errorf("the program is not mapped:\n%s", maps)
	}
	const low, high = 1 << 36, 1 << 46 // between the program and where its mappings begin
	for line := range strings.Lines(string(maps)) {
		start, _, _ := strings.Cut(line, "-")
		if addr, _ := strconv.ParseUint(start, 16, 64); addr >= low && addr < high && !strings.Contains(line, "busybox") && !strings.HasPrefix(line, "55") {
			t.Errorf("mapped: %s", line)
		}
	}
}

// TestFewPageFaultsAtStart: emu's text is present before it runs, as one call makes it, and its heap may have huge
// pages. Otherwise a third of its start is page faults where they are slow.
func TestFewPageFaultsAtStart(t *testing.T) {
	need.File(t, "/sys/kernel/mm/transparent_hugepage", "a kernel with CONFIG_TRANSPARENT_HUGEPAGE")
	page, err := unix.Mmap(-1, 0, 1, unix.PROT_READ, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Munmap(page)
	if unix.Madvise(page, unix.MADV_POPULATE_READ) != nil {
		need.Missing(t, "this kernel has no MADV_POPULATE_READ; Linux has it from 5.14 on")
	}
	var text struct{ present, all string }
	var heap string
	for range 5 { // the kernel may have taken pages of the text away meanwhile
		smaps, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps", asleep(t).Process.Pid))
		if err != nil {
			t.Fatal(err)
		}
		text.present, heap = "", ""
		var mapping, size string
		for line := range strings.Lines(string(smaps)) {
			f := strings.Fields(line)
			switch {
			case strings.Contains(f[0], "-"):
				mapping = line
			case f[0] == "Size:":
				size = f[1]
			case f[0] == "Rss:" && strings.Contains(mapping, " r-xp ") && strings.HasPrefix(mapping, "7e0000"):
				text.present, text.all = f[1], size
			case f[0] == "VmFlags:" && strings.Contains(mapping, " rw-p ") && strings.HasPrefix(mapping, "7e006"):
				heap += line
			}
		}
		if text.present != "" && text.present == text.all {
			break
		}
	}
	if text.present == "" || text.present != text.all {
		t.Errorf("of the text's %s KB %s are present", text.all, text.present)
	}
	if !strings.Contains(heap, " hg") {
		t.Errorf("the heap's flags have no hg (MADV_HUGEPAGE): %q", heap)
	}
}
