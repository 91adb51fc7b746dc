package cpu

import (
	"slices"
	"unsafe"

	"golang.org/x/sys/unix"
)

// mostLookedAt is how much memory may be looked through for pages of the process's own: it is
// 8 bytes of /proc/self/pagemap a page, mapped or not.
const mostLookedAt = 1 << 30

// privateSize is how much private memory the guest may write. The lock is held.
func (m *Memory) privateSize() (sum uint64) {
	for r := range m.regions.all() {
		if r.Prot&unix.PROT_WRITE != 0 && r.Flags&mapTypeMask == unix.MAP_PRIVATE {
			sum += r.End - r.Start
		}
	}
	return sum
}

// Bits of an entry of /proc/PID/pagemap (Documentation/admin-guide/mm/pagemap.rst).
const (
	pagePresent   = 1 << 63
	pageSwapped   = 1 << 62
	pageExclusive = 1 << 56 // mapped here alone
)

// TrackedForks says that the process is about to fork: what it has written will be its child's as well, and so is noted before.
func (m *Memory) TrackedForks() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.track == nil || m.track.proc == 0 {
		return
	}
	if m.track.written == nil {
		m.track.written = map[uint64]bool{}
	}
	m.eachOwn(func(page uint64) { m.track.written[page] = true })
}

// trackGone notes that the contents of [start, end) are gone.
func (m *Memory) trackGone(start, end uint64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.track != nil && m.track.proc != 0 {
		m.track.forget(start, end)
	}
}

// isGone reports whether a tracked page may not have what was there any more, and is the guest's private memory.
func (m *Memory) isGone(page uint64) bool {
	if !slices.ContainsFunc(m.track.gone, func(s span) bool { return page >= s.start && page < s.end }) {
		return false
	}
	r, ok := m.find(page)
	return ok && r.Flags&mapTypeMask == unix.MAP_PRIVATE
}

// ownPages calls f with the tracked pages that were written. The lock is held.
func (m *Memory) ownPages(f func(addr uint64, now []byte)) {
	if m.track.proc == 0 {
		return
	}
	var now [PageSize]byte
	m.eachOwn(func(page uint64) {
		if copyPage(&now, page) {
			f(page, now[:])
		}
	})
}

// eachOwn calls f with the tracked pages that no other process has: after a fork they are those that were
// written, with those that were written before another fork and those that are gone, which read as zeros. What is in swap may be. The lock
// is held.
func (m *Memory) eachOwn(f func(page uint64)) {
	fd, err := unix.Openat(m.track.proc, "self/pagemap", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err == nil {
		defer unix.Close(fd)
	}
	var entries [2048]uint64
	for _, s := range m.track.spans {
		for at := s.start; at < s.end; {
			n := min((s.end-at)/PageSize, uint64(len(entries)))
			list := entries[:n]
			buf := unsafe.Slice((*byte)(unsafe.Pointer(&entries[0])), 8*n)
			if got, err := unix.Pread(fd, buf, int64(8*(at/PageSize))); err != nil || got != len(buf) {
				for i := range list { // all may be
					list[i] = pagePresent | pageExclusive
				}
			}
			for i, e := range list {
				page := at + uint64(i)*PageSize
				if e&pageSwapped != 0 || e&pagePresent != 0 && e&pageExclusive != 0 || m.track.written[page] || m.isGone(page) {
					f(page)
				}
			}
			at += n * PageSize
		}
	}
}

// roomForDescriptor reports whether the process could open a file.
func roomForDescriptor(fd int) bool {
	another, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 0)
	if err == nil {
		unix.Close(another)
	}
	return err == nil
}
