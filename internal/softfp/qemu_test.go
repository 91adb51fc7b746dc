package softfp

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"emu/tests/need"
)

// vector is one execution of an instruction: operands go to v0, v1 and v2 (and
// x0), the result comes from v3, x9 or NZCV.
type vector struct {
	Op, FPCR uint32
	A, B, C  uint64
}

type answer struct {
	Result     uint64
	FPSR, Zero uint32
}

// resultFrom says where the guest finds an instruction's result.
type resultFrom uint8

const (
	fromV resultFrom = iota
	fromX
	fromNZCV
)

var readResult = [...]string{
	fromV:    "fmov x9, d3",
	fromX:    "",
	fromNZCV: "mrs x9, nzcv\\n lsr x9, x9, #28",
}

const guestHead = `
#include <stdint.h>
#include <unistd.h>
__asm__(".arch armv8.6-a+fp16+bf16+fp16fml+sha3+sm4\n");
struct vector { uint32_t op, fpcr; uint64_t a, b, c; } v[1024];
struct answer { uint64_t result; uint32_t fpsr, zero; } r[1024];
#define OP(n, text, get) case n: \
	__asm__ volatile("mov x0, %[a]\n fmov d0, %[a]\n fmov d1, %[b]\n fmov d2, %[c]\n fmov d3, %[c]\n" \
		"msr fpcr, %[fpcr]\n msr fpsr, xzr\n mov x9, xzr\n" text "\n" get "\n" \
		"mov %[res], x9\n mrs %[fpsr], fpsr\n" \
		: [res] "=&r"(res), [fpsr] "=&r"(fpsr) \
		: [a] "r"(in->a), [b] "r"(in->b), [c] "r"(in->c), [fpcr] "r"((uint64_t)in->fpcr) \
		: "x0", "x9", "v0", "v1", "v2", "v3", "cc", "memory"); break;
static void run(const struct vector *in, struct answer *out) {
	uint64_t res = 0, fpsr = 0;
	switch (in->op) {
`

const guestTail = `
	}
	out->result = res; out->fpsr = fpsr;
}
int main(void) {
	for (;;) {
		long have = 0, n;
		while (have < (long)sizeof v && (n = read(0, (char *)v + have, sizeof v - have)) > 0) have += n;
		long count = have / sizeof v[0];
		if (count == 0) return 0;
		for (long i = 0; i < count; i++) run(&v[i], &r[i]);
		if (write(1, r, count * sizeof r[0]) != count * (long)sizeof r[0]) return 1;
	}
}
`

// compile builds a C program with the given compiler command line.
func compile(t *testing.T, src string, compiler ...string) (program string) {
	t.Helper()
	dir := t.TempDir()
	c, program := filepath.Join(dir, "vectors.c"), filepath.Join(dir, "vectors")
	if err := os.WriteFile(c, []byte(src), 0o644); err != nil {
		t.Fatal(err)
	}
	args := append(compiler[1:], "-O1", "-o", program, c)
	if out, err := exec.Command(compiler[0], args...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", compiler[0], err, out)
	}
	return program
}

// execute pipes the vectors through a program.
func execute(t *testing.T, vectors []vector, program ...string) []answer {
	t.Helper()
	var in, stderr bytes.Buffer
	if err := binary.Write(&in, binary.LittleEndian, vectors); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program[0], program[1:]...)
	cmd.Stdin, cmd.Stderr = &in, &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v %s", program[0], err, stderr.Bytes())
	}
	answers := make([]answer, len(vectors))
	if err := binary.Read(bytes.NewReader(out), binary.LittleEndian, answers); err != nil {
		t.Fatal(err)
	}
	return answers
}

// controls are the FPCR values tried: every rounding mode with every mix of the
// bits besides those of FEAT_AFP and FEAT_EBF16; with afp the same again with AH, FIZ
// and EBF in turns.
func controls(afp bool) []uint32 {
	all := basicControls()
	if !afp {
		return all
	}
	for i, fpcr := range basicControls() {
		all = append(all, fpcr|AH, fpcr|[...]uint32{FIZ, EBF, AH | FIZ, AH | EBF}[i%4])
	}
	return all
}

func basicControls() []uint32 {
	var all []uint32
	for mode := range uint32(4) {
		for mix := range uint32(16) {
			fpcr := mode << RModeShift
			for i, bit := range []uint32{FZ, DN, FZ16, AHP} {
				if mix>>i&1 != 0 {
					fpcr |= bit
				}
			}
			all = append(all, fpcr)
		}
	}
	return all
}

