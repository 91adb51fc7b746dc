package opt

import "emu/ir"

// DCE removes what nothing needs: pure operations and GETs without users, results
// of MERGEs and loop arguments that are not read, cycles of loop arguments that
// only feed each other. It assumes nothing and leaves every value live; removed
// instructions are NOPs unless a scope had to change.
func DCE(w *Work, f *ir.Func) {
	if f.Structure(&w.scopes) != nil {
		panic("the unit's scopes are broken")
	}
	w.mark.run(f, &w.scopes)
	dead, flows := 0, 0
	for n := range f.Insts {
		if w.mark.live[n] {
			continue
		}
		dead++
		switch f.Insts[n].Op() {
		case ir.OpMerge, ir.OpDefExt, ir.OpBlockArg:
			flows++
		}
	}
	switch {
	case flows > 0:
		w.rebuild.Live = w.mark.live
		w.again(f)
	case dead > 0:
		for n := len(f.Insts) - 1; n >= 0; n-- {
			if !w.mark.live[n] {
				f.Kill(n)
			}
		}
	}
}

// marker finds the live instructions, starting from those with effects.
type marker struct {
	f     *ir.Func
	s     *ir.Structure
	live  []bool
	work  []ir.Value
	flows flows
	args  []ir.Value
}

func (m *marker) run(f *ir.Func, s *ir.Structure) {
	m.f, m.s = f, s
	m.live = resize(m.live, len(f.Insts))
	clear(m.live)
	m.work = m.work[:0]
	m.flows.find(f, s)
	for n, i := range f.Insts {
		if !removable(i.Op()) && f.Types[n] == ir.Void || !removable(i.Op()) && !flow(i.Op()) {
			m.live[n] = true
			m.root(n, i)
		}
	}
	for len(m.work) > 0 {
		v := m.work[len(m.work)-1]
		m.work = m.work[:len(m.work)-1]
		m.operands(int(v))
	}
}

// removable reports whether an instruction without users may go. Loads may
// fault and floating-point operations leave flags in FPSR, so they stay.
func removable(op ir.Op) bool {
	return op.Has(ir.Pure) || op.Has(ir.StateRead) && !op.Has(ir.StateWrite)
}

// flow reports whether op defines a value that flows in from elsewhere.
func flow(op ir.Op) bool {
	return op == ir.OpMerge || op == ir.OpDefExt || op == ir.OpBlockArg
}

// root needs the operands of an instruction that stays in any case. What YIELD,
// BREAK, CONTINUE and LOOP pass along is needed only if it is received.
func (m *marker) root(n int, i ir.Inst) {
	switch i.Op() {
	case ir.OpYield, ir.OpBreak, ir.OpContinue, ir.OpLoop, ir.OpArgExt:
		return
	}
	m.args = m.f.Operands(n, m.args[:0])
	for _, v := range m.args {
		m.need(v)
	}
}

func (m *marker) need(v ir.Value) {
	if v.IsSSA() && !m.live[v] {
		m.live[v] = true
		m.work = append(m.work, v)
	}
}

// operands needs what the live value of instruction n is computed from.
func (m *marker) operands(n int) {
	i := m.f.Insts[n]
	switch i.Op() {
	case ir.OpMerge, ir.OpDefExt:
		scope := m.s.Of[n]
		result := n - int(m.s.Scopes[scope].Merge)
		for c := m.flows.leaves.of(scope); c.first >= 0; c.first = c.next[c.first] {
			m.passed(int(c.first), result)
		}
	case ir.OpBlockArg:
		scope := m.s.Of[n]
		arg := int(m.f.ImmOf(i.A()))
		for c := m.flows.backs.of(scope); c.first >= 0; c.first = c.next[c.first] {
			m.passed(int(c.first), arg)
		}
	default:
		for k := range 3 {
			m.need(i.Arg(k))
		}
	}
}

// passed needs value k of those that instruction n passes along.
func (m *marker) passed(n, k int) {
	switch m.f.Insts[n].Op() {
	case ir.OpBreak, ir.OpContinue:
		k++ // behind the depth
	}
	m.args = m.f.Operands(n, m.args[:0])
	m.need(m.args[k])
}
