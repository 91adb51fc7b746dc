package translate

import "emu/decoder"

// Switches. Where a compiler's switch goes by a table, the region goes on at the targets
// that its indirect branch nearly always has, behind comparisons with each of them, most
// frequent first; others leave. A loop with a switch in it is one loop then, with its
// registers and flags where loops have them.
//
// Interpreters do not gain: where many operations share a branch, a chain of comparisons
// is predicted worse than an indirect branch of each operation's own (region_tail.go). What
// tells them apart is that a few targets make up nearly all. All regions with a switch agree on what it
// is: the code in front of a switch that regions go on from is no tail. So cases lead back
// to the loop around it, which gets hot, instead of having copies of its dispatch each.

// switchInsts is how far in front of a switch's branch its table is looked for.
const switchInsts = 12

// guessCases fills in where g at p goes if that is a switch.
func (r *region) guessCases(p place, g *guestInst) {
	if !r.isSwitch(p.pc, *g) {
		return
	}
	if p.ret == 0 {
		g.goes = r.cases(p.pc, r.entry)
	}
	for _, to := range g.goes {
		r.t.guesses = append(r.t.guesses, Guess{p.pc, to.pc})
	}
	if len(g.goes) == 0 {
		r.t.guesses = append(r.t.guesses, Guess{p.pc, 0})
	}
}

// goesOn reports whether a region from entry on goes on behind g, the indirect branch at pc.
func (r *region) goesOn(pc uint64, g guestInst, entry uint64) bool {
	return r.isSwitch(pc, g) && len(r.cases(pc, entry)) > 0
}

// cases is where a region from entry on goes on behind the switch at pc, most often first.
func (r *region) cases(pc, entry uint64) []place {
	list, _ := r.few(pc)
	to := make([]place, len(list))
	for k, t := range list {
		if t.PC&3 != 0 || t.PC-entry >= maxRegionSpan {
			return nil
		}
		to[k] = place{t.PC, 0}
	}
	return to
}

// isSwitch reports whether g, the indirect branch at pc, goes by a compiler's table: one of
// distances, which an ADD makes addresses of (GCC, clang), or of addresses, with an index
// that is compared with their number (Go). Interpreters written with computed gotos load addresses too, but
// check nothing.
func (r *region) isSwitch(pc uint64, g guestInst) bool {
	if !r.guesses() {
		return false
	}
	n := decoder.Decode(g.word).Rn()
	before := func(k uint64) decoder.Inst {
		word, _ := r.fetch(pc - 4*k)
		return decoder.Decode(word)
	}
	k := uint64(1)
	for ; k <= switchInsts; k++ {
		i := before(k)
		switch {
		case i.Rd() != n:
		case i.Op == decoder.ADD_64_addsub_shift || i.Op == decoder.ADD_64_addsub_ext:
			return loadsDistance(before, k+1, i.Rn(), i.Rm())
		case i.Op == decoder.LDR_64_ldst_regoff:
			return bounded(before, k+1, i.Rm())
		}
	}
	return false
}

// loadsDistance reports whether X[n] or X[m] was loaded from a table of distances, k instructions
// in front of a branch or earlier.
func loadsDistance(before func(k uint64) decoder.Inst, k uint64, n, m uint32) bool {
	for ; k <= switchInsts; k++ {
		i := before(k)
		if i.Rt() != n && i.Rt() != m {
			continue
		}
		switch i.Op {
		case decoder.LDRB_32B_ldst_regoff, decoder.LDRB_32BL_ldst_regoff, decoder.LDRSB_64B_ldst_regoff, decoder.LDRSB_64BL_ldst_regoff,
			decoder.LDRH_32_ldst_regoff, decoder.LDRSH_64_ldst_regoff, decoder.LDR_32_ldst_regoff, decoder.LDRSW_64_ldst_regoff:
			return true
		}
	}
	return false
}

// bounded reports whether there is a comparison of X[n] with a constant and a B.HI, k
// instructions in front of a branch or earlier.
func bounded(before func(k uint64) decoder.Inst, k uint64, n uint32) bool {
	const hi = 8
	for ; k < switchInsts; k++ {
		if i := before(k); i.Op != decoder.B_only_condbranch || i.Bits(3, 0) != hi {
			continue
		}
		i := before(k + 1)
		return (i.Op == decoder.SUBS_64S_addsub_imm || i.Op == decoder.SUBS_32S_addsub_imm) && i.Rn() == n
	}
	return false
}
