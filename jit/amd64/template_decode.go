package amd64

import (
	"emu/decoder"
	"emu/ir"
	"emu/jit/host"
)

// decode reads the block at pc. It returns false if an instruction up to the first branch
// has no template.
func (t *template) decode(pc uint64, most int, fetch func(pc uint64) (uint32, bool), onward func(pc uint64) bool) bool {
	if pc&3 != 0 {
		return false
	}
	if t.rows == nil {
		t.rows = templateTable()
	}
	t.first = 0
	last := 0 // instructions up to the last branch
	sides := 0
	start := pc
	for t.n = 0; t.n < most; {
		w, ok := fetch(pc)
		if !ok {
			break
		}
		i := decoder.Decode(w)
		r := t.rows[i.Op]
		if r.fn == nil {
			t.n = last
			break
		}
		t.insts[t.n], t.steps[t.n], t.pcs[t.n] = i, r, pc
		t.n++
		if r.flags&templateEnds == 0 {
			pc += 4
			continue
		}
		if last = t.n; t.first == 0 {
			t.first = last
		}
		if onward == nil || sides == maxOnward || pc-start > 4*maxSite {
			break
		}
		next := wayOn(i, r, pc, onward)
		if next == 0 {
			break
		}
		pc = next
		sides++
	}
	if t.first == 0 {
		t.first = t.n
	}
	return t.n > 0
}

// wayOn is where a block goes on that the branch i at pc ends else, 0 for nowhere: behind a
// conditional branch, or at the target of one that leads forward and does not call.
func wayOn(i decoder.Inst, r templateRow, pc uint64, onward func(pc uint64) bool) uint64 {
	cond := r.flags&templateCond != 0
	if cond && onward(pc+4) {
		return pc + 4
	}
	target, ok := i.BranchTarget(pc)
	if !ok || target <= pc+4 || !cond && i.Bit(31) == 1 || !onward(target) {
		return 0
	}
	return target
}

// cover notes in code which instructions the block has.
func (t *template) cover(code *host.Code) {
	code.Size = 0
	code.Also, code.Onward = code.Also[:0], code.Onward[:0]
	end := t.f.PC
	for k, pc := range t.pcs[:t.n] {
		if k > 0 && t.steps[k-1].flags&templateEnds != 0 {
			code.Onward = append(code.Onward, pc)
		}
		switch n := len(code.Also); {
		case pc != end:
			code.Also = append(code.Also, ir.Span{Start: pc, End: pc + 4})
		case n > 0:
			code.Also[n-1].End = pc + 4
		default:
			code.Size += 4
		}
		end = pc + 4
	}
}
