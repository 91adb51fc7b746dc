package jit

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"sync"
	"sync/atomic"

	"emu/cache"
	"emu/cache/store"
	"emu/cpu"
	"emu/internal/forkall"
	"emu/ir"
	"emu/jit/host"

	"golang.org/x/sys/unix"
)

// A unit's record in the store of code that processes share: lengths, the guest
// words that it was made of, and all of host.Code. A unit is a function of these
// words, its pc and mode, and of what storeKey names; whoever takes one from the
// store compares the words with those in memory. A region is that and the profile it
// was made by, so that any region of a pc will do in any process.

// regionMode marks the mode of a region's record. No cpu.State.CodeMode has this bit.
const regionMode = 1 << 27

// recordHead are the fixed fields at a record's start.
type recordHead struct {
	Size    uint32 // bytes of guest code from the pc
	Called  uint32 // 1 if the unit ends in a call
	Entry   uint32 // 1 if it was arrived at as an entry (see threshold)
	Spans   uint32 // lengths of what follows
	Code    uint32
	Relocs  uint32
	Exits   uint32
	Entries uint32
	Recipes uint32
	Hot     uint32
	LeftOut uint32
	Kept    uint32
	Guesses uint32
	Early   uint32 // 1 if that is what the region's function did (cache.Region)
}

// unit says of compiled code what its host.Code does not.
type unit struct {
	also   []ir.Span     // guest code besides what host.Code covers
	called bool          // it ends in a call
	entry  bool          // it was arrived at as an entry
	region *cache.Region // nil for a basic block

	// Of a unit from a store, views of its file: what host.Code has else.
	code []byte
	pcs  host.PCMap
}

func unitOf(f *ir.Func) unit {
	return unit{also: f.Also, called: f.Insts[len(f.Insts)-1].Op() == ir.OpCall}
}

// bytes is the code of a unit that was built or restored last.
func (c *compiler) bytes(u *unit) []byte {
	if u.code != nil {
		return u.code
	}
	return c.code.Bytes
}

// codeFile names a file where the guest has mapped it: its code has one store.
type codeFile struct {
	dev, ino, base uint64
	bti            bool // it is mapped with guarded pages (FEAT_BTI), which tell the type of some branches
}

// fileOf is the file that a region maps, the zero codeFile if it maps none.
func fileOf(r *cpu.Region) codeFile {
	if r.Flags&unix.MAP_ANONYMOUS != 0 {
		return codeFile{}
	}
	return codeFile{r.Dev, r.Ino, r.Start - r.Offset, r.Prot&cpu.ProtBTI != 0}
}

// codeStores are the stores of the files that the guest runs code of.
type codeStores struct {
	dir    string
	key    string // what code depends on besides its words, pc and mode
	forks  *atomic.Uint32
	noFork sync.Locker // held while a file is written to: no fork may come between (forkall.NoFork)
	mu     sync.Mutex
	open   map[codeFile]*store.Store // nil: it cannot be used
	images map[*store.Store]*codeImage
	failed func(error) // told why, once; may be nil
	// added is one more than forks was when something was added last: a child that has added
	// nothing touches no lock, each of which would be a page to copy.
	added atomic.Uint32
}

func (s *codeStores) noteAdded() {
	if now := s.forks.Load() + 1; s.added.Load() != now {
		s.added.Store(now)
	}
}

// storeKey names all that the code of units depends on but their words, pc and
// mode: the emulator's own file and the options.
func (e *Engine) storeKey() (string, error) {
	var st unix.Stat_t
	if err := unix.Stat("/proc/self/exe", &st); err != nil {
		return "", err
	}
	t, h := e.opts.Translate, e.opts.Host
	t.Guarded, t.CPU = nil, nil
	hot := uint32(0)
	if e.hot != nil {
		hot = e.opts.Hot
	}
	return fmt.Sprintf("%d %d %d %d %d %s %+v %+v %v %d", st.Dev, st.Ino, st.Size, st.Mtim.Sec, st.Mtim.Nsec,
		e.opts.Translate.CPU, t, h, tiers[e.opts.Tier].first.count, hot), nil
}

