package jit

import (
	"sync"

	"emu/cpu"
	"emu/internal/forkall"
)

// CanRenew is cpu.Runner's. The background compiler may not have anything to do: it would go on with
// what is gone. What a large program leaves in Go's heap the next one would carry along.
func (d *Dispatcher) CanRenew() bool {
	e := d.engine
	const most = 8 << 20 // bytes of what is kept about code, in Go's heap
	return e.opts.Alone && e.opts.Dump == nil && e.opts.Profile == nil && (e.hot == nil || e.hot.idle()) && e.cache.Stats().MetaBytes < most
}

// Renew is cpu.Runner's. All that is left of the engine is code memory with the stubs.
func (d *Dispatcher) Renew(s *cpu.State) {
	e := d.engine
	e.cache.Clear(d.thread)
	e.cache.Unlock()
	e.pool = sync.Pool{New: e.pool.New}
	if e.hot != nil {
		e.hot = newHotQueue(e, e.hot.bounded)
		e.stats.background.Store(0)
	}
	if e.cold != nil {
		e.cold.free()
		e.cold = nil
		e.initCold()
	}
	e.family.leave()
	e.began = forkall.Generation.Load()
	if e.stores != nil {
		e.stores.close()
	}
	*d = Dispatcher{engine: e, thread: d.thread, mode: s.CodeMode()}
	s.NativeSP = s.NativeTop
}

// idle reports whether no request waits or is served.
func (h *hotQueue) idle() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.busy) == 0
}

// leave makes f that of a process that no longer runs what its parent does.
func (f *family) leave() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.parent, f.children = nil, nil
	f.granted.Store(0)
	f.told.Store(0)
	f.generation.Store(forkall.Generation.Load())
}

// close closes all stores.
func (s *codeStores) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, st := range s.open {
		if st != nil {
			st.Close() // of what is not mapped any more nothing is lost
		}
	}
	clear(s.open)
	clear(s.images)
	s.added.Store(0)
}
