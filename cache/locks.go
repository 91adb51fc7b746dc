package cache

import (
	"slices"

	"emu/jit/host"
)

// A locked instruction takes some twenty cycles that an unlocked one does not. While one thread runs
// the guest and nobody else has its memory, code goes without: a single instruction is not interrupted in
// its middle, and a thread sees its own accesses in order. The prefixes come back before there is company.

// locks are the addresses of prefixes that were left out, guarded by the cache's lock.
type locks struct {
	out  bool // they are left out
	list []uintptr
}

// Unlock leaves out the LOCK prefixes of code that comes from now on.
func (c *Cache) Unlock() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.locks.out = true
}

// Lock puts in the LOCK prefixes of all code.
//
// Preconditions: nobody runs generated code.
func (c *Cache) Lock() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, at := range c.locks.list {
		if p := bytes(at, 1); p[0] == host.Unlocked { // a sweep may have given the page back
			p[0] = host.Locked
		}
	}
	c.locks = locks{}
}

// add is told of a prefix in new code.
func (l *locks) add(at uintptr) {
	if l.out {
		bytes(at, 1)[0] = host.Unlocked
		l.list = append(l.list, at)
	}
}

// forget drops those in memory that is used anew.
func (l *locks) forget(from, to uintptr) {
	l.list = slices.DeleteFunc(l.list, func(at uintptr) bool { return at >= from && at < to })
}
