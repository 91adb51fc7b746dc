//go:build linux && amd64

package amd64_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"emu/cpu"
	"emu/jit/amd64"
	"emu/jit/asm/x64"
	"emu/jit/host"
)

const copyUnit = `func 0x1000 size 4
insn #0x1000
to:i64 = getx #1
from:i64 = getx #2
n:i64 = getx #3
a:v2i64 = getv #0
b:v2i64 = getv #1
c:v2i64 = getv #2
d:v16i8 = getv #3
setchunk #0, a
setchunk #1, b
setchunk #2, c
setchunk #3, d
done:i64 = %s to, from, n
e:v2i64 = getchunk #0
f:v2i64 = getchunk #1
g:v2i64 = getchunk #2
h:v16i8 = getchunk #3
setv #4, e
setv #5, f
setv #6, g
setv #7, h
setx #4, done
jump #0x1004`

// TestCopyStubs compares the copying stubs, as they are made for each kind of host, with what COPYUP and COPYDOWN
// are: for as much as they have copied, they have copied right, and all else is as it was.
func TestCopyStubs(t *testing.T) {
	hosts := map[string]x64.Features{
		"detected": x64.Detect(),
		"avx512":   x64.Detect() &^ x64.AVX512VBMI2,
		"avx2":     x64.Detect() &^ x64.AVX512VL,
		"baseline": x64.Baseline(),
	}
	for name, features := range hosts {
		for _, down := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/down=%v", name, down), func(t *testing.T) {
				n := newBench(t)
				c := &copyCase{bench: n, rand: rand.New(rand.NewPCG(1, 2)), down: down}
				op, stub := "copyup", host.StubCopyUp
				if down {
					op, stub = "copydown", host.StubCopyDown
				}
				n.load(t, parse(t, fmt.Sprintf(copyUnit, op)), host.Options{Features: uint64(features), Verify: true})
				var b x64.Buffer
				faults := amd64.CopyStub(&b, features, down)
				if len(faults) > amd64.MostCopyFaults {
					t.Errorf("%d instructions may fault", len(faults))
				}
				n.m.SetStub(stub, n.m.Append(b.Finish(), nil))
				n.load(t, parse(t, fmt.Sprintf(copyUnit, op)), host.Options{Features: uint64(features), Verify: true})
				copied := 0
				for range 2000 {
					copied += c.run(t)
				}
				if (copied > 0) != features.Has(x64.AVX) {
					t.Errorf("%d bytes copied", copied)
				}
			})
		}
	}
}

// copyCase makes random copies within one page.
type copyCase struct {
	*bench
	rand *rand.Rand
	down bool
}

func (c *copyCase) run(t *testing.T) (copied int) {
	s, r := c.m.State, c.rand
	randomState(s, r)
	for i := range c.mem {
		c.mem[i] = byte(r.Uint32())
	}
	chunks := 1 + r.IntN(20)
	room := len(c.mem) - cpu.ChunkSize*(chunks+1)
	to, from := r.IntN(room), r.IntN(room)
	if r.IntN(2) == 0 {
		from = min(max(to+r.IntN(300)-150, 0), room) // near
	}
	step := cpu.ChunkSize
	if c.down {
		step = -step
		to, from = to+(chunks-1)*cpu.ChunkSize, from+(chunks-1)*cpu.ChunkSize
	}
	left := chunks*cpu.ChunkSize + r.IntN(cpu.ChunkSize)
	if r.IntN(16) == 0 {
		left = -left
	}
	s.X[1], s.X[2], s.X[3] = c.address()+uint64(to), c.address()+uint64(from), uint64(left)
	s.Pending = uint32(r.IntN(8) / 7)
	want := bytes.Clone(c.mem)
	chunk := make([]byte, cpu.ChunkSize)
	for k := range 8 {
		for i := range 8 {
			chunk[8*k+i] = byte(s.V[k/2][k%2] >> (8 * i))
		}
	}
	before := *s
	if k := c.m.Run(amd64.ServeHelper); k != cpu.ExitBranch {
		t.Fatalf("left by %v", k)
	}
	done := int(s.X[4])
	if done < 0 || done > max(left, 0) || done%cpu.ChunkSize != 0 {
		t.Fatalf("%d of %d bytes", done, left)
	}
	if far := to-from >= cpu.ChunkSize || from-to >= cpu.ChunkSize; !far && done > 0 {
		t.Fatalf("copied chunks that overlap by %d", cpu.ChunkSize-max(to-from, from-to))
	}
	for range done / cpu.ChunkSize {
		copy(want[to:], chunk)
		copy(chunk, want[from:])
		to, from = to+step, from+step
	}
	if !bytes.Equal(c.mem, want) {
		t.Fatalf("memory differs after %d of %d bytes", done, left)
	}
	for k := range 8 {
		for i := range 8 {
			if got := byte(s.V[4+k/2][k%2] >> (8 * i)); got != chunk[8*k+i] {
				t.Fatalf("byte %d of the chunk is %#x, not %#x", 8*k+i, got, chunk[8*k+i])
			}
		}
	}
	for g, x := range before.X {
		if g != 4 && s.X[g] != x {
			t.Fatalf("X%d was %#x and is %#x", g, x, s.X[g])
		}
	}
	return done
}
