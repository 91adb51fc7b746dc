package syscalls

import (
	"encoding/binary"

	"golang.org/x/sys/unix"
)

// Operations of io_uring_register(2), and the flag that says that the ring's
// descriptor is an index.
const (
	registerBuffers        = 0
	registerFiles          = 2
	registerEventfd        = 4
	registerFilesUpdate    = 6
	registerEventfdAsync   = 7
	registerProbe          = 8
	registerRestrictions   = 11
	registerFiles2         = 13
	registerFilesUpdate2   = 14
	registerBuffers2       = 15
	registerBuffersUpdate  = 16
	registerIowqAff        = 17
	registerIowqMaxWorkers = 19
	registerRingFDs        = 20
	unregisterRingFDs      = 21
	registerPbufRing       = 22
	unregisterPbufRing     = 23
	registerSyncCancel     = 24
	registerFileAllocRange = 25

	useRegisteredRing = 1 << 31
)

// registerSizes are how many bytes operations read or write at their argument:
// fixed, and for each of the elements that the last argument counts.
var registerSizes = map[uint32]struct{ fixed, each uint64 }{
	registerBuffers: {0, 16}, registerFiles: {0, 4}, registerEventfd: {4, 0}, registerFilesUpdate: {16, 0}, registerEventfdAsync: {4, 0},
	registerProbe: {16, 8}, registerRestrictions: {0, 16}, registerFiles2: {32, 0}, registerFilesUpdate2: {32, 0}, registerBuffers2: {32, 0},
	registerBuffersUpdate: {32, 0}, registerIowqAff: {0, 1}, registerIowqMaxWorkers: {8, 0}, registerRingFDs: {0, ringUpdate}, unregisterRingFDs: {0, ringUpdate},
	registerPbufRing: {40, 0}, unregisterPbufRing: {40, 0}, registerSyncCancel: {64, 0}, registerFileAllocRange: {16, 0},
}

// Sizes of struct io_uring_rsrc_update, ..._rsrc_update2 and ..._rsrc_register.
const (
	ringUpdate   = 16
	rsrcUpdate2  = 32
	rsrcRegister = 32
)

// sysIoUringRegister implements io_uring_register(2).
func sysIoUringRegister(t *Task, a *Args) int64 {
	op := uint32(a[1]) &^ useRegisteredRing
	if size, ok := registerSizes[op]; ok && a[2] != 0 {
		t.whole(&a[2], max(size.fixed+size.each*uint64(uint32(a[3])), 1))
	}
	defer t.endNested()
	switch op {
	case registerBuffers:
		t.clampWhole(&a[2], a[3])
	case registerBuffers2:
		t.buffers(&a[2], rsrcRegister, 16, 0)
	case registerBuffersUpdate:
		t.buffers(&a[2], rsrcUpdate2, 8, 24)
	case registerPbufRing:
		t.structure(&a[2], 40, []field{{off: 0, size: 16, count: 8}})
	}
	r := t.host(unix.SYS_IO_URING_REGISTER, a)
	switch {
	case op == registerRingFDs && r > 0:
		t.ringsRegistered(a[2], int(r))
	case op == unregisterRingFDs && r > 0:
		t.ringsUnregistered(a[2], int(r))
	case op == registerProbe && r == 0:
		t.hideRefused(t.call.args[2])
	}
	return r
}

// hideRefused has a struct io_uring_probe say that operations which convert refuses are not supported.
func (t *Task) hideRefused(probe uint64) {
	const (
		header, operation, flags = 16, 8, 2 // sizes, and struct io_uring_probe_op's flags
		supported                = 1 << 0   // IO_URING_OP_SUPPORTED
	)
	head, e := load[[header]byte](t.p, probe)
	if operations := head[1]; e != 0 || operations <= opEpollWait {
		return
	}
	at := probe + header + operation*opEpollWait + flags
	if f, e := load[uint16](t.p, at); e == 0 {
		save(t.p, at, f&^supported)
	}
}

// clampWhole makes buffers of an iovec array that do not lie in the guest's memory
// lead nowhere: the kernel refuses to register them.
func (t *Task) clampWhole(addr *uint64, n uint64) {
	if n = uint64(uint32(n)); n == 0 || n > 1<<14 {
		return
	}
	b := make([]byte, 16*n)
	if t.p.copyIn(b, *addr) != 0 {
		return
	}
	fields := make([]field, 0, 64)
	bad := false
	for v := b; len(v) > 0; v = v[16:] {
		bad = t.check(v[:16], append(fields[:0], field{off: 0, size: 1, count: 8, wide: true})) || bad
	}
	if bad {
		t.standIn(addr, b)
	}
}

// buffers does that for a structure of n bytes that points to the array, at the
// offset data, and counts its elements.
func (t *Task) buffers(addr *uint64, n, data, count int) {
	b := make([]byte, n)
	if *addr == 0 || t.p.copyIn(b, *addr) != 0 {
		return
	}
	le := binary.LittleEndian
	list := le.Uint64(b[data:])
	was := list
	if list == 0 {
		return
	}
	t.clampWhole(&list, uint64(le.Uint32(b[count:])))
	if list != was {
		le.PutUint64(b[data:], list)
		t.standIn(addr, b)
	}
}

// ringsRegistered notes which ring each index of this thread's stands for.
func (t *Task) ringsRegistered(list uint64, n int) {
	if t.rings == nil {
		t.rings = map[uint32]*uring{}
	}
	for i := range n {
		var b [ringUpdate]byte
		if t.p.copyIn(b[:], list+uint64(i*ringUpdate)) == 0 {
			le := binary.LittleEndian
			t.rings[le.Uint32(b[:])] = t.p.rings.get(int(int32(le.Uint64(b[8:]))))
		}
	}
}

func (t *Task) ringsUnregistered(list uint64, n int) {
	for i := range n {
		if index, e := load[uint32](t.p, list+uint64(i*ringUpdate)); e == 0 {
			delete(t.rings, index)
		}
	}
}
