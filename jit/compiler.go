package jit

import (
	"fmt"
	"slices"

	"emu/cache"
	"emu/cache/store"
	"emu/cpu"
	"emu/ir"
	"emu/ir/opt"
	"emu/jit/host"
	"emu/translate"

	"golang.org/x/sys/unix"
)

// compiler is what one thread needs to compile one unit: it is reused.
type compiler struct {
	engine   *Engine
	tr       *translate.Translator
	backend  host.Backend
	code     host.Code
	fetch    fetcher
	word     func(pc uint64) (uint32, bool) // fetch's, made once
	onward   func(pc uint64) bool           // see host.Backend, made once
	guarded  bool                           // the unit that Template makes is in guarded pages (FEAT_BTI)
	work     *opt.Work                      // of the passes, made when there are some
	passed   bool                           // the unit went through passes
	raw      string                         // the unit before them, for dumps
	covered  int                            // guest instructions of the unit
	place    ir.Func                        // of the unit, if it is made without IR
	relocs   []cache.Reloc
	keep     keeper
	storeOf  codeFile
	store    *store.Store // of storeOf
	image    *codeImage   // of store, nil if it has none
	heads    []recordHead // room for one
	record   []byte       // of the unit that is saved
	ahead    restoredAhead
	restored store.Record   // the last one
	batch    []*cache.Block // room for those that are compiled together
}

func newCompiler(e *Engine) *compiler {
	c := &compiler{engine: e, fetch: fetcher{mem: e.mem}}
	c.word = c.fetch.word
	c.onward = func(pc uint64) bool { return c.coldDone(pc) && c.bti(pc) == c.guarded }
	return c
}

// fetcher reads guest code. It remembers the last region and the last few
// instructions that it found.
type fetcher struct {
	mem        *cpu.Memory
	start, end uint64
	guard      bool     // the region is writable: guard what is read
	bti        bool     // its pages are guarded (FEAT_BTI)
	once       bool     // what is read is executed once and not kept: guard nothing
	file       codeFile // of the region, if it is a file's
	guardedEnd uint64   // of the page that was guarded last, 0 = none: that at 0 may be one
	gen        uint64   // see recheck
	chunkEnd   uint64   // where what is in chunk ends, 0 = it is empty
	chunk      codeChunk
}

// reset makes the fetcher look at the address space again.
func (f *fetcher) reset() { f.start, f.end, f.guardedEnd, f.chunkEnd = 0, 0, 0, 0 }

// recheck is reset if executable memory has changed since the last time: gen is
// Cache.Generation. Nothing that was read has changed else, as it is guarded or cannot
// be written.
func (f *fetcher) recheck(gen uint64) {
	if gen != f.gen {
		f.reset()
		f.gen = gen
	}
}

// word reads the instruction at pc, which is 4-byte aligned. ok is false where
// the guest has no executable memory. Writable pages are guarded before the
// first word is read, so that no store goes unnoticed.
func (f *fetcher) word(pc uint64) (w uint32, ok bool) {
	if pc < f.start || pc >= f.end {
		r, ok := f.mem.Find(pc)
		if !ok || r.Prot&unix.PROT_EXEC == 0 {
			return 0, false
		}
		f.start, f.end, f.guard, f.bti = r.Start, r.End, r.Prot&unix.PROT_WRITE != 0, r.Prot&cpu.ProtBTI != 0
		f.file = fileOf(&r)
	}
	if end := pc&^(cpu.PageSize-1) + cpu.PageSize; f.guard && !f.once && end != f.guardedEnd {
		f.mem.GuardCode(end-cpu.PageSize, end)
		f.guardedEnd, f.chunkEnd = end, 0
	}
	if end := pc&^(chunkSize-1) + chunkSize; end != f.chunkEnd {
		f.chunkEnd = 0
		if !f.chunk.read(end - chunkSize) {
			return 0, false
		}
		f.chunkEnd = end
	}
	return f.chunk[pc%chunkSize/4], true
}

