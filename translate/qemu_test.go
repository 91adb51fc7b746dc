package translate_test

import (
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"emu/decoder"
	"emu/tests/diff"
	"emu/translate"
)

// notInQemu are features that qemu-aarch64 7.2 (Debian 12) lacks. Their encodings
// have tests with expected values.
var notInQemu = []string{"FEAT_CSSC", "FEAT_LRCPC3", "FEAT_LSE128", "FEAT_HBC", "FEAT_WFxT", "FEAT_RPRFM", "FEAT_XS", "FEAT_MOPS",
	"FEAT_PAuth"} // its codes depend on the emulator's keys and algorithm: pauth_test.go

func inQemu(op decoder.Op) bool {
	for _, f := range notInQemu {
		if strings.Contains(op.Features(), f) {
			return false
		}
	}
	return true
}

// DC ZVA and DC CVAP are left out: qemu zeroes 512 bytes at a time and, as a user
// mode emulator, has no DC CVAP although it reports it.
//
// Special registers that EL0 can write, DC and IC operations, hints, and sequences
// of a load-exclusive and a store-exclusive agree with qemu-aarch64.
func TestSystemAgainstQemu(t *testing.T) {
	sys := func(w, op1, crn, crm, op2, rt uint32) uint32 { return w | op1<<16 | crn<<12 | crm<<8 | op2<<5 | rt }
	mrs := func(crn, crm, op2, rt uint32) uint32 { return sys(0xd5380000, 3, crn, crm, op2, rt) }
	msr := func(crn, crm, op2, rt uint32) uint32 { return sys(0xd5180000, 3, crn, crm, op2, rt) }
	dc := func(crm, rt uint32) uint32 { return sys(0xd5080000, 3, 7, crm, 1, rt) }
	sequences := map[string][]uint32{
		"TPIDR_EL0":         {msr(13, 0, 2, 1), mrs(13, 0, 2, 2)},
		"TPIDRRO_EL0 read":  {mrs(13, 0, 3, 2)},
		"TPIDRRO_EL0 write": {msr(13, 0, 3, 2)},
		"NZCV":              {mrs(4, 2, 0, 3), msr(4, 2, 0, 1), mrs(4, 2, 0, 2)},
		"NZCV from XZR":     {msr(4, 2, 0, 31)},
		"FPCR":              {msr(4, 4, 0, 1), mrs(4, 4, 0, 2)},
		"FPSR":              {mrs(4, 4, 1, 2)},
		"DAIF":              {mrs(4, 2, 1, 2)},
		"CurrentEL":         {sys(0xd5380000, 0, 4, 2, 2, 1)},
		"SCTLR_EL1":         {sys(0xd5380000, 0, 1, 0, 0, 1)},
		"ID_AA64PFR2 space": {sys(0xd5380000, 0, 0, 7, 7, 1)},
		"REVIDR_EL1":        {sys(0xd5380000, 0, 0, 0, 6, 1)},
		"RNDR flags":        {mrs(2, 4, 0, 5), 0xd2800005},
		"DC CVAC":           {dc(10, 1)},
		"DC CVAU":           {dc(11, 1)},
		"DC CIVAC":          {dc(14, 1)},
		"IC IVAU":           {sys(0xd5080000, 3, 7, 5, 1, 1)},
		"DC IVAC":           {sys(0xd5080000, 0, 7, 6, 1, 1)},
		"TLBI":              {0xd508871f},
		"MSR DAIFSet":       {0xd50342df},
		"MSR SPSel":         {0xd50041bf},
		"hint #100":         {0xd503249f},
		"HVC":               {0xd4000002},
		"SMC":               {0xd4000003},
		"ERET":              {0xd69f03e0},
		"UDF":               {0x00000000},
		"ldxr stxr x":       {0xc85f7c20, 0x91000400, 0xc8027c20, 0xf9400023},
		"ldxr stxr w":       {0x885f7c20, 0x11000400, 0x88027c20, 0xf9400023},
		"ldaxrb stlxrb":     {0x085ffc20, 0x11000400, 0x0802fc20, 0xf9400023},
		"ldxrh stxrh":       {0x485f7c20, 0x11000400, 0x48027c20, 0xf9400023},
		"ldxp stxp x":       {0xc87f1420, 0x91000400, 0xc8220c20 | 5<<10, 0xf9400423},
		"ldxp stxp w":       {0x887f1420, 0x11000400, 0x88220c20 | 5<<10, 0xf9400423},
		"ldxr clrex stxr":   {0xc85f7c20, 0xd503305f, 0xc8027c20},
		"stxr twice":        {0xc85f7c20, 0xc8027c23, 0xc8047c25, 0xf9400026},
		"stxr elsewhere":    {0xc85f7c20, 0x91004021, 0xc8027c23},
		"stxr changed":      {0xc85f7c20, 0x91000406, 0xf9000026, 0xc8027c23},
	}
	r := rand.New(rand.NewPCG(4, 1))
	q, e := diff.NewQemu(t), diff.NewInterp(t)
	for _, name := range slices.Sorted(maps.Keys(sequences)) {
		words := sequences[name]
		t.Run(name, func(t *testing.T) {
			cases := make([]diff.Case, 20)
			for n := range cases {
				cases[n] = diff.Case{Words: words, In: diff.RandomState(r)}
				in := &cases[n].In
				if strings.HasPrefix(name, "FPCR") {
					in.X[1] &= 0x07c80000 // Len, Stride and trap bits are read-as-zero on processors without AArch32
				}
				for w := range words {
					if op := decoder.Decode(words[w]).Op; op == decoder.SYS_CR_systeminstrs || strings.HasPrefix(op.Group(), "ldst") {
						in.X[1] = diff.MemBase + 256 + uint64(r.IntN(16))*16
					}
				}
			}
			diff.Compare(t, cases, q.Run(t, cases), e.Run(t, cases))
		})
	}
}

