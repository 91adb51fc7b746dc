package amd64

import (
	"emu/decoder"
	"emu/ir"
	"emu/jit/asm/x64"
)

// templateRegs hold guest registers that are not pinned. RAX, RCX and RDX are for the
// templates themselves; RAX has NZCV while template.packed says so.
var templateRegs = [...]x64.Reg{x64.RBX, x64.R14, x64.R15}

// Registers. Number 31 is the zero register in x, and SP in xsp.

// x returns a register that holds general register n; that is tmp if n is 31.
func (t *template) x(n uint32, tmp x64.Reg) x64.Reg {
	if n == 31 {
		t.load(tmp, 0)
		return tmp
	}
	return t.xsp(n)
}

// xsp returns the register that holds general register n or SP.
func (t *template) xsp(n uint32) x64.Reg {
	if r := pinned.home[n]; r >= 0 {
		return x64.Reg(r)
	}
	k, ok := t.holder(n)
	if !ok {
		t.b.RM(x64.MOVQ, templateRegs[k], guestMem(int(n)))
	}
	return templateRegs[k]
}

// holder returns which of templateRegs is for guest register n, and whether it holds it
// already. It is locked.
func (t *template) holder(n uint32) (k int, ok bool) {
	for k, g := range t.held {
		if g == int8(n) {
			t.locked |= 1 << k
			return k, true
		}
	}
	for {
		k = int(t.next)
		if t.next++; int(t.next) == len(t.held) {
			t.next = 0
		}
		if t.locked>>k&1 == 0 {
			t.held[k] = int8(n)
			t.locked |= 1 << k
			return k, false
		}
	}
}

// def returns the register for a new value of general register or SP n, which is not
// the zero register. It may be that of an operand. set has to follow.
func (t *template) def(n uint32) x64.Reg {
	t.known &^= 1 << n
	if r := pinned.home[n]; r >= 0 {
		return x64.Reg(r)
	}
	k, _ := t.holder(n)
	return templateRegs[k]
}

// set completes a def: the register that it returned holds the value.
func (t *template) set(n uint32) {
	if pinned.home[n] >= 0 {
		return
	}
	k, _ := t.holder(n)
	t.b.MR(x64.MOVQ, guestMem(int(n)), templateRegs[k])
}

// put sets general register n, 31 = none, to what a scratch register holds.
func (t *template) put(n uint32, r x64.Reg) {
	if n == 31 {
		return
	}
	t.known &^= 1 << n
	if p := pinned.home[n]; p >= 0 {
		t.b.RR(x64.MOVQ, x64.Reg(p), r)
		return
	}
	t.forget(n)
	t.b.MR(x64.MOVQ, guestMem(int(n)), r)
}

// forget makes no register hold guest register n.
func (t *template) forget(n uint32) {
	for k, g := range t.held {
		if g == int8(n) {
			t.held[k] = -1
		}
	}
	t.known &^= 1 << n
}

// constant sets general register n, which is not the zero register, to v.
func (t *template) constant(n uint32, v uint64) {
	t.load(t.def(n), v)
	t.setTo(n, v)
}

// setTo is set where the value is known to be v.
func (t *template) setTo(n uint32, v uint64) {
	t.set(n)
	t.known |= 1 << n
	t.value[n] = v
}

// load loads a constant into r. The host's flags stay if they are NZCV.
func (t *template) load(r x64.Reg, v uint64) {
	if t.live == noFlags {
		t.b.MovImmFlags(r, v)
		return
	}
	t.b.MovImm(r, v)
}

// sizedOp is op, an operation of 32 bits, in the width of the instruction.
func sizedOp(i decoder.Inst, op x64.Op) x64.Op {
	if i.Word>>31 == 0 {
		return op
	}
	return wide(op, ir.I64)
}

// move copies a register in the width of the instruction.
func (t *template) move(i decoder.Inst, dst, src x64.Reg) {
	if dst != src || i.Word>>31 == 0 {
		t.b.RR(sizedOp(i, x64.MOVL), dst, src)
	}
}
