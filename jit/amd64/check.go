package amd64

import (
	"fmt"
	"strings"

	"emu/ir"
	"emu/jit/asm/x64"
)

// check verifies the allocator's books after an instruction (Options.Verify):
//
//   - a register or slot with an owner is that value's place, and the reverse;
//   - whatever is still needed is somewhere: register, slot, or the host's flags;
//   - nothing is held for what is not needed any more;
//   - values count as many pending SETs as there are;
//   - no register is locked;
//   - nothing has changed the host's flags since they became what they stand for.
//
// The instruction's code starts at offset from.
func (c *compiler) check(from int) {
	c.checkFlags(from)
	waits := map[ir.Value]uint8{}
	for g := range numGuest {
		if v, ok := c.pending(g); ok && v.IsSSA() {
			waits[v]++
		}
	}
	for r := range uint8(regs) {
		if v := c.g.Owner(r); v != ir.None && (c.vals[v].reg != int8(r) || c.vals[v].inX) {
			c.fail("general register %d has owner v%d, which is elsewhere", r, v)
		}
		if v := c.x.Owner(r); v != ir.None && (c.vals[v].reg != int8(r) || !c.vals[v].inX) {
			c.fail("vector register %d has owner v%d, which is elsewhere", r, v)
		}
	}
	if c.g.Locks() != 0 || c.x.Locks() != 0 {
		c.fail("registers are locked between instructions")
	}
	for i := range c.vals {
		v := ir.Value(i)
		p := &c.vals[i]
		if p.root != v {
			continue
		}
		if p.pend != waits[v] {
			c.fail("v%d counts %d pending SETs, there are %d", v, p.pend, waits[v])
		}
		file := &c.g
		if p.inX {
			file = &c.x
		}
		if p.reg >= 0 && file.Owner(uint8(p.reg)) != v {
			c.fail("v%d is in register %d, which has owner v%d", v, p.reg, file.Owner(uint8(p.reg)))
		}
		if p.slot >= 0 && c.slots[p.slot] != v {
			c.fail("v%d is in slot %d, which has owner v%d", v, p.slot, c.slots[p.slot])
		}
		needed := p.uses > 0 || p.pend > 0
		later := p.holds == 0 && p.pend == 0 && p.user <= c.at || !c.fallsOff // in an arm that starts from its snapshot
		placed := p.reg >= 0 || p.slot >= 0 || c.fl.v == v || p.lazy != 0
		if p.form == formHere && needed && !placed && !later && c.f.Types[v] != ir.Void {
			c.fail("v%d is needed (%d uses, %d pending) and nowhere", v, p.uses, p.pend)
		}
		if placed && !needed {
			c.fail("v%d is kept and not needed", v)
		}
	}
}

// checkBranches verifies rule 6 of alloc.go where a value is about to be moved: cold code that the instruction
// branches to, and that comes back, would not know of it.
func (c *compiler) checkBranches() {
	for i := c.coldFrom; i < len(c.cold); i++ {
		p := &c.cold[i]
		if _, back := c.b.Offset(p.back); !back && p.kind != coldSide && c.b.Used(p.from) {
			c.fail("a value is moved behind a branch to cold code")
		}
	}
}

// changesFlags are the beginnings of the names of instructions that change the flags.
// CMC is none: c.fl follows it.
var changesFlags = []string{"add", "adc", "sub", "sbb", "cmp", "test", "and", "or", "xor", "neg", "inc", "dec",
	"shl ", "shr ", "sar ", "rol ", "ror ", "shld", "shrd", "imul", "mul ", "div ", "idiv", "bt", "bsf", "bsr", "lzcnt", "tzcnt", "popcnt",
	"comis", "ucomis", "vcomis", "vucomis", "ptest", "vptest", "lock", "xadd", "stc", "clc", "bls", "bextr", "bzhi", "kortest", "call"}

// keepFlags are exceptions of changesFlags.
var keepFlags = []string{"cmpps", "cmppd", "cmpss", "cmpsd", "addp", "adds", "subp", "subs", "mulp", "muls", "divp", "divs", "andp", "andnp", "orp", "xorp"}

// checkFlags looks at the code since the flags got their meaning.
func (c *compiler) checkFlags(from int) {
	if from = max(from, c.flAt); c.fl.v == ir.None || from >= c.b.Pos() {
		return
	}
	begins := func(name string, with []string) bool {
		for _, p := range with {
			if strings.HasPrefix(name, p) {
				return true
			}
		}
		return false
	}
	for _, line := range x64.Disasm(c.b.B[from:], 0) {
		text := line[strings.LastIndexByte(line, '\t')+1:]
		if begins(text, changesFlags) && !begins(text, keepFlags) {
			c.fail("the flags of v%d were lost to %s", c.fl.v, text)
		}
	}
}

func (c *compiler) fail(format string, args ...any) {
	panic(fmt.Sprintf("BUG: amd64: after v%d in the unit at %#x: ", c.at, c.f.PC) + fmt.Sprintf(format, args...) + "\n" + c.f.String())
}
