package translate

import "slices"

// Inlining. A region goes on in the functions that it calls as far as these return without
// calling others: on the ways to such returns that are short, from branch to branch. Where
// a way turns off from which there is none, a call leaves the region, to the middle of
// the function: as if the region's call had gone there in the first place. So a function that mostly has
// nothing to do costs no call, and half of a recursion's calls, which end it, are inlined
// in the other half.

// maxEarlyInsts is how many instructions of a function are inlined that calls on other ways.
const maxEarlyInsts = 16

// function is what inlining knows of the function at pc.
type function struct {
	pc      uint64
	returns bool     // without a call, often enough
	stays   []uint64 // the branch targets on the way there from which it does not
}

// inlines reports whether the function at pc, called from in front of ret, is worth
// inlining, and notes which of its ways are not.
func (r *region) inlines(pc, ret uint64) bool {
	f := r.function(pc)
	if !f.returns {
		return false
	}
	for _, pc := range f.stays {
		r.stays = append(r.stays, place{pc, ret})
	}
	return true
}

// function is what is known of the function at pc. It is valid until the next one.
func (r *region) function(pc uint64) *function {
	k := slices.IndexFunc(r.known, func(f function) bool { return f.pc == pc })
	if k < 0 {
		k = len(r.known)
		f := r.look(pc)
		if f.returns && len(f.stays) > 0 && r.profile != nil && r.profile.Early != nil {
			f.returns = r.profile.Early(pc, f.stays)
		}
		r.known = append(r.known, f)
	}
	return &r.known[k]
}

// way is an instruction of a function that is looked at.
type way struct {
	pc      uint64
	next    [2]uint64
	at      [2]int // where next are among those looked at, negative if they are not
	ways    int    // how many of next there are
	returns bool   // one leads to a return
}

// look finds the ways through the first instructions of the function at pc, nearest
// first. Those that hardly ever run do not count: they leave the region.
func (r *region) look(pc uint64) function {
	var buf [maxInlinedInsts]way
	list, straight := append(buf[:0], way{pc: pc}), true
	add := func(pc uint64) int {
		k := slices.IndexFunc(list, func(w way) bool { return w.pc == pc })
		if k < 0 && len(list) < maxInlinedInsts {
			k = len(list)
			list = append(list, way{pc: pc})
		}
		return k
	}
	for k := 0; k < len(list); k++ {
		w := &list[k]
		if int64(int32(w.pc-r.entry)) != int64(w.pc-r.entry) {
			continue
		}
		i, ok := r.decode(place{w.pc, 0})
		if !ok {
			continue
		}
		switch i.kind {
		case flowEnd, flowCall, flowIndCall:
		case flowRet:
			w.returns = true
		case flowInd:
			if to, ok := r.target(w.pc); ok {
				w.next[0], w.ways = to, 1
			} else {
				w.returns = straight && k < maxThunkInsts
			}
		case flowJump:
			w.next[0], w.ways = i.target.pc, 1
		case flowCond:
			straight = false
			for _, to := range [...]uint64{i.target.pc, w.pc + 4} {
				if r.runs(to) {
					w.next[w.ways] = to
					w.ways++
				}
			}
		default:
			w.next[0], w.ways = w.pc+4, 1
		}
		for n, to := range w.next[:w.ways] {
			w.at[n] = add(to)
		}
	}
	return returning(list)
}

// returning sums up which of a function's ways return.
func returning(list []way) function {
	returns := func(k int) bool { return k >= 0 && list[k].returns }
	for more := true; more; {
		more = false
		for k := range slices.Backward(list) {
			w := &list[k]
			if !w.returns && slices.ContainsFunc(w.at[:w.ways], returns) {
				w.returns, more = true, true
			}
		}
	}
	f := function{pc: list[0].pc, returns: list[0].returns}
	insts := 0
	for _, w := range list {
		if !w.returns {
			continue
		}
		insts++
		for n, to := range w.next[:w.ways] {
			if !returns(w.at[n]) {
				f.stays = append(f.stays, to)
			}
		}
	}
	f.returns = f.returns && (len(f.stays) == 0 || insts <= maxEarlyInsts)
	return f
}
