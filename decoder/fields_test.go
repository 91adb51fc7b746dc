package decoder

import (
	"math"
	"math/bits"
	"testing"
)

// slowBitMask builds a logical immediate from its definition: an element of
// esize bits with ones bits set, rotated right, repeated.
func slowBitMask(esize, ones, rotate, width int) uint64 {
	var v uint64
	for b := range width {
		if (b%esize+rotate)%esize < ones {
			v |= 1 << b
		}
	}
	return v
}

func TestDecodeBitMasks(t *testing.T) {
	seen := map[uint64]bool{}
	for n := range uint32(2) {
		for imms := range uint32(64) {
			for immr := range uint32(64) {
				esize := 64
				if n == 0 {
					esize = 1 << (bits.Len32(^imms&63) - 1 + 1) >> 1
				}
				ones := int(imms)&(esize-1) + 1
				reserved := esize < 2 || ones == esize
				for _, is64 := range []bool{false, true} {
					mask, ok := DecodeBitMasks(n, imms, immr, is64)
					if want := !reserved && (is64 || n == 0); ok != want {
						t.Fatalf("DecodeBitMasks(%d, %d, %d, %t) ok = %t", n, imms, immr, is64, ok)
					}
					if !ok {
						continue
					}
					width := 32
					if is64 {
						width = 64
						seen[mask] = true
					}
					if want := slowBitMask(esize, ones, int(immr)&(esize-1), width); mask != want {
						t.Fatalf("DecodeBitMasks(%d, %d, %d, %t) = %#x, want %#x", n, imms, immr, is64, mask, want)
					}
				}
			}
		}
	}
	if len(seen) != 5334 {
		t.Errorf("%d 64-bit logical immediates, want 5334", len(seen))
	}
}

func TestVFPExpandImm(t *testing.T) {
	for imm8 := range uint32(256) {
		// The value is +-(16 + efgh)/16 * 2^(NOT(b):c:d - 3).
		exp := int(imm8>>4&7 ^ 4)
		want := math.Ldexp(float64(16+imm8&15|16)/16, exp-3)
		if imm8>>7 != 0 {
			want = -want
		}
		if got := math.Float64frombits(VFPExpandImm(imm8, 64)); got != want {
			t.Errorf("VFPExpandImm(%#x, 64) = %g, want %g", imm8, got, want)
		}
		if got := math.Float32frombits(uint32(VFPExpandImm(imm8, 32))); float64(got) != want {
			t.Errorf("VFPExpandImm(%#x, 32) = %g, want %g", imm8, got, want)
		}
		h := VFPExpandImm(imm8, 16)
		got := math.Ldexp(float64(1024+h&1023|1024)/1024, int(h>>10&31)-15)
		if h>>15 != 0 {
			got = -got
		}
		if got != want {
			t.Errorf("VFPExpandImm(%#x, 16) = %g, want %g", imm8, got, want)
		}
	}
}

func TestAdvSIMDExpandImm(t *testing.T) {
	for _, c := range []struct {
		op, cmode, imm8 uint32
		want            uint64
	}{
		{0, 0x0, 0xab, 0x000000ab000000ab},
		{0, 0x2, 0xab, 0x0000ab000000ab00},
		{1, 0x4, 0xab, 0x00ab000000ab0000},
		{0, 0x6, 0xab, 0xab000000ab000000},
		{0, 0x7, 0xab, 0xab000000ab000000}, // ORR
		{0, 0x8, 0xab, 0x00ab00ab00ab00ab},
		{0, 0xa, 0xab, 0xab00ab00ab00ab00},
		{0, 0xc, 0xab, 0x0000abff0000abff},
		{1, 0xd, 0xab, 0x00abffff00abffff},
		{0, 0xe, 0xab, 0xabababababababab},
		{1, 0xe, 0xa5, 0xff00ff0000ff00ff},
		{0, 0xf, 0x70, 0x3f8000003f800000},
		{1, 0xf, 0x70, 0x3ff0000000000000},
	} {
		if got := AdvSIMDExpandImm(c.op, c.cmode, c.imm8); got != c.want {
			t.Errorf("AdvSIMDExpandImm(%d, %#x, %#x) = %#x, want %#x", c.op, c.cmode, c.imm8, got, c.want)
		}
	}
}

