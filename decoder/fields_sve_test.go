package decoder

import (
	"math/rand/v2"
	"testing"
)

func TestFieldsSVE(t *testing.T) {
	type values struct{ got, want any }
	index := func(w uint32) (v [2]uint) { v[0], v[1] = Decode(w).TszIndex(); return v }
	for name, v := range map[string]values{
		"Zm destructive":          {Decode(0x04000440).Zm(), uint32(2)},           // add z0.b, p1/m, z0.b, z2.b
		"Zm by element":           {Decode(0x44ba0820).Zm(), uint32(2)},           // mla z0.s, z1.s, z2.s[3]
		"Zn pair":                 {Decode(0x45314040).Zn(), uint32(2)},           // sqcvtn z0.h, {z2.s, z3.s}
		"Za":                      {Decode(0x0402c461).Za(), uint32(3)},           // mad z1.b, p1/m, z2.b, z3.b
		"Pg of 4 bits":            {Decode(0x2502f443).Pg(), uint32(13)},          // brkpa p3.b, p13/z, p2.b, p2.b
		"Pv":                      {Decode(0x0520d441).Pg(), uint32(5)},           // sel z1.b, p5, z2.b, z0.b
		"Pd pair":                 {Decode(0x25225432).Pd(), uint32(2)},           // whilelt {p2.b, p3.b}, x1, x2
		"Pn, Pm":                  {Decode(0x25b94440).Pn(), uint32(1)},           // psel p0, p1, p2.h[w13, 5]
		"Pm":                      {Decode(0x25b94440).Pm(), uint32(2)},           // the same
		"registers":               {Decode(0xa5c2e440).Registers(), 3},            // ld3d {z0.d-z2.d}, p1/z, [x2, #6, mul vl]
		"registers, no list":      {Decode(0xa5034440).Registers(), 1},            // ld1sh {z0.d}, p1/z, [x2, x3, lsl #1]
		"VLOffset":                {Decode(0xa5c2e440).VLOffset(), int64(6)},      // ld3d
		"VLOffset of 9 bits":      {Decode(0x85a00020).VLOffset(), int64(-256)},   // ldr p0, [x1, #-256, mul vl]
		"ByteOffset":              {Decode(0xe4dfa440).ByteOffset(), int64(62)},   // st1h {z0.d}, p1, [z2.d, #62]
		"ByteOffset, signed":      {Decode(0xa4082440).ByteOffset(), int64(-128)}, // ld1rqb {z0.b}, p1/z, [x2, #-128]
		"ElementIndex in one box": {Decode(0x44ba0820).ElementIndex(), uint(3)},   // mla z0.s, z1.s, z2.s[3]
		"ElementIndex in two":     {Decode(0x05ec3820).ElementIndex(), uint(6)},   // pmov p0.d, z1[6]
		"DUP":                     {index(0x05362020), [2]uint{16, 5}},            // mov z0.h, z1.h[5]
		"DUPQ":                    {index(0x053e2420), [2]uint{16, 7}},            // dupq z0.h, z1.h[7]
		"PSEL":                    {index(0x25b94440), [2]uint{16, 5}},
		"TszEsize":                {Decode(0x45282020).TszEsize(), uint(8)},      // sqshrnb z0.b, z1.h, #8
		"TszRightShift":           {Decode(0x45282020).TszRightShift(), uint(8)}, // the same
		"TszLeftShift":            {Decode(0x04039d00).TszLeftShift(), uint(0)},  // lsl z0.b, p7/m, z0.b, #0
		"Imm13":                   {Decode(0x05000540).Imm13(), uint64(0x07ff07ff07ff07ff)},
		"UnsignedImm8":            {Decode(0x2560ffe0).UnsignedImm8(), uint64(0xff00)}, // add z0.h, z0.h, #65280
		"SignedImm8":              {Decode(0x2578ffe0).SignedImm8(), int64(-256)},      // mov z0.h, #-256
		"FPConst of FMUL":         {Decode(0x655a8420).FPConst(), 2.0},
		"FPConst of FADD":         {Decode(0x65588400).FPConst(), 0.5},
		"FPConst of FMAX":         {Decode(0x655e8420).FPConst(), 1.0},
		"rotation of FCMLA":       {Decode(0x64824420).Rotation(), uint32(180)},
		"rotation of CADD":        {Decode(0x4500dc20).Rotation(), uint32(270)},
		"prefetch":                {Decode(0xc463c44b).SVEPrefetch(), uint32(0b10011)}, // prfw pstl2strm, ...
		"class":                   {Decode(0x04000440).Op.Class().String(), "sve"},
		"features":                {Decode(0x4522e000).Op.Features(), "FEAT_SVE_AES"}, // aese z0.b, z0.b, z0.b
	} {
		if v.got != v.want {
			t.Errorf("%s: %v, want %v", name, v.got, v.want)
		}
	}
}

