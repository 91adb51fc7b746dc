package syscalls

import (
	"encoding/binary"

	"emu/cpu"

	"golang.org/x/sys/unix"
)

// What single calls point to, beyond what a row can say of its arguments.

// insideFutex checks the words of futex operations that generated code does not
// make itself.
func insideFutex(t *Task, a *Args) {
	const requeue, cmpRequeue, wakeOp, waitRequeuePI, cmpRequeuePI = 3, 4, 5, 11, 12
	t.whole(&a[0], 4)
	switch a[1] & 0x7f {
	case requeue, cmpRequeue, wakeOp, waitRequeuePI, cmpRequeuePI:
		t.whole(&a[4], 4)
	}
}

// waitvSize is that of struct futex_waitv: value, address, flags.
const waitvSize = 24

// insideWaitv checks the futexes of futex_waitv and futex_requeue.
func insideWaitv(t *Task, a *Args) {
	n := uint64(2)
	if t.call.row.Host == unix.SYS_FUTEX_WAITV {
		n = min(uint64(uint32(a[1])), 128)
	}
	fields := make([]field, n)
	for i := range fields {
		fields[i] = field{off: uint16(waitvSize*i + 8), size: 1, count: oneElement}
	}
	t.structure(&a[0], int(waitvSize*n), fields)
}

// insideRemote checks the buffers of process_vm_readv and process_vm_writev in the
// other process, if that is this one.
func insideRemote(t *Task, a *Args) {
	if n := a[4]; n <= maxIovecs {
		t.whole(&a[3], 16*n)
		if _, err := t.p.task(int(int32(a[0]))); err == nil {
			t.clampIovec(&a[3], n)
		}
	}
}

// insideProcessMadvise checks the ranges of process_madvise, if they are this
// process's.
func insideProcessMadvise(t *Task, a *Args) {
	if n := a[2]; n <= maxIovecs {
		t.whole(&a[1], 16*n)
		if t.isSelf(a[0]) {
			t.clampIovec(&a[1], n)
		}
	}
}

// isSelf reports whether a pidfd is this process's.
func (t *Task) isSelf(fd uint64) bool { return pidOf(fd) == t.p.pid }

// insideMasks returns a check of bit masks of NUMA nodes: pairs of arguments, the
// mask and how many bits it has.
func insideMasks(pairs ...[2]int) func(t *Task, a *Args) {
	return func(t *Task, a *Args) {
		for _, p := range pairs {
			if a[p[0]] != 0 && a[p[1]] != 0 {
				t.whole(&a[p[0]], (min(a[p[1]], 1<<20)+63)/64*8)
			}
		}
	}
}

// insideLenBehind checks a buffer, argument i, whose length is behind argument j.
func insideLenBehind(i, j int) func(t *Task, a *Args) {
	return func(t *Task, a *Args) {
		t.whole(&a[j], 4)
		if n, e := load[uint32](t.p, a[j]); e == 0 && a[i] != 0 {
			t.whole(&a[i], uint64(n))
		}
	}
}

// insideHandle checks the struct file_handle at argument i.
func insideHandle(i int) func(t *Task, a *Args) {
	const header = 8
	return func(t *Task, a *Args) {
		n, e := load[uint32](t.p, a[i])
		if e != 0 {
			n = 0
		}
		t.upTo(&a[i], header+uint64(min(n, 128)))
	}
}

// maxStruct is the size up to which the kernel takes structures that grow with its versions: a page
// (copy_struct_from_user and its callers).
const maxStruct = cpu.PageSize

// insideXattrArgs checks the value that struct xattr_args points to.
func insideXattrArgs(t *Task, a *Args) {
	t.structure(&a[4], int(min(a[5], maxStruct)), []field{{off: 0, size: 1, count: 8}})
}

// sigevSize is the size of struct sigevent.
const sigevSize = 64

