package tests

import (
	"debug/elf"
	"encoding/binary"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// coreFile is a core file as a debugger sees it.
type coreFile struct {
	*elf.File
	t     *testing.T
	path  string
	notes []coreNote
}

type coreNote struct {
	name    string
	kind    uint32
	content []byte
}

func (n coreNote) String() string { return fmt.Sprintf("%s %#x", n.name, n.kind) }

// Types of notes (linux/elf.h).
const (
	ntPrstatus   = 1
	ntFpregset   = 2
	ntPrpsinfo   = 3
	ntAuxv       = 6
	ntSiginfo    = 0x53494749
	ntFile       = 0x46494c45
	ntArmTLS     = 0x401
	ntSystemCall = 0x404
)

// Places in struct elf_prstatus of arm64 (linux/elfcore.h), and in its registers.
const (
	prCursig = 12
	prPid    = 32
	prReg    = 112
	regSP    = 31
	regPC    = 32
	regState = 33
)

// coresIn are the core files in a directory.
func coresIn(t *testing.T, dir string) (names []string) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "core*"))
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// openCore opens the only core in dir.
func openCore(t *testing.T, dir string) *coreFile {
	t.Helper()
	names := coresIn(t, dir)
	if len(names) != 1 {
		t.Fatalf("core files: %q", names)
	}
	f, err := elf.Open(names[0])
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	c := &coreFile{File: f, t: t, path: names[0]}
	if f.Type != elf.ET_CORE {
		t.Fatalf("a core file of type %v", f.Type)
	}
	note := c.Progs[0]
	if note.Type != elf.PT_NOTE {
		t.Fatalf("the first program header is %v", note.Type)
	}
	b := make([]byte, note.Filesz)
	if _, err := note.ReadAt(b, 0); err != nil {
		t.Fatal(err)
	}
	pad := func(n uint32) uint32 { return (n + 3) &^ 3 }
	for len(b) > 0 {
		name, size, kind := word(b, 0), word(b, 4), word(b, 8)
		b = b[12:]
		c.notes = append(c.notes, coreNote{strings.TrimRight(string(b[:name]), "\x00"), kind, b[pad(name):][:size]})
		b = b[pad(name)+pad(size):]
	}
	return c
}

func word(b []byte, at int) uint32      { return binary.LittleEndian.Uint32(b[at:]) }
func long(b []byte, at int) uint64      { return binary.LittleEndian.Uint64(b[at:]) }
func reg(prstatus []byte, n int) uint64 { return long(prstatus, prReg+8*n) }

// all are the contents of the notes of a type.
func (c *coreFile) all(kind uint32) (contents [][]byte) {
	for _, n := range c.notes {
		if n.kind == kind {
			contents = append(contents, n.content)
		}
	}
	return contents
}

// one is the content of the only note of a type.
func (c *coreFile) one(kind uint32) []byte {
	c.t.Helper()
	list := c.all(kind)
	if len(list) != 1 {
		c.t.Fatalf("%d notes of type %#x", len(list), kind)
	}
	return list[0]
}

// dumped is how many bytes the core has of [at, at+n), counted from at.
func (c *coreFile) dumped(at, n uint64) (have []byte) {
	for _, p := range c.Progs {
		if p.Type != elf.PT_LOAD || at+uint64(len(have)) < p.Vaddr || at+uint64(len(have)) >= p.Vaddr+p.Filesz {
			continue
		}
		from := at + uint64(len(have)) - p.Vaddr
		part := make([]byte, min(n-uint64(len(have)), p.Filesz-from))
		if _, err := p.ReadAt(part, int64(from)); err != nil {
			c.t.Fatalf("segment of %#x: %v", p.Vaddr, err)
		}
		have = append(have, part...)
	}
	return have
}

// addresses are the lines "name 0xvalue" that a program has printed.
func addresses(stdout string) map[string]uint64 {
	values := map[string]uint64{}
	for line := range strings.Lines(stdout) {
		name, text, _ := strings.Cut(strings.TrimSpace(line), " ")
		if v, err := strconv.ParseUint(text, 0, 64); err == nil {
			values[name] = v
		}
	}
	return values
}

func symbolsOf(t *testing.T, path string) map[string]elf.Symbol {
	t.Helper()
	f, err := elf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	list, err := f.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	symbols := map[string]elf.Symbol{}
	for _, s := range list {
		symbols[s.Name] = s
	}
	return symbols
}

// checkAuxv looks for AT_ENTRY.
func (c *coreFile) checkAuxv(guest string) {
	c.t.Helper()
	f, err := elf.Open(guest)
	if err != nil {
		c.t.Fatal(err)
	}
	defer f.Close()
	const atEntry = 9
	auxv := c.one(ntAuxv)
	for at := 0; at+16 <= len(auxv); at += 16 {
		if long(auxv, at) == atEntry {
			if long(auxv, at+8) != f.Entry {
				c.t.Errorf("AT_ENTRY %#x, want %#x", long(auxv, at+8), f.Entry)
			}
			return
		}
	}
	c.t.Errorf("no AT_ENTRY in %x", auxv)
}

// checkFiles compares NT_FILE with the program's segments.
func (c *coreFile) checkFiles(guest string) {
	c.t.Helper()
	b := c.one(ntFile)
	n, page := long(b, 0), long(b, 8)
	names := strings.Split(strings.TrimSuffix(string(b[16+24*n:]), "\x00"), "\x00")
	if page != 4096 || uint64(len(names)) != n || n == 0 {
		c.t.Fatalf("%d files, page size %d, names %q", n, page, names)
	}
	f, err := elf.Open(guest)
	if err != nil {
		c.t.Fatal(err)
	}
	defer f.Close()
	text := f.Section(".text")
	for i, name := range names {
		start, end, at := long(b, 16+24*i), long(b, 16+24*i+8), long(b, 16+24*i+16)*page
		if name == guest && start <= text.Addr && text.Addr < end {
			if at+text.Addr-start != text.Offset {
				c.t.Errorf("%s is mapped at %#x from offset %#x; .text is at %#x, %#x", name, start, at, text.Addr, text.Offset)
			}
			return
		}
	}
	c.t.Errorf("the program's text is in none of %q", names)
}

// maps reports whether a program header covers an address.
func (c *coreFile) maps(at uint64) bool {
	return slices.ContainsFunc(c.Progs, func(p *elf.Prog) bool { return p.Type == elf.PT_LOAD && at >= p.Vaddr && at < p.Vaddr+p.Memsz })
}

// checkNames looks for a name in NT_FILE.
func (c *coreFile) checkNames(want string) {
	c.t.Helper()
	b := c.one(ntFile)
	if names := strings.Split(string(b[16+24*long(b, 0):]), "\x00"); !slices.Contains(names, want) {
		c.t.Errorf("NT_FILE has %q, not %s", names, want)
	}
}