// bti reports whether pc is in a guarded page (FEAT_BTI).
func (c *compiler) bti(pc uint64) bool {
	_, ok := c.fetch.word(pc &^ 3)
	return ok && c.fetch.bti
}

// needTranslator makes what compiling takes: a process may find all of its code in the
// store.
func (c *compiler) needTranslator() {
	if c.tr == nil {
		c.tr, c.backend = translate.New(c.engine.opts.Translate), newBackend()
	}
}

// unit translates the unit at k as p says. The caller has reset the fetcher. Pages that cannot be read although
// they are mapped (a truncated file) end it like unmapped ones.
func (c *compiler) unit(k cache.Key, p *plan, executed *translate.Profile) (f *ir.Func) {
	c.needTranslator()
	c.passed, c.raw = p.region, ""
	c.tr.SetMode(k.Mode)
	if !p.region {
		return c.tr.Block(k.PC, c.fetch.word)
	}
	f = c.tr.Region(k.PC, c.fetch.word, executed)
	if d := c.engine.opts.Dump; d != nil && d.Stages["ir"] {
		c.raw = f.String()
	}
	if c.work == nil {
		c.work = opt.NewWork()
	}
	passes := p.passes
	if own := c.engine.opts.Passes; own != nil {
		passes = own
	}
	opt.Run(c.work, f, passes, nil)
	return f
}

// options are the backend's for the unit at k.
func (c *compiler) options(k cache.Key, p *plan) host.Options {
	o := c.engine.opts.Host
	o.AtomicPairs, o.FastPAC = c.engine.opts.Translate.CPU.LSE2(), c.engine.opts.Translate.CPU.FastPAC()
	o.FPCR, o.Count, o.AlignLoops = cpu.FPCROf(k.Mode), p.count, p.region
	if c.engine.hot != nil && !p.region {
		o.Note = noteEvery(c.engine.opts.Hot)
	}
	return o
}

// template compiles the block at k into c.code without IR, if p says so and that is
// possible. f has its place only.
func (c *compiler) template(k cache.Key, p *plan) (f *ir.Func, u unit, ok bool) {
	e := c.engine
	if !p.template || e.opts.Dump.showsIR() || k.Mode&cpu.ModesBesideFPCR != 0 {
		return nil, u, false
	}
	c.needTranslator()
	opts := c.options(k, p)
	opts.Guarded = c.bti(k.PC)
	c.guarded = opts.Guarded
	if !c.backend.Template(k.PC, e.opts.Translate.MaxInsts, c.word, c.onward, opts, &c.code) {
		return nil, u, false
	}
	c.place.PC, c.place.Size = k.PC, c.code.Size
	u.also = c.code.Also
	c.passed, c.covered = false, int(c.code.Size/4)
	for _, s := range u.also {
		c.covered += int(s.End-s.Start) / 4
	}
	e.stats.template(c.covered)
	for _, x := range c.code.Exits {
		u.called = u.called || x.Kind == host.SiteCall
	}
	return &c.place, u, true
}

// build translates the unit at k and compiles it into c.code. A region that needs
// more than the backend has is cut down to a block.
func (c *compiler) build(k cache.Key, p *plan, executed *translate.Profile) (*ir.Func, error) {
	e := c.engine
	opts := c.options(k, p)
	f := c.unit(k, p, executed)
	err := c.backend.Compile(f, opts, &c.code)
	if err != nil && p.region {
		f = c.unit(k, &irPlan, nil)
		err = c.backend.Compile(f, opts, &c.code)
	}
	if err == nil {
		c.covered = c.tr.Covered()
		e.stats.translated(f, c.covered)
	}
	return f, err
}

// lastOf is the pc of the last instruction of a unit.
func lastOf(code *host.Code, u *unit) uint64 {
	if n := len(u.also); n > 0 && u.region == nil {
		return u.also[n-1].End - 4
	}
	return code.PC + uint64(max(code.Size, 4)) - 4
}