func TestElementSize(t *testing.T) {
	for _, c := range []struct {
		word uint32
		box  string
		want uint
	}{
		{0x45420820, "Zd", 16}, // uaddlb z0.h, z1.b, z2.b
		{0x45420820, "Zn", 8},
		{0x45282020, "Zd", 8}, // sqshrnb z0.b, z1.h, #8
		{0x45282020, "Zn", 16},
		{0xa5034440, "Zt", 64},  // ld1sh {z0.d}, p1/z, [x2, x3, lsl #1]
		{0xa5c2e440, "Zt", 64},  // ld3d {z0.d-z2.d}, ...
		{0xe4630440, "Zt", 128}, // st2q
		{0x25e20c20, "Pd", 64},  // whilelo p0.d, w1, w2
		{0x44820020, "Zda", 32}, // sdot z0.s, z1.b, z2.b
		{0x44820020, "Zn", 8},
		{0x05000540, "Zdn", 16}, // orr z0.h, z0.h, #0x7ff
		{0x05362020, "Zd", 16},  // mov z0.h, z1.h[5]
		{0x85a00020, "Pt", 0},   // ldr p0, ...
	} {
		if got := Decode(c.word).ElementSize(c.box); got != c.want {
			t.Errorf("%s: element of %s has %d bits, want %d", Decode(c.word).Disasm(0), c.box, got, c.want)
		}
	}
}

func TestDecodePredCount(t *testing.T) {
	names := map[string]uint32{}
	for n, name := range patternNames {
		names[name] = uint32(n)
	}
	for _, c := range []struct {
		pattern        string
		elements, want uint
	}{
		{"pow2", 16, 16}, {"pow2", 12, 8}, {"vl1", 2, 1}, {"vl3", 2, 0}, {"vl8", 8, 8}, {"vl16", 16, 16}, {"vl32", 16, 0},
		{"vl256", 256, 256}, {"mul3", 16, 15}, {"mul3", 2, 0}, {"mul4", 16, 16}, {"mul4", 2, 0}, {"all", 2, 2},
	} {
		if got := DecodePredCount(names[c.pattern], c.elements); got != c.want {
			t.Errorf("%s of %d elements: %d, want %d", c.pattern, c.elements, got, c.want)
		}
	}
	if got := DecodePredCount(20, 16); got != 0 {
		t.Errorf("a reserved pattern selects %d elements", got)
	}
}

// Shift amounts lie in the ranges of left and right shifts.
func TestShiftsAreInRange(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	for op := Op(1); op < NumOps; op++ {
		if op.Class() != ClassSVE {
			continue
		}
		i := Decode(RandomWord(op, rng.Uint32))
		if _, ok := i.Field("tszh"); !ok {
			continue
		}
		if _, ok := i.Field("imm3"); !ok {
			continue
		}
		if e := i.TszEsize(); i.TszLeftShift() >= e || i.TszRightShift() < 1 || i.TszRightShift() > e {
			t.Errorf("%v %#08x: shifts by %d and %d of %d bits", op, i.Word, i.TszLeftShift(), i.TszRightShift(), e)
		}
	}
}
