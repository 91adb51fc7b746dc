package opt

import (
	"slices"

	"emu/ir"
)

// Fences makes full barriers that find nothing stored since the last one barriers of
// loads, which take no instruction where the host keeps loads in order. It assumes nothing.
//
// What a full barrier does beyond one of loads is to have stores before it seen before
// loads behind it (Arm ARM B2.3). Those from before the last full barrier have been seen
// since, and a unit that is left (polls are safe points, where a signal handler may store)
// begins anew. So a loop that only reads between its barriers, as sanitizers walk their
// tables, has one in its peeled iteration and none inside.
func Fences(w *Work, f *ir.Func) {
	full := func(i ir.Inst) bool { return isFullFence(f, i) }
	if !slices.ContainsFunc(f.Insts, full) {
		return
	}
	if f.Structure(&w.scopes) != nil {
		panic("the unit's scopes are broken")
	}
	x := &w.fences
	x.f, x.s = f, &w.scopes
	x.stores = x.stores[:0]
	count := int32(0)
	for _, i := range f.Insts {
		x.stores = append(x.stores, count)
		if mayStore(i.Op()) {
			count++
		}
	}
	x.run()
}

type fences struct {
	f      *ir.Func
	s      *ir.Structure
	stores []int32 // how many instructions that may store stand before each
	before []bool  // of each IF: whether its arms begin behind a full barrier
	after  []bool  // of each scope: whether all that goes on behind its MERGE is behind one
}

// run goes through the unit once. behind tells whether a full barrier was executed on
// all ways to here, and nothing stored since. A loop's header is behind one if its entry is
// and nothing in the loop stores.
func (x *fences) run() {
	x.before, x.after = x.before[:0], x.after[:0]
	for range x.s.Scopes {
		x.before, x.after = append(x.before, false), append(x.after, true)
	}
	behind := false
	for n, i := range x.f.Insts {
		of := x.s.Of[n]
		switch op := i.Op(); {
		case isFullFence(x.f, i):
			if behind {
				x.f.Insts[n] = ir.MakeInst(ir.OpFence, ir.Imm(ir.FenceLoads), ir.None, ir.None)
			}
			behind = true
		case mayStore(op):
			behind = false
		case op == ir.OpLoop:
			behind = behind && x.stores[x.s.Scopes[of].End] == x.stores[n]
		case op == ir.OpIf:
			x.before[of] = behind
		case op == ir.OpElse:
			behind = x.before[of]
		case op == ir.OpYield, op == ir.OpBreak:
			x.after[of] = x.after[of] && behind
		case op == ir.OpMerge:
			behind = x.after[of]
		}
	}
}

// isFullFence reports whether i orders all accesses.
func isFullFence(f *ir.Func, i ir.Inst) bool {
	return i.Op() == ir.OpFence && f.ImmOf(i.A()) == ir.FenceAll
}

// mayStore reports whether op may write guest memory, or do what nobody here knows.
func mayStore(op ir.Op) bool {
	switch op {
	case ir.OpFence, ir.OpInsn, ir.OpPoll, ir.OpPause, ir.OpPrefetch:
		return false
	}
	return op.Has(ir.MemWrite | ir.Release | ir.Effect)
}
