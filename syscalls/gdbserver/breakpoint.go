package gdbserver

import "fmt"

// brk is BRK #0.
var brk = [4]byte{0x00, 0x00, 0x20, 0xd4}

// setBreakpoint puts BRK in the place of the instruction at addr.
func (s *server) setBreakpoint(addr uint64) error {
	if addr%4 != 0 {
		return fmt.Errorf("no instruction can be at %#x", addr)
	}
	if _, ok := s.breaks[addr]; ok {
		return nil
	}
	var old [4]byte
	if n, err := s.d.ReadMemory(s.someone(), addr, old[:]); n != len(old) {
		return fmt.Errorf("%#x: %w", addr, orShort(err))
	}
	if err := s.d.WriteMemory(s.someone(), addr, brk[:]); err != nil {
		return err
	}
	s.breaks[addr] = old
	return nil
}

// clearBreakpoint puts the instruction back.
func (s *server) clearBreakpoint(addr uint64) error {
	old, ok := s.breaks[addr]
	if !ok {
		return nil
	}
	delete(s.breaks, addr)
	return s.d.WriteMemory(s.someone(), addr, old[:])
}

// withoutBreakpoints puts all instructions back in a process that was forked with
// the breakpoints in its memory.
func (s *server) withoutBreakpoints(pid int) {
	for addr, old := range s.breaks {
		s.d.WriteMemory(pid, addr, old[:])
	}
}

// readMemory reads memory as if there were no breakpoints in it.
func (s *server) readMemory(addr uint64, b []byte) (int, error) {
	n, err := s.d.ReadMemory(s.someone(), addr, b)
	s.overlaps(addr, n, func(at uint64, i, k int) { b[i] = s.breaks[at][k] })
	return n, err
}

// writeMemory writes below the breakpoints: what would stand in the place of one is
// kept for its end.
func (s *server) writeMemory(addr uint64, b []byte) error {
	b = append([]byte(nil), b...)
	s.overlaps(addr, len(b), func(at uint64, i, k int) {
		old := s.breaks[at]
		old[k] = b[i]
		s.breaks[at] = old
		b[i] = brk[k]
	})
	return s.d.WriteMemory(s.someone(), addr, b)
}

// overlaps calls f for each byte i of n from addr on that is byte k of a breakpoint.
func (s *server) overlaps(addr uint64, n int, f func(at uint64, i, k int)) {
	for at := range s.breaks {
		for k := range uint64(len(brk)) {
			if i := at + k - addr; i < uint64(n) {
				f(at, int(i), int(k))
			}
		}
	}
}
