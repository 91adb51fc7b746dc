package interp

import (
	"sync/atomic"
	"unsafe"

	"emu/ir"
)

// access is the guest memory access under way; size 0 means none. A fault
// outside of one is our own mistake.
type access struct {
	addr, size uint64
	write      bool
	update     bool // a write that also reads
}

// watched is the panic that ends an instruction before an access that is watched; it is
// the first watched address.
type watched uint64

// begin notes what is accessed next.
func (m *Machine) begin(a access) {
	m.acc = a
	if m.Watch != nil {
		m.look(a)
	}
}

func (m *Machine) look(a access) {
	plain := untag(a.addr)
	if hit, ok := m.Watch(plain, a.size, !a.write || a.update, a.write); ok {
		panic(watched(a.addr + (hit - plain)))
	}
}

// at is a host pointer to a guest address; without its tag it is the same number.
func at[T any](addr uint64) *T {
	addr = untag(addr)
	return *(**T)(unsafe.Pointer(&addr))
}

// untag clears the top byte of a user address, which EL0 accesses ignore on
// Linux (TBI, Arm ARM D8.8.1; Documentation/arch/arm64/tagged-pointers.rst).
func untag(addr uint64) uint64 {
	if addr>>55&1 == 0 {
		return addr & (1<<56 - 1)
	}
	return addr
}

// load reads a value of type t; scalars are zero-extended. No alignment is
// needed: as on A64 an access that crosses a boundary is not single-copy atomic.
func (m *Machine) load(t ir.Type, addr uint64) (v ir.Val) {
	m.begin(access{addr: addr, size: uint64(t.Bytes())})
	switch m.acc.size {
	case 1:
		v.Lo = uint64(*at[uint8](addr))
	case 2:
		v.Lo = uint64(*at[uint16](addr))
	case 4:
		v.Lo = uint64(*at[uint32](addr))
	case 8:
		v.Lo = *at[uint64](addr)
	case 16:
		p := at[[2]uint64](addr)
		v.Lo = p[0]
		v.Hi = p[1]
	default:
		panic("BUG: interp: load of " + t.String())
	}
	m.acc.size = 0
	return v
}

// store writes a value of type t. Nothing is written when part of it would fault.
func (m *Machine) store(t ir.Type, addr uint64, v ir.Val) {
	m.begin(access{addr: addr, size: uint64(t.Bytes()), write: true})
	switch m.acc.size {
	case 1:
		*at[uint8](addr) = uint8(v.Lo)
	case 2:
		*at[uint16](addr) = uint16(v.Lo)
	case 4:
		*at[uint32](addr) = uint32(v.Lo)
	case 8:
		*at[uint64](addr) = v.Lo
	case 16:
		if addr&4095 > 4096-16 {
			probe(addr) // the halves may lie in two pages
		}
		p := at[[2]uint64](addr)
		p[1] = v.Hi
		p[0] = v.Lo
	default:
		panic("BUG: interp: store of " + t.String())
	}
	m.acc.size = 0
}

// loadP reads those elements of a vector of type t, n bytes in all, whose bit is set in bytes.
func (m *Machine) loadP(t ir.Type, addr, bytes, n uint64) (v ir.Val) {
	lane := t.Lane()
	for off := uint64(0); off < n; off += uint64(lane.Bytes()) {
		if bytes>>off&1 == 0 {
			continue
		}
		x := m.load(lane, addr+off).Lo
		if off < 8 {
			v.Lo |= x << (8 * off)
		} else {
			v.Hi |= x << (8 * (off - 8))
		}
	}
	return v
}

// storeP writes those elements of v, of type t, whose bit is set in bytes. Those in front of
// one that faults are written.
func (m *Machine) storeP(t ir.Type, addr, bytes uint64, v ir.Val) {
	lane := t.Lane()
	for off := uint64(0); off < 16; off += uint64(lane.Bytes()) {
		if bytes>>off&1 == 0 {
			continue
		}
		x := v.Lo >> (8 * off)
		if off >= 8 {
			x = v.Hi >> (8 * (off - 8))
		}
		m.store(lane, addr+off, ir.Val{Lo: x})
	}
}

// probe faults if the word around addr cannot be written.
func probe(addr uint64) {
	atomic.AddUint32(at[uint32](addr&^3), 0)
}
