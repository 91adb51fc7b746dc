package softfp

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// qemuOp is an instruction and what it should compute.
type qemuOp struct {
	asm      string
	f        Fmt // of the operands
	from     resultFrom
	ints     bool // half of the operands are integers
	pair     bool // operands are two 16-bit elements
	addend32 bool // the third operand is single precision
	eval     func(e *Env, a, b, c uint64) uint64
}

var regName = [...]string{F16: "h", F32: "s", F64: "d"}

// qemuOps lists every operation in every format. In the templates, % stands
// for the letter of the format's scalar registers. newer is whether the judge is newer than QEMU 7.2.
func qemuOps(newer bool) []qemuOp {
	var ops []qemuOp
	for _, f := range []Fmt{F16, F32, F64} {
		ops = append(ops, arithmeticOps(f)...)
		ops = append(ops, fixedOps(f)...)
		for _, to := range []Fmt{F16, F32, F64} {
			if to != f {
				ops = append(ops, qemuOp{asm: fmt.Sprintf("fcvt %s3, %s0", regName[to], regName[f]), f: f,
					eval: func(e *Env, a, _, _ uint64) uint64 { return e.Convert(to, f, a) }})
			}
		}
	}
	return append(ops, oddOps(newer)...)
}

func mask(f Fmt, set bool) uint64 {
	if set {
		return formats[f].signBit()<<1 - 1
	}
	return 0
}

func arithmeticOps(f Fmt) []qemuOp {
	var ops []qemuOp
	add := func(asm string, from resultFrom, eval func(e *Env, a, b, c uint64) uint64) {
		ops = append(ops, qemuOp{asm: strings.ReplaceAll(asm, "%", regName[f]), f: f, from: from, eval: eval})
	}
	two := map[string]func(e *Env, a, b uint64) uint64{
		"fadd":    func(e *Env, a, b uint64) uint64 { return e.Add(f, a, b) },
		"fsub":    func(e *Env, a, b uint64) uint64 { return e.Sub(f, a, b) },
		"fmul":    func(e *Env, a, b uint64) uint64 { return e.Mul(f, a, b) },
		"fnmul":   func(e *Env, a, b uint64) uint64 { return e.Neg(f, e.Mul(f, a, b)) },
		"fdiv":    func(e *Env, a, b uint64) uint64 { return e.Div(f, a, b) },
		"fmulx":   func(e *Env, a, b uint64) uint64 { return e.MulX(f, a, b) },
		"fmax":    func(e *Env, a, b uint64) uint64 { return e.Max(f, a, b) },
		"fmin":    func(e *Env, a, b uint64) uint64 { return e.Min(f, a, b) },
		"fmaxnm":  func(e *Env, a, b uint64) uint64 { return e.MaxNum(f, a, b) },
		"fminnm":  func(e *Env, a, b uint64) uint64 { return e.MinNum(f, a, b) },
		"fabd":    func(e *Env, a, b uint64) uint64 { return e.Abs(f, e.Sub(f, a, b)) },
		"frecps":  func(e *Env, a, b uint64) uint64 { return e.RecipStep(f, a, b) },
		"frsqrts": func(e *Env, a, b uint64) uint64 { return e.RSqrtStep(f, a, b) },
		"fcmeq":   func(e *Env, a, b uint64) uint64 { return mask(f, e.CompareEQ(f, a, b)) },
		"fcmge":   func(e *Env, a, b uint64) uint64 { return mask(f, e.CompareGE(f, a, b)) },
		"fcmgt":   func(e *Env, a, b uint64) uint64 { return mask(f, e.CompareGT(f, a, b)) },
		"facge":   func(e *Env, a, b uint64) uint64 { return mask(f, e.CompareAbsGE(f, a, b)) },
		"facgt":   func(e *Env, a, b uint64) uint64 { return mask(f, e.CompareAbsGT(f, a, b)) },
	}
	for _, name := range slices.Sorted(maps.Keys(two)) {
		fn := two[name]
		add(name+" %3, %0, %1", fromV, func(e *Env, a, b, _ uint64) uint64 { return fn(e, a, b) })
	}
	one := map[string]func(e *Env, a uint64) uint64{
		"fsqrt":   func(e *Env, a uint64) uint64 { return e.Sqrt(f, a) },
		"fabs":    func(e *Env, a uint64) uint64 { return e.Abs(f, a) },
		"fneg":    func(e *Env, a uint64) uint64 { return e.Neg(f, a) },
		"frecpe":  func(e *Env, a uint64) uint64 { return e.RecipEstimate(f, a) },
		"frsqrte": func(e *Env, a uint64) uint64 { return e.RSqrtEstimate(f, a) },
		"frecpx":  func(e *Env, a uint64) uint64 { return e.RecpX(f, a) },
		"frintn":  func(e *Env, a uint64) uint64 { return e.RoundInt(f, a, TieEven, false) },
		"frinta":  func(e *Env, a uint64) uint64 { return e.RoundInt(f, a, TieAway, false) },
		"frintp":  func(e *Env, a uint64) uint64 { return e.RoundInt(f, a, PosInf, false) },
		"frintm":  func(e *Env, a uint64) uint64 { return e.RoundInt(f, a, NegInf, false) },
		"frintz":  func(e *Env, a uint64) uint64 { return e.RoundInt(f, a, ToZero, false) },
		"frinti":  func(e *Env, a uint64) uint64 { return e.RoundInt(f, a, e.Rounding(), false) },
		"frintx":  func(e *Env, a uint64) uint64 { return e.RoundInt(f, a, e.Rounding(), true) },
	}
	if f != F16 {
		one["frint32z"] = func(e *Env, a uint64) uint64 { return e.RoundIntN(f, a, ToZero, 32) }
		one["frint32x"] = func(e *Env, a uint64) uint64 { return e.RoundIntN(f, a, e.Rounding(), 32) }
		one["frint64z"] = func(e *Env, a uint64) uint64 { return e.RoundIntN(f, a, ToZero, 64) }
		one["frint64x"] = func(e *Env, a uint64) uint64 { return e.RoundIntN(f, a, e.Rounding(), 64) }
	}
	for _, name := range slices.Sorted(maps.Keys(one)) {
		fn := one[name]
		add(name+" %3, %0", fromV, func(e *Env, a, _, _ uint64) uint64 { return fn(e, a) })
	}
	add("fmadd %3, %0, %1, %2", fromV, func(e *Env, a, b, c uint64) uint64 { return e.MulAdd(f, c, a, b) })
	add("fmsub %3, %0, %1, %2", fromV, func(e *Env, a, b, c uint64) uint64 { return e.MulAdd(f, c, e.Neg(f, a), b) })
	add("fnmadd %3, %0, %1, %2", fromV, func(e *Env, a, b, c uint64) uint64 {
		return e.MulAdd(f, e.Neg(f, c), e.Neg(f, a), b)
	})
	add("fnmsub %3, %0, %1, %2", fromV, func(e *Env, a, b, c uint64) uint64 { return e.MulAdd(f, e.Neg(f, c), a, b) })
	add("fcmp %0, %1", fromNZCV, func(e *Env, a, b, _ uint64) uint64 { return uint64(e.Compare(f, a, b, false)) })
	add("fcmpe %0, %1", fromNZCV, func(e *Env, a, b, _ uint64) uint64 { return uint64(e.Compare(f, a, b, true)) })
	add("fcmp %0, #0.0", fromNZCV, func(e *Env, a, _, _ uint64) uint64 { return uint64(e.Compare(f, a, 0, false)) })
	return ops
}

