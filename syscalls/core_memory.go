package syscalls

import (
	"debug/elf"
	"slices"
	"strconv"
	"strings"

	"emu/cpu"

	"golang.org/x/sys/unix"
)

// Bits of /proc/self/coredump_filter (core(5)), and what it is where that cannot be read.
const (
	dumpAnonPrivate = 1 << iota
	dumpAnonShared
	dumpFilePrivate
	dumpFileShared
	dumpELFHeaders
	dumpHugePrivate
	dumpHugeShared

	defaultCoreFilter = dumpAnonPrivate | dumpAnonShared | dumpELFHeaders | dumpHugePrivate
)

// coreSegment is guest memory that gets a PT_LOAD. The first dump bytes are in the core.
type coreSegment struct {
	start, end uint64
	prot       int
	dump       uint64
	touched    bool   // untouched pages are zero, and left out
	file       string // what is mapped, "" if that is no file
	offset     uint64 // in file
	tagged     bool   // the memory has tags (FEAT_MTE)
}

// areaFacts are what decides, beside the guest's Region, whether memory is dumped: what the
// host says of it in smaps.
type areaFacts struct {
	dontDump bool // madvise(MADV_DONTDUMP)
	device   bool // VM_IO
	huge     bool // hugetlbfs
	shared   bool // VM_SHARED
	deleted  bool // the file has no name
	written  bool // some of it is not the file's any more, or there is no file
}

func (a *hostArea) facts(anonymous, swap int) areaFacts {
	has := func(flag string) bool { return strings.Contains(a.flags+" ", " "+flag+" ") }
	value := func(i int) bool { return i >= 0 && i < len(a.values) && a.values[i] != 0 }
	return areaFacts{
		dontDump: has("dd"), device: has("io"), huge: has("ht"), shared: has("sh"),
		deleted: strings.HasSuffix(a.name, " (deleted)"), written: value(anonymous) || value(swap),
	}
}

// dumped is how much of [start, end), which lies in r, is in a core: vma_dump_size of the
// kernel. header: it is the first page, if that begins an ELF file.
func (f *areaFacts) dumped(r *cpu.Region, start, end, filter uint64) (size uint64, header bool) {
	size = end - start
	special := r.Path == "[vdso]"
	switch {
	case special:
		return size, false
	case f.dontDump:
		return 0, false
	case f.huge && f.shared:
		return pick(filter&dumpHugeShared != 0, size), false
	case f.huge:
		return pick(filter&dumpHugePrivate != 0, size), false
	case f.device:
		return 0, false
	case r.Shadow: // on the host it is shared between two views
		return pick(filter&dumpAnonPrivate != 0, size), false
	case f.shared && (f.deleted || r.Flags&unix.MAP_ANONYMOUS != 0):
		return pick(filter&dumpAnonShared != 0, size), false
	case f.shared:
		return pick(filter&dumpFileShared != 0, size), false
	case f.written && filter&dumpAnonPrivate != 0:
		return size, false
	case r.Flags&unix.MAP_ANONYMOUS != 0:
		return 0, false
	}
	return pick(filter&dumpFilePrivate != 0, size), filter&(dumpFilePrivate|dumpELFHeaders) == dumpELFHeaders && r.Offset+(start-r.Start) == 0 && r.Prot&unix.PROT_READ != 0
}

func pick(yes bool, size uint64) uint64 {
	if yes {
		return size
	}
	return 0
}

// coreSegments are the guest's memory in address order.
func (p *Process) coreSegments() (segments []coreSegment) {
	filter := uint64(defaultCoreFilter)
	if text, err := p.readProc("self/coredump_filter"); err == nil {
		if v, err := strconv.ParseUint(strings.TrimSpace(string(text)), 16, 64); err == nil {
			filter = v
		}
	}
	text, err := p.readProc("self/smaps")
	keys, areas := parseSmaps(string(text))
	regions := p.Mem.Regions()
	for i := range regions {
		r := &regions[i]
		if err != nil { // in a chroot without /proc
			unknown := areaFacts{shared: r.Flags&unix.MAP_SHARED != 0, written: r.Flags&unix.MAP_ANONYMOUS != 0 || r.Prot&unix.PROT_WRITE != 0}
			segments = append(segments, p.coreSegment(r, r.Start, r.End, unknown, filter))
			continue
		}
		for len(areas) > 0 && areas[0].end <= r.Start {
			areas = areas[1:]
		}
		segments = p.appendParts(segments, r, keys, areas, filter)
	}
	return segments
}

// appendParts adds a region, in as many parts as differ in what the host says of them. What
// emu protects because there is code is one mapping to the guest, as it was before.
func (p *Process) appendParts(segments []coreSegment, r *cpu.Region, keys []string, areas []hostArea, filter uint64) []coreSegment {
	anonymous, swap := slices.Index(keys, "Anonymous"), slices.Index(keys, "Swap")
	start, part := r.Start, areaFacts{}
	for i, a := range areas {
		if a.start >= r.End {
			break
		}
		now := a.facts(anonymous, swap)
		if i > 0 && !part.like(now) {
			segments = append(segments, p.coreSegment(r, start, a.start, part, filter))
			start, part = a.start, areaFacts{}
		}
		now.written = now.written || part.written
		part = now
	}
	return append(segments, p.coreSegment(r, start, r.End, part, filter))
}

// like reports whether two areas differ in no more than whether they were written.
func (f areaFacts) like(o areaFacts) bool {
	f.written = o.written
	return f == o
}

// coreSegment describes [start, end) of a region.
func (p *Process) coreSegment(r *cpu.Region, start, end uint64, facts areaFacts, filter uint64) coreSegment {
	s := coreSegment{start: start, end: end, prot: r.Prot, touched: r.Flags&unix.MAP_ANONYMOUS != 0 && !facts.shared && !r.Shadow, tagged: r.Prot&cpu.ProtMTE != 0}
	if r.Shadow && r.Prot&unix.PROT_READ != 0 {
		s.prot |= unix.PROT_WRITE
	}
	switch {
	case r.Flags&unix.MAP_ANONYMOUS == 0 && strings.HasPrefix(r.Path, "/"):
		s.file, s.offset = p.guestName(r.Path), r.Offset+(start-r.Start)
		if facts.deleted && !strings.HasSuffix(s.file, " (deleted)") {
			s.file += " (deleted)"
		}
	case r.Flags&unix.MAP_ANONYMOUS != 0 && facts.shared && r.Path == "":
		s.file = "/dev/zero (deleted)"
	}
	var header bool
	if s.dump, header = facts.dumped(r, start, end, filter); header {
		var magic [4]byte
		if p.copyIn(magic[:], start) == 0 && string(magic[:]) == elf.ELFMAG {
			s.dump = cpu.PageSize
		}
	}
	return s
}
