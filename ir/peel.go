package ir

// PeelLoop builds
//
//	while cond { body }
//
// by iterative peeling (seed 000, Loop Construction), for callers that cannot
// tell in advance which registers the loop writes. The first iteration is built
// as an IF and serves as a probe: the registers that differ at its end from the
// snapshot before are the loop's arguments. The loop is built behind it with a
// clone of the condition and the body, in which these registers are the loop's
// arguments.
//
// cond emits the condition and returns it; the probe and the loop both evaluate
// it for the same state, so it must not write. body emits one iteration. It may
// read and write registers, open and close scopes and leave the unit. Neither
// uses other values from before the loop that an iteration changes, or a Break or
// Continue beyond scopes of its own. The code of an iteration is built twice: a
// caller near the limit of instructions has to end the unit before.
func (b *Builder) PeelLoop(cond func() Value, body func()) {
	// The probe reads registers from the state, so that the clone can tell the
	// loop's inputs from other values; a constant would be folded into the code.
	dirty := b.regs.dirty
	b.regs.clear()
	b.regs.dirty = dirty
	start := len(b.Insts)
	c := cond()
	bodyAt := len(b.Insts) + 1
	if b.regs.dirty != dirty || !b.written(start, bodyAt-1).Empty() {
		panic("BUG: ir.Builder: the condition of a peeled loop writes registers")
	}
	b.If(c)
	body()
	end := len(b.Insts)
	changed := b.regs.dirty
	exits := b.dead
	b.Else()
	b.End()
	if exits {
		return // there is no back edge
	}

	r := Rebuilder{Forward: true}
	b.LoopRegs(changed)
	r.again(b, start, bodyAt-1)
	if c.IsSSA() && int(c) >= start {
		c = r.val[c]
	}
	b.If(c)
	r.more(b, bodyAt, end)
	if !b.dead {
		b.Continue(0)
	}
	b.Else()
	b.Break(0)
	b.End()
	b.End()
}

// written are the registers that the instructions from..to set.
func (f *Func) written(from, to int) (set RegSet) {
	for _, i := range f.Insts[from:to] {
		if n, ok := f.setRegister(i); ok {
			set.add(n)
		}
	}
	return set
}

// more goes on with the clone that again began.
func (r *Rebuilder) more(b *Builder, from, to int) {
	for n := from; n < to; n++ {
		n = r.inst(n)
	}
}
