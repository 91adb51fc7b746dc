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

// pageFault is how long a page fault takes here, the least of some.
func pageFault(t *testing.T) time.Duration {
	t.Helper()
	const pages, size = 64, 4096
	mem, err := unix.Mmap(-1, 0, pages*size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Munmap(mem)
	least := time.Hour
	for at := 0; at < len(mem); at += size {
		start := time.Now()
		mem[at] = 1
		least = min(least, time.Since(start))
	}
	return least
}

// TestFewPageFaultsAtStart: where page faults are slow, emu's text is present before it runs, as one call makes it, and what
// it writes to is in huge pages. Otherwise a third of its start is page faults there. Elsewhere it does without.
func TestFewPageFaultsAtStart(t *testing.T) {
	enabled, err := os.ReadFile("/sys/kernel/mm/transparent_hugepage/enabled")
	if err != nil {
		need.Missing(t, "this kernel has no transparent huge pages (CONFIG_TRANSPARENT_HUGEPAGE)")
	}
	fault := pageFault(t)
	const fast, slow = 2 * time.Microsecond, 10 * time.Microsecond
	huge := fault > slow && !strings.Contains(string(enabled), "[never]")
	if !huge && fault > fast {
		t.Logf("page faults take %v here, which emu may find either slow or not", fault)
		return
	}
	areas := []struct{ name, prefix, prot, huge string }{
		{"text", "7e0000000000-", "r-xp", ""},
		{"variables", "7e0000c00000-", "rw-p", "AnonHugePages"},
		{"the runtime's tables", "7e001d600000-", "rw-p", "AnonHugePages"},
		{"the heap", "7e006", "rw-p", "AnonHugePages"},
		{"code", "7e0010080000-", "rwxp", "hg"}, // there is none yet
	}
	var wrong string
	for range 5 { // the kernel may have taken pages of the text away meanwhile, or have no huge page
		smaps, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps", asleep(t).Process.Pid))
		if err != nil {
			t.Fatal(err)
		}
		wrong = ""
		for _, a := range areas {
			f := mappings(string(smaps), a.prefix, a.prot)
			switch {
			case f == nil && a.huge != "" && !huge: // advised, it would be a mapping of its own
			case f == nil:
				wrong += fmt.Sprintf("%s: not mapped\n", a.name)
			case a.huge != "" && (f[a.huge] > 0) != huge:
				wrong += fmt.Sprintf("%s: %s is %d\n", a.name, a.huge, f[a.huge])
			case a.huge == "" && huge && f["Rss"] < f["Size"]:
				wrong += fmt.Sprintf("%s: %d KB of %d present\n", a.name, f["Rss"], f["Size"])
			}
		}
		if wrong == "" {
			return
		}
	}
	t.Errorf("page faults take %v:\n%s", fault, wrong)
}

// mappings adds up the figures, in KB, of the mappings in an smaps whose address and protection are as told, and counts their
// flags. It is nil if there is none.
func mappings(smaps, prefix, prot string) (sum map[string]int) {
	in := false
	for line := range strings.Lines(smaps) {
		f := strings.Fields(line)
		if strings.Contains(f[0], "-") {
			if in = strings.HasPrefix(line, prefix) && f[1] == prot; in && sum == nil {
				sum = map[string]int{}
			}
			continue
		}
		if !in {
			continue
		}
		if f[0] == "VmFlags:" {
			for _, flag := range f[1:] {
				sum[flag]++
			}
		} else if n, err := strconv.Atoi(f[1]); err == nil {
			sum[strings.TrimSuffix(f[0], ":")] += n
		}
	}
	return sum
}
