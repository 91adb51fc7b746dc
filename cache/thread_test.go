package cache

import (
	"testing"

	"emu/cpu"
)

// A thread that gets what another one has left knows none of that one's code.
func TestThreadsAreReused(t *testing.T) {
	c, first, _ := newTestCache(t, 0)
	b := install(t, c, first, 0x1000, 0x2000, 64)
	s, err := cpu.NewState()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Free()
	var last *Thread
	for n := range 2 * maxIdle {
		th, err := c.NewThread(s)
		if err != nil {
			t.Fatal(err)
		}
		if n > 0 && th != last {
			t.Fatalf("thread %d has memory of its own", n)
		}
		if remembers(th, b.PC) {
			t.Fatalf("thread %d remembers what another one ran", n)
		}
		c.Remember(th, b, cpu.BranchNone)
		if !remembers(th, b.PC) || s.JumpCache == 0 || s.NativeSP != s.NativeTop {
			t.Fatalf("thread %d is not ready", n)
		}
		c.FreeThread(th)
		last = th
	}
	var many []*Thread
	for range 2 * maxIdle {
		th, err := c.NewThread(s)
		if err != nil {
			t.Fatal(err)
		}
		many = append(many, th)
	}
	for _, th := range many {
		c.FreeThread(th)
	}
	if len(c.idle) != maxIdle {
		t.Errorf("%d idle threads, want %d", len(c.idle), maxIdle)
	}
}
