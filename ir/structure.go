package ir

import "fmt"

// ScopeInfo describes one scope of a Func. Positions are instruction indices,
// -1 where the scope does not have the instruction.
type ScopeInfo struct {
	Op     Op    // OpIf, OpLoop or OpBlock
	Parent int32 // index of the enclosing scope, -1 at the top
	Start  int32 // the IF, LOOP or BLOCK
	Else   int32 // the ELSE of an IF
	End    int32 // what closes it: END_BLOCK, or the MERGE of an IF or BLOCK
	Merge  int32 // the MERGE; a LOOP's follows its END_BLOCK
	Exits  int32 // YIELDs and BREAKs that reach the MERGE
	Backs  int32 // CONTINUEs of a LOOP
}

// Structure is the scope tree of a Func: what control instructions open, close
// and go to. Its memory is reused.
type Structure struct {
	Scopes []ScopeInfo // in the order of their starts
	// Of gives for each instruction the scope that it belongs to or goes to:
	// IF, ELSE, LOOP, BLOCK, MERGE, END_BLOCK, BLOCK_ARG and DEF_EXT their own,
	// YIELD, BREAK and CONTINUE the target, all others the innermost one around
	// them; -1 at the top.
	Of []int32
}

// Structure finds the scopes of f. It fails if they do not nest and close, if an
// arm is not ended by a terminator, if something follows a terminator, or if
// MERGE and END_BLOCK do not agree with which paths are live (rule 1.5).
func (f *Func) Structure(s *Structure) error {
	open, live, err := f.scan(s)
	switch {
	case err != nil:
		return err
	case open >= 0:
		return structureError(len(f.Insts), "%v at v%d is not closed", s.Scopes[open].Op, s.Scopes[open].Start)
	case live:
		return structureError(len(f.Insts), "the unit does not end in a terminator")
	}
	return nil
}

// scan is Structure for a unit that may still be under construction: open is the
// innermost scope at its end, live tells whether control reaches it.
func (f *Func) scan(s *Structure) (open int32, alive bool, err error) {
	s.Scopes, s.Of = s.Scopes[:0], s.Of[:0]
	c := scopeScan{f: f, Structure: s, cur: -1, live: true, due: -1, last: -1}
	for n, i := range f.Insts {
		at, wrong := c.cur, ""
		if i.Op() != OpNop {
			at, wrong = c.step(n, i)
		}
		if wrong != "" {
			return c.cur, c.live, structureError(n, "%s", wrong)
		}
		s.Of = append(s.Of, at)
	}
	if c.due >= 0 {
		return c.cur, c.live, structureError(len(f.Insts), mergeMissing)
	}
	return c.cur, c.live, nil
}

// scopeScan is where a scan is. Its methods return what is wrong, "" if nothing is.
type scopeScan struct {
	*Structure
	f    *Func
	cur  int32 // innermost open scope
	live bool  // control reaches the next instruction
	due  int32 // a LOOP that was closed and whose MERGE is due
	last int32 // the scope of the last MERGE, for its DEF_EXTs
}

const mergeMissing = "the loop is left by BREAK, but its MERGE is missing"

// step goes over instruction n and returns its scope, as Structure.Of has it.
func (c *scopeScan) step(n int, i Inst) (at int32, wrong string) {
	op := i.Op()
	if c.due >= 0 && op != OpMerge {
		return c.cur, mergeMissing
	}
	at = c.cur
	switch op {
	case OpElse:
		wrong = c.otherwise(n)
	case OpEndBlock:
		wrong = c.endBlock(n)
	case OpMerge:
		at, wrong = c.merge(n)
	case OpDefExt:
		if n == 0 || c.f.Insts[n-1].Op() != OpMerge && c.f.Insts[n-1].Op() != OpDefExt {
			return at, "DEF_EXT does not follow a MERGE"
		}
		at = c.last
	default:
		if !c.live {
			return at, op.String() + " cannot be reached"
		}
		at, wrong = c.reached(n, i)
	}
	if wrong == "" && op.Has(Terminator) {
		c.live = false
	}
	return at, wrong
}