// Sequences of data processing, loads and stores, with a branch in some of them,
// agree with qemu-aarch64: flags and registers flow from one to the next.
func TestSequencesAgainstQemu(t *testing.T) {
	var pool []decoder.Op
	for op := decoder.Op(1); op < decoder.NumOps; op++ {
		group := op.Group()
		data := op.Class() == decoder.ClassGeneral && (strings.HasPrefix(group, "addsub") || strings.HasPrefix(group, "log_") ||
			strings.HasPrefix(group, "dp_") || strings.HasPrefix(group, "cond") ||
			group == "movewide" || group == "bitfield" || group == "extract" || group == "rmif" || group == "setf")
		if data && translate.Translated(op) && inQemu(op) {
			pool = append(pool, op)
		}
	}
	const base = 28 // loads and stores go to [x28, #imm]; nothing else writes it
	r := rand.New(rand.NewPCG(5, 1))
	memory := []uint32{0xf8000000, 0xf8400000, 0xb8000000, 0xb8400000, 0x38000000, 0x38400000, 0x38800000, 0x78c00000, 0x78000000, 0xb8800000}
	cases := make([]diff.Case, 4000)
	for n := range cases {
		c := &cases[n]
		c.In = diff.RandomState(r)
		c.In.X[base] = diff.MemBase + 512
		for len(c.Words) < diff.MaxWords {
			if r.IntN(4) == 0 {
				imm9, rt := uint32(r.IntN(512)), uint32(r.IntN(base))
				c.Words = append(c.Words, memory[r.IntN(len(memory))]|imm9<<12|base<<5|rt)
				continue
			}
			w := decoder.RandomWord(pool[r.IntN(len(pool))], r.Uint32)
			if i := decoder.Decode(w); i.Rd() == base {
				continue
			} else if i.Op == decoder.B_only_condbranch { // over one or two instructions
				w = w&0xff00001f | uint32(2+r.IntN(2))<<5
			}
			c.Words = append(c.Words, w)
		}
	}
	q, e := diff.NewQemu(t), diff.NewInterpCPU(t, diff.LikeQemu(7))
	diff.Compare(t, cases, q.Run(t, cases), e.Run(t, cases))
}
