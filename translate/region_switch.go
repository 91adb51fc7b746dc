package translate

import (
	"slices"

	"emu/decoder"
)

// Switches. Where a compiler's switch goes by a table, the region goes on at its cases, behind comparisons of the
// target with each of them, most frequent first; others leave. A loop with a switch in it is one loop
// then, with its registers and flags where loops have them.
//
// These are the few cases that the branch nearly always goes to. If there are more, but not too many, they are all that run, which are read
// from the table (region_table.go): the backend makes one jump of so many comparisons. A switch whose cases call functions, or are
// large, is none for regions: what an interpreter leaves all the time is better off in units of its own operations (region_tail.go).
//
// All regions with a switch agree on what it is: the code in front of a switch that regions go on from is no tail. So cases lead back
// to the loop around it, which gets hot, instead of having copies of its dispatch each.

// switchInsts is how far in front of a switch's branch its table is looked for.
const switchInsts = 12

// A region goes on at up to maxCases cases if these have up to maxCasesInsts instructions together.
const (
	maxCases      = 40
	maxCasesInsts = 400
)

// guessCases fills in where g at p goes if that is a switch.
func (r *region) guessCases(p place, g *guestInst) {
	s, ok := r.switchAt(p.pc, *g)
	if !ok {
		return
	}
	if p.ret == 0 {
		g.goes = r.cases(p.pc, &s, r.entry)
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
	s, ok := r.switchAt(pc, g)
	return ok && len(r.cases(pc, &s, entry)) > 0
}

// cases is where a region from entry on goes on behind the switch s at pc, most often first.
func (r *region) cases(pc uint64, s *switchCode, entry uint64) []place {
	list := r.goesTo(pc, s)
	to := make([]place, len(list))
	for k, t := range list {
		if t.PC&3 != 0 || t.PC-entry >= maxRegionSpan {
			return nil
		}
		to[k] = place{t.PC, 0}
	}
	return to
}

// switchGoes is where the switch at pc goes, as far as regions go on there.
type switchGoes struct {
	pc   uint64
	list []Target
}

// goesTo lists where the switch s at pc goes, most often first: the few cases that it nearly always goes to, or all that
// run if they are not too many.
func (r *region) goesTo(pc uint64, s *switchCode) []Target {
	for _, known := range r.switches {
		if known.pc == pc {
			return known.list
		}
	}
	list, expected := r.expected(pc)
	if !expected {
		if list, _ = r.fewNoted(pc); len(list) == 0 {
			list = r.allCases(pc, s)
		}
	}
	r.switches = append(r.switches, switchGoes{pc, list})
	return list
}

// allCases lists the cases of the switch s at pc that run, most often first, as far as notes tell. It lists none if they are too
// many, or not known.
func (r *region) allCases(pc uint64, s *switchCode) []Target {
	list, _ := r.targets(pc)
	table := r.table(pc, s)
	for _, t := range list {
		if !slices.Contains(table, t.PC) {
			return nil // it is another table, or another program's notes
		}
	}
	for _, pc := range table {
		if !slices.ContainsFunc(list, func(t Target) bool { return t.PC == pc }) && r.runsCase(pc) {
			list = append(list, Target{PC: pc})
		}
	}
	if len(list) > maxCases || extent(list, table) > 4*maxCasesInsts || r.mostlyCall(list) {
		return nil
	}
	return list
}

// mostlyCall reports whether more than a quarter of the executions of the cases in list call a function. A region is left there
// and entered again, with all registers that it has anywhere, which takes longer than units of their own.
func (r *region) mostlyCall(list []Target) bool {
	calls, of := 0, 0
	for _, t := range list {
		of += t.N
		if r.calls(t.PC) {
			calls += t.N
		}
	}
	return 4*calls > of
}

// calls reports whether what runs from pc on calls a function before it goes back.
func (r *region) calls(pc uint64) bool {
	for range maxInlinedInsts {
		i, ok := r.decode(place{pc, 0})
		if !ok {
			return false
		}
		switch i.kind {
		case flowNext:
			pc += 4
			continue
		case flowCond:
			pc = r.follows(pc, i)
			continue
		case flowJump:
			if i.target.pc > pc {
				pc = i.target.pc
				continue
			}
		case flowCall, flowIndCall:
			return true
		}
		return false
	}
	return false
}

// extent estimates how many bytes of code the cases in list have: up to the next one in table each.
func extent(list []Target, table []uint64) (n uint64) {
	slices.Sort(table)
	for _, t := range list {
		k, _ := slices.BinarySearch(table, t.PC)
		if k+1 < len(table) {
			n += table[k+1] - t.PC
		}
	}
	return n
}

// runsCase asks the profile about a case.
func (r *region) runsCase(pc uint64) bool {
	if r.profile.RunsCase == nil {
		return r.runs(pc)
	}
	return r.profile.RunsCase(pc)
}

// switchAt returns what is in front of g, the indirect branch at pc, if it goes by a compiler's table: one of
// distances, which an ADD makes addresses of (GCC, clang), or of addresses, with an index
// that is compared with their number (Go). Interpreters written with computed gotos load addresses too, but
// check nothing.
func (r *region) switchAt(pc uint64, g guestInst) (s switchCode, ok bool) {
	if !r.guesses() {
		return s, false
	}
	n := decoder.Decode(g.word).Rn()
	for k := uint64(1); k <= switchInsts; k++ {
		i := r.instAt(pc - 4*k)
		switch {
		case i.Rd() != n:
		case i.Op == decoder.ADD_64_addsub_shift || i.Op == decoder.ADD_64_addsub_ext:
			s.add, s.addPC = i, pc-4*k
			ok = r.loadsDistance(pc, k+1, &s)
			return s, ok
		case i.Op == decoder.LDR_64_ldst_regoff:
			s.load, s.loadPC = i, pc-4*k
			return s, r.bounded(pc, k+1, i.Rm())
		}
	}
	return s, false
}

// loadsDistance finds the load of what the ADD of s adds from a table of distances, k instructions
// in front of the branch at pc or earlier.
func (r *region) loadsDistance(pc, k uint64, s *switchCode) bool {
	for ; k <= switchInsts; k++ {
		i := r.instAt(pc - 4*k)
		if i.Rt() != s.add.Rn() && i.Rt() != s.add.Rm() {
			continue
		}
		switch i.Op {
		case decoder.LDRB_32B_ldst_regoff, decoder.LDRB_32BL_ldst_regoff, decoder.LDRSB_64B_ldst_regoff, decoder.LDRSB_64BL_ldst_regoff,
			decoder.LDRH_32_ldst_regoff, decoder.LDRSH_64_ldst_regoff, decoder.LDR_32_ldst_regoff, decoder.LDRSW_64_ldst_regoff:
			s.load, s.loadPC = i, pc-4*k
			return true
		}
	}
	return false
}

// bounded reports whether there is a comparison of X[n] with a constant and a B.HI, k
// instructions in front of the branch at pc or earlier.
func (r *region) bounded(pc, k uint64, n uint32) bool {
	const hi = 8
	for ; k < switchInsts; k++ {
		if i := r.instAt(pc - 4*k); i.Op != decoder.B_only_condbranch || i.Bits(3, 0) != hi {
			continue
		}
		i := r.instAt(pc - 4*k - 4)
		return (i.Op == decoder.SUBS_64S_addsub_imm || i.Op == decoder.SUBS_32S_addsub_imm) && i.Rn() == n
	}
	return false
}