func fixedOps(f Fmt) []qemuOp {
	var ops []qemuOp
	add := func(from resultFrom, ints bool, eval func(e *Env, a uint64) uint64, format string, args ...any) {
		asm := strings.ReplaceAll(fmt.Sprintf(format, args...), "@", regName[f])
		ops = append(ops, qemuOp{asm: asm, f: f, from: from, ints: ints,
			eval: func(e *Env, a, _, _ uint64) uint64 { return eval(e, a) }})
	}
	width := f.Width()
	for _, unsigned := range []bool{false, true} {
		sign := "s"
		if unsigned {
			sign = "u"
		}
		for i, letter := range []string{"n", "p", "m", "z", "a"} {
			mode := Rounding(i)
			add(fromX, false, func(e *Env, a uint64) uint64 { return e.ToFixed(f, a, 0, unsigned, mode, 32) }, "fcvt%s%s w9, @0", letter, sign)
			add(fromX, false, func(e *Env, a uint64) uint64 { return e.ToFixed(f, a, 0, unsigned, mode, 64) }, "fcvt%s%s x9, @0", letter, sign)
			add(fromV, false, func(e *Env, a uint64) uint64 { return e.ToFixed(f, a, 0, unsigned, mode, width) }, "fcvt%s%s @3, @0", letter, sign)
		}
		for _, fbits := range []int{0, 1, 13, 32} {
			shift := ""
			if fbits != 0 {
				shift = fmt.Sprintf(", #%d", fbits)
			}
			add(fromV, true, func(e *Env, a uint64) uint64 { return e.FixedToFP(f, a, 32, fbits, unsigned) }, "%scvtf @3, w0%s", sign, shift)
			if fbits != 0 {
				add(fromX, false, func(e *Env, a uint64) uint64 { return e.ToFixed(f, a, fbits, unsigned, ToZero, 32) }, "fcvtz%s w9, @0%s", sign, shift)
			}
		}
		for _, fbits := range []int{0, 5, 64} {
			shift := ""
			if fbits != 0 {
				shift = fmt.Sprintf(", #%d", fbits)
			}
			add(fromV, true, func(e *Env, a uint64) uint64 { return e.FixedToFP(f, a, 64, fbits, unsigned) }, "%scvtf @3, x0%s", sign, shift)
			if fbits != 0 {
				add(fromX, false, func(e *Env, a uint64) uint64 { return e.ToFixed(f, a, fbits, unsigned, ToZero, 64) }, "fcvtz%s x9, @0%s", sign, shift)
			}
		}
		add(fromV, true, func(e *Env, a uint64) uint64 { return e.FixedToFP(f, a, width, 0, unsigned) }, "%scvtf @3, @0", sign)
		for _, fbits := range []int{1, width / 2, width} {
			add(fromV, true, func(e *Env, a uint64) uint64 { return e.FixedToFP(f, a, width, fbits, unsigned) }, "%scvtf @3, @0, #%d", sign, fbits)
			// QEMU 7.2 leaves copies of the sign above a 16-bit result: look at the element only.
			element := "\nfmov w9, s3"
			if f == F16 {
				element = "\numov w9, v3.h[0]"
			} else if f == F64 {
				element = "\nfmov x9, d3"
			}
			add(fromX, false, func(e *Env, a uint64) uint64 { return e.ToFixed(f, a, fbits, unsigned, ToZero, width) }, "fcvtz%s @3, @0, #%d"+element, sign, fbits)
		}
	}
	return ops
}

