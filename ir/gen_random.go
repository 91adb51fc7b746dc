package ir

import "math/rand/v2"

// Random builds random valid units for fuzzing: the engines and passes have to
// agree about them.
type Random struct {
	Rand *rand.Rand
	// Insts is about how many operations a unit gets. What is built depends on
	// Rand alone, not on what the builder makes of it.
	Insts int
	// Allow, if not nil, tells which opcodes may be used.
	Allow func(Op) bool
	// MemX is an X register that points to MemSize bytes, which LOADs and STOREs
	// may use; MemSize 0 means none. It has to be below X6.
	MemX    int
	MemSize int
	// Faults lets some memory accesses fault, at the addresses 0 to 255.
	Faults bool

	b     *Builder
	pool  []Value // values in scope
	ops   []Op
	loops int
	pc    uint64
}

// Build fills b with a unit. It ends in a JUMP, and leaves by other exits too.
func (r *Random) Build(b *Builder) {
	r.b, r.pool, r.loops, r.pc = b, r.pool[:0], 0, b.PC
	r.ops = r.ops[:0]
	for op := range NumOps {
		if table[op].Eval != nil && (r.Allow == nil || r.Allow(op)) {
			r.ops = append(r.ops, op)
		}
	}
	r.body(r.Insts, 0)
	if !b.Terminated() {
		b.Jump(r.pc + 4)
	}
	b.Size = uint32(r.pc + 4 - b.PC)
}

func (r *Random) body(n, depth int) {
	for ; n > 0 && !r.b.Terminated(); n-- {
		switch k := r.Rand.IntN(32); {
		case k == 0 && depth < 4:
			n -= r.inner(n/2, depth, r.ifScope)
		case k == 1 && depth < 3 && r.loops < 4:
			n -= r.inner(n/3, depth, r.loop)
		case k == 2 && depth < 4:
			n -= r.inner(n/3, depth, r.block)
		case k == 3:
			r.pc += 4
			r.b.Insn(r.pc)
		case k < 12:
			r.register()
		case k < 15 && r.MemSize > 0:
			r.memory()
		default:
			r.compute()
		}
	}
}

// inner generates a scope and returns the budget that it gets.
func (r *Random) inner(n, depth int, scope func(n, depth int)) int {
	scope(n, depth)
	return n
}

// arm generates a scope's body; what it defines is not visible afterwards.
func (r *Random) arm(n, depth int) {
	mark := len(r.pool)
	r.body(r.Rand.IntN(n+2), depth+1)
	r.pool = r.pool[:mark]
}

func (r *Random) ifScope(n, depth int) {
	b := r.b
	yields := r.Rand.IntN(6)
	kinds := make([]Type, yields)
	for k := range kinds {
		kinds[k] = r.anyType()
	}
	b.If(r.value(I1))
	live := 0
	for arm := range 2 {
		if arm == 1 {
			b.Else()
		}
		mark := len(r.pool)
		r.body(r.Rand.IntN(n+2), depth+1)
		if !b.Terminated() {
			if r.Rand.IntN(8) == 0 {
				b.Jump(r.pc + 8)
			} else {
				live++
				r.yield(kinds)
			}
		}
		r.pool = r.pool[:mark]
	}
	first := b.End()
	if live > 0 && yields > 0 {
		for k := range kinds {
			r.pool = append(r.pool, first+Value(k))
		}
	}
}

func (r *Random) yield(kinds []Type) {
	vals := make([]Value, len(kinds))
	for k, t := range kinds {
		vals[k] = r.value(t)
	}
	r.b.Yield(vals...)
}

// used are the registers that a unit may write.
var used = RegSet{X: 0xff, V: 0xff, NZCV: true}

// counterX is the X register that counts the iterations of peeled loops.
const counterX = 7

