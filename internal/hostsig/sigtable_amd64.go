package hostsig

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// The runtime has each thread that it starts unblock the signals whose default is
// to end the process, and SIGCHLD. One of the guest's that such a thread receives
// can be passed on only if a process sent it: the kernel lets nobody else requeue
// what it generated itself (rt_sigqueueinfo(2)), so a SIGCHLD would be lost. The
// runtime's table of signals says which ones are unblocked; this changes it.

// sigTab is an entry of the runtime's table.
type sigTab struct {
	flags int32
	name  string
}

// Flags in the runtime's table.
const (
	sigKill    = 1 << 1
	sigThrow   = 1 << 2
	sigUnblock = 1 << 7
)

// keepBlocked makes the runtime leave the guest's signals blocked in threads that
// it starts from now on. It reports whether it found the table.
func keepBlocked() bool {
	table := findSigTab()
	if table == nil {
		return false
	}
	for sig := 1; sig <= Signals; sig++ {
		if Soft>>(sig-1)&1 == 0 {
			table[sig].flags &^= sigKill | sigThrow | sigUnblock
		}
	}
	return true
}

// findSigTab looks for the table in the program's data: nothing else begins with
// these names.
func findSigTab() *[Signals + 1]sigTab {
	first := [...]string{"SIGNONE: no trap", "SIGHUP: terminal line hangup", "SIGINT: interrupt"}
	const size = unsafe.Sizeof([Signals + 1]sigTab{})
	for _, seg := range dataSegments() {
		for at := seg.start; at+size <= seg.end; at += unsafe.Alignof(sigTab{}) {
			// Lengths first: what is no string may not be read as one. One that differs
			// ends the matter: there is a megabyte to look through at each start.
			lengths := (*[Signals + 1]struct{ _, _, n uintptr })(pointer(at))
			if lengths[0].n != uintptr(len(first[0])) || lengths[1].n != uintptr(len(first[1])) || lengths[2].n != uintptr(len(first[2])) {
				continue
			}
			table := (*[Signals + 1]sigTab)(pointer(at))
			if table[0].name == first[0] && table[1].name == first[1] && table[2].name == first[2] {
				return table
			}
		}
	}
	return nil
}

type segment struct{ start, end uintptr }

// dataSegments are the parts of the program file that are mapped writable.
func dataSegments() (list []segment) {
	const atPhdr, atPhnum, ptLoad, pfWrite = 3, 5, 1, 2
	aux, err := unix.Auxv()
	if err != nil {
		return nil
	}
	var phdr, n uintptr
	for _, a := range aux {
		switch a[0] {
		case atPhdr:
			phdr = a[1]
		case atPhnum:
			n = a[1]
		}
	}
	type header struct {
		kind, flags                               uint32
		offset, vaddr, paddr, filesz, memsz, algn uint64
	}
	for i := range n {
		h := (*header)(pointer(phdr + i*unsafe.Sizeof(header{})))
		if h.kind == ptLoad && h.flags&pfWrite != 0 {
			list = append(list, segment{uintptr(h.vaddr), uintptr(h.vaddr + h.filesz)})
		}
	}
	return list
}