// oddOps are the operations that exist in one format only. Of vector results
// the lowest element is looked at.
func oddOps(newer bool) []qemuOp {
	const element = "\nmov v3.s[1], wzr"
	half := func(x uint64, i int) uint64 { return x >> (16 * i) & 0xffff }
	return []qemuOp{
		{asm: "fcvtxn s3, d0", f: F64, eval: func(e *Env, a, _, _ uint64) uint64 { return e.ConvertRounding(F32, F64, a, ToOdd) }},
		{asm: "bfcvt h3, s0", f: F32, eval: func(e *Env, a, _, _ uint64) uint64 { return e.ConvertBF(a) }},
		{asm: "fjcvtzs w9, d0", f: F64, from: fromX, ints: true, eval: func(e *Env, a, _, _ uint64) uint64 {
			n, _ := e.ToFixedJS(a)
			return uint64(n)
		}},
		{asm: "fjcvtzs w9, d0", f: F64, from: fromNZCV, ints: true, eval: func(e *Env, a, _, _ uint64) uint64 {
			if _, exact := e.ToFixedJS(a); exact {
				return 0b0100
			}
			if !newer && e.FPCR&FZ != 0 && a>>52 == 0 && a != 0 {
				return 0b0100 // a flushed denormal is not exact (FPToFixedJS), QEMU 7.2 says it is
			}
			return 0
		}},
		{asm: "urecpe v3.2s, v0.2s" + element, f: F32, ints: true, eval: func(_ *Env, a, _, _ uint64) uint64 {
			return uint64(UnsignedRecipEstimate(uint32(a)))
		}},
		{asm: "ursqrte v3.2s, v0.2s" + element, f: F32, ints: true, eval: func(_ *Env, a, _, _ uint64) uint64 {
			return uint64(UnsignedRSqrtEstimate(uint32(a)))
		}},
		{asm: "fmlal v3.2s, v0.2h, v1.2h" + element, f: F16, addend32: true, eval: func(e *Env, a, b, c uint64) uint64 {
			return e.MulAddH(c, a, b)
		}},
		{asm: "fmlsl v3.2s, v0.2h, v1.2h" + element, f: F16, addend32: true, eval: func(e *Env, a, b, c uint64) uint64 {
			return e.MulAddH(c, e.Neg(F16, a), b)
		}},
		{asm: "bfmlalb v3.4s, v0.8h, v1.8h" + element, f: BF16, addend32: true, eval: func(e *Env, a, b, c uint64) uint64 {
			return e.MulAddBF(c, a, b)
		}},
		{asm: "bfdot v3.2s, v0.4h, v1.4h" + element, f: BF16, pair: true, addend32: true, eval: func(e *Env, a, b, c uint64) uint64 {
			return e.DotAddBF(c, half(a, 0), half(a, 1), half(b, 0), half(b, 1))
		}},
	}
}
