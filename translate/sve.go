package translate

import (
	"slices"

	"emu/cpu"
	"emu/decoder"
	"emu/ir"
)

// How SVE and SVE2 map to the IR:
//
//   - Vectors have 128 bits, the least that the architecture allows, so that Zn is Vn and
//     an unpredicated instruction is one of Advanced SIMD.
//   - A predicate register is a number of 16 bits in the state, one for each byte of a vector. An
//     element is active if the bit of its lowest byte is set; the bits between are mostly
//     zero, and ignored where they are not.
//   - What a merging instruction computes is chosen from by a mask of lanes (LANEMASK,
//     BSL). Where an inactive lane could raise a floating-point exception or saturate, its
//     operands are replaced first.
//   - In straight code a predicate that was read or written is known, so that its masks
//     are shared.

// sveRules lists the rules of SVE; see table.go.
func sveRules() [][]rule {
	return slices.Concat(
		svePredicates(), sveWhile(), sveCounts(), sveCompares(),
		sveIntegers(), sveShifts(), sveMultiplies(), sveImmediates(), sveUnary(), sveDots(), sveReductions(),
		sveMoves(), svePermutes(), sveLasts(),
		sveFill(),
		sveFloats(),
		sve2Long(), sve2Products(), sve2Narrow(), sve2Predicated(), sve2Shifts(), sve2Multiply(), sve2Elements(),
		sve2Complex(), sve2Carry(), sve2Logical(), sve2Match(), sve2Permutes(), sve2Crypto(),
	)
}

// ffr is the number of the first fault register among the predicate registers.
const ffr = cpu.NumP

// allTrue is the predicate with all elements of bytes active.
const allTrue = 1<<cpu.VectorBytes - 1

// elementBits are the bits of a predicate that say whether elements of 1 << size bytes
// are active.
func elementBits(size uint32) uint64 {
	return [...]uint64{0xffff, 0x5555, 0x1111, 0x0101, 0x0001}[size]
}

// sizeOf is log2 of the bytes of a vector's lane.
func sizeOf(ty ir.Type) uint32 { return uint32(ty.IntOf() - ir.V16I8) }

// predicates are the values of predicate registers that are known in straight code.
type predicates struct {
	known uint32 // bit n: value[n] is that of register n
	value [cpu.NumP + 1]ir.Value
	flags predicateFlags
}

// P is predicate register n, or FFR, as I64.
func (t *Translator) P(n uint32) ir.Value {
	if t.preds.known>>n&1 == 0 {
		t.knowP(n, t.sysReg(ir.SysP+ir.SysReg(n)))
	}
	return t.preds.value[n]
}

// SetP sets predicate register n, or FFR, to an I64 of at most 16 bits.
func (t *Translator) SetP(n uint32, v ir.Value) {
	t.Op2(ir.OpSetSys, ir.Imm(int(ir.SysP+ir.SysReg(n))), v)
	t.knowP(n, v)
}

func (t *Translator) knowP(n uint32, v ir.Value) {
	t.preds.known |= 1 << n
	t.preds.value[n] = v
}

// active are the active elements of 1 << size bytes of predicate register n: the bits of
// their lowest bytes.
func (t *Translator) active(n, size uint32) ir.Value {
	return t.elements(t.P(n), size)
}

// elements are the bits of a predicate that elements of 1 << size bytes have.
func (t *Translator) elements(p ir.Value, size uint32) ir.Value {
	if size == 0 {
		return p
	}
	return t.AndI(p, elementBits(size))
}

// mask is all ones in the lanes of ty that predicate register n makes active, as a vector
// of integers.
func (t *Translator) mask(n uint32, ty ir.Type) ir.Value {
	return t.op1(ir.OpLaneMask, ty.IntOf(), t.P(n))
}

// isAllTrue reports whether all elements of 1 << size bytes are known to be active in a
// predicate.
func (t *Translator) isAllTrue(p ir.Value, size uint32) bool {
	c, ok := t.ConstOf(p)
	return ok && c.Lo&elementBits(size) == elementBits(size)
}

// merge is v in the lanes that predicate register n makes active and old in the others.
// Both have the same vector type.
func (t *Translator) merge(n uint32, v, old ir.Value) ir.Value {
	ty := t.TypeOf(v)
	if t.isAllTrue(t.P(n), sizeOf(ty)) || v == old {
		return v
	}
	whole := ty.IntOf()
	return t.Bitcast(ty, t.op3(ir.OpBsl, whole, t.mask(n, ty), t.Bitcast(whole, v), t.Bitcast(whole, old)))
}

// zeroing is v in the lanes that predicate register n makes active and zero in the others.
func (t *Translator) zeroing(n uint32, v ir.Value) ir.Value {
	ty := t.TypeOf(v)
	if t.isAllTrue(t.P(n), sizeOf(ty)) {
		return v
	}
	whole := ty.IntOf()
	return t.Bitcast(ty, t.op2(ir.OpAnd, whole, t.Bitcast(whole, v), t.mask(n, ty)))
}

// otherwise is v in the lanes that predicate register n makes active and the number x, a
// bit pattern, in the others.
func (t *Translator) otherwise(n uint32, v ir.Value, x uint64) ir.Value {
	if x == 0 {
		return t.zeroing(n, v)
	}
	ty := t.TypeOf(v)
	return t.merge(n, v, t.Bitcast(ty, t.splat(ty.IntOf(), x)))
}

// pg is the governing predicate of most instructions, one of P0 to P7.
func pg(i decoder.Inst) uint32 { return i.Bits(12, 10) }

// pd, pn, pg4 and pm are the predicate registers of instructions on predicates.
func pd(i decoder.Inst) uint32  { return i.Bits(3, 0) }
func pn(i decoder.Inst) uint32  { return i.Bits(8, 5) }
func pg4(i decoder.Inst) uint32 { return i.Bits(13, 10) }
func pm(i decoder.Inst) uint32  { return i.Bits(19, 16) }
