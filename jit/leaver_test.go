package jit

import "testing"

// An exit of an image is linked when a thread has left by it so often, and no other one whose place it shares in between.
func TestAgain(t *testing.T) {
	d := new(Dispatcher)
	const site = 0x7e0018181005
	for want := uint8(1); want <= linkAfter; want++ {
		if got := d.again(site); got != want {
			t.Fatalf("left %d times, want %d", got, want)
		}
	}
	if got := d.again(site); got != linkAfter {
		t.Errorf("left %d times, want %d", got, linkAfter)
	}
	for other := uintptr(site + 1); other < site+1000; other++ {
		d.again(other)
		if d.again(site) == 1 {
			return // other had its place
		}
	}
	t.Error("no two exits share a place")
}