// insideMqNotify checks the cookie of SIGEV_THREAD.
func insideMqNotify(t *Task, a *Args) {
	const notifyThread, cookie = 2, 32
	if kind, e := load[uint32](t.p, a[1]+12); e == 0 && kind == notifyThread {
		t.structure(&a[1], sigevSize, []field{{off: 0, size: cookie, count: oneElement}})
	}
}

// sizedArg is an argument that points to as many bytes as another one says, or to
// one at least.
type sizedArg struct{ arg, length int }

// keyctlArgs are keyctl's pointers by operation (linux/keyctl.h).
var keyctlArgs = map[uint32][]sizedArg{
	unix.KEYCTL_JOIN_SESSION_KEYRING: {{1, 0}}, unix.KEYCTL_UPDATE: {{2, 3}}, unix.KEYCTL_DESCRIBE: {{2, 3}}, unix.KEYCTL_SEARCH: {{2, 0}, {3, 0}},
	unix.KEYCTL_READ: {{2, 3}}, unix.KEYCTL_INSTANTIATE: {{2, 3}}, unix.KEYCTL_GET_SECURITY: {{2, 3}}, unix.KEYCTL_DH_COMPUTE: {{1, 0}, {2, 3}},
	unix.KEYCTL_PKEY_QUERY: {{2, 0}, {4, 0}}, unix.KEYCTL_PKEY_ENCRYPT: {{1, 0}, {2, 0}, {3, 0}, {4, 0}}, unix.KEYCTL_PKEY_DECRYPT: {{1, 0}, {2, 0}, {3, 0}, {4, 0}},
	unix.KEYCTL_PKEY_SIGN: {{1, 0}, {2, 0}, {3, 0}, {4, 0}}, unix.KEYCTL_PKEY_VERIFY: {{1, 0}, {2, 0}, {3, 0}, {4, 0}},
	keyctlRestrict: {{2, 0}, {3, 0}}, keyctlCapabilities: {{1, 2}},
}

const (
	keyctlInstantiateIov = 20
	keyctlRestrict       = 29
	keyctlCapabilities   = 31
)

// insideKeyctl checks keyctl's pointers.
func insideKeyctl(t *Task, a *Args) {
	op := uint32(a[0])
	for _, s := range keyctlArgs[op] {
		n := uint64(1)
		if s.length != 0 {
			n = min(a[s.length], 1<<31)
		}
		if a[s.arg] != 0 && n != 0 {
			t.upTo(&a[s.arg], n)
		}
	}
	if op == keyctlInstantiateIov && a[2] != 0 {
		t.clampIovec(&a[2], a[3])
	}
}

// insideKcmp checks the third structure that kcmp compares with.
func insideKcmp(t *Task, a *Args) {
	const epollTFD, slot = 7, 12
	if uint32(a[2]) == epollTFD {
		t.whole(&a[4], slot)
	}
}

// insideReboot checks the command line of LINUX_REBOOT_CMD_RESTART2.
func insideReboot(t *Task, a *Args) {
	if uint32(a[2]) == unix.LINUX_REBOOT_CMD_RESTART2 {
		t.whole(&a[3], 1)
	}
}

// insideSetsockopt checks the program of a socket filter.
func insideSetsockopt(t *Task, a *Args) {
	const fprog, insn = 16, 8
	if uint32(a[1]) != unix.SOL_SOCKET || a[4] < fprog {
		return
	}
	if opt := uint32(a[2]); opt == unix.SO_ATTACH_FILTER || opt == unix.SO_ATTACH_REUSEPORT_CBPF {
		b := make([]byte, fprog)
		if t.p.copyIn(b, a[3]) == 0 {
			p := binary.LittleEndian.Uint64(b[8:])
			was := p
			if t.whole(&p, insn*uint64(binary.LittleEndian.Uint16(b))); p != was {
				binary.LittleEndian.PutUint64(b[8:], p)
				t.standIn(&a[3], b)
			}
		}
	}
}

