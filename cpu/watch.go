package cpu

// Watch is what a thread's debug registers stop it for (Arm ARM D2.9, D2.10).
type Watch struct {
	Breaks []uint64 // addresses of instructions
	Ranges []WatchRange
}

// WatchRange is a watchpoint: memory, and the accesses that stop the thread.
type WatchRange struct {
	Start, End  uint64
	Load, Store bool
}

// Access returns the lowest watched byte that an access touches; addr has no tag.
func (w *Watch) Access(addr, size uint64, load, store bool) (hit uint64, ok bool) {
	for _, r := range w.Ranges {
		if (load && r.Load || store && r.Store) && addr < r.End && addr+size > r.Start {
			if at := max(addr, r.Start); !ok || at < hit {
				hit, ok = at, true
			}
		}
	}
	return hit, ok
}

// Watcher is a Stepper that heeds debug registers.
type Watcher interface {
	Stepper
	// RunWatched is Run, or Step if once is set, and returns ExitDebug before an
	// instruction that w stops the thread for.
	RunWatched(s *State, w *Watch, once bool) Exit
}
