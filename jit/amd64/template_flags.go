package amd64

import (
	"emu/cpu"
	"emu/decoder"
	"emu/jit/asm/x64"
	"emu/jit/host"
)

// Templates of what reads flags, and where the flags are.
var templateFlagRules = []templateRule{
	{decoder.ClassGeneral, "condcmp_reg", templateCondCompare, templateSets | templateReads},
	{decoder.ClassGeneral, "condcmp_imm", templateCondCompare, templateSets | templateReads},
	{decoder.ClassGeneral, "condsel", templateCondSelect, templateReads},
}

// setsFlags reports whether instruction k sets NZCV.
func (t *template) setsFlags(k int) bool {
	switch f := t.steps[k].flags; {
	case f&templateSets != 0:
		return true
	case f&templateSetsS != 0:
		return t.insts[k].Bit(29) == 1
	case f&templateSetsAnd != 0:
		return t.insts[k].Bits(30, 29) == 3
	}
	return false
}

// findKept finds out which flags something looks at that is not the next instruction.
func (t *template) findKept() {
	wanted := true // behind the block
	for k := t.n - 1; k >= 0; k-- {
		f := t.steps[k].flags
		wanted = wanted || f&templateCond != 0
		if t.setsFlags(k) {
			t.keep[k], wanted = wanted, false
		}
		if f&templateMemory != 0 || f&templateStack != 0 && t.insts[k].Rd() == 31 || f&templateReads != 0 && (k == 0 || !t.setsFlags(k-1)) {
			wanted = true
		}
	}
}

// lose notes that the host's flags are not NZCV any more.
func (t *template) lose() { t.live = noFlags }

// flagsAre notes that the current instruction has set NZCV, which the host's flags are
// as kind says, and packs it into the state if it is wanted there.
func (t *template) flagsAre(kind host.LocKind) {
	t.live, t.packed = kind, false
	if !t.keep[t.at] {
		return
	}
	if kind == host.LocFlagsSub {
		t.b.Op(x64.CMC)
		t.live = host.LocFlagsAdd
	}
	t.c.lahf()
	t.b.MR(x64.MOVW, state(offNZCV), x64.RAX)
	t.packed = true
}

// cond makes the host's flags tell whether A64 condition n, less than 14, holds and
// returns the condition that says so.
func (t *template) cond(n uint32) x64.Cond {
	if t.live != noFlags {
		if cc := condOf[t.live-host.LocFlagsAdd][n]; cc != noCond {
			return cc
		}
		t.b.Op(x64.CMC) // HI, LS: C and not Z
		t.live = host.LocFlagsSub
		return condOf[1][n]
	}
	if !t.packed {
		t.b.RM(x64.MOVZWL, x64.RAX, state(offNZCV))
		t.packed = true
	}
	if n < 8 {
		t.b.RI(x64.BTL, x64.RAX, [...]int32{bitZ, bitC, bitN, bitV}[n>>1])
		return x64.C ^ x64.Cond(n&1)
	}
	t.restore()
	return t.cond(n)
}

// restore makes the host's flags those that AX has, which is lost.
func (t *template) restore() {
	t.b.RI(x64.ADDB, x64.RAX, 0x7f) // overflows if V, bit 0, is set
	t.b.Op(x64.SAHF)
	t.live, t.packed = host.LocFlagsAdd, false
}

// CCMN, CCMP <Rn>, <Rm>|#imm5, #nzcv, <cond>
func templateCondCompare(t *template, i decoder.Inst) {
	n := t.x(i.Rn(), x64.RCX)
	imm := i.Bit(11) == 1
	m := x64.RDX
	if !imm {
		m = t.x(i.Rm(), x64.RDX)
	}
	sub := i.Bit(30) == 1
	compare := func() {
		switch {
		case sub && imm:
			t.b.RI(sizedOp(i, x64.CMPL), n, int32(i.Rm()))
		case sub:
			t.b.RR(sizedOp(i, x64.CMPL), n, m)
		case imm:
			t.b.RR(x64.MOVQ, x64.RDX, n)
			t.b.RI(sizedOp(i, x64.ADDL), x64.RDX, int32(i.Rm()))
		default:
			if m != x64.RDX {
				t.b.RR(x64.MOVQ, x64.RDX, m)
			}
			t.b.RR(sizedOp(i, x64.ADDL), x64.RDX, n)
		}
	}
	kind := host.LocFlagsAdd
	if sub {
		kind = host.LocFlagsSub
	}
	if i.Bits(15, 12) >= 14 {
		compare()
		t.flagsAre(kind)
		return
	}
	cc := t.cond(i.Bits(15, 12))
	other, done := t.b.NewLabel(), t.b.NewLabel()
	t.b.JccShort(cc.Invert(), other)
	compare()
	t.b.JmpShort(done)
	t.b.Bind(other)
	flags := cpu.PackNZCV(i.Bits(3, 0) << 28)
	if sub {
		flags ^= 1 << bitC
	}
	t.b.MovImm(x64.RAX, uint64(flags))
	t.restore()
	t.b.Bind(done)
	t.flagsAre(kind)
}

// CSEL, CSINC, CSINV, CSNEG <Rd>, <Rn>, <Rm>, <cond>
func templateCondSelect(t *template, i decoder.Inst) {
	rd, n, m := i.Rd(), i.Rn(), i.Rm()
	invert, add := i.Bit(30) == 1, i.Bit(10) == 1
	if rd == 31 {
		return
	}
	if i.Bits(15, 12) >= 14 {
		t.declined = true // rare
		return
	}
	if n == 31 && m == 31 && add && !invert { // CSET
		cc := t.cond(i.Bits(15, 12)).Invert()
		d := t.def(rd)
		t.b.SetR(cc, d)
		t.b.RR(x64.MOVZBL, d, d)
		t.set(rd)
		return
	}
	a := t.x(n, x64.RCX)
	b := t.x(m, x64.RDX)
	if b != x64.RDX {
		t.b.RR(x64.MOVQ, x64.RDX, b)
	}
	if invert {
		t.b.R(x64.NOTQ, x64.RDX)
	}
	if add {
		t.b.RM(x64.LEAQ, x64.RDX, x64.At(x64.RDX, 1))
	}
	cc := t.cond(i.Bits(15, 12))
	t.b.CMovRR(sizedOp(i, x64.CMOVL), cc, x64.RDX, a)
	d := t.def(rd)
	t.b.RR(x64.MOVQ, d, x64.RDX)
	t.set(rd)
}
