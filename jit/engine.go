// Package jit runs guest code: it translates units on demand, compiles them for
// the host, keeps them in the code cache and dispatches between them. On hosts
// without a backend, and when asked to, it interprets the IR instead.
package jit

import (
	"fmt"
	"io"
	"sync"

	"emu/cache"
	"emu/cpu"
	"emu/ir/opt"
	"emu/jit/host"
	"emu/jit/profile"
	"emu/translate"
)

// Options configure an Engine.
type Options struct {
	Tier      Tier
	Hot       uint32 // executions that make a unit hot in tier Auto, 0 = DefaultHot
	Cold      uint32 // executions of a block in tier 0 before it is compiled in tier Auto, at most MaxCold
	CacheSize int    // bytes of code memory, 0 = cache.DefaultSize
	Translate translate.Options
	Host      host.Options
	HostLimit uint64            // the features of the host that code may use, 0: all
	Passes    []opt.Pass        // of tier 2, nil: opt.Passes
	Dump      *Dump             // nil = off
	Profile   *profile.Profiler // nil = off
	Trace     *Trace            // nil = off; else guest code is interpreted
	Alone     bool              // until Memory.OnCompany says otherwise, one thread runs the guest
	// Store is the directory of the code that processes share, "" for none. If it
	// cannot be used, Options.StoreFailed is told why.
	Store       string
	StoreFailed func(error)
}

// Engine is the part of the JIT that all threads of a process share.
type Engine struct {
	mem      *cpu.Memory
	opts     Options
	cache    *cache.Cache
	stubs    [host.NumStubs]uintptr
	pool     sync.Pool     // of *compiler
	programs *programCache // of the interpreter
	family   family
	hot      *hotQueue   // nil: nothing gets hot
	cold     *coldCounts // nil: all is compiled at once
	stores   *codeStores // nil: code is not shared with other processes
	stats    Counters
	began    uint32 // forkall.Generation when the process began to run its program, see Dispatcher.Renew

	interpreted interpretedThreads
}

// New makes the engine of the process. There can be one only if it generates
// code (Tier other than Interp), since signal handlers belong to the process.
func New(mem *cpu.Memory, o Options) (*Engine, error) {
	e := &Engine{mem: mem, opts: o}
	if o.CacheSize == 0 {
		e.opts.CacheSize = cache.DefaultSize
	}
	e.pool.New = func() any { return newCompiler(e) }
	if o.Hot == 0 {
		e.opts.Hot = DefaultHot
	}
	if o.Trace != nil || !haveBackend && !o.Tier.interprets() {
		e.opts.Tier = Interp
	}
	if e.opts.Tier.interprets() {
		e.programs = newProgramCache()
		mem.OnCodeChange(e.programs.invalidate)
		return e, nil
	}
	c, err := cache.New(e.opts.CacheSize)
	if err != nil {
		return nil, err
	}
	e.cache = c
	if tiers[e.opts.Tier].hot != nil {
		e.hot = newHotQueue(e, o.Hot == 0)
	}
	mem.OnCodeChange(c.Invalidate)
	if o.Alone {
		c.Unlock()
		mem.OnCompany(c.Lock)
	}
	if err := e.initHost(); err != nil {
		return nil, err
	}
	e.initStores()
	e.initCold()
	return e, nil
}

// NewRunner returns a Runner for the guest thread of s. It fails if memory is short.
func (e *Engine) NewRunner(s *cpu.State) (cpu.Runner, error) {
	if e.opts.Tier.interprets() {
		e.interpreted.add()
	}
	switch {
	case e.opts.Trace != nil:
		return &tracer{newInterpreter(e), e.opts.Trace}, nil
	case e.opts.Tier.interprets():
		return newInterpreter(e), nil
	}
	return newDispatcher(e, s)
}

// WriteStats prints what the engine counted.
func (e *Engine) WriteStats(w io.Writer) {
	e.stats.write(w)
	if e.cache != nil {
		s := e.cache.Stats()
		fmt.Fprintf(w, "cache: %d blocks, %d links, %d invalidated, %d replaced, %d evictions, %d sweeps of %d bytes\n",
			s.Blocks, s.Links, s.Invalidated, s.Replaced, s.Evictions, s.Sweeps, s.FreedBytes)
		guest := float64(max(s.GuestBytes, 1))
		fmt.Fprintf(w, "memory: %d guest bytes, %d host bytes (%.1f for each), %d bytes of metadata (%.1f)\n",
			s.GuestBytes, s.HostBytes, float64(s.HostBytes)/guest, s.MetaBytes, float64(s.MetaBytes)/guest)
	}
}