// block makes what the cache keeps from the code that build left. The relocations
// are valid until the next unit.
func (c *compiler) block(k cache.Key, u unit) (*cache.Block, []cache.Reloc) {
	e := c.engine
	b := c.keep.block(&c.code, &u)
	b.Key, b.Size = k, max(c.code.Size, 4)
	b.Also = append(b.Also, u.also...)
	b.Region = u.region
	last := lastOf(&c.code, &u)
	for i, x := range c.code.Exits {
		site := last
		if x.Site != 0 {
			site = k.PC + 4*uint64(x.Site-1)
		}
		entry := u.called && x.Site == 0 || x.Kind == host.SiteRet || x.Target <= site || u.region != nil && slices.Contains(u.region.LeftOut, x.Target)
		b.Exits[i] = cache.Exit{Target: x.Target, Patch: uint32(x.Patch), Stub: uint32(x.Cold), End: uint32(x.End), Site: x.Site, Entry: entry}
	}
	c.relocs = c.relocs[:0]
	for _, r := range c.code.Relocs {
		to := e.stubs[r.Target]
		if r.Target == host.Targets {
			to = e.cache.Notes(last)
		}
		c.relocs = append(c.relocs, cache.Reloc{Offset: uint32(r.Off), Tail: r.Tail, To: to, Counter: r.Target == host.Counter, Lock: r.Target == host.Lock})
	}
	return b, c.relocs
}

// compile translates and installs the unit at k, or returns the one that another
// thread has just installed; entry says how it was arrived at (see threshold).
// Units of no guest code are installed as well: they leave at once, and the
// address space's observers drop them when memory appears there.
func (c *compiler) compile(t *cache.Thread, k cache.Key, entry bool) *cache.Block {
	e := c.engine
	p := tiers[e.opts.Tier].first
	if p.count && e.hot == nil {
		p = &blockPlan
	}
	if e.opts.Profile != nil {
		p = p.counted()
	}
	from := c.storeFor(k)
	for {
		gen := e.cache.Generation()
		c.fetch.recheck(gen)
		var f *ir.Func
		u, restored := unit{}, false
		if from != nil && c.image != nil {
			b, changed := c.adopt(k, gen)
			if changed {
				continue
			}
			if b != nil {
				return b
			}
		}
		if from != nil && (from.Foreign() || e.cache.Dropped()) { // else what there is it has
			u, restored = c.restore(k)
		}
		made := restored
		if !made {
			f, u, made = c.template(k, p)
		}
		if !made {
			var err error
			if f, err = c.build(k, p, nil); err != nil {
				panic(fmt.Sprintf("BUG: jit: unit at %#x: %v\n%s", k.PC, err, f))
			}
			u = unitOf(f)
		}
		if !restored {
			u.entry = entry
		}
		b, installed := c.install(t, k, u, p, from, gen)
		if installed == nil {
			continue // the guest changed its code meanwhile
		}
		switch {
		case installed != b:
		case restored:
			e.stats.took(u)
			c.restoreAhead(t, b, gen)
		default:
			c.made(k, f, u, b, p, from, gen)
			c.follow(t, b, p, gen)
		}
		return installed
	}
}

// install installs the unit that was built or restored last; from is its store or nil. As
// Cache.Install does it returns the block to run besides, nil if the translation has to be
// repeated.
func (c *compiler) install(t *cache.Thread, k cache.Key, u unit, p *plan, from *store.Store, gen uint64) (b, installed *cache.Block) {
	e := c.engine
	b, relocs := c.block(k, u)
	if p.count && b.Region == nil {
		b.Count = c.leftOf(e.threshold(p, u.entry), k, from)
	}
	installed = e.cache.Install(t, b, c.bytes(&u), relocs, gen)
	if installed != nil {
		e.cold.warmed(k.PC)
	}
	return b, installed
}

// made tells those who want to know of a unit that was built and installed.
func (c *compiler) made(k cache.Key, f *ir.Func, u unit, b *cache.Block, p *plan, from *store.Store, gen uint64) {
	for _, pc := range c.code.Onward {
		c.engine.cold.warmed(pc) // no other block need go on there
	}
	c.engine.opts.Dump.unit(c, f, b)
	c.engine.profiled(c, f, b, p)
	if from != nil {
		c.save(k, u, gen)
	}
}
