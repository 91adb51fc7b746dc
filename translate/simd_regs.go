package translate

import (
	"math/bits"

	"emu/decoder"
	"emu/ir"
)

// How Advanced SIMD forms map to the 128-bit vectors of the IR:
//
//   - A 64-bit form (Q = 0) computes on all 128 bits and clears the upper half
//     of its result. Where a lane could saturate or raise a floating-point
//     exception, the upper halves of the operands are replaced first, by values
//     for which the operation is quiet.
//   - A scalar form computes on lane 0 with all other lanes zero, or on a scalar
//     value of the IR where there is one, and clears the rest of the register.

// The operations of instruction forms: they emit IR for operands that are already
// read, as vectors of type ty or as scalars.
type (
	unary   func(t *Translator, ty ir.Type, a ir.Value) ir.Value
	binary  func(t *Translator, ty ir.Type, a, b ir.Value) ir.Value
	ternary func(t *Translator, ty ir.Type, d, a, b ir.Value) ir.Value // d: the destination's old value
)

// enc is the rules of encodings that one function translates.
func enc(fn translateFunc, ops ...decoder.Op) []rule {
	rules := make([]rule, len(ops))
	for n, op := range ops {
		rules[n] = rule{op, fn}
	}
	return rules
}

// op1, op2 and op3 emit an operation with a result of type ty.
func (t *Translator) op1(op ir.Op, ty ir.Type, a ir.Value) ir.Value {
	return t.Emit(op, ty, a, ir.None, ir.None)
}

func (t *Translator) op2(op ir.Op, ty ir.Type, a, b ir.Value) ir.Value {
	return t.Emit(op, ty, a, b, ir.None)
}

func (t *Translator) op3(op ir.Op, ty ir.Type, a, b, c ir.Value) ir.Value {
	return t.Emit(op, ty, a, b, c)
}

func lanes1(op ir.Op) unary {
	return func(t *Translator, ty ir.Type, a ir.Value) ir.Value { return t.op1(op, ty, a) }
}

func lanes2(op ir.Op) binary {
	return func(t *Translator, ty ir.Type, a, b ir.Value) ir.Value { return t.op2(op, ty, a, b) }
}

func lanes3(op ir.Op) ternary {
	return func(t *Translator, ty ir.Type, d, a, b ir.Value) ir.Value { return t.op3(op, ty, d, a, b) }
}

// quad reports whether the instruction works on 128 bits.
func quad(i decoder.Inst) bool { return i.Bit(30) == 1 }

// elemSize is the element size field of most Advanced SIMD encodings.
func elemSize(i decoder.Inst) uint32 { return i.Bits(23, 22) }

// intVec is the vector of integer lanes of 8 << size bits.
func intVec(size uint32) ir.Type { return ir.V16I8 + ir.Type(size) }

// laneBits is the width of a lane.
func laneBits(ty ir.Type) uint { return uint(ty.Lane().Bits()) }

// vecOfBits is the vector of integer lanes of esize bits.
func vecOfBits(esize uint) ir.Type { return intVec(uint32(bits.TrailingZeros(esize / 8))) }

// floatOf is the float vector of the shape of an integer vector with lanes of 16
// bits or more.
func floatOf(ty ir.Type) ir.Type { return ir.V8F16 + (ty - ir.V8I16) }

// setQ writes the result of a vector form: all of it, or the lower half.
func (t *Translator) setQ(i decoder.Inst, v ir.Value) {
	if !quad(i) {
		v = t.low(v)
	}
	t.SetV(i.Rd(), v)
}

// low clears the upper half of a vector.
func (t *Translator) low(v ir.Value) ir.Value {
	if t.upperZero(v, upperDepth) {
		return v
	}
	return t.op1(ir.OpVLow, t.TypeOf(v), v)
}

// lowIf is low for 64-bit forms.
func (t *Translator) lowIf(i decoder.Inst, v ir.Value) ir.Value {
	if quad(i) {
		return v
	}
	return t.low(v)
}

// lane0 clears all of a vector but lane 0.
func (t *Translator) lane0(v ir.Value) ir.Value {
	ty := t.TypeOf(v).IntOf()
	v = t.Bitcast(ty, v)
	if ty == ir.V2I64 {
		return t.low(v)
	}
	return t.op2(ir.OpAnd, ty, v, t.Const128(ty, 1<<laneBits(ty)-1, 0))
}

// vecLane0 reads lane 0 of a V register into an otherwise zero integer vector.
func (t *Translator) vecLane0(n uint32, ty ir.Type) ir.Value { return t.lane0(t.V(n, ty)) }

// fpLane0 reads a scalar float register as lane 0 of an otherwise zero vector.
func (t *Translator) fpLane0(n uint32, ty ir.Type) ir.Value {
	return t.op1(ir.OpVFrom, ty, t.V(n, ty.Lane()))
}

// zero is the vector of zeroes.
func (t *Translator) zero(ty ir.Type) ir.Value { return t.Const128(ty, 0, 0) }

// splat is the vector with all lanes equal to the low bits of x.
func (t *Translator) splat(ty ir.Type, x uint64) ir.Value {
	esize := laneBits(ty)
	if esize < 64 {
		x &= 1<<esize - 1
	}
	x = decoder.Replicate(x, esize, 64)
	return t.Const128(ty, x, x)
}

// half reads the half of a register that a long or wide instruction uses: the
// lower one, or for the second form (ADDL2 and alike) the upper one. The result
// is meant for operations that look at the lower half only.
func (t *Translator) half(i decoder.Inst, n uint32, ty ir.Type) ir.Value {
	v := t.V(n, ty)
	if quad(i) {
		v = t.op1(ir.OpVHigh, ty, v)
	}
	return v
}

// setNarrow writes a result that stands in the lower half of v: the upper half
// of the register becomes zero, or for the second form (XTN2 and alike) receives
// the result and the lower half stays. Precondition: v's upper half is zero.
func (t *Translator) setNarrow(i decoder.Inst, v ir.Value) {
	if quad(i) {
		ty := t.TypeOf(v)
		v = t.op2(ir.OpVCombine, ty, t.V(i.Rd(), ty), v)
	}
	t.SetV(i.Rd(), v)
}
