package ir

import "math/bits"

// RegSet is a set of guest registers: X0..X30 and SP (bit 31), V0..V31, NZCV.
type RegSet struct {
	X, V uint32
	NZCV bool
}

// Union returns the registers of r and s.
func (r RegSet) Union(s RegSet) RegSet { return RegSet{r.X | s.X, r.V | s.V, r.NZCV || s.NZCV} }

// Minus returns the registers of r that are not in s.
func (r RegSet) Minus(s RegSet) RegSet { return RegSet{r.X &^ s.X, r.V &^ s.V, r.NZCV && !s.NZCV} }

// Empty reports whether no register is in r.
func (r RegSet) Empty() bool { return r == RegSet{} }

// Len is the number of registers.
func (r RegSet) Len() int {
	n := bits.OnesCount32(r.X) + bits.OnesCount32(r.V)
	if r.NZCV {
		n++
	}
	return n
}

func (r RegSet) has(n int) bool { return r.next(n) == n }

// below is the number of registers of r that come before n.
func (r RegSet) below(n int) int {
	m := uint64(r.V)<<regV | uint64(r.X)
	if n < regNZCV {
		m &= 1<<n - 1
	}
	return bits.OnesCount64(m)
}

func (r *RegSet) add(n int) {
	switch {
	case n < regV:
		r.X |= 1 << n
	case n < regNZCV:
		r.V |= 1 << (n - regV)
	default:
		r.NZCV = true
	}
}

// next returns the first register of r that is not below n, numRegs if none is
// left. Registers are visited in the order X, V, NZCV.
func (r RegSet) next(n int) int {
	m := uint64(r.V)<<regV | uint64(r.X)
	if n < regNZCV {
		if m = m >> n << n; m != 0 {
			return bits.TrailingZeros64(m)
		}
	}
	if n <= regNZCV && r.NZCV {
		return regNZCV
	}
	return numRegs
}

// Register numbers in a regMap.
const (
	regV    = 32
	regNZCV = 64
	numRegs = 65
)

// regMap is the builder's view of the guest's registers: the SSA value that each
// holds, None where it is only known to be in the state. A V register may be
// known by its low lane alone (a scalar value).
type regMap struct {
	val   [numRegs]Value
	dirty RegSet // written since the innermost scope was opened
}

func (m *regMap) clear() { *m = unknown }

// unknown is the map without any register, ready to be copied.
var unknown = func() (m regMap) {
	for n := range m.val {
		m.val[n] = None
	}
	return m
}()

// GetX is the value of X register n, 31 = SP.
func (b *Builder) GetX(n int) Value {
	if v := b.regs.val[n]; v != None {
		return v
	}
	v := b.emit(OpGetX, I64, Imm(n), None, None)
	b.know(n, v)
	return v
}

// Known is X register n if it has been read or set, else None.
func (b *Builder) Known(n int) Value { return b.regs.val[n] }

// GetW is the low 32 bits of X register n.
func (b *Builder) GetW(n int) Value { return b.Trunc(I32, b.GetX(n)) }

// SetX sets X register n, 31 = SP, to an I64.
func (b *Builder) SetX(n int, v Value) {
	if b.regs.val[n] == v {
		return
	}
	b.emit(OpSetX, Void, Imm(n), v, None)
	b.note(n, v)
}

// SetW sets X register n to an I32, zero-extended.
func (b *Builder) SetW(n int, v Value) { b.SetX(n, b.Zext(I64, v)) }

// GetV is V register n as a vector of type t, or its low lane if t is a scalar.
func (b *Builder) GetV(t Type, n int) Value {
	v := b.regs.val[regV+n]
	if v != None {
		have := b.TypeOf(v)
		switch {
		case have == t:
			return v
		case have.IsVec() && t.IsVec():
			return b.Bitcast(t, v)
		case have.IsVec():
			return b.VGet(b.Bitcast(t.VecOf(), v), 0)
		case t.Bits() == have.Bits():
			return b.Bitcast(t, v)
		}
	}
	v = b.emit(OpGetV, t, Imm(n), None, None)
	if b.regs.val[regV+n] == None || t.IsVec() {
		b.know(regV+n, v)
	}
	return v
}

// SetV sets all 128 bits of V register n. A scalar goes to the low lane and the
// rest becomes zero, as every scalar SIMD&FP instruction does.
func (b *Builder) SetV(n int, v Value) {
	if !b.TypeOf(v).IsVec() {
		v = b.VFrom(v)
	}
	if b.regs.val[regV+n] == v {
		return
	}
	b.emit(OpSetV, Void, Imm(n), v, None)
	b.note(regV+n, v)
}

// GetNZCV is the condition flags.
func (b *Builder) GetNZCV() Value {
	if v := b.regs.val[regNZCV]; v != None {
		return v
	}
	v := b.emit(OpGetNZCV, Flags, None, None, None)
	b.know(regNZCV, v)
	return v
}

// SetNZCV sets the condition flags.
func (b *Builder) SetNZCV(v Value) {
	if b.regs.val[regNZCV] == v {
		return
	}
	b.emit(OpSetNZCV, Void, v, None, None)
	b.note(regNZCV, v)
}

// Forget drops what is known of the registers in r: something other than a SET
// of this builder has written them in the state.
func (b *Builder) Forget(r RegSet) {
	for n := r.next(0); n < numRegs; n = r.next(n + 1) {
		b.note(n, None)
	}
}

func (b *Builder) note(n int, v Value) {
	b.know(n, v)
	b.regs.dirty.add(n)
}

func (b *Builder) know(n int, v Value) {
	if b.Plain {
		v = None
	}
	b.regs.val[n] = v
}

// read is the value of register n, with a V register as a vector.
func (b *Builder) read(n int) Value {
	switch {
	case n < regV:
		return b.GetX(n)
	case n == regNZCV:
		return b.GetNZCV()
	}
	if v := b.whole(n); v != None {
		return v
	}
	return b.GetV(V16I8, n-regV)
}

// whole is the known value of register n, None if it is not known or, for a V
// register, only its low lane.
func (b *Builder) whole(n int) Value {
	v := b.regs.val[n]
	if v != None && n >= regV && n < regNZCV && !b.TypeOf(v).IsVec() {
		return None
	}
	return v
}

// write emits the SET of register n to a merged value or loop argument.
func (b *Builder) write(n int, v Value) {
	switch {
	case n < regV:
		b.emit(OpSetX, Void, Imm(n), v, None)
	case n == regNZCV:
		b.emit(OpSetNZCV, Void, v, None, None)
	default:
		b.emit(OpSetV, Void, Imm(n-regV), v, None)
	}
	b.note(n, v)
}

// get builds the GET of register n without the map, for an instruction that is
// inserted into an arm that is already closed.
func getInst(n int) Inst {
	switch {
	case n < regV:
		return MakeInst(OpGetX, Imm(n), None, None)
	case n == regNZCV:
		return MakeInst(OpGetNZCV, None, None, None)
	}
	return MakeInst(OpGetV, Imm(n-regV), None, None)
}
