package jit

import (
	"emu/cache"
	"emu/cpu"
	"emu/jit/amd64"
	"emu/jit/asm/x64"
	"emu/jit/host"
)

const haveBackend = true

func newBackend() host.Backend { return amd64.New() }

func hostFeatures() uint64 { return uint64(x64.Detect()) }

// ParseHost reads the flag -host: see x64.ParseLimit.
func ParseHost(spec string) (limit uint64, err error) {
	f, err := x64.ParseLimit(spec)
	return uint64(f), err
}

// initHost detects the host's features, builds the stubs and takes over faults.
func (e *Engine) initHost() error {
	e.opts.Host.Features = hostFeatures()
	if e.opts.HostLimit != 0 {
		e.opts.Host.Features &= e.opts.HostLimit
	}
	e.opts.Host.Pairing = true
	stubs, fault := makeStubs(e.cache, e.opts.Translate.CPU.SVE(), x64.Features(e.opts.Host.Features))
	e.stubs = stubs
	lo, hi := e.cache.Bounds()
	return installFaultHandlers(lo, hi, fault)
}

// recoverState completes the guest state after the instruction at offset off of
// b faulted; see host.PCMap.Recover.
func recoverState(b *cache.Block, off uint32, s *cpu.State) (pc uint64, kind host.FaultKind, ok bool) {
	return b.Map.Recover(b.PC, off, s)
}

// serveHelper evaluates the operation that generated code called out for.
func serveHelper(s *cpu.State) { amd64.ServeHelper(s) }

// disasm lists b's host code.
func disasm(b *cache.Block) []string { return x64.Disasm(b.Code(), uint64(b.Addr)) }
