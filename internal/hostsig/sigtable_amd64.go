package hostsig

import (
	"unsafe"

	"emu/internal/program"

	"golang.org/x/sys/unix"
)

// The runtime has each thread that it starts, its first one too, unblock the signals
// whose default is to end the process, and SIGCHLD. One of the guest's that such a
// thread receives can be passed on only if a process sent it: the kernel lets nobody
// else requeue what it generated itself (rt_sigqueueinfo(2)), so a SIGCHLD would be lost;
// and one that the parent has blocked until the program ignores or handles it would end
// emu before the program begins. The runtime's table of signals says which ones are
// unblocked. This changes it: before the runtime starts (see start_amd64.s), or in Install
// if the process had another entry point.

// sigTab is an entry of the runtime's table.
type sigTab struct {
	flags int32
	name  string
}

// sigTable is the runtime's table.
type sigTable [Signals + 1]sigTab

// Flags in the runtime's table.
const (
	sigKill    = 1 << 1
	sigThrow   = 1 << 2
	sigUnblock = 1 << 7
)

//go:nosplit
func keepBlockedFirst() {
	table := findSigTab(program.Headers{Addr: uintptr(Auxval(program.AtPhdr)), N: uintptr(Auxval(program.AtPhnum))})
	if table == nil {
		return
	}
	for sig := 1; sig <= Signals; sig++ {
		if Soft>>(sig-1)&1 == 0 {
			table[sig].flags = 0 // no handler, and not unblocked
		}
	}
	untouched = true
}

// untouched says that the runtime has left the guest's signals as execve(2) has.
var untouched bool

// keepBlocked makes the runtime leave the guest's signals blocked in threads that
// it starts from now on.
//
//go:nosplit
func keepBlocked(table *sigTable) {
	if table == nil {
		return
	}
	for sig := 1; sig <= Signals; sig++ {
		if Soft>>(sig-1)&1 == 0 {
			table[sig].flags &^= sigKill | sigThrow | sigUnblock
		}
	}
}

// neighbour is beside the table, for the linker sorts variables by their size. It says
// where to look first: there is a megabyte to look through at each start.
var neighbour = sigTable{{name: "not the runtime's"}}

// near is how far from neighbour that is, in bytes.
const near = 16 << 10

// findSigTab looks for the table in what the program headers map writable:
// nothing else begins with these names.
//
//go:nosplit
func findSigTab(headers program.Headers) *sigTable {
	for i := range headers.N {
		h := headers.At(i)
		if h.Kind != unix.PT_LOAD || h.Flags&unix.PF_W == 0 {
			continue
		}
		start, end := uintptr(h.Vaddr), uintptr(h.Vaddr+h.Filesz)
		if here := uintptr(unsafe.Pointer(&neighbour)); here >= start && here < end {
			if table := sigTabBetween(max(start, here-near), min(end, here+near)); table != nil {
				return table
			}
		}
		if table := sigTabBetween(start, end); table != nil {
			return table
		}
	}
	return nil
}

//go:nosplit
func sigTabBetween(start, end uintptr) *sigTable {
	for at := start; at+unsafe.Sizeof(sigTable{}) <= end; at += unsafe.Alignof(sigTab{}) {
		if table := (*sigTable)(pointer(at)); table.begins() {
			return table
		}
	}
	return nil
}

// begins reports whether the first entries are those of the runtime's table. Lengths
// first: what is no string may not be read as one.
//
//go:nosplit
func (t *sigTable) begins() bool {
	const none, hup, intr = "SIGNONE: no trap", "SIGHUP: terminal line hangup", "SIGINT: interrupt"
	return len(t[0].name) == len(none) && len(t[1].name) == len(hup) && len(t[2].name) == len(intr) &&
		t[0].name == none && t[1].name == hup && t[2].name == intr
}
