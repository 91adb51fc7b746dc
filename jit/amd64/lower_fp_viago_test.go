//go:build linux && amd64

package amd64_test

import (
	"regexp"
	"testing"

	"emu/cpu"
	"emu/internal/softfp"
	"emu/ir"
	"emu/jit/asm/x64"
	"emu/jit/host"
)

// throughGo reports whether the hot code of the unit in n goes through Go.
func (n *bench) throughGo() bool {
	for _, r := range n.code.Relocs {
		if r.Target == host.StubHelper && r.Off < n.code.Hot {
			return true
		}
	}
	return false
}

// goForms are the forms that go through Go on hosts without some features (0: on
// every host), and why. Counts are of instructions in 875 programs.
var goForms = []struct {
	forms  string // regular expression
	unless x64.Features
	why    string
}{
	{`^bfmlal `, 0, "with FPCR.AH only, when nothing runs on the host's units"},
	{`^fround(32|64) \w+ \w+ #4`, 0, "no instruction: rounds to nearest, ties away, in no form"},
	{`^fround \w+ \w+ #4 #1`, 0, "no instruction: FRINTA never raises inexact"},

	{`^(fadd|fsub|fmul|fdiv|fsqrt|fma|fmin|fmax|fminnm|fmaxnm|fmulx|fround|frecpe|frsqrte|frecps|frsqrts) (f16|v8f16)`, x64.F16C | x64.AVX, "the host has no half precision"},
	{`^(fcmp|fcmpf|fto.i) \w+ (f16|v8f16)|^.itof (f16|v8f16)`, x64.F16C | x64.AVX, "the host has no half precision"},
	{`^fcvtieee v8f16 v2f64`, 0, "no instruction, and two round twice"},
	{`^fcvt(ieee)? (f16|v8f16|\w+ f16|\w+ v8f16)`, x64.F16C | x64.AVX, "the host has no half precision"},

	{`^(fma|frecps|frsqrts) (f32|f64|v4f32|v2f64)`, x64.FMA | x64.AVX, "the host rounds twice"},
	{`^fmlal `, x64.FMA | x64.F16C | x64.AVX, "the host rounds twice, or has no half precision"},
	{`^fcmp \w+ (f32|f64|v4f32|v2f64) \w+ #(0|2|3|4|5|6|9|1[0-35-7]|2[2-5]|30|31)$`, x64.AVX, "no predicate; A64's are all but these"},
}

func TestFloatThroughGo(t *testing.T) {
	used := make([]bool, len(goForms))
	for name, feat := range fpConfigs() {
		t.Run(name, func(t *testing.T) {
			n := newBench(t)
			fn := ir.NewFunc(64)
			for _, f := range fpForms() {
				f.build(fn, false, 0, nil)
				if err := n.b.Compile(fn, host.Options{Features: feat}, &n.code); err != nil {
					t.Fatal(err)
				}
				expected := false
				for i, row := range goForms {
					if row.unless != 0 && x64.Features(feat).Has(row.unless) || !regexp.MustCompile(row.forms).MatchString(f.String()) {
						continue
					}
					expected, used[i] = true, true
				}
				if got := n.throughGo(); got != expected {
					t.Errorf("%v: through Go: %v, expected %v", f, got, expected)
				}
			}
		})
	}
	for i, u := range used {
		if !u {
			t.Errorf("no form is %q", goForms[i].forms)
		}
	}
}

// TestStatusStaysInCode: FPSR and the rounding mode are read and written without Go. A program
// that changes the rounding mode in a loop was slower than under QEMU.
func TestStatusStaysInCode(t *testing.T) {
	n := newBench(t)
	for _, fpcr := range []uint32{0, softfp.FZ, cpu.FPCRWatched} {
		b := ir.NewBuilder(ir.NewFunc(64))
		b.Reset(0x1000)
		b.SetX(0, b.OpT(ir.OpGetFPSR, ir.I64, ir.None, ir.None, ir.None))
		b.Op1(ir.OpSetFPSR, b.GetX(1))
		b.Op2(ir.OpSetSys, ir.Imm(int(ir.SysRMode)), b.GetX(2))
		b.Jump(0x1004)
		if err := n.b.Compile(b.Func, host.Options{FPCR: fpcr}, &n.code); err != nil {
			t.Fatal(err)
		}
		if n.throughGo() {
			t.Errorf("FPCR %#x: goes through Go", fpcr)
		}
	}
}

// TestHalfModesStayWithHalves: FZ16 and AHP are about half precision. They sent all arithmetic
// through Go.
func TestHalfModesStayWithHalves(t *testing.T) {
	n := newBench(t)
	for _, fpcr := range []uint32{softfp.FZ16, softfp.AHP, softfp.FZ16 | softfp.AHP | softfp.FZ} {
		b := ir.NewBuilder(ir.NewFunc(64))
		b.Reset(0x1000)
		sum := b.OpT(ir.OpFAdd, ir.F64, b.OpT(ir.OpFCvt, ir.F64, b.GetV(ir.F32, 0), ir.None, ir.None), b.GetV(ir.F64, 1), ir.None)
		b.SetV(0, sum)
		b.Jump(0x1004)
		if err := n.b.Compile(b.Func, host.Options{FPCR: fpcr}, &n.code); err != nil {
			t.Fatal(err)
		}
		if n.throughGo() {
			t.Errorf("FPCR %#x: goes through Go", fpcr)
		}
	}
}

// TestFlushingStaysInCode: with FZ, and FPSR in use, nothing of single and double precision that is one instruction of
// the host's went on there but arithmetic: conversions to integers, minima, comparisons and rounding took ten
// times as long as under QEMU.
func TestFlushingStaysInCode(t *testing.T) {
	n := newBench(t)
	fn := ir.NewFunc(64)
	kinds := regexp.MustCompile(`^(fto.i \w+|f(min|max|minnm|maxnm|round|round32|round64|mulx|recp[esx]|rsqrt[es]|cvtxn)|fcmp \w+) (f32|f64|v4f32|v2f64)`)
	seen := 0
	for _, f := range fpForms() {
		if form := f.String(); !kinds.MatchString(form) || regexp.MustCompile(goForms[1].forms+"|"+goForms[2].forms).MatchString(form) {
			continue
		}
		f.build(fn, false, 0, nil)
		if err := n.b.Compile(fn, host.Options{Features: fpConfigs()["v3"], FPCR: softfp.FZ | cpu.FPCRWatched}, &n.code); err != nil {
			t.Fatal(err)
		}
		if seen++; n.throughGo() {
			t.Errorf("%v goes through Go", f)
		}
	}
	if seen < 100 {
		t.Errorf("%d forms", seen)
	}
}