// insideGetsockopt checks a filter's program, whose length counts instructions.
func insideGetsockopt(t *Task, a *Args) {
	if uint32(a[1]) == unix.SOL_SOCKET && uint32(a[2]) == unix.SO_GET_FILTER && a[3] != 0 {
		if n, e := load[uint32](t.p, a[4]); e == 0 {
			t.upTo(&a[3], 8*uint64(n))
		}
	}
}

// bpfFields are the pointers in union bpf_attr by command (linux/bpf.h). The sizes
// of keys and values are the map's; at least they begin in the guest's memory.
var bpfFields = map[uint32][]field{
	unix.BPF_MAP_LOOKUP_ELEM: bpfElem, unix.BPF_MAP_UPDATE_ELEM: bpfElem, unix.BPF_MAP_DELETE_ELEM: bpfElem, unix.BPF_MAP_GET_NEXT_KEY: bpfElem,
	unix.BPF_MAP_LOOKUP_AND_DELETE_ELEM: bpfElem,
	unix.BPF_MAP_LOOKUP_BATCH:           bpfBatch, unix.BPF_MAP_LOOKUP_AND_DELETE_BATCH: bpfBatch, unix.BPF_MAP_UPDATE_BATCH: bpfBatch, unix.BPF_MAP_DELETE_BATCH: bpfBatch,
	unix.BPF_PROG_LOAD:           {{off: 8, size: 8, count: 4}, {off: 16, size: 1, count: oneElement}, {off: 32, size: 1, count: 28}},
	unix.BPF_OBJ_PIN:             {{off: 0, size: 1, count: oneElement}},
	unix.BPF_OBJ_GET:             {{off: 0, size: 1, count: oneElement}},
	unix.BPF_PROG_TEST_RUN:       {{off: 16, size: 1, count: 8}, {off: 24, size: 1, count: 12}, {off: 48, size: 1, count: 40}, {off: 56, size: 1, count: 44}},
	unix.BPF_OBJ_GET_INFO_BY_FD:  {{off: 8, size: 1, count: 4}},
	unix.BPF_RAW_TRACEPOINT_OPEN: {{off: 0, size: 1, count: oneElement}},
	unix.BPF_BTF_LOAD:            {{off: 0, size: 1, count: 16}, {off: 8, size: 1, count: 20}},
	unix.BPF_PROG_QUERY:          {{off: 16, size: 4, count: 24}},
}

var (
	bpfElem  = []field{{off: 8, size: 1, count: oneElement}, {off: 16, size: 1, count: oneElement}}
	bpfBatch = []field{{off: 0, size: 1, count: oneElement}, {off: 8, size: 1, count: oneElement}, {off: 16, size: 1, count: oneElement}, {off: 24, size: 1, count: oneElement}}
)

// insideBpf checks what union bpf_attr points to.
func insideBpf(t *Task, a *Args) {
	t.whole(&a[1], min(a[2], maxStruct))
	t.structure(&a[1], int(min(a[2], maxStruct)), bpfFields[uint32(a[0])])
}

// insidePrctl checks prctl's pointers that are not its second argument.
func insidePrctl(t *Task, a *Args) {
	const getAuxv, schedCore, schedCoreGet = 0x41555856, 62, 0
	switch uint32(a[0]) {
	case getAuxv:
		t.upTo(&a[1], a[2])
	case unix.PR_SET_VMA:
		if a[4] != 0 {
			t.whole(&a[4], 1)
		}
	case schedCore:
		if a[1] == schedCoreGet {
			t.whole(&a[4], 8)
		}
	}
}

// ioctlFields are the pointers in the structures of requests that are not about a
// device of their own; drivers' structures are not looked into.
var ioctlFields = map[uint32]struct {
	size   int
	fields []field
}{
	unix.SIOCGIFCONF: {16, []field{{off: 8, size: 1, count: 0, part: true}}},
	unix.SIOCETHTOOL: {40, []field{{off: 16, size: 4, count: oneElement}}},
	uffdioRegister:   {32, []field{{off: 0, size: 1, count: 8, wide: true}}},
	uffdioCopy:       {40, []field{{off: 0, size: 1, count: 16, wide: true}, {off: 8, size: 1, count: 16, wide: true}}},
	uffdioMove:       {40, []field{{off: 0, size: 1, count: 16, wide: true}, {off: 8, size: 1, count: 16, wide: true}}},
	sgIO:             {88, []field{{off: 16, size: 1, count: 12}, {off: 24, size: 1, count: oneElement}, {off: 32, size: 1, count: oneElement}}},
}

