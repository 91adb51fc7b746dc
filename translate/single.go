package translate

import "emu/ir"

// Single translates only the instruction at pc, for an engine that has to step. It
// does what instructions of other units leave for with cpu.ExitTag.
func (t *Translator) Single(pc uint64, fetch Fetch) *ir.Func {
	limit, tags := t.opts.MaxInsts, t.tags
	defer func() { t.opts.MaxInsts, t.tags = limit, tags }()
	t.opts.MaxInsts = 1
	if t.tags == tagsChecked {
		t.tags = tagsExact
	}
	return t.Block(pc, fetch)
}