// loop generates a loop that a counter ends.
func (r *Random) loop(n, depth int) {
	b := r.b
	r.loops++
	if r.Rand.IntN(4) == 0 {
		b.SetX(counterX, b.I64(uint64(r.Rand.IntN(4))))
		b.PeelLoop(
			func() Value { return b.ICmp(NE, b.GetX(counterX), b.I64(0)) },
			func() {
				b.SetX(counterX, b.SubI(b.GetX(counterX), 1))
				r.arm(n, depth)
			},
		)
		return
	}
	kinds := []Type{I64, r.anyType(), r.anyType(), r.anyType()}[:1+r.Rand.IntN(4)]
	args := []Value{b.I64(uint64(r.Rand.IntN(5)))}
	for _, t := range kinds[1:] {
		args = append(args, r.value(t))
	}
	if r.Rand.IntN(2) == 0 {
		b.Loop(args...)
	} else {
		b.LoopRegs(used, args...)
	}
	mark := len(r.pool)
	for k := range kinds[1:] {
		r.pool = append(r.pool, b.Arg(k+1))
	}
	left := b.Arg(0)
	b.If(b.ICmp(EQ, left, b.I64(0)))
	b.Break(0, r.values(kinds[1:])...)
	b.Else()
	b.End()
	r.arm(n, depth)
	if !b.Terminated() {
		b.Continue(0, append([]Value{b.SubI(left, 1)}, r.values(kinds[1:])...)...)
	}
	r.pool = r.pool[:mark]
	first := b.End()
	for k := range kinds[1:] {
		r.pool = append(r.pool, first+Value(k))
	}
}

func (r *Random) values(kinds []Type) []Value {
	vals := make([]Value, len(kinds))
	for k, t := range kinds {
		vals[k] = r.value(t)
	}
	return vals
}

func (r *Random) block(n, depth int) {
	b := r.b
	kinds := []Type{r.anyType(), r.anyType()}[:r.Rand.IntN(3)]
	if r.Rand.IntN(2) == 0 {
		b.Block()
	} else {
		b.BlockRegs(used)
	}
	mark := len(r.pool)
	r.arm(n, depth)
	if !b.Terminated() {
		b.If(r.value(I1))
		b.Break(0, r.values(kinds)...)
		b.Else()
		r.arm(n/2, depth)
		b.End()
	}
	if !b.Terminated() {
		r.yield(kinds)
	}
	r.pool = r.pool[:mark]
	first := b.End()
	if first != None {
		for k := range kinds {
			r.pool = append(r.pool, first+Value(k))
		}
	}
}

func (r *Random) register() {
	b, n := r.b, r.Rand.IntN(6)
	if n == r.MemX && r.MemSize > 0 {
		n++
	}
	switch r.Rand.IntN(6) {
	case 0:
		r.pool = append(r.pool, b.GetX(n))
	case 1:
		b.SetX(n, r.value(I64))
	case 2:
		r.pool = append(r.pool, b.GetV(r.vectorOrScalar(), n))
	case 3:
		b.SetV(n, r.value(V16I8+Type(r.Rand.IntN(7))))
	case 4:
		r.pool = append(r.pool, b.GetNZCV())
	case 5:
		b.SetNZCV(r.value(Flags))
	}
}

func (r *Random) vectorOrScalar() Type {
	return [...]Type{V16I8, V8I16, V4I32, V2I64, V8F16, V4F32, V2F64, F16, F32, F64, I32, I64}[r.Rand.IntN(12)]
}

func (r *Random) memory() {
	b := r.b
	base := b.GetX(r.MemX)
	t := [...]Type{I8, I16, I32, I64, F32, F64, V4I32, V2F64}[r.Rand.IntN(8)]
	if r.Faults && r.Rand.IntN(16) == 0 {
		base = b.I64(uint64(r.Rand.IntN(256)))
	}
	off := b.I64(uint64(r.Rand.IntN(r.MemSize - t.Bytes() + 1)))
	if t.IsVec() && r.Rand.IntN(2) == 0 {
		r.predicated(t, b.Add(base, off))
		return
	}
	if r.Rand.IntN(2) == 0 {
		b.Store(r.value(t), base, off)
		return
	}
	r.pool = append(r.pool, b.Load(t, base, off))
}

// predicated accesses elements of a vector of type t.
func (r *Random) predicated(t Type, addr Value) {
	b := r.b
	bytes := b.TopBits(b.Bitcast(V16I8, b.LaneMask(t, r.value(I64)))) // those of an element are equal
	if r.Rand.IntN(2) == 0 {
		b.StoreP(r.value(t), addr, bytes)
		return
	}
	r.pool = append(r.pool, b.LoadP(t, addr, bytes, 16))
}

