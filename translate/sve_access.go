package translate

import (
	"math/bits"
	"strings"

	"emu/decoder"
	"emu/ir"
)

// What loads and stores of SVE have in common. They are listed by groups of encodings, as
// those of Advanced SIMD are, since the same fields mean the same in all of a group. LD1RO
// needs vectors of 256 bits, and is undefined here.
func sveGroups() [][]groupRule {
	return [][]groupRule{sveLoads, sveStores, sveStructures, sveReplicates, sveFirstFaults, sveGathers(), sveScatters(), svePrefetches}
}

// memElements says what an element is in memory, and in a vector, to which loads extend it.
type memElements struct {
	msize, size uint32 // log2 of its bytes in memory and in a vector
	signed      bool
}

// count is how many elements a vector has.
func (e memElements) count() int { return 16 >> e.size }

// bytes is how many bytes the elements of a vector have in memory.
func (e memElements) bytes() int { return e.count() << e.msize }

// sameSize are elements that are in memory as in vectors.
func sameSize(size uint32) memElements { return memElements{size, size, false} }

// loadElements decodes dtype of loads: the size in memory and in a vector, or where the
// latter would be less both inverted, for one that is sign-extended.
func loadElements(dtype uint32) memElements {
	if e := (memElements{dtype >> 2, dtype & 3, false}); e.size >= e.msize {
		return e
	}
	return memElements{^dtype >> 2 & 3, ^dtype & 3, true}
}

// msz is the size in memory of most loads and stores.
func msz(i decoder.Inst) uint32 { return i.Bits(24, 23) }

// hasImmediate reports whether the offset of a contiguous access is an immediate, not a register.
func hasImmediate(i decoder.Inst) bool { return strings.HasSuffix(i.Op.Group(), "_si") }

// contiguous is the address [<Xn|SP>{, #imm, MUL VL}] or [<Xn|SP>, <Xm>, LSL #msize] of
// vectors that have so many bytes in memory.
func (t *Translator) contiguous(i decoder.Inst, msize uint32, bytes int) address {
	if hasImmediate(i) {
		return t.at(i.Rn(), decoder.SignExtend(i.Bits(19, 16), 4)*int64(bytes))
	}
	const lsl = 3
	return t.atReg(i.Rn(), i.Rm(), lsl, uint(msize))
}

// memoryBytes are the bytes in memory of the elements that are active in a predicate.
func (t *Translator) memoryBytes(e memElements, p ir.Value) ir.Value {
	switch move := together[e.size][e.msize]; {
	case e.size == 0:
		return p
	case e.size == e.msize:
		p = t.elements(p, e.size)
		return t.Sub(t.ShlI(p, 1<<e.size), p)
	case move.factor != 0:
		v := t.Mul(t.elements(p, e.size), t.I64(move.factor))
		return t.AndI(t.LShrI(v, move.shift), 1<<e.bytes()-1)
	}
	v := t.op1(ir.OpLaneMask, intVec(e.size), p)
	return t.TopBits(t.Bitcast(ir.V16I8, t.truncate(e, v)))
}

// together moves the bits of elements of a size next to each other, as many for each as it
// has bytes in memory: the product has them, those of the first from bit shift on, and no
// others there. Without a factor there are too many elements for that.
var together = [4][4]struct {
	factor uint64
	shift  int
}{
	2: {0: {1<<9 | 1<<6 | 1<<3 | 1, 9}},
	3: {0: {1<<7 | 1, 7}, 1: {3<<6 | 3, 6}, 2: {15<<4 | 15, 4}},
}

// truncate makes the elements of a vector as they are in memory, next to each other.
func (t *Translator) truncate(e memElements, v ir.Value) ir.Value {
	for size := e.size; size > e.msize; size-- {
		v = t.op1(ir.OpVTrunc, intVec(size-1), v)
	}
	return v
}

// extendElements makes elements that stand next to each other those of a vector.
func (t *Translator) extendElements(e memElements, v ir.Value) ir.Value {
	op := ir.OpVZext
	if e.signed {
		op = ir.OpVSext
	}
	for size := e.msize; size < e.size; size++ {
		v = t.op1(op, intVec(size+1), v)
	}
	return v
}

