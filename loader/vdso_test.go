package loader

import (
	"bytes"
	"debug/elf"
	"testing"
)

// The vDSO must be a shared object that a dynamic linker can read: symbols with
// the version LINUX_2.6.39 that glibc, musl and Go ask for.
func TestVDSOIsAVersionedSharedObject(t *testing.T) {
	img, sigreturn := vdsoImage()
	f, err := elf.NewFile(bytes.NewReader(img))
	if err != nil {
		t.Fatal(err)
	}
	if f.Type != elf.ET_DYN || f.Machine != elf.EM_AARCH64 || len(f.Progs) != 3 {
		t.Fatalf("type %v, machine %v, %d program headers", f.Type, f.Machine, len(f.Progs))
	}
	hash, _ := f.DynValue(elf.DT_HASH)
	if len(hash) != 1 && f.Progs[1].Type != elf.PT_DYNAMIC {
		t.Fatal("no dynamic section")
	}
	if sigreturn < vdsoCodeOffset || sigreturn >= vdsoSize {
		t.Fatalf("signal trampoline at %#x", sigreturn)
	}
	if got, want := elfHash(vdsoVersion), uint32(0x75fcb89); got != want {
		t.Errorf("hash of %s = %#x, want %#x", vdsoVersion, got, want)
	}
}

// TestVDSOSections: without section headers cilium/ebpf found no kernel version, and debuggers
// no symbols.
func TestVDSOSections(t *testing.T) {
	img, sigreturn := vdsoImage()
	f, err := elf.NewFile(bytes.NewReader(img))
	if err != nil {
		t.Fatal(err)
	}
	symbols, err := f.DynamicSymbols()
	if err != nil || len(symbols) != len(vdsoFuncs) {
		t.Fatalf("symbols %v, %v", symbols, err)
	}
	for _, s := range symbols {
		if f.Sections[s.Section].Name != ".text" || s.Version != vdsoVersion || s.Name == "__kernel_rt_sigreturn" && s.Value != sigreturn {
			t.Errorf("%+v", s)
		}
	}
	note := f.SectionByType(elf.SHT_NOTE)
	if note == nil {
		t.Fatal("no notes")
	}
	if data, err := note.Data(); err != nil || !bytes.Equal(data[12:18], []byte("Linux\x00")) {
		t.Errorf("note %q, %v", data, err)
	}
}
