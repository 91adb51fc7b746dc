package syscalls

import "encoding/binary"

// sqePointer is a pointer in a submission entry: the field at off leads to size
// bytes, or as many times that as sqe->len says.
type sqePointer struct {
	off    uint8
	what   sqeTarget
	size   uint32
	counts bool
}

// sqeTarget is what a field of an entry points to.
type sqeTarget uint8

const (
	sqePlain   sqeTarget = iota
	sqeIovec             // sqe->len struct iovecs
	sqeMessage           // struct msghdr
	sqeBuffers           // sqe->fd buffers of sqe->len bytes each
)

// sqePointers are the pointers in entries by operation (linux/io_uring.h). Those of
// READ_FIXED and WRITE_FIXED lie in buffers that have been checked when they were
// registered.
var sqePointers = map[byte][]sqePointer{
	1: {{off: sqeAddr, what: sqeIovec}}, 2: {{off: sqeAddr, what: sqeIovec}}, // READV, WRITEV
	9: {{off: sqeAddr, what: sqeMessage}}, 10: {{off: sqeAddr, what: sqeMessage}}, 48: {{off: sqeAddr, what: sqeMessage}}, // SENDMSG, RECVMSG, SENDMSG_ZC
	11: {{off: sqeAddr, size: 16}}, 15: {{off: sqeAddr, size: 16}}, // TIMEOUT, LINK_TIMEOUT
	13: {{off: sqeAddr, size: 1}, {off: sqeOff, size: 4}},                                    // ACCEPT
	16: {{off: sqeAddr, size: 1}},                                                            // CONNECT
	17: nil,                                                                                  // FALLOCATE: numbers
	20: {{off: sqeAddr, size: 4, counts: true}},                                              // FILES_UPDATE
	21: {{off: sqeOff, size: 256}},                                                           // STATX
	22: {{off: sqeAddr, size: 1, counts: true}}, 23: {{off: sqeAddr, size: 1, counts: true}}, // READ, WRITE
	26: {{off: sqeAddr, size: 1, counts: true}}, 27: {{off: sqeAddr, size: 1, counts: true}}, // SEND, RECV
	31: {{off: sqeAddr, what: sqeBuffers}},                                                                                                   // PROVIDE_BUFFERS
	41: {{off: sqeAddr, size: 1}, {off: sqeOff, size: 1, counts: true}}, 42: {{off: sqeAddr, size: 1}, {off: sqeOff, size: 1, counts: true}}, // FSETXATTR, SETXATTR
	43: {{off: sqeAddr, size: 1}, {off: sqeOff, size: 1, counts: true}}, 44: {{off: sqeAddr, size: 1}, {off: sqeOff, size: 1, counts: true}}, // FGETXATTR, GETXATTR
	47: {{off: sqeAddr, size: 1, counts: true}},                  // SEND_ZC
	50: {{off: sqeOff, size: 128}},                               // WAITID
	51: {{off: sqeAddr, size: 1}}, 52: {{off: sqeAddr, size: 1}}, // FUTEX_WAIT, FUTEX_WAKE
	53: {{off: sqeAddr, size: waitvSize, counts: true}}, // FUTEX_WAITV
}

// guard makes the pointers of an entry that lead to emu's memory lead nowhere.
func (s *submission) guard(at uint64, sqe *[sqeSize]byte) {
	const bufferSelect = 1 << 5 // IOSQE_BUFFER_SELECT: the kernel chooses the buffer
	le := binary.LittleEndian
	t, n := s.t, uint64(le.Uint32(sqe[sqeLen:]))
	for _, p := range sqePointers[sqe[0]] {
		addr := le.Uint64(sqe[p.off:])
		if addr == 0 || sqe[1]&bufferSelect != 0 && p.what == sqePlain {
			continue
		}
		was := addr
		switch p.what {
		case sqeIovec:
			t.clampIovec(&addr, n)
		case sqeMessage:
			// The kernel writes to a header when the operation ends, so that it cannot be a copy.
			shadows := t.call.nested.shadows
			if t.messages(&addr, 1, msghdrSize); addr != was {
				addr = noPage
			}
			t.call.nested.shadows = shadows
		case sqeBuffers:
			t.whole(&addr, max(n*uint64(le.Uint32(sqe[sqeFD:])), 1))
		default:
			size := uint64(p.size)
			if p.counts {
				size *= n
			}
			if size != 0 {
				t.whole(&addr, size)
			}
		}
		if addr != was {
			s.set(at+uint64(p.off), addr, 8)
		}
	}
}
