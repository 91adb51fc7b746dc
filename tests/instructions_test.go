package tests

import (
	"math/rand/v2"
	"strings"
	"testing"

	"emu/decoder"
	"emu/tests/diff"
	"emu/translate"
)

// notRandom are encodings that cannot run with random operands.
var notRandom = map[decoder.Op]string{
	decoder.SVC_EX_exception:    "system calls",
	decoder.SYS_CR_systeminstrs: "cache maintenance of random addresses",
	decoder.MRS_RS_systemmove:   "counters and random numbers",
	decoder.MSR_SR_systemmove:   "the thread pointer",
}

// randomFPCR is AHP, DN, RMode and FZ16. FZ is left out: generated code flushes on
// the host's units, and FPSR.IDC, IXC and UFC differ then (docs/RATIONALE.md);
// jit/amd64 tests the results.
const randomFPCR = 0x06c80000

// Every translated encoding, with random operands, states and FPCR, ends in the
// same state in generated code as in the interpreter. The guest runs under bin/emu
// and replaces its code for each case, so that cache maintenance and the delivery
// of signals are exercised too.
func TestInstructionsInTier1(t *testing.T) {
	e, interp := diff.NewEmulator(t, emuPath(t), "-tier=1"), diff.NewInterp(t)
	r := rand.New(rand.NewPCG(7, 1))
	var cases []diff.Case
	for op := decoder.Op(1); op < decoder.NumOps; op++ {
		keyed := strings.Contains(op.Features(), "FEAT_PAuth") // random keys: TestPointerAuth
		if _, skip := notRandom[op]; skip || keyed || !translate.Translated(op) {
			continue
		}
		for range 10 {
			c := diff.RandomCase(op, r)
			c.In.FPCR = r.Uint32() & randomFPCR
			cases = append(cases, c)
		}
	}
	want := interp.Run(t, cases)
	diff.Compare(t, cases, want, e.Run(t, cases))
	diff.Retarget(cases, want, r)
	diff.Compare(t, cases, interp.Run(t, cases), e.Run(t, cases))
}
