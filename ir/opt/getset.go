package opt

import "emu/ir"

// GetSet eliminates reads of guest registers whose value is known and writes
// that nothing can see: each path from them writes the register again before an
// exit, a fault or a read of it. It assumes nothing and leaves the guest state
// exact wherever it can be looked at.
func GetSet(w *Work, f *ir.Func) {
	w.rebuild.Forward = true
	w.again(f)
	if f.Structure(&w.scopes) != nil {
		panic("the unit's scopes are broken")
	}
	w.regs.run(f, &w.scopes)
}

// liveRegs is the backward analysis of the registers that may be seen before
// they are written again.
type liveRegs struct {
	f      *ir.Func
	s      *ir.Structure
	after  []ir.RegSet // by scope: live behind its MERGE
	header []ir.RegSet // by scope: live at the start of a LOOP's body
	other  []ir.RegSet // by scope: live at the start of an IF's else arm
}

var allRegs = ir.RegSet{X: ^uint32(0), V: ^uint32(0), NZCV: true}

// run kills the dead SETs. Loops make it iterate: what is live at a header grows
// from nothing until it does not change any more.
func (l *liveRegs) run(f *ir.Func, s *ir.Structure) {
	l.f, l.s = f, s
	n := len(s.Scopes)
	l.after, l.header, l.other = resize(l.after, n), resize(l.header, n), resize(l.other, n)
	clear(l.header)
	for l.walk(false) {
	}
	l.walk(true)
}

// walk goes through the unit backwards once and reports whether a loop header
// changed. With kill set it deletes the SETs that are dead.
func (l *liveRegs) walk(kill bool) (changed bool) {
	var live ir.RegSet
	for n := len(l.f.Insts) - 1; n >= 0; n-- {
		i := l.f.Insts[n]
		op := i.Op()
		scope := l.s.Of[n]
		switch op {
		case ir.OpMerge:
			l.after[scope] = live
		case ir.OpYield, ir.OpBreak:
			live = l.after[scope]
		case ir.OpContinue:
			live = l.header[scope]
		case ir.OpElse:
			l.other[scope] = live
		case ir.OpIf:
			live = live.Union(l.other[scope])
		case ir.OpLoop:
			if live != l.header[scope] {
				l.header[scope] = live
				changed = true
			}
		case ir.OpSetX, ir.OpSetV, ir.OpSetNZCV:
			reg := register(l.f, i)
			if kill && live.Minus(reg) == live {
				l.f.Kill(n)
				continue
			}
			live = live.Minus(reg)
		case ir.OpGetX, ir.OpGetV, ir.OpGetNZCV:
			live = live.Union(register(l.f, i))
		default:
			if observes(op) {
				live = allRegs
			}
		}
	}
	return changed
}

// observes reports whether the guest state can be looked at when op executes:
// it leaves the unit, may fault or runs code that knows the state.
func observes(op ir.Op) bool {
	switch op {
	case ir.OpInsn:
		return false // a mark; what faults behind it observes by itself
	case ir.OpFence, ir.OpPrefetch, ir.OpClrEx, ir.OpMonitor, ir.OpCounter, ir.OpRandom, ir.OpCopyUp, ir.OpCopyDown:
		return false
	}
	return op.Has(ir.Terminator | ir.MemRead | ir.MemWrite | ir.Effect)
}

// register is the register that a GET or SET names.
func register(f *ir.Func, i ir.Inst) ir.RegSet {
	switch i.Op() {
	case ir.OpGetX, ir.OpSetX:
		return ir.RegSet{X: 1 << (f.ImmOf(i.A()) & 31)}
	case ir.OpGetV, ir.OpSetV:
		return ir.RegSet{V: 1 << (f.ImmOf(i.A()) & 31)}
	}
	return ir.RegSet{NZCV: true}
}
