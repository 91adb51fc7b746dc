package diff

import (
	"math/rand/v2"
	"strings"

	"emu/decoder"
)

// Registers that random programs use for themselves: no instruction of theirs names
// them, or the register before, with which they may be a pair, in any of the usual
// fields.
const counter = 27 // X27 counts a loop down

// RandomProgram returns a case of several instructions of the given encodings: data
// flows from one to the next, conditional branches skip some of them or choose one of two ways, and in most
// programs they are the body of a loop. Loads and stores go through SP. Half of the programs have few
// registers and repeat few encodings, so that more depends on more.
func RandomProgram(ops []decoder.Op, r *rand.Rand) Case {
	c := Case{In: RandomState(r)}
	if r.IntN(2) == 0 {
		SIMDCorners(&c.In, r)
	}
	loop := r.IntN(4) != 0
	body := MaxWords
	if loop {
		body -= 2
		c.In.X[counter] = uint64(1 + r.IntN(5))
	}
	p := randomBody{ops: ops, r: r}
	if r.IntN(2) == 0 {
		p.few()
	}
	for len(p.words) < body {
		p.more(body - len(p.words))
	}
	c.Words = p.words
	if loop {
		c.Words = append(c.Words,
			0xd1000400|counter<<5|counter,                   // sub x27, x27, #1
			0xb5000000|counter|uint32(-(body+1)&0x7ffff)<<5) // cbnz x27, back to the first
	}
	return c
}

// randomBody makes the instructions of a random program.
type randomBody struct {
	ops    []decoder.Op
	r      *rand.Rand
	fields uint32 // bits of register fields that are zero
	words  []uint32
}

// few restricts the program to four registers, where that leaves an instruction what it is, and to some
// encodings, more of scalars than there are.
func (p *randomBody) few() {
	p.fields = 0x1c | 0x1c<<5 | 0x1c<<16
	some := make([]decoder.Op, 4+p.r.IntN(12))
	scalar := p.r.IntN(3)
	for n := range some {
		for some[n] == 0 || n%3 < scalar && !isScalar(some[n]) {
			some[n] = p.ops[p.r.IntN(len(p.ops))]
		}
	}
	p.ops = some
}

// isScalar reports whether op is about X registers, scalars in V registers, or both.
func isScalar(op decoder.Op) bool {
	for _, g := range [...]string{"float", "asimdins", "asisd", "addsub", "log_", "cond", "dp_", "bitfield", "movewide", "extract", "ldst_pos"} {
		if strings.HasPrefix(op.Group(), g) {
			return true
		}
	}
	return false
}

// more adds an instruction, a branch over some, or two ways that one is chosen of: at most left words.
func (p *randomBody) more(left int) {
	switch n := p.r.IntN(8); {
	case n == 0 && left > 1:
		p.words = append(p.words, forward(p.r, uint32(1+p.r.IntN(left-1))))
	case n == 1 && left >= 4:
		one := 1 + p.r.IntN(left-3)
		two := 1 + p.r.IntN(left-2-one)
		p.words = append(p.words, forward(p.r, uint32(one+1)))
		p.straight(one)
		p.words = append(p.words, 0x14000000|uint32(two+1)) // b
		p.straight(two)
	default:
		p.straight(1)
	}
}

// straight adds n instructions.
func (p *randomBody) straight(n int) {
	for range n {
		p.words = append(p.words, bodyWord(p.ops, p.fields, p.r))
	}
}