// initStores makes the engine use stores. Tiers that make regions at once have none.
func (e *Engine) initStores() {
	if e.opts.Store == "" || tiers[e.opts.Tier].first.region || e.opts.Passes != nil || e.opts.Dump != nil || e.opts.Profile != nil {
		return
	}
	key, err := e.storeKey()
	if err != nil {
		return // without /proc
	}
	e.stores = &codeStores{dir: e.opts.Store, key: key, forks: &forkall.Generation, noFork: &forkall.NoFork, open: make(map[codeFile]*store.Store), images: make(map[*store.Store]*codeImage), failed: e.opts.StoreFailed}
}

// of returns the store of a file whose code lies in from..to, nil if it has none.
func (s *codeStores) of(f codeFile, from, to uint64) *store.Store {
	s.mu.Lock()
	defer s.mu.Unlock()
	st, ok := s.open[f]
	if ok {
		return st
	}
	key := sha256.Sum256(fmt.Appendf(nil, "%s %+v", s.key, f))
	s.noFork.Lock() // it may be made
	st, err := store.Open(s.dir, key, store.Code{Start: from, Size: to - from})
	s.noFork.Unlock()
	if err != nil && s.failed != nil {
		s.failed(err)
		s.failed = nil
	}
	if st != nil {
		st.Follow(s.forks, s.noFork)
	}
	s.open[f] = st
	return st
}

// Save writes what other processes may use: before the process ends, or becomes
// another program.
func (e *Engine) Save() {
	if e.stores == nil {
		return
	}
	forks := e.stores.forks.Load()
	program := forks == e.began // that the process executed, or that it is a child of
	if program && e.hot != nil {
		e.hot.finish()
		e.saveUses()
		e.saveCounts()
	}
	added := e.stores.added.Load() == forks+1
	if !added && !program {
		return // images are left to what was executed
	}
	e.stores.mu.Lock()
	defer e.stores.mu.Unlock()
	for f, s := range e.stores.open {
		if s == nil {
			continue
		}
		if added {
			s.Flush() // what cannot be written is compiled again
		}
		e.makeImage(f, s, program)
	}
}

// saveCounts adds what ran in this process to the counts of the stores. Forked children do not:
// that they have run for the parent as well would take a walk over all blocks to know, in each fork.
func (e *Engine) saveCounts() {
	var ran []store.Count // with keys of one mode mostly: counts do not tell modes apart
	e.cache.TakeExecutions(uint64(e.seldom()), func(pc, n uint64) {
		ran = append(ran, store.Count{PC: pc, N: n})
	})
	c := e.pool.Get().(*compiler)
	defer e.pool.Put(c)
	counts := make(map[*store.Store][]store.Count)
	for _, r := range ran {
		if s := c.storeFor(cache.Key{PC: r.PC}); s != nil {
			counts[s] = append(counts[s], r)
		}
	}
	for s, list := range counts {
		s.AddCounts(list) // what cannot be written gets hot later
	}
}

// storeFor returns the store for the unit at k, nil if it is not to be in one: its
// code is no file's, or writable, or it checks memory tags, which few programs ask for.
func (c *compiler) storeFor(k cache.Key) *store.Store {
	e := c.engine
	if e.stores == nil || k.Mode&cpu.ModeTags != 0 {
		return nil
	}
	c.fetch.recheck(e.cache.Generation())
	if _, ok := c.fetch.word(k.PC); !ok || c.fetch.guard || c.fetch.file == (codeFile{}) {
		return nil
	}
	if c.fetch.file != c.storeOf {
		c.storeOf, c.store = c.fetch.file, e.stores.of(c.fetch.file, c.fetch.start, c.fetch.end)
		c.image = e.imageOf(c.store)
	}
	return c.store
}

// restore fills c.code and a unit from c.store with the newest unit for k that was made of the
// words in memory, if there is one: a region, once there is one. It sets c.restored.
func (c *compiler) restore(k cache.Key) (u unit, ok bool) {
	c.store.Find(k.PC, func(r store.Record) bool {
		if r.Mode&^regionMode == k.Mode {
			c.restored = r
			u, ok = c.decode(k, r.Mode, r.Data, true)
		}
		return !ok
	})
	return u, ok
}

