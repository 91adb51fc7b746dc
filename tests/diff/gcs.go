package diff

import (
	"math/rand/v2"
	"testing"

	"emu/cpu"
	"emu/decoder"
)

// Where the guarded control stack of cases is: in the middle of a page.
const (
	GCSAt      = cpu.ShadowBase + 0x10_0800
	GCSEntries = 16
)

// NewInterpGCS is NewInterpCPU for cases with a guarded control stack.
func NewInterpGCS(t testing.TB, spec string) *Engine {
	t.Helper()
	e := NewInterpCPU(t, spec)
	e.gcs = cpu.NewMemory()
	page := uint64(GCSAt) &^ (cpu.PageSize - 1)
	if _, errno := e.gcs.MapShadow(page, cpu.PageSize); errno != 0 {
		t.Fatal(errno)
	}
	t.Cleanup(func() {
		if errno := e.gcs.Unmap(page, cpu.PageSize); errno != 0 {
			t.Error(errno)
		}
	})
	return e
}

func (e *Engine) loadGCS(in *State) {
	e.state.GCSPR, e.state.GCSMode = in.GCSPR, cpu.GCSModes
	for n, v := range in.GCS {
		e.gcs.StoreShadow(GCSAt+8*uint64(n), v)
	}
}

// storeGCS shows what the runner can: its signal handler uses the stack below GCSPR. A
// fault of the view of the stack is one of the stack.
func (e *Engine) storeGCS(out *State) {
	out.GCSPR = e.state.GCSPR
	for n := range out.GCS {
		if at := GCSAt + 8*uint64(n); at >= out.GCSPR {
			out.GCS[n] = loadWord(at)
		}
	}
	if cpu.InShadowView(out.Addr) {
		out.Addr &^= cpu.ShadowView
	}
}

// Operations of SYS and SYSL with X0, and MRS X0, GCSPR_EL0.
const (
	gcspushm = 0xd50b7700
	gcspopm  = 0xd52b7720
	gcsss1   = 0xd50b7740
	gcsss2   = 0xd52b7760
	mrsGCSPR = 0xd53b2520
)

// GCSCases returns n cases of one instruction each that concerns the guarded control stack,
// with entries that mostly are what it asks for.
func GCSCases(n int, r *rand.Rand) []Case {
	ops := []func() uint32{
		func() uint32 { return gcspushm | r.Uint32N(32) },
		func() uint32 { return gcspopm | r.Uint32N(32) },
		func() uint32 { return gcsss1 | r.Uint32N(31) },
		func() uint32 { return gcsss2 | r.Uint32N(32) },
		func() uint32 { return mrsGCSPR | r.Uint32N(32) },
	}
	for _, op := range []decoder.Op{
		decoder.CHKFEAT_HI_hints, decoder.GCSB_HD_hints, decoder.BL_only_branch_imm, decoder.BLR_64_branch_reg, decoder.BR_64_branch_reg,
		decoder.RET_64R_branch_reg, decoder.GCSSTR_64_ldst_gcs, decoder.GCSSTTR_64_ldst_gcs,
	} {
		ops = append(ops, func() uint32 { return decoder.RandomWord(op, r.Uint32) })
	}
	cases := make([]Case, n)
	for k := range cases {
		w := ops[k%len(ops)]()
		cases[k] = Case{Words: []uint32{w}, In: RandomState(r)}
		cases[k].In.guard(w, r)
	}
	return cases
}

// guard gives the state before w a guarded control stack.
func (s *State) guard(w uint32, r *rand.Rand) {
	place := func() uint64 { return GCSAt + 8*r.Uint64N(GCSEntries) }
	for n := range s.GCS {
		s.GCS[n] = Corner(r)
	}
	s.GCSPR = place()
	top := &s.GCS[(s.GCSPR-GCSAt)/8]
	right := r.IntN(4) != 0
	i := decoder.Decode(w)
	rn, rt := i.Rn(), i.Rt()
	switch {
	case w&^31 == gcspopm:
		*top &^= r.Uint64N(4)
	case w&^31 == gcsss1 && right:
		at := place()
		s.X[rt] = at
		s.GCS[(at-GCSAt)/8] = at&^0xfff | 1
	case w&^31 == gcsss1:
		s.X[rt] = place() + r.Uint64N(8)
	case w&^31 == gcsss2:
		*top = place() + 8*r.Uint64N(2) | 5
		if !right {
			*top ^= r.Uint64N(8)
		}
	case i.Op.Group() == "branch_reg" && rn != 31:
		s.X[rn] = CodePage + 4*r.Uint64N((CodeStart-CodePage)/4) // not the instruction itself
		if right {
			*top = s.X[rn]
		}
	case i.Op.Group() == "ldst_gcs" && rn == 31:
		s.SP = place() &^ 15
	case i.Op.Group() == "ldst_gcs":
		s.X[rn] = place() | r.Uint64N(256)<<56
		if r.IntN(16) == 0 {
			s.X[rn] += r.Uint64N(8)
		}
		if r.IntN(16) == 0 {
			s.X[rn] = 0x10000
		}
	}
}
