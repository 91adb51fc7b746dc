package amd64

import (
	"unsafe"

	"emu/cpu"
	"emu/ir"
	"emu/jit/asm/x64"
	"emu/jit/host"
)

// Cold code of floating-point operations. The operands are still in registers or
// memory where the hot code branches off. The cold code of one operation only
// puts them in State.HelperArg, and the host's result in HelperRet, and calls one
// of the unit's shared routines, which leaves the right result in HelperRet. It
// must preserve all registers but the result's; it may use the area in which the
// signal handler saves registers, since nothing here can fault.

// fpRoutine is a shared routine; those before fpGo exist for each kind.
type fpRoutine uint8

const (
	// fpNaN2 mends NaNs of a result of the host's two-operand instructions.
	fpNaN2 fpRoutine = iota
	// fpNaN3 is the same for a fused multiply-add: addend, factor, factor.
	fpNaN3
	// fpPick2 replaces the lanes of which an operand is a NaN by the NaN that A64
	// chooses (FPProcessNaNs).
	fpPick2
	// fpDefault replaces NaNs of a result by the default NaN, for FPCR.DN.
	fpDefault
	// fpDefault2 puts the default NaN in lanes of which an operand is a NaN.
	fpDefault2
	// fpRedoAdd and the following do an operation once more and mend its NaNs.
	fpRedoAdd
	fpRedoSub
	fpRedoMul
	fpRedoDiv
	fpRedoSqrt
	fpRedoFMA
	// fpMinimum and the following choose an operand in lanes without NaNs, and do what
	// fpPick2 does in the others; of the NM forms one quiet NaN is no operand.
	fpMinimum
	fpMaximum
	fpMinimumNM
	fpMaximumNM
	// fpGo evaluates the operation in Go.
	fpGo
)

// fpUnit is what the walk keeps about floating point.
type fpUnit struct {
	cold   []fpCold
	open   []unchecked                // results that are not tested yet, in their order
	mends  []fpMend                   // of their cold code
	shared [int(fpGo)*4 + 1]x64.Label // entry points of routines in use
	clears answer                     // whether the unit writes FPSR

	noDenormals bool // what is lowered counts as if no operand was a denormal
}

// answer is what a question about the unit came to that is asked when it matters.
type answer uint8

const (
	unknown answer = iota
	no
	yes
)

func (u *fpUnit) reset() {
	u.cold, u.open, u.mends, u.clears = u.cold[:0], u.open[:0], u.mends[:0], unknown
	clear(u.shared[:])
}

// fpCold is the cold code of one operation.
type fpCold struct {
	routine fpRoutine
	kind    fpKind
	keep    bool // the routine needs the host's result
	sum     bool // the host's result is the sum of the operands, of which one is a NaN
	inR     bool // the result is in a general register
	alone   bool // nothing may be above the scalar in d
	d       x64.Xmm
	r       x64.Reg
	op      uint64    // fpGo: as packHelper makes it
	nan     x64.Label // cold code that goes first where the result is a NaN, 0 = none
	args    [3]fpArg
	before  func() // emits what the hot code did not do, or nil
}

// fpArg is an operand: a vector or a general register, memory, or a small number.
type fpArg struct {
	kind fpArgKind
	neg  bool // of the opposite sign
	x    x64.Xmm
	r    x64.Reg
	m    x64.Mem
	imm  int32
}

type fpArgKind uint8

const (
	argNone fpArgKind = iota
	argX
	argR
	argMem
	argImm
)

func argOf(s vsrc) fpArg {
	if s.mem {
		return fpArg{kind: argMem, m: s.m}
	}
	return fpArg{kind: argX, x: s.x}
}

// newFP begins the cold code of operation in with result d.
func (c *compiler) newFP(r fpRoutine, in ir.Inst, k fpKind, d x64.Xmm, args ...vsrc) *fpCold {
	f := fpCold{routine: r, kind: k, d: d}
	for i, a := range args {
		f.args[i] = argOf(a)
	}
	c.fp.cold = append(c.fp.cold, f)
	p := &c.fp.cold[len(c.fp.cold)-1]
	if r == fpGo {
		c.goes(p, in, c.f.TypeOf(c.at))
	}
	return p
}

// goes makes f evaluate the current instruction in Go.
func (c *compiler) goes(f *fpCold, in ir.Inst, t ir.Type) {
	var types [3]ir.Type
	info := in.Op().Info().Args
	for i := range types {
		a := in.Arg(i)
		if a == ir.None {
			continue
		}
		types[i] = c.f.TypeOf(a)
		if info[i] == '#' {
			f.args[i] = fpArg{kind: argImm, imm: int32(c.f.ImmOf(a))}
		}
	}
	f.routine = fpGo
	f.op = packHelper(in.Op(), t, types[0], types[1], types[2])
}

