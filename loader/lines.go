package loader

import (
	"cmp"
	"debug/dwarf"
	"debug/elf"
	"io"
	"slices"
)

// Lines are the source lines of an ELF file's code, from its DWARF (version 5, 2.17 to 3.3 and 6.2), to be
// found by their place in the file. Units are read when an address in them is asked for.
type Lines struct {
	segments []filePart
	data     *dwarf.Data
	units    []unitRange // sorted by address
	read     map[dwarf.Offset]*lineUnit
}

// Frame is a function that has the code at an address: that of the symbol table, or one inlined
// in it.
type Frame struct {
	Function string
	File     string
	Line     int
	Start    int // the line at which the function begins, 0: unknown
}

type unitRange struct {
	start, end uint64
	entry      *dwarf.Entry
}

// lineUnit is what a compilation unit says of addresses.
type lineUnit struct {
	rows  []lineRow
	funcs []*scope
}

// lineRow is a row of a line table: it counts up to the next.
type lineRow struct {
	addr uint64
	file string
	line int
	end  bool // of a sequence: no code from here on
}

// scope is a function, or one inlined in it: then it says where it is called.
type scope struct {
	ranges   [][2]uint64
	name     string
	line     int
	callFile string
	callLine int
	inner    []*scope
}

func (s *scope) contains(addr uint64) bool {
	return slices.ContainsFunc(s.ranges, func(r [2]uint64) bool { return addr >= r[0] && addr < r[1] })
}

// ReadLines reads where an ELF file's units are. DWARF may be in a file of its own, which open
// opens by name (debugfile.go). It is nil if there is none.
func ReadLines(r io.ReaderAt, name string, open func(name string) (io.ReaderAt, bool)) *Lines {
	f, err := elf.NewFile(r)
	if err != nil {
		return nil
	}
	l := &Lines{read: map[dwarf.Offset]*lineUnit{}}
	for _, p := range f.Progs {
		if p.Type == elf.PT_LOAD {
			l.segments = append(l.segments, filePart{p.Off, p.Vaddr, p.Filesz})
		}
	}
	with := f
	if !hasLines(f) {
		if with = findDebug(f, name, open); with == nil {
			return nil
		}
	}
	if l.data, err = with.DWARF(); err != nil {
		return nil
	}
	entries := l.data.Reader()
	for {
		e, err := entries.Next()
		if e == nil || err != nil {
			break
		}
		ranges, _ := l.data.Ranges(e)
		for _, r := range ranges {
			l.units = append(l.units, unitRange{r[0], r[1], e})
		}
		entries.SkipChildren()
	}
	slices.SortFunc(l.units, func(a, b unitRange) int { return cmp.Compare(a.start, b.start) })
	return l
}

// hasLines reports whether a file has a line table, compressed or not.
func hasLines(f *elf.File) bool {
	for _, s := range f.Sections {
		if s.Name == ".debug_line" || s.Name == ".zdebug_line" {
			return s.Type != elf.SHT_NOBITS
		}
	}
	return false
}

// Find returns the functions and lines of the code at offset off of the file, the innermost first; none
// if that is not known.
func (l *Lines) Find(off uint64) []Frame {
	addr, ok := addrAt(l.segments, off)
	if !ok {
		return nil
	}
	n, exact := slices.BinarySearchFunc(l.units, addr, func(u unitRange, a uint64) int { return cmp.Compare(u.start, a) })
	if !exact {
		n--
	}
	if n < 0 || addr >= l.units[n].end {
		return nil
	}
	entry := l.units[n].entry
	u := l.read[entry.Offset]
	if u == nil {
		u = l.readUnit(entry)
		l.read[entry.Offset] = u
	}
	return u.frames(addr)
}

