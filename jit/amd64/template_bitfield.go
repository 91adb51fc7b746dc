package amd64

import (
	"emu/decoder"
	"emu/jit/asm/x64"
)

// SBFM, BFM, UBFM <Rd>, <Rn>, #immr, #imms. The field imms:immr moves to bit 0 if
// imms >= immr, otherwise the low imms+1 bits move up to bit width-immr: shifted up until
// nothing is above it, and down to where it belongs.
func templateBitfield(t *template, i decoder.Inst) {
	immr, imms, rd := int(i.Bits(21, 16)), int(i.Bits(15, 10)), i.Rd()
	width := 32 << (i.Word >> 31)
	if rd == 31 {
		return
	}
	if immr >= width || imms >= width {
		t.declined = true // undefined
		return
	}
	up := width - 1 - imms
	down, to, size := up+immr, 0, imms-immr+1
	if imms < immr {
		down, to, size = immr-1-imms, width-immr, imms+1
	}
	signed := i.Bits(30, 29) == 0
	if i.Bits(30, 29) == 1 {
		t.insert(i, up, down, to, size)
		return
	}
	n := t.x(i.Rn(), x64.RCX)
	d := t.def(rd)
	switch {
	case immr == 0 && size == 8 && signed:
		t.b.RR(sizedPair(i, x64.MOVSBL, x64.MOVSBQ), d, n)
	case immr == 0 && size == 16 && signed:
		t.b.RR(sizedPair(i, x64.MOVSWL, x64.MOVSWQ), d, n)
	case immr == 0 && size == 32 && signed && width == 64:
		t.b.RR(x64.MOVSLQ, d, n)
	case immr == 0 && size == 8:
		t.b.RR(x64.MOVZBL, d, n)
	case immr == 0 && size == 16:
		t.b.RR(x64.MOVZWL, d, n)
	case immr == 0 && size == 32:
		t.b.RR(x64.MOVL, d, n)
	default:
		t.lose()
		if d != n {
			t.b.RR(x64.MOVQ, d, n)
		}
		if up > 0 {
			t.b.RI(sizedOp(i, x64.SHLL), d, int32(up))
		}
		if down > 0 && signed {
			t.b.RI(sizedOp(i, x64.SARL), d, int32(down))
		} else if down > 0 {
			t.b.RI(sizedOp(i, x64.SHRL), d, int32(down))
		}
	}
	t.set(rd)
}

// sizedPair is narrow or wide as the width of the instruction.
func sizedPair(i decoder.Inst, narrow, wide x64.Op) x64.Op {
	if i.Word>>31 == 0 {
		return narrow
	}
	return wide
}

// insert is BFM: the field, shifted up and down, replaces size bits of Rd from bit to on.
func (t *template) insert(i decoder.Inst, up, down, to, size int) {
	t.lose()
	n := t.x(i.Rn(), x64.RCX)
	t.b.RR(x64.MOVQ, x64.RDX, n)
	if up > 0 {
		t.b.RI(sizedOp(i, x64.SHLL), x64.RDX, int32(up))
	}
	if down > 0 {
		t.b.RI(sizedOp(i, x64.SHRL), x64.RDX, int32(down))
	}
	rd := i.Rd()
	t.xsp(rd)
	d := t.def(rd)
	keep := ^((1<<size - 1) << to)
	switch {
	case i.Word>>31 == 0:
		t.b.RI(x64.ANDL, d, int32(keep))
	case keep == int(int32(keep)):
		t.b.RI(x64.ANDQ, d, int32(keep))
	default:
		t.b.MovImm(x64.RCX, uint64(keep))
		t.b.RR(x64.ANDQ, d, x64.RCX)
	}
	t.b.RR(sizedOp(i, x64.ORL), d, x64.RDX)
	t.set(rd)
}

// EXTR <Rd>, <Rn>, <Rm>, #lsb
func templateExtract(t *template, i decoder.Inst) {
	lsb, rd := i.Bits(15, 10), i.Rd()
	if rd == 31 {
		return
	}
	if lsb >= 32<<(i.Word>>31) {
		t.declined = true // undefined
		return
	}
	n, m := t.x(i.Rn(), x64.RCX), t.x(i.Rm(), x64.RDX)
	t.lose()
	if m != x64.RDX {
		t.b.RR(x64.MOVQ, x64.RDX, m)
	}
	t.b.RRI(sizedOp(i, x64.SHRDL), x64.RDX, n, int32(lsb))
	d := t.def(rd)
	t.move(i, d, x64.RDX)
	t.set(rd)
}
