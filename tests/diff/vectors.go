package diff

import (
	"math/rand/v2"
	"testing"

	"emu/decoder"
)

// perWord is how many states each word runs on: an emulator translates it once.
const perWord = 8

// notRandom are encodings that cannot run with random operands; each says what
// tests it instead.
var notRandom = map[decoder.Op]string{
	decoder.SVC_EX_exception:              "the programs of tests/guest",
	decoder.SYS_CR_systeminstrs:           "translate.TestSystemAgainstQemu",
	decoder.MRS_RS_systemmove:             "translate.TestSystemAgainstQemu",
	decoder.MSR_SI_pstate:                 "translate.TestValues",
	decoder.MSR_SR_systemmove:             "translate.TestSystemAgainstQemu",
	decoder.WFET_only_systeminstrswithreg: "translate: waits for the time in its register",
	decoder.WFIT_only_systeminstrswithreg: "translate: waits for the time in its register",
}

// Random reports whether the encoding can run with random operands. Pointer
// authentication codes depend on keys that a program cannot read: KeyedVectors are
// of its instructions.
func Random(op decoder.Op) bool {
	_, skip := notRandom[op]
	return !skip && !Keyed(op) && !OfSVE(op)
}

// Vectors returns n cases of one instruction with random and corner operands, in
// runs of the same word. Those of floating point and SIMD run under random values
// of FPCR. The addresses of loads and stores are to be fixed by Reach.
func Vectors(op decoder.Op, n int, r *rand.Rand) []Case {
	cases := make([]Case, 0, n)
	for len(cases) < n {
		first := RandomCase(op, r)
		i := decoder.Decode(first.Words[0])
		if op.Group() == "ldst_regoff" && i.Rn() == i.Rm() { // cannot be pointed at the memory
			continue
		}
		words := first.Words
		if op.Group() == "memcms" {
			words = memorySequence(i)
		}
		simd := op.Class() >= decoder.ClassFloat
		fpcr := randomFPCR(r)
		for range min(perWord, n-len(cases)) {
			c := Case{Words: words, In: randomOperands(i, r)}
			if simd {
				SIMDCorners(&c.In, r)
				c.In.FPCR = fpcr
			}
			cases = append(cases, c)
		}
	}
	return cases
}

// memorySequence is the prologue, main and epilogue instruction of a copy or set,
// and MSR NZCV, XZR. What the registers hold in between, and the flags behind, depend
// on which of the architecture's two options a processor takes.
func memorySequence(i decoder.Inst) []uint32 {
	stage := uint(22)
	if i.Bits(23, 22) == 3 { // SET
		stage = 14
	}
	clear := i.Word &^ (3 << stage)
	return []uint32{clear, clear | 1<<stage, clear | 2<<stage, 0xd51b421f}
}

// afpBits are the fields of FPCR of FEAT_AFP and FEAT_EBF16: FIZ, AH, NEP and EBF.
const afpBits = 7 | 1<<13

// randomFPCR is zero half of the time, and otherwise each of the fields that
// change results is set with a chance of one third, those of FEAT_AFP and
// FEAT_EBF16 in half of these cases only.
func randomFPCR(r *rand.Rand) (fpcr uint32) {
	if r.IntN(2) == 0 {
		return 0
	}
	for _, bit := range fpcrBits {
		if r.IntN(3) == 0 {
			fpcr |= bit
		}
	}
	if r.IntN(2) == 0 {
		fpcr |= r.Uint32() & afpBits
	}
	return fpcr
}

// Reach points the loads and stores among the cases at the memory, but for one in
// sixteen, which goes on faulting.
func (e *Engine) Reach(t testing.TB, cases []Case, r *rand.Rand) {
	var access []Case
	var where []int
	for n := range cases {
		if op := decoder.Decode(cases[n].Words[0]).Op; isMemory(op) && r.IntN(16) != 0 {
			access, where = append(access, cases[n]), append(where, n)
		}
	}
	Retarget(access, e.Run(t, access), r)
	for k, n := range where {
		cases[n] = access[k]
	}
}
