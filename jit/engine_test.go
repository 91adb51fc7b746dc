//go:build linux && amd64

package jit

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"emu/cache"
	"emu/cpu"
	"emu/translate"

	"golang.org/x/sys/unix"
)

// testCache is a small cache, so that code is evicted soon.
const testCache = 512 << 10

// shared is the engine of all tests: a process can have one only.
var shared = sync.OnceValues(func() (*Engine, error) {
	mem := cpu.NewMemory()
	return New(mem, Options{Tier: Auto, Hot: 50, CacheSize: testCache, Translate: translate.Options{CPU: translate.MaxCPU()}})
})

// bench is an engine with a thread and memory for code.
type testBench struct {
	e    *Engine
	run  *Dispatcher
	s    *cpu.State
	base uint64
	code []uint32
}

func newTestBench(t *testing.T) *testBench {
	t.Helper()
	runtime.LockOSThread() // as guest threads are
	e, err := shared()
	if err != nil {
		t.Fatal(err)
	}
	const size = 4 << 20
	base, errno := e.mem.Map(0, size, unix.PROT_READ|unix.PROT_WRITE|unix.PROT_EXEC, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS, -1, 0)
	if errno != 0 {
		t.Fatal(errno)
	}
	s, err := cpu.NewState()
	if err != nil {
		t.Fatal(err)
	}
	s.SetFPCR(0)
	run, err := newDispatcher(e, s)
	if err != nil {
		t.Fatal(err)
	}
	b := &testBench{e: e, run: run, s: s, base: base}
	b.code = unsafe.Slice((*uint32)(guestPointer(base)), size/4)
	t.Cleanup(func() {
		runtime.UnlockOSThread()
		b.run.Close()
		s.Free()
		if errno := e.mem.Unmap(base, size); errno != 0 {
			t.Error(errno)
		}
	})
	return b
}

// guestPointer is addr, which is no Go memory, as a pointer.
func guestPointer(addr uint64) unsafe.Pointer {
	return *(*unsafe.Pointer)(unsafe.Pointer(&addr))
}

// put writes words at word index at, as a guest does that keeps its caches right.
func (b *testBench) put(at int, words ...uint32) {
	lo, hi := b.base+uint64(4*at), b.base+uint64(4*(at+len(words)))
	b.e.hot.settle() // it would guard what it reads, and Go does not write as guests do
	b.e.mem.Unguard(lo, hi)
	copy(b.code[at:], words)
	b.e.mem.CodeChanged(lo, hi)
}

// settle waits until nothing is compiled in the background.
func (h *hotQueue) settle() {
	for busy := h != nil; busy; runtime.Gosched() {
		h.mu.Lock()
		busy = len(h.busy) > 0
		h.mu.Unlock()
	}
}

// pc is the address of word index at.
func (b *testBench) pc(at int) uint64 { return b.base + uint64(4*at) }

// until runs from word index at to the BRK that ends each test program.
func (b *testBench) until(t *testing.T, at int) {
	t.Helper()
	b.s.PC = b.pc(at)
	if exit := b.run.Run(b.s); exit.Kind != cpu.ExitBreakpoint {
		t.Fatalf("%v at %#x, want a breakpoint", exit.Kind, exit.PC-b.base)
	}
}

// The instructions of the test programs.
const (
	brk      = 0xd4200000
	ret      = 0xd65f03c0
	addX0    = 0x91000400 // add x0, x0, #1
	subX1    = 0xd1000421 // sub x1, x1, #1
	brX2     = 0xd61f0040
	movX0    = 0xd2800000 // mov x0, #0
	pushX30  = 0xf81f0ffe // str x30, [sp, #-16]!
	popX30   = 0xf84107fe // ldr x30, [sp], #16
	eorX2X3  = 0xca030042 // eor x2, x2, x3
	movX0Arg = 0xd2800000
)

