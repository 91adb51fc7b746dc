package tests

import (
	"debug/elf"
	"fmt"
	"testing"
)

const kernelGuests = "guest/kernel"

// TestKernelInterfaces runs each program of tests/guest/kernel, one an area of the
// kernel, under emu and on the host: the same source has to print the same. A
// program says on a line of its own what the host forbids or does not know.
func TestKernelInterfaces(t *testing.T) { likeHost(t, kernelGuests, nil, "interp", "1") }

// TestForeignMemory gives the kernel pointers to memory of emu's own by every way
// that a pointer can take. On the host nothing is there; a guest has to see the same.
func TestForeignMemory(t *testing.T) {
	emu := emuPath(t)
	f, err := elf.Open(emu)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var read, write uint64
	for _, ph := range f.Progs {
		switch {
		case ph.Type != elf.PT_LOAD:
		case ph.Flags&elf.PF_W != 0:
			write = ph.Vaddr + ph.Memsz - 1<<16
		case ph.Flags&elf.PF_X == 0:
			read = ph.Vaddr + ph.Memsz/2
		}
	}
	if read == 0 || write == 0 {
		t.Fatalf("%s has no segments to read and to write", emu)
	}
	const src = "guest/foreign/foreign.c"
	at := []string{fmt.Sprintf("%x", read), fmt.Sprintf("%x", write)}
	want := run(t, "", append([]string{build(t, src, native, "-O1")}, at...)...)
	for _, tier := range []string{"interp", "1", "auto"} {
		same(t, "-tier="+tier, run(t, "", append([]string{emu, "-tier=" + tier, "-hot=1", build(t, src, arm64, "-O1")}, at...)...), want)
	}
}
