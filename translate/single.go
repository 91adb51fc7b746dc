package translate

import "emu/ir"

// Single translates only the instruction at pc, for an engine that has to step.
func (t *Translator) Single(pc uint64, fetch Fetch) *ir.Func {
	limit := t.opts.MaxInsts
	defer func() { t.opts.MaxInsts = limit }()
	t.opts.MaxInsts = 1
	return t.Block(pc, fetch)
}