func b26(op uint32, words int) uint32 { return op | uint32(words)&0x3ffffff }
func branch(words int) uint32         { return b26(0x14000000, words) }
func call(words int) uint32           { return b26(0x94000000, words) }
func cbnzX1(words int) uint32         { return 0xb5000001 | uint32(words)&0x7ffff<<5 }
func cbzX1(words int) uint32          { return 0xb4000001 | uint32(words)&0x7ffff<<5 }
func movTo0(v uint32) uint32          { return movX0Arg | v<<5 }

// blocks is how many blocks have been installed. Regions come from the background at any
// time, each in the place of one.
func (b *testBench) blocks() uint64 {
	s := b.e.cache.Stats()
	return s.Blocks - s.Replaced
}

// Direct branches are linked: a second run of the same code translates nothing and
// links nothing.
func TestLinking(t *testing.T) {
	b := newTestBench(t)
	b.put(0, addX0, branch(2), brk, branch(2), brk, addX0, branch(2), brk, brk)
	b.put(1, branch(2))
	b.put(3, branch(2))
	b.until(t, 0)
	links, blocks := b.e.cache.Stats().Links, b.blocks()
	for range 10 {
		b.until(t, 0)
	}
	if b.s.X[0] != 22 {
		t.Errorf("x0 = %d, want 22", b.s.X[0])
	}
	if got := b.e.cache.Stats().Links; got != links {
		t.Errorf("%d links more", got-links)
	}
	if got := b.blocks(); got != blocks {
		t.Errorf("%d blocks more", got-blocks)
	}
}

// Indirect branches find their targets in the jump cache, also when it forgets.
func TestIndirectBranches(t *testing.T) {
	b := newTestBench(t)
	// x2 alternates between two targets, whose difference is in x3.
	b.put(0, subX1, cbzX1(3), eorX2X3, brX2, brk)
	b.put(16, addX0, branch(-17))
	b.put(32, addX0, addX0, branch(-34))
	run := func(n uint64) {
		b.s.X[0], b.s.X[1] = 0, n+1
		b.s.X[2], b.s.X[3] = b.pc(16), b.pc(16)^b.pc(32)
		b.until(t, 0)
		if want := n/2*3 + n%2*2; b.s.X[0] != want {
			t.Errorf("%d branches: x0 = %d, want %d", n, b.s.X[0], want)
		}
	}
	run(1001)
	blocks := b.blocks()
	b.e.cache.ForgetAll(b.run.thread)
	run(10)
	if got := b.blocks(); got != blocks {
		t.Errorf("%d blocks more for what a jump cache forgot", got-blocks)
	}
}

// What an indirect branch did not find it finds the next time, by its type: once the dispatcher entered all targets as those
// of returns, and found them itself each time.
func TestIndirectBranchesAreRemembered(t *testing.T) {
	const brX16, blrX16 = 0xd61f0200, 0xd63f0200
	for word, want := range map[uint32]cpu.BranchType{brX2: cpu.BranchIP, brX16: cpu.BranchIP, blrX2: cpu.BranchCall, blrX16: cpu.BranchCall} {
		b := newTestBench(t)
		b.put(0, word)
		b.put(16, brk)
		b.s.X[2], b.s.X[16] = b.pc(16), b.pc(16)
		b.until(t, 0)
		for kind := range cpu.NumBranchTypes {
			_, known := b.e.cache.EnterRecent(b.run.thread, b.pc(16), kind)
			atomic.StoreUint32(&b.s.InGuest, 0)
			if known != (kind == want) {
				t.Errorf("%#x: known to branches of type %d: %v", word, kind, known)
			}
		}
	}
}

// Changed code is translated anew, whether a block or a region was made of it, and
// branches to it do not lead to what it was.
func TestInvalidation(t *testing.T) {
	b := newTestBench(t)
	b.put(0, movX0, call(15), subX1, cbnzX1(-2), brk) // calls the function at word 16 x1 times
	for n, times := range []uint64{1, 3, 1000, 2, 1000} {
		b.put(16, movTo0(uint32(n+1)), ret)
		before := b.e.cache.Stats().Invalidated
		b.s.X[1] = times
		b.until(t, 0)
		if b.s.X[0] != uint64(n+1) {
			t.Errorf("version %d of the code: x0 = %d", n+1, b.s.X[0])
		}
		b.e.mem.CodeChanged(b.pc(16), b.pc(18))
		if got := b.e.cache.Stats().Invalidated; got == before {
			t.Errorf("version %d: nothing was invalidated", n+1)
		}
	}
}

