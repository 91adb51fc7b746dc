package gdbserver

import "fmt"

// brk is BRK #0.
var brk = [4]byte{0x00, 0x00, 0x20, 0xd4}

// setBreakpoint puts BRK in the place of the instruction at addr.
func (s *server) setBreakpoint(p *process, addr uint64) error {
	if addr%4 != 0 {
		return fmt.Errorf("no instruction can be at %#x", addr)
	}
	if _, ok := p.breaks[addr]; ok {
		return nil
	}
	var old [4]byte
	if n, err := s.d.ReadMemory(p.someone(), addr, old[:]); n != len(old) {
		return fmt.Errorf("%#x: %w", addr, orShort(err))
	}
	if err := s.d.WriteMemory(p.someone(), addr, brk[:]); err != nil {
		return err
	}
	p.breaks[addr] = old
	return nil
}

// clearBreakpoint puts the instruction back.
func (s *server) clearBreakpoint(p *process, addr uint64) error {
	old, ok := p.breaks[addr]
	if !ok {
		return nil
	}
	delete(p.breaks, addr)
	return s.d.WriteMemory(p.someone(), addr, old[:])
}

// readMemory reads memory as if there were no breakpoints in it.
func (s *server) readMemory(p *process, addr uint64, b []byte) (int, error) {
	n, err := s.d.ReadMemory(p.someone(), addr, b)
	p.overlaps(addr, n, func(at uint64, i, k int) { b[i] = p.breaks[at][k] })
	return n, err
}

// writeMemory writes below the breakpoints: what would stand in the place of one is
// kept for its end.
func (s *server) writeMemory(p *process, addr uint64, b []byte) error {
	b = append([]byte(nil), b...)
	p.overlaps(addr, len(b), func(at uint64, i, k int) {
		old := p.breaks[at]
		old[k] = b[i]
		p.breaks[at] = old
		b[i] = brk[k]
	})
	return s.d.WriteMemory(p.someone(), addr, b)
}

// overlaps calls f for each byte i of n from addr on that is byte k of a breakpoint.
func (p *process) overlaps(addr uint64, n int, f func(at uint64, i, k int)) {
	for at := range p.breaks {
		for k := range uint64(len(brk)) {
			if i := at + k - addr; i < uint64(n) {
				f(at, int(i), int(k))
			}
		}
	}
}
