package amd64

import (
	"math"
	"math/bits"
	"unsafe"

	"emu/cpu"
	"emu/internal/softfp"
	"emu/ir"
	"emu/jit/asm/x64"
)

const (
	offFPSR  = unsafe.Offsetof(cpu.State{}.FPSR)
	offMXCSR = unsafe.Offsetof(cpu.State{}.MXCSR) // free while generated code runs
)

// mxFlags are the exception flags of MXCSR: from bit 0 invalid, denormal, division by
// zero, overflow, underflow and inexact. FPSR has the same but for denormal.
const mxFlags = 0x3f

// lowerGetFPSR puts together what cpu.State.FPStatus does.
func lowerGetFPSR(c *compiler, v ir.Value, in ir.Inst) {
	c.clobber()
	if !c.watched() {
		c.b.MI(x64.ORL, state(offFPCR), math.MinInt32) // cpu.FPCRWatched
	}
	d, t := c.defR(v), c.tempR()
	c.b.M(x64.STMXCSR, state(offMXCSR))
	c.b.RM(x64.MOVL, d, state(offMXCSR))
	c.b.RR(x64.MOVL, t, d)
	c.b.RI(x64.ANDL, d, cpu.FPSRInvalid)
	c.b.RI(x64.SHRL, t, 1)
	c.b.RI(x64.ANDL, t, cpu.FPSRDivZero|cpu.FPSROverflow|cpu.FPSRUnderflow|cpu.FPSRInexact)
	c.b.RR(x64.ORL, d, t)
	c.b.RM(x64.ORL, d, state(offFPSR))
	c.b.RM(x64.MOVQ, t, state(offQC))
	c.b.R(x64.NEGQ, t)
	c.b.RR(x64.SBBL, t, t) // all ones unless it was zero
	c.b.RI(x64.ANDL, t, cpu.FPSRSaturated)
	c.b.RR(x64.ORL, d, t)
	c.zero(v, uint8(bits.Len32(cpu.FPSRMask)))
}

// lowerSetFPSR is cpu.State.SetFPStatus.
func lowerSetFPSR(c *compiler, v ir.Value, in ir.Inst) {
	c.settleAll() // what is done once more raises its flags once more
	c.clobber()
	c.b.MI(x64.ORL, state(offFPCR), math.MinInt32|cpu.FPCRWritten)
	a, t := c.useR(in.A()), c.tempR()
	c.b.RR(x64.MOVL, t, a)
	c.b.RI(x64.ANDL, t, cpu.FPSRMask)
	c.b.MR(x64.MOVL, state(offFPSR), t)
	c.b.MI(x64.MOVQ, state(offQC), 0)
	c.b.M(x64.STMXCSR, state(offMXCSR))
	c.b.MI(x64.ANDL, state(offMXCSR), ^mxFlags)
	c.b.M(x64.LDMXCSR, state(offMXCSR))
}

// setRMode sets FPCR.RMode to that of v, and the rounding control of MXCSR: there the bits
// for up and down have each other's places, from bit 13 on.
func (c *compiler) setRMode(v ir.Value) {
	const up, down = 1 << softfp.RModeShift, 2 << softfp.RModeShift
	const mxDown, mxUp = 1 << 13, 1 << 14
	c.settleAll() // what is done once more is rounded once more
	c.clobber()
	a, t, u := c.useR(v), c.tempR(), c.tempR()
	c.b.RR(x64.MOVL, t, a)
	c.b.RI(x64.ANDL, t, up|down)
	c.b.MI(x64.ANDL, state(offFPCR), ^(up | down))
	c.b.MR(x64.ORL, state(offFPCR), t)
	c.b.RR(x64.MOVL, u, t)
	c.b.RI(x64.ANDL, t, up)
	c.b.RI(x64.SHRL, t, 8)
	c.b.RI(x64.ANDL, u, down)
	c.b.RI(x64.SHRL, u, 10)
	c.b.RR(x64.ORL, t, u)
	c.b.M(x64.STMXCSR, state(offMXCSR))
	c.b.MI(x64.ANDL, state(offMXCSR), ^(mxUp | mxDown))
	c.b.MR(x64.ORL, state(offMXCSR), t)
	c.b.M(x64.LDMXCSR, state(offMXCSR))
}
