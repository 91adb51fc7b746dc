package loader

import (
	"debug/elf"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"emu/cpu"

	"golang.org/x/sys/unix"
)

// program builds an arm64 ELF file with the given program headers; each segment
// is {type, flags, offset, address, file size, memory size}.
func program(typ elf.Type, entry uint64, segs ...[6]uint64) []byte {
	le := binary.LittleEndian
	b := make([]byte, 0x3000)
	copy(b, "\x7fELF\x02\x01\x01")
	le.PutUint16(b[16:], uint16(typ))
	le.PutUint16(b[18:], uint16(elf.EM_AARCH64))
	le.PutUint32(b[20:], 1)
	le.PutUint64(b[24:], entry)
	le.PutUint64(b[32:], ehdrSize)
	le.PutUint16(b[52:], ehdrSize)
	le.PutUint16(b[54:], phdrSize)
	le.PutUint16(b[56:], uint16(len(segs)))
	for i, s := range segs {
		h := b[ehdrSize+i*phdrSize:]
		le.PutUint32(h, uint32(s[0]))
		le.PutUint32(h[4:], uint32(s[1]))
		for j, v := range []uint64{s[2], s[3], s[3], s[4], s[5], 0x1000} {
			le.PutUint64(h[8+8*j:], v)
		}
	}
	for i := 0x1000; i < len(b); i++ {
		b[i] = 0xcc
	}
	return b
}

const (
	ptLoad   = uint64(elf.PT_LOAD)
	ptInterp = uint64(elf.PT_INTERP)
	rwx      = uint64(elf.PF_R | elf.PF_W | elf.PF_X)
	free     = 0x1_0000_0000 // an address that the test process does not use
)

func load(t testing.TB, m *cpu.Memory, data []byte) (*Image, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "guest")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	return Load(m, f, "guest")
}

func unload(m *cpu.Memory) {
	for _, r := range m.Regions() {
		m.Unmap(r.Start, r.End-r.Start)
	}
}

func TestMalformedFilesAreRefused(t *testing.T) {
	good := program(elf.ET_DYN, 0x1000, [6]uint64{ptLoad, rwx, 0x1000, 0x1000, 0x100, 0x100})
	patch := func(at int, b ...byte) []byte {
		p := append([]byte(nil), good...)
		copy(p[at:], b)
		return p
	}
	for _, tc := range []struct {
		name string
		data []byte
		want string
	}{
		{"empty", nil, "not an ELF file"},
		{"text", []byte("#!/bin/sh\necho hello\n and some more text to fill up the header"), "not an ELF file"},
		{"header cut off", good[:40], "truncated ELF header"},
		{"32-bit", patch(4, 1), "32-bit"},
		{"big-endian", patch(5, 2), "big-endian"},
		{"x86-64", patch(18, 62), "EM_X86_64"},
		{"object file", patch(16, 1), "not an executable"},
		{"entry size", patch(54, 1), "program header size"},
		{"no headers", patch(56, 0), "0 program headers"},
		{"too many headers", patch(56, 0xff, 0xff), "65535 program headers"},
		{"headers outside", patch(32, 0, 0, 0, 0, 1), "outside of the file"},
		{"headers far outside", patch(32, 0, 0, 0, 0, 0, 0, 0, 0x80), "program headers at offset"},
		{"no segment", program(elf.ET_DYN, 0), "0 program headers"},
		{"nothing to load", program(elf.ET_DYN, 0, [6]uint64{uint64(elf.PT_NOTE), 4, 0, 0, 0, 0}), "no loadable segment"},
		{"file larger than memory", program(elf.ET_DYN, 0, [6]uint64{ptLoad, rwx, 0x1000, 0x1000, 0x200, 0x100}), "exceeds memory size"},
		{"address wraps", program(elf.ET_DYN, 0, [6]uint64{ptLoad, rwx, 0, 1<<64 - 0x1000, 0, 0x2000}), "outside of the 47-bit"},
		{"address too high", program(elf.ET_EXEC, 0, [6]uint64{ptLoad, rwx, 0, 1 << 47, 0, 0x1000}), "outside of the 47-bit"},
		{"misaligned", program(elf.ET_DYN, 0, [6]uint64{ptLoad, rwx, 0x1000, 0x1010, 0x100, 0x100}), "modulo the page size"},
		{"interpreter outside", program(elf.ET_DYN, 0, [6]uint64{ptInterp, 4, 1 << 40, 0, 16, 16}), "interpreter path"},
		{"interpreter without end", program(elf.ET_DYN, 0, [6]uint64{ptInterp, 4, 0x1000, 0, 16, 16}), "interpreter path"},
	} {
		m := cpu.NewMemory()
		_, err := load(t, m, tc.data)
		var format *FormatError
		if !errors.As(err, &format) || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: error %v, want one with %q", tc.name, err, tc.want)
		}
		if !errors.Is(err, unix.ENOEXEC) {
			t.Errorf("%s: not ENOEXEC", tc.name)
		}
		unload(m)
	}
}

