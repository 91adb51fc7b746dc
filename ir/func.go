package ir

// Func is one compilation unit: a linear list of instructions with parallel
// arrays for types and use counts, and a pool of constants. All of its memory
// comes from arenas that are reserved when it is made and reused by Reset;
// building allocates nothing in the steady state.
type Func struct {
	PC     uint64 // guest address of the first instruction
	Size   uint32 // bytes of guest code covered, from PC
	Insts  []Inst
	Types  []Type   // result type of each instruction, Void if none
	Uses   []uint32 // number of operands that name each instruction
	Consts []Const
	nops   int
	full   bool // an Emit failed for lack of room; see Full

	constIndex map[Const]Value
}

// NewFunc returns an empty Func with room for n instructions before it grows.
func NewFunc(n int) *Func {
	f := &Func{
		Insts:      make([]Inst, 0, n),
		Types:      make([]Type, 0, n),
		Uses:       make([]uint32, 0, n),
		Consts:     make([]Const, 0, NumImm+n),
		constIndex: make(map[Const]Value, n),
	}
	f.Reset(0)
	return f
}

// Reset empties f for the unit at pc and keeps its memory.
func (f *Func) Reset(pc uint64) {
	f.PC, f.Size, f.nops, f.full = pc, 0, 0, false
	f.Insts, f.Types, f.Uses = f.Insts[:0], f.Types[:0], f.Uses[:0]
	if len(f.Consts) < NumImm {
		f.Consts = f.Consts[:0]
		for n := range uint64(NumImm) {
			f.Consts = append(f.Consts, Const{Type: I64, Lo: n})
		}
	}
	f.Consts = f.Consts[:NumImm]
	clear(f.constIndex)
}

// Full reports whether the limit of instructions (MaxInsts) was reached: the
// unit has to end here and the rest becomes another unit (rule 4.3).
func (f *Func) Full() bool { return f.full }

// Emit appends an instruction and returns the value it defines. t is the type
// of the result, Void if there is none. Operands are counted as uses.
func (f *Func) Emit(op Op, t Type, a, b, c Value) Value {
	if len(f.Insts) >= MaxInsts {
		f.full = true
	}
	v := Value(len(f.Insts))
	f.Insts = append(f.Insts, MakeInst(op, a, b, c))
	f.Types = append(f.Types, t)
	f.Uses = append(f.Uses, 0)
	f.use(a)
	f.use(b)
	f.use(c)
	return v
}

func (f *Func) use(v Value) {
	if v.IsSSA() {
		f.Uses[v]++
	}
}

// Const returns the operand for a constant of a type of at most 64 bits; lo is
// zero-extended.
func (f *Func) Const(t Type, lo uint64) Value { return f.Const128(t, lo, 0) }

// Const128 returns the operand for a constant, vectors included.
func (f *Func) Const128(t Type, lo, hi uint64) Value {
	if t == I64 && lo < NumImm {
		return Imm(int(lo))
	}
	c := Const{t, lo, hi}
	if v, ok := f.constIndex[c]; ok {
		return v
	}
	v := constBit | Value(len(f.Consts))
	f.Consts = append(f.Consts, c)
	f.constIndex[c] = v
	return v
}

// TypeOf returns the type of an operand, Void for None.
func (f *Func) TypeOf(v Value) Type {
	switch {
	case v.IsSSA():
		return f.Types[v]
	case v == None:
		return Void
	}
	return f.Consts[v.Pool()].Type
}

// ConstOf returns the constant that v stands for. ok is false for SSA values.
func (f *Func) ConstOf(v Value) (c Const, ok bool) {
	if !v.IsConst() {
		return Const{}, false
	}
	return f.Consts[v.Pool()], true
}

// ImmOf returns the value of an immediate operand (# in the opcode table).
func (f *Func) ImmOf(v Value) uint64 {
	if !v.IsConst() {
		panic("BUG: ir: immediate operand is not a constant")
	}
	return f.Consts[v.Pool()].Lo
}
