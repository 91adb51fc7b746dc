package translate_test

import (
	"encoding/binary"
	"math/rand/v2"
	"strings"
	"testing"

	"emu/decoder"
	"emu/tests/diff"
)

const rcwCPU = "max,the=on"

// rcwCases are random cases of a read-check-write operation on the doubleword at
// MemBase, by X2, with its operands in X0 (Xs) and X1 (Xt). Few bits differ mostly,
// so that checks pass and fail, and bit 0 is set half of the time.
func rcwCases(words []uint32, r *rand.Rand) (cases []diff.Case) {
	for range 400 {
		c := diff.Case{Words: words, In: diff.RandomState(r)}
		old := r.Uint64()
		c.In.X[0], c.In.X[1], c.In.X[2] = old, old, diff.MemBase
		for k := range 2 {
			if r.IntN(2) == 0 {
				c.In.X[k] ^= 1 << r.IntN(64)
			}
			if r.IntN(4) == 0 {
				c.In.X[k] = r.Uint64()
			}
		}
		binary.LittleEndian.PutUint64(c.In.Mem[:], old)
		cases = append(cases, c)
	}
	return cases
}

// Under Linux the forms without software checks do what the atomics of FEAT_LSE do,
// which qemu-aarch64 judges, and say in the flags that they have written.
func TestReadCheckWrite(t *testing.T) {
	const c, nc = 1 << 29, 1<<31 | 1<<29
	e := diff.NewInterpCPU(t, rcwCPU)
	r := rand.New(rand.NewPCG(9, 4))
	for _, tt := range []struct{ ours, lse []decoder.Op }{
		{[]decoder.Op{decoder.RCWCLR_64_memop, decoder.RCWCLRL_64_memop, decoder.RCWCLRA_64_memop, decoder.RCWCLRAL_64_memop}, []decoder.Op{decoder.LDCLR_64_memop}},
		{[]decoder.Op{decoder.RCWSET_64_memop, decoder.RCWSETL_64_memop, decoder.RCWSETA_64_memop, decoder.RCWSETAL_64_memop}, []decoder.Op{decoder.LDSET_64_memop}},
		{[]decoder.Op{decoder.RCWSWP_64_memop, decoder.RCWSWPL_64_memop, decoder.RCWSWPA_64_memop, decoder.RCWSWPAL_64_memop}, []decoder.Op{decoder.SWP_64_memop}},
		{[]decoder.Op{decoder.RCWCAS_C64_rcwcomswap, decoder.RCWCASL_C64_rcwcomswap, decoder.RCWCASA_C64_rcwcomswap, decoder.RCWCASAL_C64_rcwcomswap}, []decoder.Op{decoder.CAS_C64_comswap}},
	} {
		for _, op := range tt.ours {
			cases := rcwCases([]uint32{rcwWord(op)}, r)
			got := e.Run(t, cases)
			for n := range cases {
				cases[n].Words = []uint32{rcwWord(tt.lse[0])}
			}
			want := e.Run(t, cases)
			for n := range want {
				want[n].NZCV = c
				if strings.HasPrefix(op.String(), "RCWCAS") && want[n].X[0] != cases[n].In.X[0] {
					want[n].NZCV = nc
				}
			}
			diff.Compare(t, cases, want, got)
		}
	}
}

// The forms with software checks write only what RCWCheck of the Arm ARM allows where
// TCR2_EL1.PnCH and RCWSMASK_EL1 are zero: whatever keeps bit 0, if that is clear, and
// nothing if it is set.
func TestReadCheckWriteSoftware(t *testing.T) {
	e := diff.NewInterpCPU(t, rcwCPU)
	r := rand.New(rand.NewPCG(9, 5))
	for op := decoder.Op(1); op < decoder.NumOps; op++ {
		if op.Features() != "FEAT_THE" || decoder.RowOf(op).Value>>30&1 == 0 {
			continue
		}
		cases := rcwCases([]uint32{rcwWord(op)}, r)
		passed, failed := 0, 0
		for n, got := range e.Run(t, cases) {
			in := &cases[n].In
			old := binary.LittleEndian.Uint64(in.Mem[:])
			want := *in
			want.PC, want.Sig = got.PC, 5
			var now uint64
			other := false
			switch name := op.String(); {
			case strings.HasPrefix(name, "RCWSCAS"):
				now, other, want.X[0] = in.X[1], in.X[0] != old, old
			case strings.HasPrefix(name, "RCWSCLR"):
				now, want.X[1] = old&^in.X[0], old
			case strings.HasPrefix(name, "RCWSSET"):
				now, want.X[1] = old|in.X[0], old
			default: // RCWSSWP
				now, want.X[1] = in.X[0], old
			}
			stateFails, maskFails := old&1 != now&1, old&1 == 1 && old != now
			switch {
			case other:
				want.NZCV = 1<<31 | 1<<29
			case stateFails || maskFails:
				want.NZCV = 0
				failed++
			default:
				want.NZCV = 1 << 29
				binary.LittleEndian.PutUint64(want.Mem[:], now)
				passed++
			}
			diff.Compare(t, cases[n:n+1], []diff.State{want}, []diff.State{got})
		}
		if passed < 20 || failed < 20 {
			t.Errorf("%v: %d changes allowed, %d not: a check that cannot fail", op, passed, failed)
		}
	}
}

// rcwWord is the operation with X0 as Xs, X1 as Xt and X2 as the address.
func rcwWord(op decoder.Op) uint32 { return decoder.RowOf(op).Value | 0<<16 | 2<<5 | 1 }

// They are undefined where the processor lacks FEAT_THE, and those of 128 bits always:
// Linux leaves TCR2_EL1.D128 clear. So are accesses to system registers of 128 bits and
// SYSP.
func TestUndefinedUnderLinux(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 6))
	for spec, features := range map[string]string{
		"max":  "FEAT_THE,FEAT_D128&FEAT_THE,FEAT_SYSREG128,FEAT_SYSINSTR128",
		rcwCPU: "FEAT_D128&FEAT_THE,FEAT_SYSREG128,FEAT_SYSINSTR128",
	} {
		t.Run(spec, func(t *testing.T) { undefinedUnderLinux(t, spec, features, r) })
	}
}

func undefinedUnderLinux(t *testing.T, spec, features string, r *rand.Rand) {
	e := diff.NewInterpCPU(t, spec)
	count := 0
	for op := decoder.Op(1); op < decoder.NumOps; op++ {
		if op.Features() == "" || !strings.Contains(","+features+",", ","+op.Features()+",") {
			continue
		}
		count++
		for range 10 {
			c := diff.RandomCase(op, r)
			got := e.Run(t, []diff.Case{c})[0]
			if got.Sig != 4 || got.PC != diff.CodeStart || got.X != c.In.X || got.Mem != c.In.Mem {
				t.Errorf("%s: %v (%08x): signal %d at %#x", spec, op, c.Words[0], got.Sig, got.PC)
			}
		}
	}
	if want := map[string]int{"max": 67, rcwCPU: 35}[spec]; count != want {
		t.Errorf("%s: %d encodings, want %d", spec, count, want)
	}
}
