package softfp

import "testing"

var sink uint64

// benchmarkOps are one operation of each kind, with operands that need the
// whole path.
var benchmarkOps = []struct {
	name string
	op   func(e *Env) uint64
}{
	{"add64", func(e *Env) uint64 { return e.Add(F64, 0x3ff3c0ca428c59fb, 0xc000cccccccccccd) }},
	{"mul64", func(e *Env) uint64 { return e.Mul(F64, 0x3ff3c0ca428c59fb, 0xc000cccccccccccd) }},
	{"div64", func(e *Env) uint64 { return e.Div(F64, 0x3ff3c0ca428c59fb, 0xc000cccccccccccd) }},
	{"sqrt64", func(e *Env) uint64 { return e.Sqrt(F64, 0x3ff3c0ca428c59fb) }},
	{"fma64", func(e *Env) uint64 { return e.MulAdd(F64, 0x3ff8000000000001, 0x3ff3c0ca428c59fb, 0xc000cccccccccccd) }},
	{"add32", func(e *Env) uint64 { return e.Add(F32, 0x3f9e0652, 0xc0066666) }},
	{"nan32", func(e *Env) uint64 { return e.MulAdd(F32, 0x3f9e0652, 0xc0066666, 0x7f800001) }},
	{"cvt64to16", func(e *Env) uint64 { return e.Convert(F16, F64, 0x3ff3c0ca428c59fb) }},
	{"fcvtzs", func(e *Env) uint64 { return e.ToFixed(F64, 0x40f3c0ca428c59fb, 0, false, ToZero, 64) }},
	{"bfdot", func(e *Env) uint64 { return e.DotAddBF(0x3f9e0652, 0x3f9e, 0x4006, 0xbf81, 0x3f9f) }},
}

func BenchmarkOps(b *testing.B) {
	for _, bench := range benchmarkOps {
		b.Run(bench.name, func(b *testing.B) {
			b.ReportAllocs()
			var e Env
			for b.Loop() {
				sink = bench.op(&e)
			}
		})
	}
}

func TestNothingAllocates(t *testing.T) {
	for _, bench := range benchmarkOps {
		var e Env
		if n := testing.AllocsPerRun(100, func() { sink = bench.op(&e) }); n != 0 {
			t.Errorf("%s allocates %v times", bench.name, n)
		}
	}
}