// More code than the cache holds: blocks are evicted and made again.
func TestEviction(t *testing.T) {
	b := newTestBench(t)
	const blocks = 40_000
	words := make([]uint32, 0, 2*blocks+1)
	for range blocks {
		words = append(words, addX0, branch(1))
	}
	b.put(0, append(words, brk)...)
	before := b.e.cache.Stats().Evictions
	for n := range uint64(3) {
		b.until(t, 0)
		if b.s.X[0] != (n+1)*blocks {
			t.Fatalf("x0 = %d, want %d", b.s.X[0], (n+1)*blocks)
		}
	}
	if got := b.e.cache.Stats().Evictions - before; got < 3 {
		t.Errorf("%d evictions, want more", got)
	}
}

// A thread in an endless loop leaves it when it is asked to, in a block and in a
// region, with exact state; other threads evict its code meanwhile.
func TestPoll(t *testing.T) {
	b := newTestBench(t)
	b.put(0, addX0, branch(-1))
	other := newTestBench(t)
	const blocks = 20_000
	words := make([]uint32, 0, 2*blocks+1)
	for range blocks {
		words = append(words, addX0, branch(1))
	}
	other.put(0, append(words, brk)...)
	for n := range 6 {
		go func() {
			for atomic.LoadUint32(&b.s.InGuest) == 0 {
				time.Sleep(time.Millisecond)
			}
			time.Sleep(5 * time.Millisecond)
			b.s.Interrupt(cpu.PendSignal)
		}()
		done := make(chan struct{})
		go func() {
			defer close(done)
			runtime.LockOSThread() // as guest threads are
			other.s.PC = other.pc(0)
			other.run.Run(other.s)
		}()
		last := b.s.X[0]
		b.s.PC = b.pc(0)
		exit := b.run.Run(b.s)
		if exit.Kind != cpu.ExitPoll || exit.PC != b.pc(0) && exit.PC != b.pc(1) {
			t.Fatalf("%v at %#x", exit.Kind, exit.PC-b.base)
		}
		atomic.StoreUint32(&b.s.Pending, 0)
		if b.s.X[0] <= last {
			t.Errorf("round %d: the loop did not run: x0 = %d", n, b.s.X[0])
		}
		<-done
		if other.s.X[0] != uint64(n+1)*blocks {
			t.Errorf("the other thread: x0 = %d, want %d", other.s.X[0], (n+1)*blocks)
		}
	}
}

// A thread that only branches indirectly leaves for what is pending, however close together
// its looking for the target and the request are.
func TestPollIndirect(t *testing.T) {
	for name, branch := range map[string]uint32{"br x2": 0xd61f0040, "blr x2": 0xd63f0040} {
		b := newTestBench(t)
		b.put(0, addX0, branch)
		b.s.X[2], b.s.PC = b.pc(0), b.pc(0)
		for n := range 20_000 {
			late := time.AfterFunc(20*time.Second, func() { panic(name + ": the thread goes on") })
			go func() {
				for atomic.LoadUint32(&b.s.InGuest) == 0 {
					runtime.Gosched()
				}
				for range n % 64 {
					b.s.Interrupt(cpu.PendEvict) // the engine goes on
				}
				b.s.Interrupt(cpu.PendSignal)
			}()
			if exit := b.run.Run(b.s); exit.Kind != cpu.ExitPoll || exit.PC != b.pc(0) {
				t.Fatalf("%s: %v at %#x", name, exit.Kind, exit.PC-b.base)
			}
			late.Stop()
			atomic.StoreUint32(&b.s.Pending, 0)
		}
	}
}

