//go:build amd64

package forkall

import (
	"sync"
	"sync/atomic"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// TestMoveLeavesOthersMappings moves text while other threads map and unmap memory:
// what they get where the copy has been must stay mapped.
func TestMoveLeavesOthersMappings(t *testing.T) {
	const size = 2 * hugePage
	room, err := unix.MmapPtr(-1, 0, nil, size+hugePage, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.MunmapPtr(room, size+hugePage)
	start := (uintptr(room) + hugePage - 1) &^ (hugePage - 1)
	var stop, lost atomic.Bool
	var others sync.WaitGroup
	for range 2 {
		others.Go(func() {
			for !stop.Load() && !lost.Load() {
				p, err := unix.MmapPtr(-1, 0, nil, hugePage, unix.PROT_NONE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS|unix.MAP_NORESERVE)
				if err != nil {
					continue
				}
				var present [hugePage / pageSize]byte
				for range 20 {
					if _, _, e := unix.RawSyscall(unix.SYS_MINCORE, uintptr(p), hugePage, uintptr(unsafe.Pointer(&present))); e == unix.ENOMEM {
						lost.Store(true)
					}
				}
				unix.MunmapPtr(p, hugePage)
			}
		})
	}
	for i := 0; i < 200 && !lost.Load(); i++ {
		moveFixed(segment{start: start, end: start + size, prot: unix.PROT_READ})
	}
	stop.Store(true)
	others.Wait()
	if lost.Load() {
		t.Error("memory of another thread's was unmapped")
	}
}