// branchFP branches to f if cc holds, and returns the cold code. The hot code
// goes on at its label back, which the caller binds.
func (c *compiler) branchFP(cc x64.Cond, f *fpCold) *coldCode {
	p := c.newCold(coldSlow)
	p.emit = emitFPCold
	p.site = int32(len(c.fp.cold) - 1)
	c.b.JccNear(cc, p.from)
	return p
}

const (
	offFaultXMM = unsafe.Offsetof(cpu.State{}.FaultXMM)
	offFaultGPR = unsafe.Offsetof(cpu.State{}.FaultGPR)
)

func argMem16(n int) x64.Mem { return state(offHelperArg + 16*uintptr(n)) }

func saveX(n x64.Xmm) x64.Mem { return state(offFaultXMM + 16*uintptr(n)) }

func saveR(n x64.Reg) x64.Mem { return state(offFaultGPR + 8*uintptr(n)) }

// saveReturn holds the return address of a shared routine.
var saveReturn = saveR(x64.RSP)

// emitFPCold emits the cold code of one operation.
func emitFPCold(c *compiler, p *coldCode) {
	f, back := c.fp.cold[p.site], p.back
	if f.nan != 0 {
		c.nanFirst(&f)
	}
	if f.routine == fpDefault && f.kind.scalar() {
		c.b.XM(x64.MOVSS, f.d, c.b.Lit32(uint32(fpDefaultNaN[2])))
		if f.kind == kF64 {
			c.b.XM(x64.MOVQX, f.d, c.b.Lit64(fpDefaultNaN[3]))
		}
		c.b.JmpNear(back)
		return
	}
	c.sumNaN(&f)
	if f.before != nil {
		f.before()
	}
	if f.keep && f.routine != fpGo {
		c.b.MX(x64.MOVUPS, state(offHelperRet), f.d)
	}
	for i := range f.args {
		c.passArg(&f, i)
	}
	c.b.MR(x64.MOVQ, saveR(x64.RAX), x64.RAX)
	if f.routine == fpGo {
		c.b.MovImm(x64.RAX, f.op)
		c.b.MR(x64.MOVQ, state(offHelperOp), x64.RAX)
	}
	ret := c.b.NewLabel()
	c.b.RM(x64.LEAQ, x64.RAX, x64.AtLabel(ret))
	c.b.JmpNear(c.sharedFP(f.routine, f.kind))
	c.b.Bind(ret)
	if f.inR {
		c.b.RM(x64.MOVQ, f.r, state(offHelperRet))
	} else {
		c.b.XM(x64.MOVUPS, f.d, state(offHelperRet))
	}
	if f.alone {
		c.aloneK(f.kind, f.d)
	}
	c.b.JmpNear(back)
}

// arm branches to cold code if cc holds and returns the label at which the hot code
// goes on, for the caller to bind. do emits the cold code. It may only use registers
// that the hot code had for itself; State.HelperArg is free.
func (c *compiler) arm(cc x64.Cond, do func()) (back x64.Label) {
	p := c.newCold(coldSlow)
	back = p.back
	p.emit = func(c *compiler, _ *coldCode) {
		do()
		c.b.JmpNear(back)
	}
	c.b.JccNear(cc, p.from)
	return back
}

// raiseInvalid raises Invalid Operation, and changes the host's flags.
func (c *compiler) raiseInvalid() {
	nan := fpDefaultNaN[2]
	c.v2s(x64.COMISS, 0, inMem(c.b.Lit128(nan, 0)))
}

// passArg stores operand i. Registers of the result are free to use.
func (c *compiler) passArg(f *fpCold, i int) {
	a, m := &f.args[i], argMem16(i)
	switch a.kind {
	case argX:
		c.b.MX(x64.MOVUPS, m, a.x)
	case argR:
		c.b.MR(x64.MOVQ, m, a.r)
	case argImm:
		c.b.MI(x64.MOVQ, m, a.imm)
	case argMem:
		if f.inR {
			panic("BUG: amd64: a float operand in memory and its result in a general register")
		}
		c.b.XM(x64.MOVUPS, f.d, a.m)
		c.b.MX(x64.MOVUPS, m, f.d)
	}
	if a.neg {
		c.flipSigns(m, f.kind)
	}
}

