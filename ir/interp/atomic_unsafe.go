package interp

import (
	"sync/atomic"

	"emu/cpu"
	"emu/ir"
)

// memory evaluates the memory operations other than LOAD and STORE. ok is false
// for an alignment fault at addr.
func (m *Machine) memory(st *step, s *cpu.State) (addr uint64, ok bool) {
	vals := m.vals
	addr = vals[st.a].Lo
	dst := &vals[st.dst]
	switch st.op {
	case ir.OpLoadS:
		n := uint(vals[st.c].Lo)
		v := m.load(ir.I8+ir.Type(log2(n)-3), addr+vals[st.b].Lo)
		*dst = narrow(st.t, ir.Val{Lo: uint64(int64(v.Lo<<(64-n)) >> (64 - n))})
	case ir.OpLoadA:
		addr += vals[st.b].Lo
		size := uint64(st.t.Bytes())
		if crosses(addr, size) {
			return addr, false
		}
		m.begin(access{addr: addr, size: size})
		*dst = loadAtomic(addr, size)
	case ir.OpStoreR:
		addr = vals[st.b].Lo + vals[st.c].Lo
		size := uint64(st.at.Bytes())
		if crosses(addr, size) {
			return addr, false
		}
		m.begin(access{addr: addr, size: size, write: true})
		swap(addr, size, func(ir.Val) ir.Val { return vals[st.a] })
	case ir.OpPrefetch:
	case ir.OpFence:
		var x atomic.Uint32
		x.Add(1) // a locked instruction is a full barrier
	case ir.OpCas:
		size := uint64(st.t.Bytes())
		if crosses(addr, size) {
			return addr, false
		}
		m.begin(access{addr: addr, size: size, write: true, update: true})
		old, _ := compareAndSwap(addr, size, vals[st.b], vals[st.c])
		*dst = old
	case ir.OpLoadEx:
		size := uint64(st.t.Bytes())
		if crosses(addr, size) {
			return addr, false
		}
		m.begin(access{addr: addr, size: size})
		v := loadAtomic(addr, size)
		s.ExclAddr, s.ExclSize, s.ExclVal = untag(addr), size, [2]uint64{v.Lo, v.Hi}
		*dst = v
	case ir.OpStoreEx:
		size := uint64(st.bt.Bytes())
		if crosses(addr, size) {
			return addr, false
		}
		m.begin(access{addr: addr, size: size, write: true})
		*dst = ir.Val{Lo: 1}
		if s.ExclSize == size && s.ExclAddr == untag(addr) {
			if _, ok := compareAndSwap(addr, size, ir.Val{Lo: s.ExclVal[0], Hi: s.ExclVal[1]}, vals[st.b]); ok {
				dst.Lo = 0
			}
		}
		s.ExclSize = 0
	case ir.OpMonitor:
		v := vals[st.b]
		s.ExclAddr, s.ExclSize, s.ExclVal = untag(addr), uint64(st.bt.Bytes()), [2]uint64{v.Lo, v.Hi}
	case ir.OpClrEx:
		s.ExclSize = 0
	case ir.OpCopy:
		for off := uint64(0); off < vals[st.c].Lo; off += 16 {
			m.store(ir.V2I64, addr+off, m.load(ir.V2I64, vals[st.b].Lo+off))
		}
	case ir.OpLoadP:
		*dst = m.loadP(st.t, addr, vals[st.b].Lo, vals[st.c].Lo)
	case ir.OpStoreP:
		m.storeP(st.at, vals[st.b].Lo, vals[st.c].Lo, vals[st.a])
	case ir.OpCopy64:
		var piece [4]ir.Val
		to, from := addr+vals[st.c].Lo, vals[st.b].Lo+vals[st.c].Lo
		for k := range piece {
			piece[k] = m.load(ir.V2I64, from+uint64(16*k))
		}
		for k, v := range piece {
			m.store(ir.V2I64, to+uint64(16*k), v)
		}
	case ir.OpSet64:
		for off := vals[st.c].Lo; off != vals[st.c].Lo+64; off += 8 {
			m.store(ir.I64, addr+off, vals[st.b])
		}
	default:
		size := uint64(st.t.Bytes())
		if crosses(addr, size) {
			return addr, false
		}
		m.begin(access{addr: addr, size: size, write: true, update: true})
		*dst = rmw(st.op, addr, size, vals[st.b])
	}
	m.acc.size = 0
	return addr, true
}

// crosses reports whether an atomic access leaves its 16-byte block, which is
// where FEAT_LSE2 stops to support it.
func crosses(addr, size uint64) bool { return addr&15+size > 16 }

