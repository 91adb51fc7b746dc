package amd64

import "emu/ir"

// regSet is a set of guest registers, numbered as host.Guest.
type regSet = [2]uint64

// scopeScan is what the look backwards finds out about scopes: which guest
// registers are SET inside, and which behind a join before anything can look at
// them. What is pending for the latter is superseded at the join; what is pending
// for a register that is not SET in a scope can stay pending across it.
type scopeScan struct {
	some bool // the unit has scopes; the rest is valid
	tree ir.Structure
	info []scopeInfo // by scope
	// Behind each instruction: registers that are SET before anything can look at
	// them. Only kept for those at which something can look, and starts of arms.
	dead []regSet
}

type scopeInfo struct {
	sets   regSet  // SET on a way to the MERGE
	again  regSet  // LOOP: SET on a way back to the header
	before regSet  // finish: SET in front of the scope since the one around it began
	join   regSet  // SET behind the MERGE
	head   regSet  // LOOP: SET behind the header before anything can look
	els    regSet  // IF: set again at the ELSE before anything can look
	stays  [2]bool // IF: control may stay around it in its arms
}

// step is the scan's step at a control instruction: behind it the registers dead
// are SET before anything can look at them; it returns those in front of it.
func (s *scopeScan) step(c *compiler, i int, op ir.Op, dead regSet) regSet {
	if !s.some {
		s.begin(c)
	}
	n := s.tree.Of[i]
	if n < 0 {
		return regSet{}
	}
	k := &s.info[n]
	switch op {
	case ir.OpMerge:
		k.join = dead
		return regSet{}
	case ir.OpEndBlock:
		if s.tree.Scopes[n].Op == ir.OpLoop {
			k.head = s.header(c, int(s.tree.Scopes[n].Start))
		}
		return regSet{}
	case ir.OpYield, ir.OpBreak:
		return k.join
	case ir.OpContinue:
		return k.head
	case ir.OpElse:
		k.els, s.dead[i] = dead, dead
		return regSet{}
	case ir.OpIf:
		s.dead[i] = dead
		return regSet{dead[0] & k.els[0], dead[1] & k.els[1]}
	}
	return dead // LOOP, BLOCK, BLOCK_ARG
}

func (s *scopeScan) begin(c *compiler) {
	s.some = true
	if err := c.f.Structure(&s.tree); err != nil {
		panic("BUG: amd64: " + err.Error())
	}
	n := len(s.tree.Scopes)
	if cap(s.info) < n {
		s.info = make([]scopeInfo, n+n/2)
	}
	s.info = s.info[:n]
	clear(s.info)
	if n = len(c.f.Insts); cap(s.dead) < n {
		s.dead = make([]regSet, n+n/2)
	}
	s.dead = s.dead[:n]
	clear(s.dead)
}

// header returns the registers that are SET behind a LOOP's arguments before anything can look at them. IFs may stand in between
// that do nothing but compute.
func (s *scopeScan) header(c *compiler, start int) (set regSet) {
	var read regSet
	open := 0 // IFs
	for _, in := range c.f.Insts[start+1:] {
		op := in.Op()
		if g, isSet, ok := c.guestOf(in); ok {
			bit := uint64(1) << (g & 63)
			switch {
			case !isSet:
				read[g>>6] |= bit &^ set[g>>6]
			case open == 0: // and not in one arm alone
				set[g>>6] |= bit &^ read[g>>6]
			}
			continue
		}
		switch op {
		case ir.OpIf:
			open++
		case ir.OpMerge: // of an IF: a LOOP or BLOCK ends the look
			open--
		case ir.OpElse, ir.OpYield, ir.OpBlockArg, ir.OpInsn:
		default:
			if op.Has(observes) {
				return set
			}
		}
	}
	return set
}

// finish finds out, on a walk from the start, which registers are SET on the ways
// to each join and back to each header. What is SET in an arm that leaves the unit
// does not matter to anything behind the scope.
func (s *scopeScan) finish(c *compiler) {
	cur := int32(-1)                          // innermost open scope
	var now regSet                            // SET since the innermost open scope began
	set := func(at *regSet, with ...regSet) { // at takes in the others
		for _, m := range with {
			at[0] |= m[0]
			at[1] |= m[1]
		}
	}
	for i, in := range c.f.Insts {
		op := in.Op()
		flags := c.flags[op]
		if g, isSet, ok := c.guestOf(in); ok {
			if isSet && c.vals[i].form != formSkip {
				now[g>>6] |= 1 << (g & 63)
			}
			continue
		}
		if flags&ir.Scope == 0 && op != ir.OpYield && op != ir.OpBreak && op != ir.OpContinue {
			continue
		}
		n := s.tree.Of[i]
		if n < 0 {
			continue
		}
		k := &s.info[n]
		switch op {
		case ir.OpIf, ir.OpLoop, ir.OpBlock:
			cur, k.before, now = n, now, regSet{}
		case ir.OpElse:
			now = regSet{}
		case ir.OpYield:
			set(&k.sets, now)
		case ir.OpBreak, ir.OpContinue:
			to := &k.sets
			if op == ir.OpContinue {
				to = &k.again
			}
			set(to, now)
			for at := cur; at != n; at = s.tree.Scopes[at].Parent {
				set(to, s.info[at].before)
			}
		case ir.OpEndBlock:
			if s.tree.Scopes[n].Op == ir.OpLoop {
				set(&k.sets, k.again)
				for at := s.tree.Scopes[n].Parent; at >= 0; at = s.tree.Scopes[at].Parent {
					set(&s.info[at].sets, k.again)
					set(&s.info[at].again, k.again)
				}
			}
			cur, now = s.tree.Scopes[n].Parent, k.before
		case ir.OpMerge:
			cur, now = s.tree.Scopes[n].Parent, k.before
			set(&now, k.sets)
		}
	}
}