const (
	uffdioRegister = 0xc020aa00
	uffdioCopy     = 0xc028aa03
	uffdioMove     = 0xc028aa05
	sgIO           = 0x2285
	fsIocFiemap    = 0xc020660b
	fideduperange  = 0xc0189436
)

// insideIoctl checks what an ioctl's structure points to, and what lies behind it.
func insideIoctl(t *Task, a *Args) {
	request := uint32(a[1])
	if f, ok := ioctlFields[request]; ok {
		t.structure(&a[2], f.size, f.fields)
		return
	}
	switch request {
	case fsIocFiemap:
		if n, e := load[uint32](t.p, a[2]+24); e == 0 {
			t.upTo(&a[2], 32+56*uint64(n)) // as many extents as there are
		}
	case fideduperange:
		if n, e := load[uint16](t.p, a[2]+16); e == 0 {
			t.whole(&a[2], 24+32*uint64(n))
		}
	}
}

// Operations of struct iocb and places in it (linux/aio_abi.h).
const (
	iocbSize    = 64
	iocbOpcode  = 16
	iocbBuf     = 24
	iocbNbytes  = 32
	iocbPread   = 0
	iocbPwrite  = 1
	iocbPreadv  = 7
	iocbPwritev = 8
)

// insideSubmit checks the requests of io_submit, and their buffers.
func insideSubmit(t *Task, a *Args) {
	n := a[1]
	if n > 1<<16 {
		return
	}
	list := make([]byte, 8*n)
	if t.p.copyIn(list, a[2]) != 0 { // those before one that is not there are taken
		have := uint64(0)
		for have < n && t.p.copyIn(list[8*have:][:8], a[2]+8*have) == 0 {
			have++
		}
		list, a[1] = list[:8*have], max(have, 1)
	}
	t.whole(&a[2], 8*a[1])
	le, bad := binary.LittleEndian, false
	for l := list; len(l) > 0; l = l[8:] {
		at := le.Uint64(l)
		var cb [iocbSize]byte
		if t.p.copyIn(cb[:], at) != 0 {
			t.whole(&at, iocbSize)
			le.PutUint64(l, at)
			bad = true
			continue
		}
		buf, size := le.Uint64(cb[iocbBuf:]), le.Uint64(cb[iocbNbytes:])
		was, wasSize := buf, size
		switch le.Uint16(cb[iocbOpcode:]) {
		case iocbPread, iocbPwrite:
			t.clamp(&buf, &size)
		case iocbPreadv, iocbPwritev:
			t.clampIovec(&buf, size)
		}
		if p := &t.call.nested.patched; buf != was || size != wasSize {
			p.t = t
			p.set(at+iocbBuf, buf, 8)
			p.set(at+iocbNbytes, size, 8)
		}
	}
	if bad {
		t.standIn(&a[2], list)
	}
}

// insideGetevents checks the room for events, of which the kernel needs as much as there are events.
// The least number that the guest waits for has to fit.
func insideGetevents(t *Task, a *Args) {
	const event = 32
	least, most := int64(a[1]), int64(a[2])
	if most <= 0 {
		return
	}
	n := t.elements(&a[3], uint64(min(most, 1<<31)), event)
	switch {
	case n >= uint64(min(most, 1<<31)):
	case int64(n) < least:
		a[3] = noPage | a[3]%cpu.PageSize
	default:
		a[2] = n
	}
}

// insideMsgsnd checks the message of msgsnd: its type and its text.
func insideMsgsnd(t *Task, a *Args) {
	if int64(a[2]) >= 0 {
		t.whole(&a[1], 8+min(a[2], 1<<31))
	}
}
