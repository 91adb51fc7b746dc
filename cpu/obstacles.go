package cpu

import (
	"bytes"
	"slices"
	"strconv"

	"golang.org/x/sys/unix"
)

// reservedSpace is not for what the guest leaves to the system: shadow stacks and tags are at
// fixed addresses there.
var reservedSpace = span{ShadowBase, StoreBase + storeBytes}

// takenOf returns a part of the address space that has bytes of s and is not the guest's
// to have.
func (m *Memory) takenOf(s span) (span, bool) {
	overlaps := func(t span) bool { return t.start < s.end && s.start < t.end }
	if overlaps(reservedSpace) {
		return reservedSpace, true
	}
	for _, list := range [...][]span{m.rooms, m.obstacles} {
		if i := slices.IndexFunc(list, overlaps); i >= 0 {
			return list[i], true
		}
	}
	return span{}, false
}

// findObstacles lists what emu itself has mapped where the guest's memory goes, and
// reports whether that could be found out. The lock is held.
func (m *Memory) findObstacles() bool {
	maps, ok := hostMaps()
	if !ok {
		return false
	}
	m.obstacles = m.obstacles[:0]
	for line := range bytes.Lines(maps) {
		s, ok := mapsSpan(line)
		if !ok {
			return false
		}
		if s.start >= stackEnd {
			break
		}
		m.obstacles = m.appendForeign(m.obstacles, s)
	}
	return true
}

// Obstacle returns the first part of [start, end) that emu itself has mapped, if it has some.
func (m *Memory) Obstacle(start, end uint64) (from, to uint64, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	maps, _ := hostMaps()
	for line := range bytes.Lines(maps) {
		s, ok := mapsSpan(line)
		if !ok || s.start >= end {
			break
		}
		if s.start, s.end = max(s.start, start), min(s.end, end); s.start >= s.end {
			continue
		}
		if list := m.appendForeign(nil, s); len(list) > 0 {
			return list[0].start, list[0].end, true
		}
	}
	return 0, 0, false
}

// mapsSpan are the addresses of a line of /proc/self/maps.
func mapsSpan(line []byte) (s span, ok bool) {
	var err [2]error
	from, rest, _ := bytes.Cut(line, []byte("-"))
	to, _, _ := bytes.Cut(rest, []byte(" "))
	s.start, err[0] = strconv.ParseUint(string(from), 16, 64)
	s.end, err[1] = strconv.ParseUint(string(to), 16, 64)
	return s, err[0] == nil && err[1] == nil
}

// appendForeign adds to list what of s, which the host has mapped, is not the guest's.
func (m *Memory) appendForeign(list []span, s span) []span {
	for own := range m.owned(s.start, s.end) {
		if own.start > s.start {
			list = append(list, span{s.start, own.start})
		}
		s.start = own.end
	}
	if s.start < s.end {
		list = append(list, s)
	}
	return list
}

// hostMaps reads /proc/self/maps: the process's, not the guest's.
func hostMaps() ([]byte, bool) {
	fd, err := unix.Open("/proc/self/maps", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, false
	}
	defer unix.Close(fd)
	var maps []byte
	for {
		maps = slices.Grow(maps, 64<<10)
		n, err := unix.Read(fd, maps[len(maps):cap(maps)])
		switch {
		case err == unix.EINTR:
		case err != nil:
			return nil, false
		case n == 0:
			return maps, true
		}
		maps = maps[:len(maps)+max(n, 0)]
	}
}

// Room reserves size bytes of address space for Track, where the guest's memory would go
// next; 0 if there are none.
func (m *Memory) Room(size uint64) uint64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	const flags = unix.MAP_PRIVATE | unix.MAP_ANONYMOUS | unix.MAP_NORESERVE | unix.MAP_FIXED_NOREPLACE
	at, errno := m.inHole(size, anyPage, func(at uint64) (uint64, unix.Errno) {
		return hostMmap(at, size, unix.PROT_NONE, flags, -1, 0)
	})
	if errno != 0 {
		return 0
	}
	m.rooms = append(m.rooms, span{at, at + size})
	return at
}

// DropRoom gives it up.
func (m *Memory) DropRoom(room, size uint64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	hostMunmap(room, size)
	m.forgetRoom(span{room, room + size})
}

// forgetRoom notes that a room is free for everything, and nobody's on the host. The lock is
// held.
func (m *Memory) forgetRoom(room span) {
	m.rooms = slices.DeleteFunc(m.rooms, func(s span) bool { return s == room })
	m.vacated(room.start, room.end)
}
