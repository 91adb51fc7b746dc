package jit

import (
	"cmp"
	"slices"

	"emu/cache"
	"emu/cpu"
	"emu/decoder"
	"emu/ir"
	"emu/jit/profile"
)

// counted is p for an engine that is profiled: all of its code counts.
func (p *plan) counted() *plan {
	c := *p
	c.count = true
	return &c
}

// tierName is the tier that makes units as p says.
func (p *plan) tierName() string {
	if p.region {
		return tiers[Tier2].name
	}
	return tiers[Tier1].name
}

// ranOut serves a counter that reached zero: its unit is hot, unless it only counts.
func (e *Engine) ranOut(k cache.Key) {
	if e.hot != nil {
		e.hot.request(k)
	} else if b := e.cache.Lookup(k); b != nil {
		e.cache.SetCounter(b, b.Count)
	}
}

// profiled tells the profiler of b, which was made of f as p says.
func (e *Engine) profiled(c *compiler, f *ir.Func, b *cache.Block, p *plan) {
	if e.opts.Profile == nil {
		return
	}
	u := &profile.Unit{
		PC: b.PC, Size: uint64(b.Size), Also: b.Also, Tier: p.tierName(),
		Addr: b.Addr, Code: b.Code(), Host: int(b.Len),
		Executions: func() uint64 { return e.cache.Executions(b) },
	}
	u.Guest = c.listing(u, f)
	e.opts.Profile.Add(u)
}

// profileInterpreted tells the profiler of a unit that is interpreted.
func (e *Engine) profileInterpreted(c *compiler, f *ir.Func) {
	if e.opts.Profile == nil {
		return
	}
	u := &profile.Unit{PC: f.PC, Size: uint64(f.Size), Also: append([]ir.Span(nil), f.Also...), Tier: e.opts.Tier.String()}
	u.Guest = c.listing(u, f)
	e.opts.Profile.Add(u)
}

// listing is the guest code that u was made of, which f is the IR of, as far as it can be read. What is inlined
// stands behind it.
func (c *compiler) listing(u *profile.Unit, f *ir.Func) (lines []profile.Line) {
	for _, pc := range translated(u, f) {
		if word, ok := c.fetch.word(pc); ok {
			lines = append(lines, profile.Line{PC: pc, Word: word, Text: decoder.Decode(word).Disasm(pc)})
		}
	}
	return lines
}

// translated returns the addresses of the instructions that u has. Regions leave out some of the code between
// their first instruction and their last one; blocks that templates made have no IR, and all of it.
func translated(u *profile.Unit, f *ir.Func) (pcs []uint64) {
	for _, in := range f.Insts {
		if in.Op() == ir.OpInsn {
			pcs = append(pcs, f.ImmOf(in.A()))
		}
	}
	if len(pcs) == 0 {
		for _, s := range append([]ir.Span{{Start: u.PC, End: u.PC + u.Size}}, u.Also...) {
			for pc := s.Start; pc < s.End; pc += 4 {
				pcs = append(pcs, pc)
			}
		}
	}
	slices.SortFunc(pcs, func(a, b uint64) int { return cmp.Compare(a-u.PC, b-u.PC) }) // what is in front of the unit comes last
	return slices.Compact(pcs)
}

// attach has the profiler, if there is one, sample the calling thread.
func (e *Engine) attach(s *cpu.State) *profile.Thread {
	if e.opts.Profile == nil {
		return nil
	}
	return e.opts.Profile.Attach(s)
}