// frames are those of an address of the unit.
func (u *lineUnit) frames(addr uint64) []Frame {
	n, _ := slices.BinarySearchFunc(u.rows, addr, func(r lineRow, a uint64) int {
		if r.addr <= a {
			return -1
		}
		return 1
	})
	if n--; n < 0 || u.rows[n].end {
		return nil
	}
	var within []*scope // from the function inwards
	for next := u.funcs; ; {
		i := slices.IndexFunc(next, func(s *scope) bool { return s.contains(addr) })
		if i < 0 {
			break
		}
		within = append(within, next[i])
		next = next[i].inner
	}
	file, line := u.rows[n].file, u.rows[n].line
	if len(within) == 0 {
		return []Frame{{File: file, Line: line}}
	}
	var out []Frame
	for _, s := range slices.Backward(within) {
		out = append(out, Frame{Function: s.name, File: file, Line: line, Start: s.line})
		file, line = s.callFile, s.callLine
	}
	return out
}

// readUnit reads a unit's line table and functions. What is damaged is as if it were not there.
func (l *Lines) readUnit(unit *dwarf.Entry) *lineUnit {
	u := &lineUnit{}
	var files []*dwarf.LineFile
	if table, err := l.data.LineReader(unit); err == nil && table != nil {
		var e dwarf.LineEntry
		for table.Next(&e) == nil {
			row := lineRow{addr: e.Address, line: e.Line, end: e.EndSequence}
			if e.File != nil {
				row.file = e.File.Name
			}
			u.rows = append(u.rows, row)
		}
		files = table.Files()
	}
	// Sequences may have any order; where one ends another may begin.
	slices.SortStableFunc(u.rows, func(a, b lineRow) int {
		if c := cmp.Compare(a.addr, b.addr); c != 0 || a.end == b.end {
			return c
		}
		if a.end {
			return -1
		}
		return 1
	})
	r := l.data.Reader()
	r.Seek(unit.Offset)
	if e, err := r.Next(); err == nil && e != nil && e.Children {
		l.readScopes(r, files, u)
	}
	return u
}

// readScopes reads the children of an entry. It returns what is inlined there, and adds functions to the
// unit.
func (l *Lines) readScopes(r *dwarf.Reader, files []*dwarf.LineFile, u *lineUnit) (inlined []*scope) {
	for {
		e, err := r.Next()
		if err != nil || e == nil || e.Tag == 0 {
			return inlined
		}
		var s *scope
		if e.Tag == dwarf.TagSubprogram || e.Tag == dwarf.TagInlinedSubroutine {
			ranges, _ := l.data.Ranges(e)
			if len(ranges) == 0 {
				r.SkipChildren() // a declaration, or what inlined ones refer to
				continue
			}
			s = &scope{ranges: ranges}
			s.name, s.line = l.nameOf(e)
		}
		var inner []*scope
		if e.Children {
			inner = l.readScopes(r, files, u)
		}
		switch {
		case s == nil:
			inlined = append(inlined, inner...) // of a lexical block
			continue
		case e.Tag == dwarf.TagInlinedSubroutine:
			if n, ok := e.Val(dwarf.AttrCallFile).(int64); ok && n >= 0 && n < int64(len(files)) && files[n] != nil {
				s.callFile = files[n].Name
			}
			line, _ := e.Val(dwarf.AttrCallLine).(int64)
			s.callLine = int(line)
			inlined = append(inlined, s)
		default:
			u.funcs = append(u.funcs, s)
		}
		s.inner = inner
	}
}

// nameOf finds the name that a function's symbol has, or would have, and its line, which may be at the entry that
// this is an instance of.
func (l *Lines) nameOf(e *dwarf.Entry) (name string, line int) {
	const depth = 4 // inlined, abstract instance, declaration: more are damage
	plain := ""
	for range depth {
		if n, ok := e.Val(dwarf.AttrDeclLine).(int64); ok && line == 0 {
			line = int(n)
		}
		if n, ok := e.Val(dwarf.AttrLinkageName).(string); ok {
			return n, line
		}
		if n, ok := e.Val(dwarf.AttrName).(string); ok && plain == "" {
			plain = n
		}
		origin, ok := e.Val(dwarf.AttrAbstractOrigin).(dwarf.Offset)
		if !ok {
			if origin, ok = e.Val(dwarf.AttrSpecification).(dwarf.Offset); !ok {
				break
			}
		}
		r := l.data.Reader()
		r.Seek(origin)
		next, err := r.Next()
		if err != nil || next == nil {
			break
		}
		e = next
	}
	return plain, line
}
