// Package unicorn runs the cases of package diff on libunicorn, an oracle that is
// independent of qemu-aarch64 as a program, though it descends from QEMU 5: it runs
// in this process, without a kernel and at EL1. purego loads it, so that the tests
// need no C compiler.
package unicorn

import (
	"testing"
	"unsafe"

	"emu/tests/diff"
	"emu/tests/need"

	"github.com/ebitengine/purego"
	"golang.org/x/sys/unix"
)

// library is the file of Debian's package libunicorn2.
const library = "libunicorn.so.2"

// Of unicorn/unicorn.h and unicorn/arm64.h, version 2.0.
const (
	archARM64      = 2
	ctlWriteCPU    = 7 | 1<<26 | 1<<30 // UC_CTL_CPU_MODEL, one argument, write
	ctlRemove      = 9 | 2<<26 | 1<<30 // UC_CTL_TB_REMOVE_CACHE, two arguments, write
	cpuMax         = 3
	hookInterrupt  = 1 << 0
	hookMemInvalid = 0x3f << 4
	protAll        = 7

	errOK      = 0
	errRead    = 6
	errWrite   = 7
	errFetch   = 8
	errInvalid = 10

	regX0, regX29, regX30 = 199, 1, 2
	regSP, regPC, regNZCV = 4, 260, 3
	regQ0                 = 104
	regFPCR, regFPSR      = 291, 292
)

// api are the functions of the library that are used.
type api struct {
	open     func(arch, mode int32, uc *uintptr) int32
	ctl      func(uc uintptr, control int32, a, b uint64) int32
	memMap   func(uc uintptr, addr uint64, size uintptr, perms uint32) int32
	memWrite func(uc uintptr, addr uint64, data unsafe.Pointer, size uintptr) int32
	memRead  func(uc uintptr, addr uint64, data unsafe.Pointer, size uintptr) int32
	regWrite func(uc uintptr, reg int32, value unsafe.Pointer) int32
	regRead  func(uc uintptr, reg int32, value unsafe.Pointer) int32
	start    func(uc uintptr, begin, until, timeout uint64, count uintptr) int32
	hookAdd  func(uc uintptr, hook *uintptr, kind int32, callback, user uintptr, begin, end uint64) int32
	stop     func(uc uintptr) int32
	close    func(uc uintptr) int32
	strerror func(err int32) string
}

// Emulator is a processor of libunicorn with the memory of package diff.
type Emulator struct {
	api
	uc        uintptr
	faults    uint64 // address of the access that failed
	exception int32  // that ended the case, 0 = none
}

// New returns an Emulator that lives until the test ends. Without the library the
// test is skipped; in CI it fails.
func New(t testing.TB) *Emulator {
	t.Helper()
	lib, err := purego.Dlopen(library, purego.RTLD_NOW|purego.RTLD_LOCAL)
	if err != nil {
		need.Missing(t, "%v; get it with: apt-get install libunicorn2", err)
	}
	e := &Emulator{}
	for name, fn := range map[string]any{
		"uc_open": &e.open, "uc_ctl": &e.ctl, "uc_mem_map": &e.memMap, "uc_mem_write": &e.memWrite, "uc_mem_read": &e.memRead,
		"uc_reg_write": &e.regWrite, "uc_reg_read": &e.regRead, "uc_emu_start": &e.start, "uc_hook_add": &e.hookAdd, "uc_emu_stop": &e.stop,
		"uc_close": &e.close, "uc_strerror": &e.strerror,
	} {
		purego.RegisterLibFunc(fn, lib, name)
	}
	e.check(t, "uc_open", e.open(archARM64, 0, &e.uc))
	t.Cleanup(func() { e.close(e.uc) })
	e.check(t, "uc_ctl", e.ctl(e.uc, ctlWriteCPU, cpuMax, 0))
	for _, page := range []uint64{diff.MemBase, diff.CodePage} {
		e.check(t, "uc_mem_map", e.memMap(e.uc, page, diff.MemPage, protAll))
	}
	var hook uintptr
	failed := purego.NewCallback(func(_ uintptr, _ int32, addr uint64, _ int32, _ int64, _ uintptr) uintptr {
		e.faults = addr
		return 0 // and so it fails
	})
	e.check(t, "uc_hook_add", e.hookAdd(e.uc, &hook, hookMemInvalid, failed, 0, 1, 0))
	interrupt := purego.NewCallback(func(uc uintptr, number uint32, _ uintptr) uintptr {
		e.exception = int32(number)
		e.stop(uc)
		return 0
	})
	e.check(t, "uc_hook_add", e.hookAdd(e.uc, &hook, hookInterrupt, interrupt, 0, 1, 0))
	return e
}

