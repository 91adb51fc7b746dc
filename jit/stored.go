package jit

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"

	"emu/cache"
	"emu/cache/store"
	"emu/ir"

	"golang.org/x/sys/unix"
)

// A unit's record in the store of code that processes share: lengths, the guest
// words that it was made of, and all of host.Code. A unit is a function of these
// words, its pc and mode, and of what storeKey names; whoever takes one from the
// store compares the words with those in memory.

// recordHead are the fixed fields at a record's start.
type recordHead struct {
	Size    uint32 // bytes of guest code from the pc
	Called  uint32 // 1 if the unit ends in a call
	Spans   uint32 // lengths of what follows
	Code    uint32
	Relocs  uint32
	Exits   uint32
	Entries uint32
	Recipes uint32
	Hot     uint32
}

// unit says of compiled code what its host.Code does not.
type unit struct {
	also   []ir.Span // guest code besides what host.Code covers
	called bool      // it ends in a call
}

func unitOf(f *ir.Func) unit {
	return unit{also: f.Also, called: f.Insts[len(f.Insts)-1].Op() == ir.OpCall}
}

// storeKey names all that the code of units depends on but their words, pc and
// mode: the emulator's own file and the options.
func (e *Engine) storeKey() ([store.KeySize]byte, error) {
	var st unix.Stat_t
	if err := unix.Stat("/proc/self/exe", &st); err != nil {
		return [store.KeySize]byte{}, err
	}
	t, h := e.opts.Translate, e.opts.Host
	t.Guarded, t.CPU = nil, nil
	return sha256.Sum256(fmt.Appendf(nil, "%d %d %d %d %d %s %+v %+v %v", st.Dev, st.Ino, st.Size, st.Mtim.Sec, st.Mtim.Nsec,
		e.opts.Translate.CPU, t, h, tiers[e.opts.Tier].first.count)), nil
}

// openStore opens the store below dir. Only blocks are kept in it.
func (e *Engine) openStore(dir string) error {
	if tiers[e.opts.Tier].first.region || e.opts.Dump != nil || e.opts.Profile != nil {
		return nil
	}
	key, err := e.storeKey()
	if err != nil {
		return err
	}
	e.store, err = store.Open(dir, key)
	return err
}

// Save writes what other processes may use: before the process ends, or becomes
// another program.
func (e *Engine) Save() {
	if e.store != nil {
		e.store.Flush() // what cannot be written is compiled again
	}
}

// Forked begins the life of the engine in a forked child, whose parent saves what
// it has made so far.
func (e *Engine) Forked() {
	if e.store != nil {
		e.store.Drop()
	}
}

// storable reports whether the unit at pc may be in the store: code of a file, that
// nothing marks (FEAT_BTI's guarded pages change what a branch does).
func (c *compiler) storable(pc uint64) bool {
	e := c.engine
	if e.store == nil || e.mem.HasBTI() {
		return false
	}
	c.fetch.reset()
	_, ok := c.fetch.word(pc)
	return ok && c.fetch.file && !c.fetch.guard
}

// restore fills c.code from the store. ok is false if it has no unit for k that
// was made of the words in memory.
func (c *compiler) restore(k cache.Key) (u unit, ok bool) {
	c.engine.store.Find(k.PC, k.Mode, func(record []byte) bool {
		u, ok = c.decode(k, record)
		return !ok
	})
	return u, ok
}

func (c *compiler) decode(k cache.Key, r []byte) (u unit, ok bool) {
	var heads []recordHead
	if heads, r = takeInto(c.heads[:0], r, 1); r == nil {
		return u, false
	}
	c.heads = heads
	h := &heads[0]
	u.called = h.Called != 0
	if u.also, r = takeInto(u.also, r, h.Spans); r == nil {
		return u, false
	}
	if r, ok = c.equal(ir.Span{Start: k.PC, End: k.PC + uint64(h.Size)}, r); !ok {
		return u, false
	}
	for _, s := range u.also {
		if r, ok = c.equal(s, r); !ok {
			return u, false
		}
	}
	code := &c.code
	code.Reset()
	code.PC, code.Size, code.Hot = k.PC, h.Size, int32(h.Hot)
	code.Relocs, r = takeInto(code.Relocs, r, h.Relocs)
	code.Exits, r = takeInto(code.Exits, r, h.Exits)
	code.Map.Entries, r = takeInto(code.Map.Entries, r, h.Entries)
	code.Map.Recipes, r = takeInto(code.Map.Recipes, r, h.Recipes)
	code.Bytes, r = takeInto(code.Bytes, r, h.Code)
	return u, r != nil
}

// equal compares the words at the start of r with those in memory and returns what
// follows them.
func (c *compiler) equal(s ir.Span, r []byte) ([]byte, bool) {
	for pc := s.Start; pc < s.End; pc += 4 {
		if len(r) < 4 {
			return nil, false
		}
		if w, ok := c.fetch.word(pc); !ok || w != binary.LittleEndian.Uint32(r) {
			return nil, false
		}
		r = r[4:]
	}
	return r, true
}

// save keeps c.code for other processes.
func (c *compiler) save(k cache.Key, u unit) {
	code := &c.code
	h := recordHead{Size: code.Size, Spans: uint32(len(u.also)), Code: uint32(len(code.Bytes)), Relocs: uint32(len(code.Relocs)),
		Exits: uint32(len(code.Exits)), Entries: uint32(len(code.Map.Entries)), Recipes: uint32(len(code.Map.Recipes)), Hot: uint32(code.Hot)}
	if u.called {
		h.Called = 1
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
	r = appendRaw(r, code.Relocs)
	r = appendRaw(r, code.Exits)
	r = appendRaw(r, code.Map.Entries)
	r = appendRaw(r, code.Map.Recipes)
	r = append(r, code.Bytes...)
	if c.record = r; ok {
		c.engine.store.Add(k.PC, k.Mode, r)
	}
}

// words appends the words of a span to r. ok is false if they are no longer there.
func (c *compiler) words(r []byte, s ir.Span) (_ []byte, ok bool) {
	for pc := s.Start; pc < s.End; pc += 4 {
		w, ok := c.fetch.word(pc)
		if !ok {
			return r, false
		}
		r = binary.LittleEndian.AppendUint32(r, w)
	}
	return r, true
}