// rmw performs a read-modify-write operation and returns the old value.
func rmw(op ir.Op, addr, size uint64, b ir.Val) ir.Val {
	shift := (64 - 8*min(size, 8)) & 63
	signed := func(x uint64) int64 { return int64(x << shift) }
	pick := func(take bool, x, y ir.Val) ir.Val {
		if take {
			return x
		}
		return y
	}
	return swap(addr, size, func(a ir.Val) ir.Val {
		switch op {
		case ir.OpRmwAdd:
			return ir.Val{Lo: a.Lo + b.Lo}
		case ir.OpRmwClr:
			return ir.Val{Lo: a.Lo &^ b.Lo, Hi: a.Hi &^ b.Hi}
		case ir.OpRmwEor:
			return ir.Val{Lo: a.Lo ^ b.Lo}
		case ir.OpRmwSet:
			return ir.Val{Lo: a.Lo | b.Lo, Hi: a.Hi | b.Hi}
		case ir.OpRmwSMax:
			return pick(signed(a.Lo) > signed(b.Lo), a, b)
		case ir.OpRmwSMin:
			return pick(signed(a.Lo) < signed(b.Lo), a, b)
		case ir.OpRmwUMax:
			return pick(a.Lo<<shift > b.Lo<<shift, a, b)
		case ir.OpRmwUMin:
			return pick(a.Lo<<shift < b.Lo<<shift, a, b)
		case ir.OpRmwSwp:
			return b
		}
		panic("BUG: interp: no evaluation of " + op.String())
	})
}

// swap replaces memory by f of it, atomically, and returns the old value.
func swap(addr, size uint64, f func(ir.Val) ir.Val) ir.Val {
	for {
		old := loadAtomic(addr, size)
		if now, ok := compareAndSwap(addr, size, old, f(old)); ok {
			return now
		}
	}
}

// loadAtomic reads size bytes, single-copy atomic and sequentially consistent.
// The bytes lie in one 16-byte block.
func loadAtomic(addr, size uint64) ir.Val {
	switch {
	case size == 8 && addr&7 == 0:
		return ir.Val{Lo: atomic.LoadUint64(at[uint64](addr))}
	case addr&3+size <= 4:
		w := atomic.LoadUint32(at[uint32](addr &^ 3))
		return ir.Val{Lo: uint64(w) >> (8 * (addr & 3)) & mask(size)}
	case addr&7+size <= 8:
		w := atomic.LoadUint64(at[uint64](addr &^ 7))
		return ir.Val{Lo: w >> (8 * (addr & 7)) & mask(size)}
	}
	block := at[[2]uint64](addr &^ 15)
	return extract(load128(block), addr&15, size)
}

// compareAndSwap stores new if memory equals old, and returns what it held.
func compareAndSwap(addr, size uint64, old, new ir.Val) (now ir.Val, ok bool) {
	old.Lo, new.Lo = old.Lo&mask(size), new.Lo&mask(size)
	switch {
	case size == 8 && addr&7 == 0:
		p := at[uint64](addr)
		for {
			if atomic.CompareAndSwapUint64(p, old.Lo, new.Lo) {
				return old, true
			}
			if w := atomic.LoadUint64(p); w != old.Lo {
				return ir.Val{Lo: w}, false
			}
		}
	case addr&3+size <= 4:
		p, shift := at[uint32](addr&^3), 8*(addr&3)
		for {
			w := atomic.LoadUint32(p)
			now = ir.Val{Lo: uint64(w) >> shift & mask(size)}
			if now.Lo != old.Lo {
				return now, false
			}
			if atomic.CompareAndSwapUint32(p, w, w&^uint32(mask(size)<<shift)|uint32(new.Lo<<shift)) {
				return now, true
			}
		}
	}
	block := at[[2]uint64](addr &^ 15)
	for {
		w := load128(block)
		now = extract(w, addr&15, size)
		if now.Lo != old.Lo || size == 16 && now.Hi != old.Hi {
			return now, false
		}
		if cas128(block, w, insert(w, addr&15, size, new)) {
			return now, true
		}
	}
}

func mask(size uint64) uint64 { return ^uint64(0) >> (64 - 8*min(size, 8)) }

// extract is the size bytes at offset at of a 16-byte block.
func extract(w [2]uint64, at, size uint64) ir.Val {
	if size == 16 {
		return ir.Val{Lo: w[0], Hi: w[1]}
	}
	if at >= 8 {
		return ir.Val{Lo: w[1] >> (8 * (at - 8)) & mask(size)}
	}
	return ir.Val{Lo: (w[0]>>(8*at) | w[1]<<(64-8*at)) & mask(size)}
}

// insert is w with the size bytes at offset at replaced.
func insert(w [2]uint64, at, size uint64, v ir.Val) [2]uint64 {
	if size == 16 {
		return [2]uint64{v.Lo, v.Hi}
	}
	m, x := mask(size), v.Lo&mask(size)
	if at >= 8 {
		n := 8 * (at - 8)
		return [2]uint64{w[0], w[1]&^(m<<n) | x<<n}
	}
	n := 8 * at
	return [2]uint64{w[0]&^(m<<n) | x<<n, w[1]&^(m>>(64-n)) | x>>(64-n)}
}

func log2(n uint) uint {
	k := uint(0)
	for n > 1 {
		n >>= 1
		k++
	}
	return k
}