// loadVector reads elements that stand next to each other: those that are active in a
// predicate; the others are zero.
func (t *Translator) loadVector(e memElements, a address, p ir.Value) ir.Value {
	var v ir.Value
	switch n := e.bytes(); {
	case !t.isAllTrue(p, e.size):
		v = t.LoadP(intVec(e.msize), t.sum(a), t.memoryBytes(e, p), n)
	case n == 16:
		v = t.Load(intVec(e.msize), a.base, a.off)
	default:
		v = t.VFrom(t.Load(partType(n), a.base, a.off))
	}
	return t.extendElements(e, t.Bitcast(intVec(e.msize), v))
}

// partType is the type of an access of n bytes that are less than a vector, and partVec a
// vector of such values. They stay out of general registers if they can.
func partType(n int) ir.Type { return partVec(n).Lane() }

func partVec(n int) ir.Type {
	return [...]ir.Type{ir.V16I8, ir.V8F16, ir.V4F32, ir.V2F64}[bits.TrailingZeros(uint(n))]
}

// storeVector writes those elements of v next to each other that are active in a predicate.
func (t *Translator) storeVector(e memElements, a address, p, v ir.Value) {
	v = t.truncate(e, v)
	n := e.bytes()
	part := func() {
		if n < 16 {
			t.Store(t.VGet(t.Bitcast(partVec(n), v), 0), a.base, a.off)
		} else {
			t.Store(v, a.base, a.off)
		}
	}
	if t.isAllTrue(p, e.size) {
		part()
		return
	}
	bytes, addr := t.memoryBytes(e, p), t.sum(a)
	if n == 16 {
		t.StoreP(v, addr, bytes)
		return
	}
	// STOREP is quick where it stores 16 bytes.
	t.If(t.ICmp(ir.EQ, bytes, t.I64(1<<n-1)))
	part()
	t.Else()
	t.StoreP(v, addr, bytes)
	t.End()
}

// isActive is whether element k of 1 << size bytes is active in a predicate, as I1.
func (t *Translator) isActive(p ir.Value, k int, size uint32) ir.Value {
	return t.ICmp(ir.NE, t.AndI(p, 1<<(k<<size)), ir.Imm(0))
}

// areActive is whether all elements of 1 << size bytes are active in a predicate, as I1.
func (t *Translator) areActive(p ir.Value, size uint32) ir.Value {
	return t.ICmp(ir.EQ, t.elements(p, size), t.I64(elementBits(size)))
}

// ifActive is all ones if element k of 1 << size bytes is active in a predicate, or else zero.
func (t *Translator) ifActive(p ir.Value, k int, size uint32) ir.Value {
	return t.Op3(ir.OpSbfx, p, ir.Imm(k<<size), ir.Imm(1))
}

// accessElements is access for those of n bytes whose bits are set, as LOADP and STOREP access
// them: elements of so many bytes each. What is not accessed is not checked, but may make
// the unit leave, for an engine that finds that out.
func (t *Translator) accessElements(addr, bytes ir.Value, n, each int, write bool) ir.Value {
	switch {
	case t.tags == tagsFault:
		return addr
	case t.unchecked:
	case t.tags == tagsExact:
		for off := 0; off < n; off += each {
			t.If(t.isActive(bytes, off, 0))
			t.checkTags(t.AddI(addr, uint64(off)), each, write)
			t.End()
		}
	default:
		t.checkTags(addr, n, write)
	}
	return t.plain(addr)
}

// LoadP reads those of n bytes at addr whose bit in bytes is set, as elements of vector type ty.
func (t *Translator) LoadP(ty ir.Type, addr, bytes ir.Value, n int) ir.Value {
	addr = t.accessElements(addr, bytes, n, ty.Lane().Bytes(), false)
	return t.Builder.LoadP(ty, addr, bytes, n)
}

// StoreP writes those bytes of the vector v at addr whose bit in bytes is set.
func (t *Translator) StoreP(v, addr, bytes ir.Value) {
	addr = t.accessElements(addr, bytes, 16, t.TypeOf(v).Lane().Bytes(), true)
	t.Builder.StoreP(v, addr, bytes)
}