// reached is step for what stands where control comes by.
func (c *scopeScan) reached(n int, i Inst) (at int32, wrong string) {
	at = c.cur
	switch op := i.Op(); op {
	case OpIf, OpLoop, OpBlock:
		at = int32(len(c.Scopes))
		c.Scopes = append(c.Scopes, ScopeInfo{Op: op, Parent: c.cur, Start: int32(n), Else: -1, End: -1, Merge: -1})
		c.cur = at
	case OpBlockArg:
		if at < 0 || c.Scopes[at].Op != OpLoop {
			return at, "BLOCK_ARG outside of a LOOP body"
		}
	case OpYield:
		if at < 0 || c.Scopes[at].Op == OpLoop {
			return at, "YIELD outside of an IF or BLOCK"
		}
		c.Scopes[at].Exits++
	case OpBreak, OpContinue:
		if at, wrong = c.f.target(c.Structure, c.cur, i); wrong != "" {
			return at, wrong
		}
		if op == OpBreak {
			c.Scopes[at].Exits++
		} else {
			c.Scopes[at].Backs++
		}
	}
	return at, ""
}

func (c *scopeScan) otherwise(n int) (wrong string) {
	switch {
	case c.cur < 0 || c.Scopes[c.cur].Op != OpIf || c.Scopes[c.cur].Else >= 0:
		return "ELSE without IF"
	case c.live:
		return "the then arm has no terminator"
	}
	c.Scopes[c.cur].Else = int32(n)
	c.live = true
	return ""
}

func (c *scopeScan) endBlock(n int) (wrong string) {
	if c.cur < 0 {
		return "END_BLOCK without a scope"
	}
	sc := &c.Scopes[c.cur]
	switch {
	case c.live:
		return "END_BLOCK is reached; the scope needs a terminator"
	case sc.Op == OpIf && sc.Else < 0:
		return "IF without ELSE"
	case sc.Op != OpLoop && sc.Exits != 0:
		return "END_BLOCK closes a scope that is left normally; it needs a MERGE"
	}
	sc.End = int32(n)
	if sc.Exits != 0 {
		c.due = c.cur
	}
	c.cur = sc.Parent
	return ""
}

// merge closes an IF or BLOCK, or follows the END_BLOCK of a LOOP.
func (c *scopeScan) merge(n int) (at int32, wrong string) {
	at = c.cur
	if c.due >= 0 {
		at = c.due
	} else if c.cur < 0 {
		return at, "MERGE without a scope"
	}
	sc := &c.Scopes[at]
	switch {
	case c.live:
		return at, "MERGE is reached without a YIELD"
	case sc.Op == OpIf && sc.Else < 0:
		return at, "IF without ELSE"
	case sc.Op == OpLoop && c.due < 0:
		return at, "a LOOP body is closed by END_BLOCK"
	case sc.Exits == 0:
		return at, "MERGE closes a scope that nothing leaves; it needs an END_BLOCK"
	}
	if c.due < 0 {
		sc.End = int32(n)
		c.cur = sc.Parent
	}
	sc.Merge = int32(n)
	c.due, c.last, c.live = -1, at, true
	return at, ""
}

// target resolves the depth of a BREAK or CONTINUE in scope cur.
func (f *Func) target(s *Structure, cur int32, i Inst) (int32, string) {
	if !i.A().IsConst() || i.A().Pool() >= len(f.Consts) {
		return 0, "the depth is not a constant"
	}
	depth := f.ImmOf(i.A())
	for ; cur >= 0; cur = s.Scopes[cur].Parent {
		sc := &s.Scopes[cur]
		if sc.Op == OpIf || i.Op() == OpContinue && sc.Op != OpLoop {
			continue
		}
		if depth == 0 {
			return cur, ""
		}
		depth--
	}
	return 0, "no scope of that depth"
}

func structureError(n int, format string, args ...any) error {
	return &Error{At: n, Msg: fmt.Sprintf(format, args...)}
}

// Error is a mistake in the IR at an instruction (or a line of its text).
type Error struct {
	At  int
	Msg string
}

func (e *Error) Error() string { return fmt.Sprintf("v%d: %s", e.At, e.Msg) }