// A hot loop goes on in the region that replaces its block.
func TestReplace(t *testing.T) {
	b := newTestBench(t)
	b.put(0, addX0, subX1, cbnzX1(-2), brk)
	before := b.e.stats.promoted.Load()
	want := uint64(0)
	for range 200 {
		b.s.X[1] = 100_000
		want += 100_000
		b.until(t, 0)
		if b.s.X[0] != want {
			t.Fatalf("x0 = %d, want %d", b.s.X[0], want)
		}
		if b.e.stats.promoted.Load() > before {
			break
		}
	}
	if b.e.stats.promoted.Load() == before {
		t.Error("the loop got no region")
	}
	if u := b.e.cache.Lookup(cache.Key{PC: b.pc(0)}); u == nil || u.Region == nil {
		t.Errorf("unit at the loop: %+v, want a region", u)
	}
	b.s.X[1] = 5
	b.until(t, 0)
	if b.s.X[0] != want+5 {
		t.Errorf("in the region: x0 = %d, want %d", b.s.X[0], want+5)
	}
}

// Calls nest deeper than the native stack, and returns go where X30 says even if no
// call belongs to them.
func TestStackOfReturns(t *testing.T) {
	b := newTestBench(t)
	const stack = 8 << 20
	sp, errno := b.e.mem.Map(0, stack, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS, -1, 0)
	if errno != 0 {
		t.Fatal(errno)
	}
	defer b.e.mem.Unmap(sp, stack)
	b.s.X[cpu.SP] = sp + stack
	// f: if x1 == 0 return; x1--; f(); x0++
	b.put(0, call(8), brk)
	b.put(8, pushX30, cbzX1(4), subX1, call(-3), addX0, popX30, ret)
	b.s.X[1] = 100_000
	b.until(t, 0)
	if b.s.X[0] != 100_000 || b.s.X[cpu.SP] != sp+stack {
		t.Errorf("x0 = %d, want 100000; SP off by %d", b.s.X[0], int64(b.s.X[cpu.SP]-sp-stack))
	}
	// A return without a call, to the word behind the call that came before.
	b.put(32, addX0, ret)
	b.put(40, brk)
	for range 100 {
		b.s.X[30] = b.pc(40)
		b.until(t, 32)
		if b.s.PC != b.pc(40) {
			t.Fatalf("returned to %#x, want %#x", b.s.PC-b.base, 4*40)
		}
	}
	// A call whose callee returns elsewhere (longjmp).
	b.put(48, call(16), brk, addX0, brk)
	b.put(64, 0x910023de, ret) // add x30, x30, #8
	for range 100 {
		b.until(t, 48)
		if b.s.PC != b.pc(51) {
			t.Fatalf("returned to %#x, want %#x", b.s.PC-b.base, 4*51)
		}
	}
}

// Code that cannot be read ends the unit, as code that is not mapped does: a bug
// that was ended emu when another thread unmapped what was being compiled.
func TestUnreadableCode(t *testing.T) {
	b := newTestBench(t)
	b.put(0, addX0, addX0)
	var c codeChunk
	if !c.read(b.pc(0)) || c[1] != addX0 {
		t.Errorf("read %#x", c)
	}
	// Behind the back of cpu.Memory.
	if err := unix.MunmapPtr(guestPointer(b.base), cpu.PageSize); err != nil {
		t.Fatal(err)
	}
	if c.read(b.pc(0)) {
		t.Errorf("read %#x where nothing is mapped", c)
	}
	b.s.PC = b.pc(0)
	if exit := b.run.Run(b.s); exit.Kind != cpu.ExitFetch || exit.PC != b.pc(0) {
		t.Errorf("%v at %#x, want a failed fetch", exit.Kind, exit.PC-b.base)
	}
	// For the cleanup.
	if _, err := unix.MmapPtr(-1, 0, guestPointer(b.base), cpu.PageSize, unix.PROT_READ, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS|unix.MAP_FIXED_NOREPLACE); err != nil {
		t.Fatal(err)
	}
}
