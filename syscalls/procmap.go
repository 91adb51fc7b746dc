package syscalls

import (
	"encoding/binary"

	"emu/cpu"

	"golang.org/x/sys/unix"
)

// PROCMAP_QUERY of linux/fs.h: what /proc/PID/maps says of one mapping, in binary, by
// ioctl(2) on that file.
const procmapQuery = 0xc0686611

// procmap is struct procmap_query.
type procmap struct {
	Size, Flags, Addr                   uint64
	Start, End, VMAFlags, PageSize      uint64
	Offset, Inode                       uint64
	Major, Minor, NameSize, BuildIDSize uint32
	NameAddr, BuildIDAddr               uint64
}

const (
	procmapMin  = 24 // up to Addr
	procmapSize = 104
)

// Bits of procmap.Flags; the first four are those of VMAFlags.
const (
	procmapPerms      = 0xf
	procmapShared     = 8
	procmapNext       = 0x10 // PROCMAP_QUERY_COVERING_OR_NEXT_VMA
	procmapFileBacked = 0x20
	procmapAll        = 0x3f
)

// queryMap serves PROCMAP_QUERY for the maps that list regions.
func (t *Task) queryMap(regions []cpu.Region, addr uint64) int64 {
	size, e := load[uint64](t.p, addr)
	switch {
	case e != 0:
		return fail(e)
	case size > cpu.PageSize:
		return fail(unix.E2BIG)
	case size < procmapMin:
		return fail(unix.EINVAL)
	}
	raw := make([]byte, max(size, procmapSize))
	if e := t.p.copyIn(raw[:size], addr); e != 0 {
		return fail(e)
	}
	for _, b := range raw[procmapSize:] {
		if b != 0 {
			return fail(unix.E2BIG)
		}
	}
	var q procmap
	if _, err := binary.Decode(raw, binary.LittleEndian, &q); err != nil {
		panic("BUG: syscalls: struct procmap_query: " + err.Error())
	}
	if q.Flags&^procmapAll != 0 || (q.NameSize != 0) != (q.NameAddr != 0) || (q.BuildIDSize != 0) != (q.BuildIDAddr != 0) {
		return fail(unix.EINVAL)
	}
	r := q.find(regions)
	if r == nil {
		return fail(unix.ENOENT)
	}
	q.Start, q.End, q.VMAFlags, q.PageSize = r.Start, r.End, permsOf(r), cpu.PageSize
	q.Offset, q.Inode, q.Major, q.Minor = 0, 0, 0, 0
	if fileBacked(r) {
		q.Offset, q.Inode, q.Major, q.Minor = r.Offset, r.Ino, unix.Major(r.Dev), unix.Minor(r.Dev)
	}
	if q.BuildIDSize != 0 {
		id := buildID(r)
		if uint32(len(id)) > q.BuildIDSize {
			return fail(unix.ENAMETOOLONG)
		}
		if e := t.p.copyOut(q.BuildIDAddr, id); e != 0 {
			return fail(e)
		}
		q.BuildIDSize = uint32(len(id))
	}
	if q.NameSize != 0 {
		name := ""
		if r.Path != "" {
			name = t.p.guestName(r.Path) + "\x00"
		}
		if len(name) > int(min(q.NameSize, pathMax)) {
			return fail(unix.ENAMETOOLONG)
		}
		if e := t.p.copyOut(q.NameAddr, []byte(name)); e != 0 {
			return fail(e)
		}
		q.NameSize = uint32(len(name))
	}
	if _, err := binary.Encode(raw, binary.LittleEndian, &q); err != nil {
		panic("BUG: syscalls: struct procmap_query: " + err.Error())
	}
	return fail(t.p.copyOut(addr, raw[:min(size, procmapSize)]))
}

// find returns the first region that is asked for, nil if there is none.
func (q *procmap) find(regions []cpu.Region) *cpu.Region {
	for i := range regions {
		r := &regions[i]
		if r.End <= q.Addr {
			continue
		}
		fits := q.Flags&procmapFileBacked == 0 || fileBacked(r)
		fits = fits && q.Flags&procmapPerms&^permsOf(r) == 0
		switch {
		case fits && (q.Flags&procmapNext != 0 || r.Start <= q.Addr):
			return r
		case q.Flags&procmapNext == 0:
			return nil
		}
	}
	return nil
}

func fileBacked(r *cpu.Region) bool { return r.Ino != 0 }

// permsOf returns a region's protection and whether it is shared, as VMAFlags has it.
func permsOf(r *cpu.Region) (flags uint64) {
	flags = uint64(r.Prot) & (unix.PROT_READ | unix.PROT_WRITE | unix.PROT_EXEC)
	if r.Shadow && flags != 0 {
		flags |= unix.PROT_WRITE
	}
	if r.Flags&unix.MAP_PRIVATE == 0 {
		flags |= procmapShared
	}
	return flags
}