// bodyWord is a random instruction that leaves a program's own registers alone and
// goes on behind itself. Bits of zero are zero if that is the same instruction.
func bodyWord(ops []decoder.Op, zero uint32, r *rand.Rand) uint32 {
	for {
		op := ops[r.IntN(len(ops))]
		w := decoder.RandomWord(op, r.Uint32)
		few := w &^ zero
		if w>>16&31 == 31 {
			few |= 31 << 16 // it may have to be
		}
		if decoder.Decode(few).Op == op {
			w = few
		}
		if isMemory(op) {
			w |= 31 << 5 // Rn is SP
			switch group := op.Group(); {
			case group == "ldst_regoff":
				w |= 31 << 16 // and Rm is XZR
			case group == "ldst_pos": // offsets stay within the first MemSize bytes
				w &^= 0x7f << 15
			case strings.HasPrefix(group, "ldstpair"), group == "ldstnapair_offs":
				w &^= 7 << 19
			case strings.HasSuffix(group, "fill"), strings.HasSuffix(group, "spill"):
				w &^= 0x3f << 16
			}
		}
		i := decoder.Decode(w)
		if i.Op != op || unpredictable(i) || names(w, counter) || names(w, counter-1) || writesSP(i) {
			continue
		}
		return w
	}
}

// names reports whether one of the usual register fields of w is n.
func names(w, n uint32) bool {
	for _, at := range []uint{0, 5, 10, 16} {
		if w>>at&31 == n {
			return true
		}
	}
	return false
}

// writesSP reports data processing with SP as its result: loads and stores behind
// it would miss the memory.
func writesSP(i decoder.Inst) bool {
	switch i.Op.Group() {
	case "addsub_imm", "addsub_ext", "log_imm", "int_arith_vl":
		return i.Rd() == 31
	}
	return false
}

// forward is a conditional branch over n instructions: B.cond, CBZ, CBNZ, TBZ or
// TBNZ.
func forward(r *rand.Rand, n uint32) uint32 {
	reg := uint32(r.IntN(counter))
	switch r.IntN(3) {
	case 0:
		return 0x54000000 | (n+1)<<5 | uint32(r.IntN(14))
	case 1:
		return 0x34000000 | uint32(r.IntN(4))&1<<31 | uint32(r.IntN(2))<<24 | (n+1)<<5 | reg
	}
	return 0x36000000 | uint32(r.IntN(2))<<31 | uint32(r.IntN(2))<<24 | uint32(r.IntN(32))<<19 | (n+1)<<5 | reg
}

// SVEProgram is RandomProgram of instructions of SVE, among them as many others.
func SVEProgram(sve, others []decoder.Op, r *rand.Rand) Case {
	some := make([]decoder.Op, 2*programOps)
	for n := range some {
		if n < programOps {
			some[n] = sve[r.IntN(len(sve))]
		} else {
			some[n] = others[r.IntN(len(others))]
		}
	}
	c := RandomProgram(some, r)
	predicates(&c.In, r)
	return c
}

// programOps is how many encodings of SVE a program chooses from.
const programOps = 32

// InSVEProgram is InProgram for encodings of SVE. Only their accesses with an immediate offset
// can be kept within the memory, and what LDNF1 loads where FFR is false differs by processor.
func InSVEProgram(op decoder.Op) bool {
	group := op.Group()
	if group == "mem_cldnf_si" {
		return false
	}
	return !strings.HasPrefix(group, "mem_") || strings.HasSuffix(group, "_si") || strings.HasSuffix(group, "fill") || strings.HasSuffix(group, "spill") || group == "mem_ld_dup"
}

// InProgram reports whether an encoding can be part of a random program: it has no
// target of its own, does the same each time, and leaves SP aligned, as processors
// differ in what they do about unaligned atomic and ordered accesses.
func InProgram(op decoder.Op) bool {
	for _, g := range []string{"branch", "condbranch", "compbranch", "testbranch", "exception", "system", "hints", "barriers", "loadlit", "memcms", "ldstexcl", "pcreladdr", "rcwcomswap", "pstate",
		"ldst_immpre", "ldst_immpost", "ldstpair_pre", "ldstpair_post", "asisdlsep", "asisdlsop", "ldapstl", "ldiappstilp", "ldst_pac",
		"ldsttags", "addsub_immtags"} {
		if strings.HasPrefix(op.Group(), g) {
			return false
		}
	}
	return Random(op)
}