// MoveWidePreferred holds exactly for the values that MOVZ and MOVN make.
func TestMoveWidePreferred(t *testing.T) {
	movable := func(v uint64, width int) bool {
		for shift := 0; shift < width; shift += 16 {
			all := uint64(1)<<width - 1
			if v&^(0xffff<<shift) == 0 || ^v&all&^(0xffff<<shift) == 0 {
				return true
			}
		}
		return false
	}
	for n := range uint32(2) {
		for imms := range uint32(64) {
			for immr := range uint32(64) {
				for _, is64 := range []bool{false, true} {
					mask, ok := DecodeBitMasks(n, imms, immr, is64)
					if !ok {
						continue
					}
					width := 32
					if is64 {
						width = 64
					}
					if got, want := MoveWidePreferred(is64, n, imms, immr), movable(mask, width); got != want {
						t.Fatalf("MoveWidePreferred(%t, %d, %d, %d) = %t, but the value is %#x", is64, n, imms, immr, got, mask)
					}
				}
			}
		}
	}
}

func TestFieldAccessors(t *testing.T) {
	type values struct{ got, want any }
	target := func(w uint32) uint64 {
		pc, ok := Decode(w).BranchTarget(0x10000)
		if !ok {
			t.Errorf("%#08x: no branch target", w)
		}
		return pc
	}
	feature := func(w uint32) string { return Decode(w).Features() }
	shift := Decode(0x0f08a400) // sshll v0.8h, v0.8b, #0
	narrow := Decode(0x0f0f8400)
	esize, index := Decode(0x4e183c41).ElementIndex5() // mov x1, v2.d[1]
	op, _ := Decode(0xd50b7421).SysOp()                // dc zva, x1
	for name, v := range map[string]values{
		"Imm9":           {Decode(0xf85f8020).Imm9(), int64(-8)},
		"Imm7":           {Decode(0xa9bf7bfd).Imm7(), int64(-2)},
		"AdrOffset":      {Decode(0x70ffffe0).AdrOffset(), int64(-1)},
		"B":              {target(0x17ffffff), uint64(0xfffc)},
		"B.cond":         {target(0x54000040), uint64(0x10008)},
		"TBZ":            {target(0x3607fff0), uint64(0xfffc)},
		"LDR literal":    {target(0x58000020), uint64(0x10004)},
		"LeftShift":      {shift.LeftShift(), uint(0)},
		"ShiftEsize":     {shift.ShiftEsize(), uint(8)},
		"RightShift":     {narrow.RightShift(), uint(1)},
		"element size":   {esize, uint(64)},
		"element index":  {index, uint(1)},
		"SysReg":         {Decode(0xd53bd041).SysReg(), SysTPIDR_EL0},
		"SysReg text":    {Decode(0xd53bd041).SysReg().String(), "tpidr_el0"},
		"SysReg number":  {SysReg(0xffff).String(), "s3_7_c15_c15_7"},
		"SysOp":          {op, SysOp{Key: 0x1ba1, Kind: "dc", Name: "zva", Register: true}},
		"BitmaskImm":     {Decode(0x92401c20).BitmaskImm(), uint64(0xff)},
		"features base":  {feature(0x8b020020), ""},
		"features PMULL": {feature(0x0ee2e020), "FEAT_PMULL"},
		"features FP16":  {feature(0x2e42c420), "FEAT_FCMA&FEAT_FP16"},
		"class":          {Decode(0x8b020020).Op.Class().String(), "general"},
		"group":          {Decode(0x8b020020).Op.Group(), "addsub_shift"},
	} {
		if v.got != v.want {
			t.Errorf("%s: %v, want %v", name, v.got, v.want)
		}
	}
}
