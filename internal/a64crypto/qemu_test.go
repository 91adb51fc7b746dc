package a64crypto

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
)

// vector is one execution: D, N, M, A are v0 to v3, x0 and x1 the lower halves
// of v0 and v1; the result is v0, or x0 for the CRCs.
type vector struct {
	Op, _      uint64
	D, N, M, A Vec
}

type qemuOp struct {
	asm  string
	eval func(d, n, m, a Vec) Vec
}

const guestHead = `
#include <stdint.h>
#include <unistd.h>
__asm__(".arch armv8.6-a+crypto+sha3+sm4\n");
struct vector { uint64_t op, pad, v[8]; } v[1024];
struct { uint64_t v[2]; } r[1024];
#define OP(n, text) case n: __asm__ volatile( \
	"ldp q0, q1, [%0]\n ldp q2, q3, [%0, #32]\n fmov x0, d0\n fmov x1, d1\n" text "\n str q0, [%1]\n" \
	:: "r"(in->v), "r"(out) : "x0", "x1", "v0", "v1", "v2", "v3", "memory"); break;
static void run(const struct vector *in, void *out) {
	switch (in->op) {
`

const guestTail = `
	}
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

func qemuOps() []qemuOp {
	const toV = "\nfmov d0, x0"
	var ops []qemuOp
	add := func(asm string, eval func(d, n, m, a Vec) Vec) { ops = append(ops, qemuOp{asm, eval}) }
	add("aese v0.16b, v1.16b", func(d, n, _, _ Vec) Vec { return AESE(d, n) })
	add("aesd v0.16b, v1.16b", func(d, n, _, _ Vec) Vec { return AESD(d, n) })
	add("aesmc v0.16b, v1.16b", func(_, n, _, _ Vec) Vec { return AESMC(n) })
	add("aesimc v0.16b, v1.16b", func(_, n, _, _ Vec) Vec { return AESIMC(n) })
	add("sha1c q0, s1, v2.4s", func(d, n, m, _ Vec) Vec { return SHA1C(d, uint32(n[0]), m) })
	add("sha1p q0, s1, v2.4s", func(d, n, m, _ Vec) Vec { return SHA1P(d, uint32(n[0]), m) })
	add("sha1m q0, s1, v2.4s", func(d, n, m, _ Vec) Vec { return SHA1M(d, uint32(n[0]), m) })
	add("sha1h s0, s1", func(_, n, _, _ Vec) Vec { return Vec{uint64(SHA1H(uint32(n[0])))} })
	add("sha1su0 v0.4s, v1.4s, v2.4s", func(d, n, m, _ Vec) Vec { return SHA1SU0(d, n, m) })
	add("sha1su1 v0.4s, v1.4s", func(d, n, _, _ Vec) Vec { return SHA1SU1(d, n) })
	add("sha256h q0, q1, v2.4s", func(d, n, m, _ Vec) Vec { return SHA256H(d, n, m) })
	add("sha256h2 q0, q1, v2.4s", func(d, n, m, _ Vec) Vec { return SHA256H2(d, n, m) })
	add("sha256su0 v0.4s, v1.4s", func(d, n, _, _ Vec) Vec { return SHA256SU0(d, n) })
	add("sha256su1 v0.4s, v1.4s, v2.4s", func(d, n, m, _ Vec) Vec { return SHA256SU1(d, n, m) })
	add("sha512h q0, q1, v2.2d", func(d, n, m, _ Vec) Vec { return SHA512H(d, n, m) })
	add("sha512h2 q0, q1, v2.2d", func(d, n, m, _ Vec) Vec { return SHA512H2(d, n, m) })
	add("sha512su0 v0.2d, v1.2d", func(d, n, _, _ Vec) Vec { return SHA512SU0(d, n) })
	add("sha512su1 v0.2d, v1.2d, v2.2d", func(d, n, m, _ Vec) Vec { return SHA512SU1(d, n, m) })
	add("eor3 v0.16b, v1.16b, v2.16b, v3.16b", func(_, n, m, a Vec) Vec { return EOR3(n, m, a) })
	add("bcax v0.16b, v1.16b, v2.16b, v3.16b", func(_, n, m, a Vec) Vec { return BCAX(n, m, a) })
	add("rax1 v0.2d, v1.2d, v2.2d", func(_, n, m, _ Vec) Vec { return RAX1(n, m) })
	for _, imm := range []int{0, 1, 31, 63} {
		add(fmt.Sprintf("xar v0.2d, v1.2d, v2.2d, #%d", imm), func(_, n, m, _ Vec) Vec { return XAR(n, m, imm) })
	}
	add("sm3ss1 v0.4s, v1.4s, v2.4s, v3.4s", func(_, n, m, a Vec) Vec { return SM3SS1(n, m, a) })
	for i := range 4 {
		add(fmt.Sprintf("sm3tt1a v0.4s, v1.4s, v2.s[%d]", i), func(d, n, m, _ Vec) Vec { return SM3TT1A(d, n, m, i) })
		add(fmt.Sprintf("sm3tt1b v0.4s, v1.4s, v2.s[%d]", i), func(d, n, m, _ Vec) Vec { return SM3TT1B(d, n, m, i) })
		add(fmt.Sprintf("sm3tt2a v0.4s, v1.4s, v2.s[%d]", i), func(d, n, m, _ Vec) Vec { return SM3TT2A(d, n, m, i) })
		add(fmt.Sprintf("sm3tt2b v0.4s, v1.4s, v2.s[%d]", i), func(d, n, m, _ Vec) Vec { return SM3TT2B(d, n, m, i) })
	}
	add("sm3partw1 v0.4s, v1.4s, v2.4s", func(d, n, m, _ Vec) Vec { return SM3PARTW1(d, n, m) })
	add("sm3partw2 v0.4s, v1.4s, v2.4s", func(d, n, m, _ Vec) Vec { return SM3PARTW2(d, n, m) })
	add("sm4e v0.4s, v1.4s", func(d, n, _, _ Vec) Vec { return SM4E(d, n) })
	add("sm4ekey v0.4s, v1.4s, v2.4s", func(_, n, m, _ Vec) Vec { return SM4EKEY(n, m) })
	add("pmul v0.16b, v1.16b, v2.16b", func(_, n, m, _ Vec) Vec { return Vec{PMUL(n[0], m[0]), PMUL(n[1], m[1])} })
	add("pmull v0.8h, v1.8b, v2.8b", func(_, n, m, _ Vec) Vec { return PMULL8(n[0], m[0]) })
	add("pmull v0.1q, v1.1d, v2.1d", func(_, n, m, _ Vec) Vec { return PMULL64(n[0], m[0]) })
	add("pmull2 v0.1q, v1.2d, v2.2d", func(_, n, m, _ Vec) Vec { return PMULL64(n[1], m[1]) })
	for i, suffix := range []string{"b", "h", "w", "x"} {
		reg := "w1"
		if suffix == "x" {
			reg = "x1"
		}
		add(fmt.Sprintf("crc32%s w0, w0, %s%s", suffix, reg, toV), func(d, n, _, _ Vec) Vec {
			return Vec{uint64(CRC32(uint32(d[0]), n[0], 1<<i))}
		})
		add(fmt.Sprintf("crc32c%s w0, w0, %s%s", suffix, reg, toV), func(d, n, _, _ Vec) Vec {
			return Vec{uint64(CRC32C(uint32(d[0]), n[0], 1<<i))}
		})
	}
	// The keys of a process are unknown to it, but not these.
	add("xpaci x0"+toV, func(d, _, _, _ Vec) Vec { return Vec{Strip(d[0])} })
	add("xpacd x0"+toV, func(d, _, _, _ Vec) Vec { return Vec{Strip(d[0])} })
	add("pacia x0, x1\nautia x0, x1"+toV, func(d, n, _, _ Vec) Vec {
		p, key := PointerAuth{}, PACKey{}
		x, _ := p.Auth(p.Add(d[0], n[0], key), n[0], key, false)
		return Vec{x}
	})
	// A flipped bit of the code fails whatever the key.
	for _, bit := range []int{48, 51, 54} {
		add(fmt.Sprintf("pacib x0, x1\neor x0, x0, #%#x\nautib x0, x1%s", uint64(1)<<bit, toV), func(d, n, _, _ Vec) Vec {
			p, key := PointerAuth{}, PACKey{}
			x, _ := p.Auth(p.Add(d[0], n[0], key)^1<<bit, n[0], key, true)
			return Vec{x}
		})
	}
	return ops
}

// TestQEMU executes every instruction under QEMU with random operands.
func TestQEMU(t *testing.T) {
	for _, tool := range []string{"aarch64-linux-gnu-gcc", "qemu-aarch64"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("%s is not installed (Debian: gcc-aarch64-linux-gnu, qemu-user)", tool)
		}
	}
	ops := qemuOps()
	var src strings.Builder
	src.WriteString(guestHead)
	for i, op := range ops {
		fmt.Fprintf(&src, "OP(%d, %q)\n", i, op.asm)
	}
	src.WriteString(guestTail)
	dir := t.TempDir()
	c, bin := filepath.Join(dir, "guest.c"), filepath.Join(dir, "guest")
	if err := os.WriteFile(c, []byte(src.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("aarch64-linux-gnu-gcc", "-O1", "-static", "-o", bin, c).CombinedOutput(); err != nil {
		t.Fatalf("building the guest: %v\n%s", err, out)
	}

	const perOp = 500
	r := rand.New(rand.NewPCG(15, 16))
	draw := func() Vec { return Vec{r.Uint64(), r.Uint64()} }
	var vectors []vector
	for i := range ops {
		for range perOp {
			v := vector{Op: uint64(i), D: draw(), N: draw(), M: draw(), A: draw()}
			if strings.Contains(ops[i].asm, "pac") {
				if r.IntN(2) == 0 {
					v.D[0] = Strip(v.D[0]) // canonical but for the top byte
				}
				// QEMU 7.2 extends a pointer with bit 55 set from bit 63 when it
				// signs; AddPAC takes bit 55 whenever TBI is on for user addresses.
				v.D[0] = v.D[0]&^(1<<63) | v.D[0]>>55<<63
			}
			vectors = append(vectors, v)
		}
	}
	var in bytes.Buffer
	if err := binary.Write(&in, binary.LittleEndian, vectors); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("qemu-aarch64", "-cpu", "max", bin)
	cmd.Stdin = &in
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("qemu-aarch64: %v %s", err, stderr.Bytes())
	}
	answers := make([]Vec, len(vectors))
	if err := binary.Read(bytes.NewReader(out), binary.LittleEndian, answers); err != nil {
		t.Fatal(err)
	}
	failures := map[uint64]int{}
	for i, v := range vectors {
		got := ops[v.Op].eval(v.D, v.N, v.M, v.A)
		if got == answers[i] {
			continue
		}
		if failures[v.Op]++; failures[v.Op] <= 2 {
			t.Errorf("%s: d=%#x n=%#x m=%#x a=%#x: %#x, QEMU has %#x", ops[v.Op].asm, v.D, v.N, v.M, v.A, got, answers[i])
		}
	}
	for i, n := range failures {
		t.Errorf("%q: %d of %d differ", ops[i].asm, n, perOp)
	}
}
