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
	var (
		cur  = int32(-1) // innermost open scope
		live = true
		wait = int32(-1) // a LOOP that was closed and whose MERGE is due
		last = int32(-1) // the scope of the last MERGE, for its DEF_EXTs
	)
	for n, i := range f.Insts {
		op := i.Op()
		at := cur
		if op == OpNop {
			s.Of = append(s.Of, cur)
			continue
		}
		if wait >= 0 && op != OpMerge {
			return cur, live, structureError(n, "the loop is left by BREAK, but its MERGE is missing")
		}
		switch op {
		case OpElse, OpMerge, OpEndBlock, OpDefExt:
		default:
			if !live {
				return cur, live, structureError(n, "%v cannot be reached", op)
			}
		}
		switch op {
		case OpIf, OpLoop, OpBlock:
			at = int32(len(s.Scopes))
			s.Scopes = append(s.Scopes, ScopeInfo{Op: op, Parent: cur, Start: int32(n), Else: -1, End: -1, Merge: -1})
			cur = at
		case OpBlockArg:
			if cur < 0 || s.Scopes[cur].Op != OpLoop {
				return cur, live, structureError(n, "BLOCK_ARG outside of a LOOP body")
			}
		case OpElse:
			if cur < 0 || s.Scopes[cur].Op != OpIf || s.Scopes[cur].Else >= 0 {
				return cur, live, structureError(n, "ELSE without IF")
			}
			if live {
				return cur, live, structureError(n, "the then arm has no terminator")
			}
			s.Scopes[cur].Else = int32(n)
			live = true
		case OpYield:
			if cur < 0 || s.Scopes[cur].Op == OpLoop {
				return cur, live, structureError(n, "YIELD outside of an IF or BLOCK")
			}
			s.Scopes[cur].Exits++
		case OpBreak, OpContinue:
			target, err := f.target(s, cur, i)
			if err != "" {
				return cur, live, structureError(n, "%s", err)
			}
			at = target
			if op == OpBreak {
				s.Scopes[at].Exits++
			} else {
				s.Scopes[at].Backs++
			}
		case OpEndBlock:
			if cur < 0 {
				return cur, live, structureError(n, "END_BLOCK without a scope")
			}
			sc := &s.Scopes[cur]
			switch {
			case live:
				return cur, live, structureError(n, "END_BLOCK is reached; the scope needs a terminator")
			case sc.Op == OpIf && sc.Else < 0:
				return cur, live, structureError(n, "IF without ELSE")
			case sc.Op != OpLoop && sc.Exits != 0:
				return cur, live, structureError(n, "END_BLOCK closes a scope that is left normally; it needs a MERGE")
			}
			sc.End = int32(n)
			if sc.Exits != 0 {
				wait = cur
			}
			cur = sc.Parent
		case OpMerge:
			if wait >= 0 {
				at = wait
			} else if cur < 0 {
				return cur, live, structureError(n, "MERGE without a scope")
			}
			sc := &s.Scopes[at]
			switch {
			case live:
				return cur, live, structureError(n, "MERGE is reached without a YIELD")
			case sc.Op == OpIf && sc.Else < 0:
				return cur, live, structureError(n, "IF without ELSE")
			case sc.Op == OpLoop && wait < 0:
				return cur, live, structureError(n, "a LOOP body is closed by END_BLOCK")
			case sc.Exits == 0:
				return cur, live, structureError(n, "MERGE closes a scope that nothing leaves; it needs an END_BLOCK")
			}
			if wait < 0 {
				sc.End = int32(n)
				cur = sc.Parent
			}
			sc.Merge = int32(n)
			wait, last, live = -1, at, true
		case OpDefExt:
			if n == 0 || f.Insts[n-1].Op() != OpMerge && f.Insts[n-1].Op() != OpDefExt {
				return cur, live, structureError(n, "DEF_EXT does not follow a MERGE")
			}
			at = last
		}
		if op.Has(Terminator) {
			live = false
		}
		s.Of = append(s.Of, at)
	}
	if wait >= 0 {
		return cur, live, structureError(len(f.Insts), "the loop is left by BREAK, but its MERGE is missing")
	}
	return cur, live, nil
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
