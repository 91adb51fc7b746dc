package gdbserver

import (
	"fmt"
	"slices"

	"emu/syscalls"

	"golang.org/x/sys/unix"
)

// watchpoint is memory that threads stop before they access, as on arm64: gdb lets them
// step over the access without it.
type watchpoint struct {
	kind byte // of packet Z
	syscalls.Watchpoint
}

// maxWatch is the size of the largest watchpoint.
const maxWatch = 4096

// watchKinds are the packets, and what stop replies call them (gdb manual, E.3).
var watchKinds = map[byte]struct {
	load, store bool
	name        string
}{
	'2': {store: true, name: "watch"},
	'3': {load: true, name: "rwatch"},
	'4': {load: true, store: true, name: "awatch"},
}

// watch sets a watchpoint.
func (p *process) watch(kind byte, addr, size uint64) error {
	switch {
	case size == 0 || size > maxWatch:
		return unix.EINVAL
	case len(p.watches) == syscalls.MaxWatchpoints:
		return unix.ENOSPC
	}
	k := watchKinds[kind]
	p.watches = append(p.watches, watchpoint{kind, syscalls.Watchpoint{Addr: addr, Size: size, Load: k.load, Store: k.store}})
	p.watching++
	return nil
}

// unwatch removes a watchpoint.
func (p *process) unwatch(kind byte, addr, size uint64) {
	p.watches = slices.DeleteFunc(p.watches, func(w watchpoint) bool { return w.kind == kind && w.Addr == addr && w.Size == size })
	p.watching++
}

// arm gives a stopped thread the watchpoints, if it has others.
func (s *server) arm(th *thread) {
	p := th.of
	if th.watching == p.watching {
		return
	}
	list := make([]syscalls.Watchpoint, len(p.watches))
	for i, w := range p.watches {
		list[i] = w.Watchpoint
	}
	if s.d.SetWatchpoints(th.tid, list) == nil {
		th.watching = p.watching
	}
}

// watched reports whether a thread stopped before an access.
func watched(stop *syscalls.Stop) bool {
	return stop.Event == 0 && stop.Signal == int(unix.SIGTRAP) && stop.Code == trapHwBreakpoint
}

// watchReply is what a stop reply says of a watchpoint at addr, which may have a tag.
func (p *process) watchReply(addr uint64) string {
	const tag = 0xff << 56
	for _, w := range p.watches {
		if at := addr &^ tag; at-w.Addr < w.Size {
			return fmt.Sprintf("%s:%x;", watchKinds[w.kind].name, at)
		}
	}
	return ""
}
