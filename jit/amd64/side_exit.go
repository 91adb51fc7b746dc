package amd64

import (
	"emu/cpu"
	"emu/ir"
	"emu/jit/asm/x64"
	"emu/jit/host"
)

// A side exit is an IF that only leaves to the dispatcher, as checks of alignment
// do: no join, so nothing has to be stored or spilled unless it is taken.

// sideExit recognises IF; EXIT or EXIT_ARG; ELSE; YIELD; MERGE without results
// and returns where the exit and the MERGE are.
func (c *compiler) sideExit(v ir.Value) (exit, merge ir.Value, ok bool) {
	shape := [...]ir.Op{ir.OpExitArg, ir.OpElse, ir.OpYield, ir.OpMerge}
	n := 0
	for j := v + 1; int(j) < len(c.f.Insts); j++ {
		in := c.f.Insts[j]
		op := in.Op()
		if op == ir.OpNop {
			continue
		}
		if op != shape[n] && !(n == 0 && op == ir.OpExit) {
			return 0, 0, false
		}
		switch n {
		case 0:
			if op == ir.OpExitArg && c.f.TypeOf(in.C()) != ir.I64 {
				return 0, 0, false
			}
			exit = j
		case 2:
			if in.A() != ir.None {
				return 0, 0, false
			}
		}
		if n++; n == len(shape) {
			return exit, j, c.f.Types[j] == ir.Void
		}
	}
	return 0, 0, false
}

// leaveIf branches to cold code that leaves as exit says if cond is true.
func (c *compiler) leaveIf(cond ir.Value, exit ir.Inst) {
	arg := ir.None
	if exit.Op() == ir.OpExitArg {
		if arg = c.ready(exit.C()); arg.IsSSA() {
			c.useR(arg)
		}
	}
	cc := c.cond(cond)
	c.writeRecipe()
	p := c.newCold(coldSide)
	p.exit = cpu.ExitKind(c.f.ImmOf(exit.A()))
	p.pc, p.recipe = c.f.ImmOf(exit.B()), c.recipe
	if arg != ir.None {
		p.at, p.hasArg = c.locate(arg), true
	}
	c.b.JccNear(cc, p.from)
	c.releaseOperands(exit)
}

// emitSide is the cold part of leaveIf and of polls: it stores what the hot code
// kept back - first what is in registers, then the flags, which are made from
// registers, then, by way of RAX, the rest - loads the pins that are not in their
// registers, and leaves.
func (c *compiler) emitSide(p *coldCode) {
	if p.hasArg {
		c.storeExitArg(p.at)
	}
	passes := 1 << 0 // what is in registers mostly is all
	c.pinsHome = 0
	home := uint64(0)
	for pass := 0; passes>>pass != 0; pass++ {
		for at := p.recipe; passes>>pass&1 != 0; {
			if g, k, r, next, ok := c.code.Map.ReadReg(at); ok {
				if at = next; pass == 0 {
					c.storeReg(g, k, r)
				}
				continue
			}
			g, l, next, more := c.code.Map.Read(at)
			if !more {
				break
			}
			at = next
			if g == host.GuestPins {
				home = l.Lo
				for n, p := range host.Pins {
					if home>>n&1 != 0 {
						c.pinsHome |= 1 << p.Reg
					}
				}
				continue
			}
			n := storePass(l.Kind)
			if n == pass {
				c.storeFrom(g, l)
			}
			passes |= 1 << n
		}
	}
	for n, p := range host.Pins {
		if home>>n&1 == 0 {
			c.b.RM(x64.MOVQ, x64.Reg(p.Reg), guestMem(int(p.Guest)))
		}
	}
	c.g.SetLocks(pinned.regs)
	if p.exit == cpu.ExitPoll {
		c.b.MovImm(x64.RCX, p.pc)
		c.b.JmpAddr(uint64(host.StubPoll))
		return
	}
	c.storePC(p.pc)
	if p.exit == cpu.ExitBranch {
		c.b.MI(x64.MOVQ, state(offExitFrom), 0)
	}
	c.leave(p.exit)
}

// storePass says in which pass of emitSide a place is stored.
func storePass(k host.LocKind) int {
	switch k {
	case host.LocGPR, host.LocXMM, host.LocXMMLow, host.LocXMMLane:
		return 0
	case host.LocCompute, host.LocFlagsAdd, host.LocFlagsSub, host.LocFlagsFCmp:
		return 1
	}
	return 2
}

func (c *compiler) storeExitArg(l host.Loc) {
	if l.Kind == host.LocGPR {
		c.b.MR(x64.MOVQ, state(offExitArg), x64.Reg(l.Index))
		return
	}
	c.b.MI(x64.MOVL, state(offExitArg), int32(l.Lo))
	c.b.MI(x64.MOVL, state(offExitArg+4), int32(l.Lo>>32))
}