// TestQEMU executes every operation under QEMU with random operands and all
// mixes of FPCR, and compares results and flags.
func TestQEMU(t *testing.T) {
	need.Tool(t, "aarch64-linux-gnu-gcc", "gcc-aarch64-linux-gnu")
	judge, version := need.Qemu(t, 7)
	afp := version >= 10
	ops := qemuOps(afp)
	var src strings.Builder
	src.WriteString(guestHead)
	for i, op := range ops {
		fmt.Fprintf(&src, "OP(%d, %q, \"%s\")\n", i, op.asm, readResult[op.from])
	}
	src.WriteString(guestTail)
	program := compile(t, src.String(), "aarch64-linux-gnu-gcc", "-static")
	const perControl = 40
	r := rand.New(rand.NewPCG(3, 4))
	var corner [4][]uint64
	for f := F16; f <= BF16; f++ {
		corner[f] = corners(f)
	}
	var vectors []vector
	for i := range ops {
		for _, fpcr := range controls(afp) {
			for range perControl {
				draw := func() uint64 {
					if ops[i].ints && r.IntN(2) == 0 {
						return uint64(int64(r.Uint64()) >> r.IntN(64))
					}
					x := operand(r, ops[i].f, corner[ops[i].f])
					if ops[i].pair {
						x |= operand(r, ops[i].f, corner[ops[i].f]) << 16
					}
					return x
				}
				v := vector{Op: uint32(i), FPCR: fpcr, A: draw(), B: draw(), C: draw()}
				if ops[i].addend32 {
					v.C = operand(r, F32, corner[F32])
				}
				vectors = append(vectors, v)
			}
		}
	}
	answers := execute(t, vectors, judge, "-cpu", "max", program)
	failures := map[uint32]int{}
	for i, v := range vectors {
		op := &ops[v.Op]
		e := Env{FPCR: v.FPCR}
		got := op.eval(&e, v.A, v.B, v.C)
		want := answers[i]
		if got == want.Result && e.FPSR == want.FPSR {
			continue
		}
		if failures[v.Op]++; failures[v.Op] <= 3 {
			t.Errorf("%s fpcr=%#x %#x %#x %#x: %#x flags %#x, QEMU has %#x flags %#x",
				strings.ReplaceAll(op.asm, "\n", ";"), v.FPCR, v.A, v.B, v.C, got, e.FPSR, want.Result, want.FPSR)
		}
	}
	for i, n := range failures {
		t.Errorf("%s: %d of %d vectors differ", ops[i].asm, n, len(controls(afp))*perControl)
	}
	t.Logf("%d operations, %d vectors in %s", len(ops), len(vectors), judge)
}

// With FPCR.AH the estimates of single precision have 12 bits (FEAT_RPRES): all of
// the operands' leading 12 fraction bits, in both halves of an octave pair.
func TestPreciseEstimates(t *testing.T) {
	need.Tool(t, "aarch64-linux-gnu-gcc", "gcc-aarch64-linux-gnu")
	judge, _ := need.Qemu(t, 10) // the first with FEAT_RPRES
	eval := []func(e *Env, x uint64) uint64{
		func(e *Env, x uint64) uint64 { return e.RecipEstimate(F32, x) },
		func(e *Env, x uint64) uint64 { return e.RSqrtEstimate(F32, x) },
	}
	src := guestHead
	for i, op := range []string{"frecpe s3, s0", "frsqrte s3, s0"} {
		src += fmt.Sprintf("OP(%d, %q, \"%s\")\n", i, op, readResult[fromV])
	}
	program := compile(t, src+guestTail, "aarch64-linux-gnu-gcc", "-static")
	var vectors []vector
	for op := range eval {
		for x := range uint64(1 << 13) {
			vectors = append(vectors, vector{Op: uint32(op), FPCR: AH, A: 127<<23 + x<<11 + x&1<<10})
		}
	}
	for i, a := range execute(t, vectors, judge, "-cpu", "max", program) {
		e := Env{FPCR: AH}
		if got := eval[vectors[i].Op](&e, vectors[i].A); got != a.Result || e.FPSR != a.FPSR {
			t.Fatalf("operation %d on %#x: %#x flags %#x, QEMU has %#x flags %#x", vectors[i].Op, vectors[i].A, got, e.FPSR, a.Result, a.FPSR)
		}
	}
}