// compute emits a random operation of the table.
func (r *Random) compute() {
	b := r.b
	op := r.ops[r.Rand.IntN(len(r.ops))]
	row := table[op]
	var types [3]Type
	poly, float, vec := r.pick(I32, I64, V16I8, V8I16, V4I32, V2I64), r.pick(F16, F32, F64, V8F16, V4F32, V2F64), V16I8+Type(r.Rand.IntN(7))
	if poly.IsVecInt() && scalarOnly(op) {
		poly = I64
	}
	anyT := r.anyType()
	var args [3]Value
	for k := range args {
		args[k] = None
		if k >= len(row.Args) {
			continue
		}
		switch row.Args[k] {
		case 'T':
			types[k] = poly
		case 'F':
			types[k] = float
		case 'b':
			types[k] = I1
		case 'w':
			types[k] = I32
		case 'i':
			types[k] = I64
		case 'f':
			types[k] = Flags
		case 'v':
			types[k] = vec
		case 'V':
			types[k] = anyT
		case '#':
			args[k] = Imm(r.Rand.IntN(1 << r.Rand.IntN(8)))
			if op == OpBfi {
				args[k] = b.I64(uint64(r.Rand.IntN(32)<<8 | 1 + r.Rand.IntN(32)))
			}
			continue
		}
		args[k] = r.value(types[k])
	}
	t, ok := b.ResultType(op, args[0], args[1], args[2])
	if !ok {
		t = r.anyType()
		if !givenType(op, t, b.TypeOf(args[0])) {
			return
		}
	}
	if !specialTypes(op, types) || !b.fits(MakeInst(op, args[0], args[1], args[2]), t) {
		return
	}
	r.pool = append(r.pool, b.Emit(op, t, args[0], args[1], args[2]))
}

// scalarOnly tells the operations whose rows speak of scalars alone.
func scalarOnly(op Op) bool {
	switch op {
	case OpAddF, OpSubF, OpAdc, OpSbc, OpAdcF, OpSbcF, OpNZ, OpSDiv, OpUDiv, OpSRem, OpURem, OpExp, OpExtr:
		return true
	}
	return false
}

// specialTypes checks what rows say of types in their documentation only.
func specialTypes(op Op, t [3]Type) bool {
	switch op.Loud() {
	case OpFCmpF, OpFRecpX:
		return t[0].IsFloat()
	case OpFRound32, OpFRound64:
		return t[0].Lane() != F16
	case OpFJCvt, OpFJCvtF:
		return t[0] == F64
	case OpTbl, OpPMul, OpAESE, OpAESD, OpAESMC, OpAESIMC:
		return t[0] == V16I8
	case OpPopcnt, OpRBit:
		return t[0] == V16I8 || !t[0].IsVec()
	case OpCtz:
		return !t[0].IsVec()
	case OpSDot, OpUDot, OpUSDot, OpSMMLA, OpUMMLA, OpUSMMLA:
		return t[0] == V4I32 && t[1] == V16I8
	case OpFMLAL:
		return t[0] == V4F32 && t[1] == V8F16
	case OpBFDot, OpBFMMLA, OpBFMLAL:
		return t[0] == V4F32 && t[1] == V8I16
	case OpURecpE, OpURSqrtE:
		return t[0] == V4I32
	case OpSQDMulH, OpSQRDMulH, OpSQRDMlAH, OpSQRDMlSH:
		return t[0].IsVec()
	case OpSHA1C, OpSHA1P, OpSHA1M:
		return t[1] == I32
	}
	return true
}

func (r *Random) pick(types ...Type) Type { return types[r.Rand.IntN(len(types))] }

func (r *Random) anyType() Type {
	return r.pick(I1, I8, I16, I32, I64, I32, I64, F16, F32, F64, Flags, V16I8, V8I16, V4I32, V2I64, V8F16, V4F32, V2F64)
}

// value returns a value of type t: one in scope, or a constant.
func (r *Random) value(t Type) Value {
	if len(r.pool) > 0 && r.Rand.IntN(8) != 0 {
		start := r.Rand.IntN(len(r.pool))
		for k := range r.pool {
			if v := r.pool[(start+k)%len(r.pool)]; r.b.TypeOf(v) == t {
				return v
			}
		}
	}
	lo, hi := r.bits(), r.bits()
	if t.IsVec() {
		return r.b.Const128(t, lo, hi)
	}
	return r.b.Const(t, lo&maskOf(t))
}

// bits favours the values at which arithmetic turns.
func (r *Random) bits() uint64 {
	switch r.Rand.IntN(4) {
	case 0:
		return uint64(r.Rand.IntN(4))
	case 1:
		return -uint64(r.Rand.IntN(4))
	case 2:
		return [...]uint64{
			1 << 63, 1<<63 - 1, 1 << 31, 1<<31 - 1, 0x7ff0000000000000, 0xfff8000000000001,
			0x7f8000007f800001, 0x3f8000003f800000, 0x3ff0000000000000, 0x7c007c017e003c00,
			0x0080ff7f80007fff, 0x0000000100000001,
		}[r.Rand.IntN(12)]
	}
	return r.Rand.Uint64()
}
