package softfp

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"strings"
	"testing"

	"emu/tests/need"
)

// FEAT_AFP exists so that FPCR.AH = 1 computes as x86 does: FIZ is MXCSR.DAZ,
// FZ is MXCSR.FZ, tininess is detected after rounding, denormal operands that
// are used raise IDC, the default NaN is negative and the first NaN wins. QEMU
// 7.2 lacks the feature, but the host's SSE unit is a judge of it.

const hostHead = `
#include <immintrin.h>
#include <stdint.h>
#include <unistd.h>
struct vector { uint32_t op, mxcsr; uint64_t a, b, c; } v[1024];
struct answer { uint64_t result; uint32_t mxcsr, zero; } r[1024];
#define OP(n, text) case n: __asm__ volatile( \
	"vmovq %[a], %%xmm0\n vmovq %[b], %%xmm1\n vmovq %[c], %%xmm2\n vldmxcsr %[in]\n" \
	text "\n vstmxcsr %[mx]\n vmovq %%xmm0, %[res]\n" \
	: [res] "=r"(res), [mx] "=m"(mx) : [a] "r"(in->a), [b] "r"(in->b), [c] "r"(in->c), [in] "m"(in->mxcsr) \
	: "xmm0", "xmm1", "xmm2", "cc", "rax"); break;
static void run(const struct vector *in, struct answer *out) {
	uint64_t res = 0; uint32_t mx = 0;
	switch (in->op) {
`

type sseOp struct {
	asm  string
	f    Fmt
	eval func(e *Env, a, b, c uint64) uint64
}

func sseOps() []sseOp {
	var ops []sseOp
	for f := F32; f <= F64; f++ {
		s := "s" + regName[f]
		add := func(asm string, eval func(e *Env, a, b, c uint64) uint64) {
			ops = append(ops, sseOp{strings.ReplaceAll(asm, "@", s), f, eval})
		}
		add("vadd@ %%xmm1, %%xmm0, %%xmm0", func(e *Env, a, b, _ uint64) uint64 { return e.Add(f, a, b) })
		add("vsub@ %%xmm1, %%xmm0, %%xmm0", func(e *Env, a, b, _ uint64) uint64 { return e.Sub(f, a, b) })
		add("vmul@ %%xmm1, %%xmm0, %%xmm0", func(e *Env, a, b, _ uint64) uint64 { return e.Mul(f, a, b) })
		add("vdiv@ %%xmm1, %%xmm0, %%xmm0", func(e *Env, a, b, _ uint64) uint64 { return e.Div(f, a, b) })
		add("vmax@ %%xmm1, %%xmm0, %%xmm0", func(e *Env, a, b, _ uint64) uint64 { return e.Max(f, a, b) })
		add("vmin@ %%xmm1, %%xmm0, %%xmm0", func(e *Env, a, b, _ uint64) uint64 { return e.Min(f, a, b) })
		add("vsqrt@ %%xmm0, %%xmm0, %%xmm0", func(e *Env, a, _, _ uint64) uint64 { return e.Sqrt(f, a) })
		// The factor in the middle is the one whose NaN x86 prefers, as A64 does Rn's.
		add("vfmadd213@ %%xmm2, %%xmm0, %%xmm1\nvmovaps %%xmm1, %%xmm0", func(e *Env, a, b, c uint64) uint64 { return e.MulAdd(f, c, a, b) })
		add("vround@ $4, %%xmm0, %%xmm0, %%xmm0", func(e *Env, a, _, _ uint64) uint64 { return e.RoundInt(f, a, e.Rounding(), true) })
		add("vround@ $12, %%xmm0, %%xmm0, %%xmm0", func(e *Env, a, _, _ uint64) uint64 { return e.RoundInt(f, a, e.Rounding(), false) })
		for _, c := range []struct {
			name   string
			signal bool
		}{{"vucomi", false}, {"vcomi", true}} {
			add(c.name+"@ %%xmm1, %%xmm0\nmov $0, %%eax\nlahf\nvmovq %%rax, %%xmm0", func(e *Env, a, b, _ uint64) uint64 {
				zf, pf, cf := uint64(1)<<14, uint64(1)<<10, uint64(1)<<8
				return 1<<9 | map[uint8]uint64{Less: cf, Equal: zf, Greater: 0, Unordered: zf | pf | cf}[e.Compare(f, a, b, c.signal)]
			})
		}
	}
	ops = append(ops,
		sseOp{"vcvtss2sd %%xmm0, %%xmm1, %%xmm0", F32, func(e *Env, a, _, _ uint64) uint64 { return e.Convert(F64, F32, a) }},
		sseOp{"vcvtsd2ss %%xmm0, %%xmm1, %%xmm0\nvmovd %%xmm0, %%eax\nvmovq %%rax, %%xmm0", F64,
			func(e *Env, a, _, _ uint64) uint64 { return e.Convert(F32, F64, a) }})
	return ops
}

