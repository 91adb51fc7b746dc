package amd64

import (
	"math/bits"

	"emu/ir"
	"emu/jit/asm/x64"
)

// Registers that instructions need for themselves: what would be moved out of them had better never get there.

// claim is an instruction that needs registers for itself.
type claim struct {
	at   ir.Value
	regs uint32
}

// fixedBy returns the registers that an instruction moves others out of, as it works in these alone: of those
// that are frequent in loops.
func (c *compiler) fixedBy(in ir.Inst) uint32 {
	const ax, cx, dx = 1 << x64.RAX, 1 << x64.RCX, 1 << x64.RDX
	switch in.Op() {
	case ir.OpUDiv, ir.OpSDiv, ir.OpURem, ir.OpSRem:
		if !c.f.TypeOf(in.A()).IsVec() {
			return ax | dx
		}
	case ir.OpMulHiS:
		return ax | dx
	case ir.OpMulHiU:
		if c.feat.Has(x64.BMI2) {
			return dx
		}
		return ax | dx
	case ir.OpShl, ir.OpLShr, ir.OpAShr:
		if !c.feat.Has(x64.BMI2) && !in.B().IsConst() && !c.f.TypeOf(in.A()).IsVec() {
			return cx
		}
	case ir.OpRor:
		if !in.B().IsConst() && !c.f.TypeOf(in.A()).IsVec() {
			return cx
		}
	case ir.OpCas, ir.OpStoreEx:
		return ax
	}
	return 0
}

// clearFixed moves what stays in registers around a loop out of those that the loop's instructions need for themselves.
func (c *compiler) clearFixed(mine func(ir.Value) int32) {
	for m := c.fixed & c.g.Used(); m != 0; m &= m - 1 {
		r := uint8(bits.TrailingZeros32(m))
		v := c.g.Owner(r)
		if c.vals[v].uses <= mine(v) {
			continue
		}
		to, ok := c.g.Pick(c.fixed)
		if !ok {
			return
		}
		c.b.RR(x64.MOVQ, x64.Reg(to), x64.Reg(r))
		locks := c.g.Locks()
		c.unbind(v)
		c.bindR(v, x64.Reg(to))
		c.g.SetLocks(locks)
	}
}

// noteFixed notes what instruction i needs for itself. scan comes to the last one first.
func (c *compiler) noteFixed(i int, in ir.Inst) {
	if regs := c.fixedBy(in); regs != 0 {
		c.claims = append(c.claims, claim{ir.Value(i), regs})
	}
}

// fixedWhile returns the registers that instructions behind the current one and in front of the last that uses v
// need for themselves, as far as the order of the code tells.
func (c *compiler) fixedWhile(v ir.Value) (regs uint32) {
	const some = 4 // instructions to look at
	n := len(c.claims)
	for n > 0 && c.claims[n-1].at <= c.at {
		n--
	}
	if !c.now { // else the walk is further on than the instruction it computes
		c.claims = c.claims[:n]
	}
	for k := n - 1; k >= max(n-some, 0) && c.claims[k].at < c.vals[v].user; k-- {
		regs |= c.claims[k].regs
	}
	return regs
}
