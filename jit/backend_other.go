//go:build !amd64

package jit

import (
	"errors"

	"emu/cache"
	"emu/cpu"
	"emu/jit/host"
)

// There is no backend for this host: the engine interprets, and what only
// generated code reaches cannot be called.
const haveBackend = false

var errNoBackend = errors.New("no code generator for this host")

func newBackend() host.Backend { return nil }

func hostFeatures() uint64 { return 0 }

// ParseHost refuses everything: no code is generated here.
func ParseHost(string) (limit uint64, err error) {
	return 0, errors.New("no code is generated on this host")
}

func (e *Engine) initHost() error { return errNoBackend }

func recoverState(*cache.Block, uint32, *cpu.State) (pc uint64, kind host.FaultKind, ok bool) {
	panic("BUG: jit: a fault in generated code without a backend")
}

func enter(*cpu.State) { panic("BUG: jit: entry into generated code without a backend") }

func serveHelper(*cpu.State) { panic("BUG: jit: a helper call without a backend") }

func disasm(*cache.Block) []string { return nil }