// Exceptions, by QEMU's numbers.
const (
	exceptionUndefined  = 1
	exceptionPrefetch   = 3
	exceptionData       = 4
	exceptionBreakpoint = 7
)

func (e *Emulator) check(t testing.TB, what string, err int32) {
	t.Helper()
	if err != errOK {
		t.Fatalf("%s: %s", what, e.strerror(err))
	}
}

func (e *Emulator) set(reg int32, v uint64) { e.regWrite(e.uc, reg, unsafe.Pointer(&v)) }

func (e *Emulator) get(reg int32) (v uint64) {
	e.regRead(e.uc, reg, unsafe.Pointer(&v))
	return v
}

// signal is what the exception that ended a case is to a program, 0 if it did not
// end.
func (e *Emulator) signal(t testing.TB) uint32 {
	switch e.exception {
	case 0:
		return 0
	case exceptionUndefined:
		return uint32(unix.SIGILL)
	case exceptionBreakpoint:
		return uint32(unix.SIGTRAP)
	case exceptionPrefetch, exceptionData:
		return uint32(unix.SIGSEGV)
	}
	t.Fatalf("libunicorn: exception %d", e.exception)
	return 0
}

// general is the number of X register n.
func general(n int) int32 {
	switch n {
	case 29:
		return regX29
	case 30:
		return regX30
	}
	return regX0 + int32(n)
}

// maxInstructions ends cases that would never end.
const maxInstructions = 100_000

// Run executes the cases and returns the state in which each one ended.
func (e *Emulator) Run(t testing.TB, cases []diff.Case) []diff.State {
	t.Helper()
	out := make([]diff.State, len(cases))
	for n := range cases {
		e.load(t, &cases[n])
		e.exception = 0
		err := e.start(e.uc, diff.CodeStart, 0, 0, maxInstructions)
		out[n] = e.store(t, err)
	}
	return out
}

func (e *Emulator) write(t testing.TB, addr uint64, b []byte) {
	e.check(t, "uc_mem_write", e.memWrite(e.uc, addr, unsafe.Pointer(&b[0]), uintptr(len(b))))
}

func (e *Emulator) load(t testing.TB, c *diff.Case) {
	e.write(t, diff.CodePage, c.CodePage())
	e.check(t, "uc_ctl", e.ctl(e.uc, ctlRemove, diff.CodePage, diff.CodePage+diff.MemPage)) // it does not notice new code
	mem := make([]byte, diff.MemPage)
	copy(mem, c.In.Mem[:])
	e.write(t, diff.MemBase, mem)
	for n, v := range c.In.X {
		e.set(general(n), v)
	}
	e.set(regSP, c.In.SP)
	e.set(regNZCV, uint64(c.In.NZCV))
	e.set(regFPCR, uint64(c.In.FPCR))
	e.set(regFPSR, uint64(c.In.FPSR))
	for n := range c.In.V {
		e.regWrite(e.uc, regQ0+int32(n), unsafe.Pointer(&c.In.V[n]))
	}
}

func (e *Emulator) store(t testing.TB, err int32) diff.State {
	s := diff.State{SP: e.get(regSP), PC: e.get(regPC), NZCV: uint32(e.get(regNZCV)) & 0xf000_0000, FPCR: uint32(e.get(regFPCR)), FPSR: uint32(e.get(regFPSR))}
	for n := range s.X {
		s.X[n] = e.get(general(n))
	}
	for n := range s.V {
		e.regRead(e.uc, regQ0+int32(n), unsafe.Pointer(&s.V[n]))
	}
	e.check(t, "uc_mem_read", e.memRead(e.uc, diff.MemBase, unsafe.Pointer(&s.Mem[0]), diff.MemSize))
	switch err {
	case errInvalid:
		s.Sig = uint32(unix.SIGILL)
	case errRead, errWrite, errFetch:
		s.Sig, s.Addr = uint32(unix.SIGSEGV), e.faults
	case errOK:
		s.Sig = e.signal(t)
	default:
		t.Fatalf("uc_emu_start: %s", e.strerror(err))
	}
	return s
}