// decode is restore for a record of a mode. With compare it fails if the guest words are not those in memory.
func (c *compiler) decode(k cache.Key, mode uint32, r []byte, compare bool) (u unit, ok bool) {
	var heads []recordHead
	if heads, r = takeInto(c.heads[:0], r, 1); r == nil {
		return u, false
	}
	c.heads = heads
	h := &heads[0]
	u.called, u.entry = h.Called != 0, h.Entry != 0
	if u.also, r = takeInto(u.also, r, h.Spans); r == nil {
		return u, false
	}
	if r, ok = c.equal(ir.Span{Start: k.PC, End: k.PC + uint64(h.Size)}, r, compare); !ok {
		return u, false
	}
	for _, s := range u.also {
		if r, ok = c.equal(s, r, compare); !ok {
			return u, false
		}
	}
	if mode == k.Mode|regionMode {
		u.region = &cache.Region{Made: 1, Early: h.Early != 0}
		if u.region.LeftOut, r = takeInto(u.region.LeftOut, r, h.LeftOut); r == nil {
			return u, false
		}
		if u.region.Kept, r = takeInto(u.region.Kept, r, h.Kept); r == nil {
			return u, false
		}
		if u.region.Guesses, r = takeInto(u.region.Guesses, r, h.Guesses); r == nil {
			return u, false
		}
	}
	code := &c.code
	code.Reset()
	code.PC, code.Size, code.Hot = k.PC, h.Size, int32(h.Hot)
	code.Relocs, r = takeInto(code.Relocs, r, h.Relocs)
	code.Exits, r = takeInto(code.Exits, r, h.Exits)
	u.pcs.Entries, r = view[host.PCEntry](r, h.Entries)
	u.pcs.Recipes, r = view[byte](r, h.Recipes)
	u.code, r = view[byte](r, h.Code)
	return u, r != nil
}

// equal compares the words at the start of r with those in memory and returns what
// follows them. Without compare it skips them.
func (c *compiler) equal(s ir.Span, r []byte, compare bool) ([]byte, bool) {
	if !compare {
		n := min(s.End-s.Start, uint64(len(r)))
		return r[n:], n == s.End-s.Start
	}
	for pc := s.Start; pc < s.End; pc += 4 {
		if len(r) < 4 {
			return nil, false
		}
		if w, ok := c.fetch.word(pc); !ok || w != binary.LittleEndian.Uint32(r) || c.fetch.bti != c.storeOf.bti {
			return nil, false
		}
		r = r[4:]
	}
	return r, true
}

// save keeps c.code in c.store, if no guest code has changed since generation gen: its
// words are read here.
func (c *compiler) save(k cache.Key, u unit, gen uint64) {
	code := &c.code
	h := recordHead{Size: code.Size, Spans: uint32(len(u.also)), Code: uint32(len(code.Bytes)), Relocs: uint32(len(code.Relocs)),
		Exits: uint32(len(code.Exits)), Entries: uint32(len(code.Map.Entries)), Recipes: uint32(len(code.Map.Recipes)), Hot: uint32(code.Hot)}
	if u.called {
		h.Called = 1
	}
	if u.entry {
		h.Entry = 1
	}
	mode := k.Mode
	if u.region != nil {
		mode |= regionMode
		h.LeftOut, h.Kept, h.Guesses = uint32(len(u.region.LeftOut)), uint32(len(u.region.Kept)), uint32(len(u.region.Guesses))
		if u.region.Early {
			h.Early = 1
		}
	}
	c.heads = append(c.heads[:0], h)
	r := appendRaw(c.record[:0], c.heads)
	r = appendRaw(r, u.also)
	r, ok := c.words(r, ir.Span{Start: k.PC, End: k.PC + uint64(code.Size)})
	for _, s := range u.also {
		if ok {
			r, ok = c.words(r, s)
		}
	}
	if u.region != nil {
		r = appendRaw(r, u.region.LeftOut)
		r = appendRaw(r, u.region.Kept)
		r = appendRaw(r, u.region.Guesses)
	}
	r = appendRaw(r, code.Relocs)
	r = appendRaw(r, code.Exits)
	r = appendRaw(r, code.Map.Entries)
	r = appendRaw(r, code.Map.Recipes)
	r = append(r, code.Bytes...)
	if c.record = r; ok && c.engine.cache.Generation() == gen {
		c.store.Add(k.PC, mode, r, u.region != nil || c.engine.cache.Dropped())
		c.engine.stores.noteAdded()
	}
}

// words appends the words of a span to r. ok is false if they are no longer there.
func (c *compiler) words(r []byte, s ir.Span) (_ []byte, ok bool) {
	for pc := s.Start; pc < s.End; pc += 4 {
		w, ok := c.fetch.word(pc)
		if !ok || c.fetch.bti != c.storeOf.bti {
			return r, false
		}
		r = binary.LittleEndian.AppendUint32(r, w)
	}
	return r, true
}
