package syscalls

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// sunPathMax is the room for a path in struct sockaddr_un.
const sunPathMax = 108

// Offsets in struct msghdr and the size of struct mmsghdr.
const (
	msgName     = 0
	msgNamelen  = 8
	msghdrSize  = 56
	mmsghdrSize = 64
)

// translateSockets replaces the paths of sockets among a call's arguments by those
// that the host knows them by.
func (t *Task) translateSockets(row *Row, a *Args) unix.Errno {
	for m := row.sockets; m != 0; m &= m - 1 {
		i := bits.TrailingZeros8(m)
		if a[i] == 0 {
			continue
		}
		switch k := row.Args[i]; k {
		case SockaddrIn, SockaddrNew:
			host, e := t.hostSockaddr(a[i], a[i+1], pathUses[k].use)
			if e != 0 {
				return e
			}
			if host != nil {
				a[i], a[i+1] = pin(host), uint64(len(host))
			}
		case MsghdrIn:
			changed, e := t.hostMessages(a[i], 1, msghdrSize)
			if e != 0 {
				return e
			}
			if changed != nil {
				a[i] = pin(changed)
			}
		case MmsghdrIn:
			// The kernel counts what it has sent of each in its place.
			changed, e := t.hostMessages(a[i], int(min(a[i+1], maxIovecs)), mmsghdrSize)
			if e != 0 {
				return e
			}
			if changed != nil {
				t.call.sent = changed
				a[i], a[i+1] = pin(changed), uint64(len(changed)/mmsghdrSize)
			}
		}
	}
	return 0
}

// hostSockaddr is the address of a socket as the host knows it, nil if it is the
// same. The slice keeps it alive until the next call.
func (t *Task) hostSockaddr(addr, n uint64, u use) ([]byte, unix.Errno) {
	r := t.p.root.Load()
	if n <= 2 || n > sunPathMax+2 {
		return nil, 0
	}
	b := make([]byte, n)
	if t.p.copyIn(b, addr) != 0 || binary.LittleEndian.Uint16(b) != unix.AF_UNIX || b[2] == 0 {
		return nil, 0
	}
	path, _, _ := bytes.Cut(b[2:], []byte{0})
	host, same, e := r.findAt(unix.AT_FDCWD, string(path), u)
	if e != 0 || same {
		return nil, e
	}
	if rest, ok := r.inside(host); ok && len(host) >= sunPathMax {
		host = r.socketDir() + rest
	}
	if len(host) >= sunPathMax {
		return nil, unix.ENAMETOOLONG
	}
	if u == useNew {
		r.bound.Store(host, string(path))
	}
	out := append(b[:2:2], host...)
	t.call.keep = append(t.call.keep[:0], append(out, 0))
	return t.call.keep[0], 0
}

// socketDir is a short name of the sysroot: the room for a socket's path is small.
func (r *sysroot) socketDir() string { return "/proc/self/fd/" + strconv.Itoa(r.dir) }

// hostMessages returns a copy of n headers, or of those that are there, with their names
// translated, nil if there is nothing to translate.
func (t *Task) hostMessages(addr uint64, n, size int) ([]byte, unix.Errno) {
	b := make([]byte, n*size)
	if !t.shadowed(b, addr) {
		b = t.headers(b, addr, size)
	}
	var keep [][]byte
	le := binary.LittleEndian
	for m := b; len(m) >= size; m = m[size:] {
		name := le.Uint64(m[msgName:])
		if name == 0 {
			continue
		}
		host, e := t.hostSockaddr(name, uint64(le.Uint32(m[msgNamelen:])), useFollow)
		if e != 0 {
			return nil, e
		}
		if host == nil {
			continue
		}
		keep = append(keep, host)
		le.PutUint64(m[msgName:], pin(host))
		le.PutUint32(m[msgNamelen:], uint32(len(host)))
	}
	if keep == nil {
		return nil, 0
	}
	t.call.keep = append(keep, b)
	return b, 0
}

// guestSockets gives the addresses that a successful call has filled in the names
// that the guest knows them by. a are the guest's arguments, r is the result.
func (t *Task) guestSockets(row *Row, a *Args, r int64) {
	for m := row.sockets; m != 0; m &= m - 1 {
		i := bits.TrailingZeros8(m)
		if a[i] == 0 {
			continue
		}
		switch row.Args[i] {
		case SockaddrOut:
			t.guestSockaddr(a[i], a[i+1])
		case MsghdrOut:
			t.guestMessages(a[i], 1, msghdrSize)
		case MmsghdrOut:
			t.guestMessages(a[i], int(r), mmsghdrSize)
		case MmsghdrIn:
			t.sentLengths(a[i], int(r))
		}
	}
}

func (t *Task) guestMessages(addr uint64, n, size int) {
	for i := range n {
		m := addr + uint64(i*size)
		if name, e := load[uint64](t.p, m+msgName); e == 0 && name != 0 {
			t.guestSockaddr(name, m+msgNamelen)
		}
	}
}

// sentLengths copies what sendmmsg has counted in its copy of the headers.
func (t *Task) sentLengths(addr uint64, n int) {
	if t.call.sent == nil {
		return
	}
	for i := range n {
		off := i*mmsghdrSize + msghdrSize
		t.p.copyOut(addr+uint64(off), t.call.sent[off:off+4])
	}
	t.call.sent = nil
}

// socketName is the name that the guest has bound a socket to, or for those of
// other processes that of the file.
func (r *sysroot) socketName(host string) (guest string, ok bool) {
	if name, ok := r.bound.Load(host); ok {
		return name.(string), true
	}
	if guest, ok = strings.CutPrefix(host, r.socketDir()); ok && strings.HasPrefix(guest, "/") {
		return guest, true
	}
	return r.inside(host)
}

// guestSockaddr rewrites the address at addr, whose length is at size. The guest's
// name is hardly ever longer than the host's; what does not fit is cut off.
func (t *Task) guestSockaddr(addr, size uint64) {
	r := t.p.root.Load()
	n, e := load[uint32](t.p, size)
	if e != 0 || n <= 2 || n > sunPathMax+2 {
		return
	}
	b := make([]byte, n)
	if t.p.copyIn(b, addr) != 0 || binary.LittleEndian.Uint16(b) != unix.AF_UNIX || b[2] == 0 {
		return
	}
	path, _, _ := strings.Cut(string(b[2:]), "\x00")
	guest, ok := r.socketName(path)
	if !ok {
		return
	}
	out := append(append(b[:2:2], guest...), 0)
	if t.p.copyOut(addr, out[:min(len(out), len(b))]) == 0 {
		save(t.p, size, uint32(len(out)))
	}
}