// flipSigns changes the signs of what is at m.
func (c *compiler) flipSigns(m x64.Mem, k fpKind) {
	size := 1 << k.width()
	end := 16
	if k.scalar() {
		end = size
	}
	for top := size - 1; top < end; top += size {
		c.b.MI(x64.XORB, m.Add(int32(top)), -128)
	}
}

// sharedFP returns the label of a shared routine, to be emitted with the rest of
// the cold code.
func (c *compiler) sharedFP(r fpRoutine, k fpKind) x64.Label {
	n := int(fpGo) * 4
	if r != fpGo {
		n = int(r)*4 + int(k)
	}
	l := &c.fp.shared[n]
	if *l == 0 {
		p := c.newCold(coldSlow)
		p.emit = emitShared
		p.site = int32(n)
		*l = p.from
	}
	return *l
}

func emitShared(c *compiler, p *coldCode) {
	n := int(p.site)
	if n == int(fpGo)*4 {
		emitSharedGo(c)
		return
	}
	k := fpKind(n % 4)
	c.b.MR(x64.MOVQ, saveReturn, x64.RAX)
	for x := range x64.Xmm(5) {
		c.b.MX(x64.MOVUPS, saveX(x), x)
	}
	s := nanCode{c, k}
	routine := fpRoutine(n / 4)
	if routine >= fpRedoAdd && routine <= fpRedoFMA {
		s.redo(routine)
		switch {
		case routine == fpRedoFMA:
			routine = fpNaN3
		case c.dn():
			routine = fpDefault
		default:
			routine = fpNaN2
		}
	}
	switch routine {
	case fpNaN2:
		s.mend2()
	case fpNaN3:
		s.load(3, state(offHelperRet))
		s.pick(3)
		s.invalidProduct()
		if c.dn() {
			s.load(4, s.bits(&fpDefaultNaN))
		}
		s.load(3, state(offHelperRet))
		s.unord(0, 3, 3)
		s.blend(3, 4)
	case fpPick2:
		s.pick(2)
		s.load(1, argMem16(0))
		s.load(2, argMem16(1))
		s.unord(0, 1, 2)
		s.load(3, state(offHelperRet))
		s.blend(3, 4)
	case fpDefault:
		s.load(3, state(offHelperRet))
		s.unord(0, 3, 3)
		s.blendM(3, &fpDefaultNaN)
	case fpDefault2:
		s.load(1, argMem16(0))
		s.load(2, argMem16(1))
		s.unord(0, 1, 2)
		s.load(3, state(offHelperRet))
		s.blendM(3, &fpDefaultNaN)
	case fpMinimum, fpMaximum:
		s.minmax(routine == fpMaximum)
	case fpMinimumNM, fpMaximumNM:
		s.minmaxNM(routine == fpMaximumNM)
	}
	c.b.MX(x64.MOVUPS, state(offHelperRet), 3)
	for x := range x64.Xmm(5) {
		c.b.XM(x64.MOVUPS, x, saveX(x))
	}
	c.b.RM(x64.MOVQ, x64.RAX, saveR(x64.RAX))
	c.b.M(x64.JMP, saveReturn)
}

// emitSharedGo saves all registers around a call of Go.
func emitSharedGo(c *compiler) {
	saved := func(do func(r x64.Reg)) {
		for r := x64.RCX; r <= x64.R15; r++ {
			if r != rState && r != rStack {
				do(r)
			}
		}
	}
	c.b.MR(x64.MOVQ, saveReturn, x64.RAX)
	saved(func(r x64.Reg) { c.b.MR(x64.MOVQ, saveR(r), r) })
	for x := range x64.Xmm(regs) {
		c.b.MX(x64.MOVUPS, saveX(x), x)
	}
	c.b.MI(x64.MOVL, state(offExit), int32(cpu.ExitHelper))
	c.b.CallAddr(uint64(host.StubHelper))
	saved(func(r x64.Reg) { c.b.RM(x64.MOVQ, r, saveR(r)) })
	for x := range x64.Xmm(regs) {
		c.b.XM(x64.MOVUPS, x, saveX(x))
	}
	c.b.RM(x64.MOVQ, x64.RAX, saveR(x64.RAX))
	c.b.M(x64.JMP, saveReturn)
}

// sumNaN makes the host choose a NaN operand.
func (c *compiler) sumNaN(f *fpCold) {
	if f.sum {
		b := &f.args[1]
		c.f3(&fpAdd, f.kind, f.d, f.args[0].x, vsrc{x: b.x, m: b.m, mem: b.kind == argMem})
	}
}
