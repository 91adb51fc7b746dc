package ir

// Func is one compilation unit: a linear list of instructions with parallel
// arrays for types and use counts, and a pool of constants. All of its memory
// comes from arenas that are reserved when it is made and reused by Reset;
// building allocates nothing in the steady state.
type Func struct {
	PC     uint64 // guest address of the first instruction
	Size   uint32 // bytes of guest code covered, from PC
	Also   []Span // guest code covered besides
	Insts  []Inst
	Types  []Type   // result type of each instruction, Void if none
	Uses   []uint32 // number of operands that name each instruction
	Consts []Const
	nops   int
	full   bool // an Emit failed for lack of room; see Full

	constSlots []constSlot // open addressing, linear probing; a power of two long
	gen        uint32      // slots of another generation are empty
}

// constSlot holds the pool index of a constant, valid while gen is the Func's.
type constSlot struct{ gen, pool uint32 }

// Span is the guest addresses from Start to End, End not included.
type Span struct{ Start, End uint64 }

// NewFunc returns an empty Func with room for n instructions before it grows.
func NewFunc(n int) *Func {
	f := &Func{
		Insts:      make([]Inst, 0, n),
		Types:      make([]Type, 0, n),
		Uses:       make([]uint32, 0, n),
		Consts:     make([]Const, 0, NumImm+n),
		constSlots: make([]constSlot, 256),
	}
	f.Reset(0)
	return f
}

// Reset empties f for the unit at pc and keeps its memory.
func (f *Func) Reset(pc uint64) {
	f.PC, f.Size, f.nops, f.full = pc, 0, 0, false
	f.Also = f.Also[:0]
	f.Insts, f.Types, f.Uses = f.Insts[:0], f.Types[:0], f.Uses[:0]
	if len(f.Consts) < NumImm {
		f.Consts = f.Consts[:0]
		for n := range uint64(NumImm) {
			f.Consts = append(f.Consts, Const{Type: I64, Lo: n})
		}
	}
	f.Consts = f.Consts[:NumImm]
	f.gen++
	if f.gen == 0 {
		clear(f.constSlots)
		f.gen = 1
	}
}

// Full reports whether the limit of instructions (MaxInsts) was reached: the
// unit has to end here and the rest becomes another unit (rule 4.3).
func (f *Func) Full() bool { return f.full }

// Emit appends an instruction and returns the value it defines. t is the type
// of the result, Void if there is none. Operands are counted as uses.
func (f *Func) Emit(op Op, t Type, a, b, c Value) Value {
	if len(f.Insts) >= MaxInsts {
		f.full = true
		if len(f.Insts) > int(constBit)-1 {
			panic("BUG: ir: a unit went on after Full")
		}
	}
	v := Value(len(f.Insts))
	f.Insts = append(f.Insts, MakeInst(op, a, b, c))
	f.Types = append(f.Types, t)
	f.Uses = append(f.Uses, 0)
	f.use(a)
	f.use(b)
	f.use(c)
	if op == OpNop {
		f.nops++
	}
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
	mask := uint32(len(f.constSlots) - 1)
	at := c.hash() & mask
	for ; f.constSlots[at].gen == f.gen; at = (at + 1) & mask {
		if n := f.constSlots[at].pool; f.Consts[n] == c {
			return constBit | Value(n)
		}
	}
	return f.addConstAt(c, at)
}

// addConst appends a constant to the pool, equal to another or not.
func (f *Func) addConst(c Const) Value {
	mask := uint32(len(f.constSlots) - 1)
	at := c.hash() & mask
	for f.constSlots[at].gen == f.gen {
		at = (at + 1) & mask
	}
	return f.addConstAt(c, at)
}

func (f *Func) addConstAt(c Const, at uint32) Value {
	n := uint32(len(f.Consts))
	if n >= MaxInsts {
		f.full = true
		if n >= srcMask>>1 {
			panic("BUG: ir: the constant pool is full")
		}
	}
	f.Consts = append(f.Consts, c)
	f.constSlots[at] = constSlot{f.gen, n}
	if 2*int(n-NumImm) > len(f.constSlots) {
		f.growConsts()
	}
	return constBit | Value(n)
}

func (c Const) hash() uint32 {
	h := (c.Lo ^ c.Hi*0x9e3779b97f4a7c15 ^ uint64(c.Type)<<56) * 0xff51afd7ed558ccd
	return uint32(h >> 32)
}

func (f *Func) growConsts() {
	f.constSlots = make([]constSlot, 2*len(f.constSlots))
	mask := uint32(len(f.constSlots) - 1)
	for n := NumImm; n < len(f.Consts); n++ {
		at := f.Consts[n].hash() & mask
		for f.constSlots[at].gen == f.gen {
			at = (at + 1) & mask
		}
		f.constSlots[at] = constSlot{f.gen, uint32(n)}
	}
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
