package translate

import "slices"

// Tails. Code in front of a region's entry is not part of the region, so that a region
// at a loop's header is that loop. But what a switch or an interpreter does between two
// of its operations is mostly there, and short: compilers merge it, and each operation
// ends in a branch back to it. A region that branches to such code has a copy of it, up to the
// indirect branch or return at its end. So an operation is one unit, and its indirect
// branch is one of its own, whose target says more about what comes next (Ertl, Gregg,
// "The Structure and Performance of Efficient Interpreters", 2003).
//
// A tail is straight: at a conditional branch it follows one way, and the other leaves. In
// it are no calls. All that leaves from it is a safe point, but for returns: they do not
// come back to where they were (see poll).

// copied is place.ret of code in a tail: nothing returns there.
const copied = 1

// maxTailInsts is the length of a tail.
const maxTailInsts = 24

// inTail reports whether p is in a tail.
func (p place) inTail() bool { return p.ret == copied }

// inlined reports whether p is in an inlined function.
func (p place) inlined() bool { return p.ret > copied }

// tail turns p, where a branch goes, into the tail that begins there, if it is in front
// of the entry and there is one.
func (r *region) tail(p place) place {
	if p.ret == 0 && p.pc < r.entry && r.isTail(p.pc) {
		p.ret = copied
	}
	return p
}

// isTail reports whether the code at pc is short, straight, and ends in a return or an
// indirect branch that is no switch which regions go on from.
func (r *region) isTail(pc uint64) bool {
	head := pc
	if r.entry-pc > maxRegionSpan {
		return false
	}
	var buf [maxTailInsts]uint64
	for seen := buf[:0]; len(seen) < maxTailInsts; {
		i, ok := r.decode(place{pc, copied})
		if !ok || pc >= r.entry || slices.Contains(seen, pc) {
			return false
		}
		seen = append(seen, pc)
		switch i.kind {
		case flowInd:
			return !r.goesOn(pc, i, head)
		case flowRet:
			return true
		case flowNext:
			pc += 4
		case flowJump:
			pc = i.target.pc
		case flowCond:
			pc = r.follows(pc, i)
		default:
			return false
		}
	}
	return false
}

// follows returns the way that a tail goes on at i, the conditional branch at pc.
func (r *region) follows(pc uint64, i guestInst) uint64 {
	if !r.runs(pc+4) && r.runs(i.target.pc) {
		return i.target.pc
	}
	return pc + 4
}

// reachTail is reach for what comes behind g, the branch at p in a tail.
func (r *region) reachTail(p place, g guestInst) {
	if g.kind == flowJump {
		r.reach(g.target)
		return
	}
	on := r.follows(p.pc, g)
	r.reach(place{on, copied})
	for _, pc := range [...]uint64{g.target.pc, p.pc + 4} {
		if pc != on && !r.runs(pc) {
			r.t.leftOut = append(r.t.leftOut, pc)
		}
	}
}