func TestAlternateHandlingIsSSE(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("needs an x86-64 host as the judge")
	}
	need.Tool(t, "gcc", "gcc")
	cpuinfo, _ := os.ReadFile("/proc/cpuinfo")
	if !bytes.Contains(cpuinfo, []byte(" fma ")) {
		t.Skip("the host has no FMA instructions")
	}
	ops := sseOps()
	var src strings.Builder
	src.WriteString(hostHead)
	for i, op := range ops {
		fmt.Fprintf(&src, "OP(%d, %q)\n", i, op.asm)
	}
	src.WriteString(strings.Replace(guestTail, "out->fpsr = fpsr", "out->mxcsr = mx", 1))
	program := compile(t, src.String(), "gcc", "-mavx2", "-mfma")

	const perControl = 300
	r := rand.New(rand.NewPCG(17, 18))
	corner := [][]uint64{F32: corners(F32), F64: corners(F64)}
	var vectors []vector
	var fpcrs []uint32
	for i, op := range ops {
		for mix := range uint32(16) {
			mode := Rounding(mix & 3)
			fpcr, mxcsr := AH|uint32(mode)<<RModeShift, uint32(0x1f80)|[]uint32{0, 2, 1, 3}[mode]<<13
			if mix&4 != 0 {
				fpcr, mxcsr = fpcr|FZ, mxcsr|1<<15
			}
			if mix&8 != 0 {
				fpcr, mxcsr = fpcr|FIZ, mxcsr|1<<6
			}
			for range perControl {
				draw := func() uint64 { return operand(r, op.f, corner[op.f]) }
				vectors = append(vectors, vector{uint32(i), mxcsr, draw(), draw(), draw()})
				fpcrs = append(fpcrs, fpcr)
			}
		}
	}
	answers := execute(t, vectors, program)
	failures := map[uint32]int{}
	for i, v := range vectors {
		op := &ops[v.Op]
		e := Env{FPCR: fpcrs[i]}
		got := op.eval(&e, v.A, v.B, v.C)
		flags := flagsOfMXCSR(answers[i].FPSR)
		if got == answers[i].Result && e.FPSR == flags {
			continue
		}
		if failures[v.Op]++; failures[v.Op] <= 3 {
			t.Errorf("%s fpcr=%#x %#x %#x %#x: %#x flags %#x, host has %#x flags %#x",
				op.asm, e.FPCR, v.A, v.B, v.C, got, e.FPSR, answers[i].Result, flags)
		}
	}
	for i, n := range failures {
		t.Errorf("%s: %d of %d vectors differ", ops[i].asm, n, 16*perControl)
	}
}

func flagsOfMXCSR(m uint32) (fpsr uint32) {
	for i, bit := range []uint32{IOC, IDC, DZC, OFC, UFC, IXC} {
		if m>>i&1 != 0 {
			fpsr |= bit
		}
	}
	return fpsr
}