func TestLoadFixedAndZeroFill(t *testing.T) {
	m := cpu.NewMemory()
	defer unload(m)
	img, err := load(t, m, program(elf.ET_EXEC, free+0x1004,
		[6]uint64{ptLoad, uint64(elf.PF_R | elf.PF_X), 0x1000, free + 0x1000, 0x100, 0x100},
		[6]uint64{ptLoad, uint64(elf.PF_R | elf.PF_W), 0x2000, free + 0x3000, 0x10, 0x2800}))
	if err != nil {
		t.Fatal(err)
	}
	if img.Entry != free+0x1004 || img.Bias != 0 || img.End != free+0x5800 {
		t.Errorf("image %+v", img)
	}
	data := guest(free+0x3000, free+0x5800)
	if data[15] != 0xcc {
		t.Error("the file's part is missing")
	}
	for i, c := range data[16:] {
		if c != 0 {
			t.Fatalf("byte %#x of the zero-filled part is %#x", i+16, c)
		}
	}
	if r, _ := m.Find(free + 0x1000); r.Prot != unix.PROT_READ|unix.PROT_EXEC {
		t.Errorf("protection of the code: %d", r.Prot)
	}
}

// glibc's dynamic linker takes the rest of its last page for zeroed memory.
func TestPageTailAfterBssIsZero(t *testing.T) {
	m := cpu.NewMemory()
	defer unload(m)
	if _, err := load(t, m, program(elf.ET_EXEC, free, [6]uint64{ptLoad, uint64(elf.PF_R | elf.PF_W), 0x1000, free, 0x10, 0x20})); err != nil {
		t.Fatal(err)
	}
	for i, c := range guest(free+0x10, free+0x1000) {
		if c != 0 {
			t.Fatalf("byte %#x of the page is %#x", i+0x10, c)
		}
	}
}

// A segment that reaches past the end of the file must not kill emu when it
// clears the rest of the last page.
func TestTruncatedFileIsAnError(t *testing.T) {
	m := cpu.NewMemory()
	defer unload(m)
	_, err := load(t, m, program(elf.ET_DYN, 0, [6]uint64{ptLoad, rwx, 0x8000, 0x8000, 0x10, 0x2000}))
	if err == nil || !strings.Contains(err.Error(), "ends before its segment") {
		t.Errorf("error %v", err)
	}
}

func TestInitialStack(t *testing.T) {
	m := cpu.NewMemory()
	defer unload(m)
	img := &Image{Entry: 0x1234, Phdr: 0x40, PhNum: 3}
	st, err := NewStack(m, img, &Start{
		Argv: []string{"prog", "", "x y"}, Envp: []string{"A=1", "B="}, ExecFn: "/bin/prog", Platform: "aarch64",
		HWCAP: 0x55, StackSize: 1 << 20, Random: [16]byte{1, 2, 3},
	})
	if err != nil {
		t.Fatal(err)
	}
	le := binary.LittleEndian
	at := st.SP
	word := func() uint64 { at += 8; return le.Uint64(guest(at-8, at)) }
	str := func(p uint64) string {
		b := guest(p, st.High)
		for n := range b {
			if b[n] == 0 {
				return string(b[:n])
			}
		}
		return "?"
	}
	if st.SP%16 != 0 {
		t.Errorf("SP %#x is not 16-byte aligned", st.SP)
	}
	if n := word(); n != 3 {
		t.Fatalf("argc %d", n)
	}
	var got []string
	for p := word(); p != 0; p = word() {
		got = append(got, str(p))
	}
	for p := word(); p != 0; p = word() {
		got = append(got, str(p))
	}
	if s := strings.Join(got, "|"); s != "prog||x y|A=1|B=" {
		t.Errorf("strings %q", s)
	}
	aux := map[uint64]uint64{}
	for k := word(); k != 0; k = word() {
		aux[k] = word()
	}
	if aux[atHwcap] != 0x55 || aux[atEntry] != 0x1234 || aux[atPhnum] != 3 || aux[atPagesz] != 4096 || str(aux[atExecfn]) != "/bin/prog" || str(aux[atPlatform]) != "aarch64" {
		t.Errorf("auxiliary vector %#x", aux)
	}
	if _, ok := aux[atSysinfoEhdr]; ok {
		t.Error("AT_SYSINFO_EHDR without a vDSO")
	}
	if guest(aux[atRandom], aux[atRandom]+3)[2] != 3 {
		t.Error("AT_RANDOM")
	}
	if string(guest(st.ArgStart, st.ArgEnd)) != "prog\x00\x00x y\x00" || string(guest(st.EnvStart, st.EnvEnd)) != "A=1\x00B=\x00" {
		t.Errorf("argument area %q, environment %q", guest(st.ArgStart, st.ArgEnd), guest(st.EnvStart, st.EnvEnd))
	}
	if _, err := NewStack(m, img, &Start{Argv: []string{strings.Repeat("x", 1<<19)}, StackSize: 1 << 20}); !errors.Is(err, unix.E2BIG) {
		t.Errorf("arguments larger than a quarter of the stack: %v, want E2BIG", err)
	}
}

// FuzzELF: no file, however broken, may do more than give an error.
func FuzzELF(f *testing.F) {
	f.Add(program(elf.ET_EXEC, free, [6]uint64{ptLoad, rwx, 0x1000, free, 0x100, 0x3000}))
	f.Add(program(elf.ET_DYN, 0x1000, [6]uint64{ptLoad, rwx, 0x1000, 0x1000, 0x100, 0x100}, [6]uint64{ptInterp, 4, 0x40, 0, 8, 8}))
	f.Fuzz(func(t *testing.T, data []byte) {
		m := cpu.NewMemory()
		load(t, m, data)
		unload(m)
	})
}
