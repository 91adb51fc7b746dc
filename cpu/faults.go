package cpu

import "golang.org/x/sys/unix"

// Faults says of which of count elements next to each other, of size bytes each from addr on,
// a load would not be performed if it is not to fault (MemNF of the Arm ARM): those that
// cannot be read, or with tags fail their tag check, in whatever way that would be told of.
// Element n has bit n * step of the result.
func (s *State) Faults(addr uint64, count, size, step int, tags bool) (faults uint64) {
	tags = tags && s.TagFaults != TagIgnore && s.Modes&ModeTCO == 0
	plain := addr
	if addr>>55&1 == 0 {
		plain &= 1<<TagShift - 1
	}
	known, ok := uint64(1), false // the page that was looked at last
	readable := func(at uint64) bool {
		if page := at &^ (PageSize - 1); page != known {
			known, ok = page, pageReadable(page)
		}
		return ok
	}
	for n := range count {
		off := uint64(n * size)
		at, last := plain+off, plain+off+uint64(size-1)
		fault := !readable(at) || !readable(last)
		if tags && !fault {
			_, fault = Mismatch(addr+off, uint64(size))
		}
		if fault {
			faults |= 1 << (n * step)
		}
	}
	return faults
}

// pageReadable reports whether this process can read a page: whether it is mapped, may be
// read, and if it is a file's whether the file has so many bytes. rt_sigprocmask tells; it reads a set before
// it looks at what it is to do with that, as Abseil's AddressIsReadable has it. A page that is yet to be
// made may take its time.
func pageReadable(page uint64) bool {
	const nothing, setSize = ^uintptr(0), 8
	_, _, errno := unix.Syscall6(unix.SYS_RT_SIGPROCMASK, nothing, uintptr(page), 0, setSize, 0, 0)
	return errno == unix.EINVAL
}
