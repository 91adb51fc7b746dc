package profile

import (
	"encoding/binary"
	"os"
	"sync/atomic"

	"emu/cpu"

	"golang.org/x/sys/unix"
)

// sample is what one call stack has added up to.
type sample struct {
	stack []uint64 // pcs, the innermost first; all but that one are return addresses
	tier  string
	count int64
	time  int64 // ns
}

// maxDepth bounds call stacks.
const maxDepth = 128

// Take notes where the thread is, which is outside of generated code. Only the
// thread itself calls it.
func (t *Thread) Take() {
	s := t.state
	atomic.AndUint32(&s.Pending, ^uint32(cpu.PendSample))
	now := threadTime()
	spent := now - t.used
	t.used = now
	if spent <= 0 {
		return
	}
	p := t.profiler
	stack := t.stack(s.PC, s.X[29], s.X[30])
	p.mu.Lock()
	defer p.mu.Unlock()
	p.notice()
	tier := "none"
	if u := p.unitOf(s.PC); u != nil {
		tier = u.Tier
	}
	key := make([]byte, 0, 8*maxDepth)
	key = append(key, tier...)
	for _, pc := range stack {
		key = binary.LittleEndian.AppendUint64(key, pc)
	}
	c := p.samples[string(key)]
	if c == nil {
		c = &sample{stack: stack, tier: tier}
		p.samples[string(key)] = c
	}
	c.count++
	c.time += spent
}

// windowSize is how much of a guest stack is read at once.
const windowSize = 4096

// stack follows the frame records that X29 leads to (AAPCS64, 6.4.6): each is the
// caller's X29 and the return address. A function that has made no record yet, or
// has none, is known by its return address in X30 only: that one belongs to the
// stack if it leads to another function than the one that runs and is not in the
// first record as well.
func (t *Thread) stack(pc, fp, lr uint64) []uint64 {
	stack := []uint64{pc}
	t.windowAt = 0 // what it holds may have changed
	record, ok := t.record(fp)
	symbols := t.profiler.symbols
	if lr&3 == 0 && lr != 0 && (!ok || lr != record[1]) && !symbols.sameFunction(lr-4, pc) && symbols.executable(lr-4) {
		stack = append(stack, lr)
	}
	for ; ok && len(stack) < maxDepth; record, ok = t.record(fp) {
		ret := record[1] &^ pacMask
		if ret&3 != 0 || !symbols.executable(ret-4) {
			break
		}
		stack = append(stack, ret)
		if record[0] <= fp { // the callers' records lie above
			break
		}
		fp = record[0]
	}
	return stack
}

// pacMask are the bits of a signed return address that hold its code.
const pacMask = 0xff7f_0000_0000_0000

// record reads the frame record at fp, mostly from the window.
func (t *Thread) record(fp uint64) (r [2]uint64, ok bool) {
	const size = 16
	if fp == 0 || fp&7 != 0 {
		return r, false
	}
	if t.windowAt == 0 || fp < t.windowAt || fp+size > t.windowAt+uint64(t.filled) {
		if !t.fill(fp, size) {
			return r, false
		}
	}
	b := t.window[fp-t.windowAt:]
	return [2]uint64{binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:])}, true
}

// fill reads guest memory from at on into the window, at least so many bytes. The
// kernel reads, since the guest's frame pointer may be anything.
func (t *Thread) fill(at uint64, least int) bool {
	for _, n := range []int{windowSize, least} {
		local := []unix.Iovec{{Base: &t.window[0], Len: uint64(n)}}
		got, err := unix.ProcessVMReadv(os.Getpid(), local, []unix.RemoteIovec{{Base: uintptr(at), Len: n}}, 0)
		if err == nil && got >= least {
			t.windowAt, t.filled = at, got
			return true
		}
	}
	return false
}
