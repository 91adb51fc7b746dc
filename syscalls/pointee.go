package syscalls

import (
	"encoding/binary"

	"emu/cpu"

	"golang.org/x/sys/unix"
)

// pointee tells how much memory an argument of kind Addr points to: size bytes, or
// as many times that as another argument says.
type pointee struct {
	arg   int8
	count int8 // the argument, or oneElement
	size  uint32
	part  bool // the kernel may need less
}

const oneElement = -1

// at says that argument i points to size bytes.
func (r Row) at(i int8, size uint32) Row {
	r.pointees = append(r.pointees, pointee{arg: i, count: oneElement, size: size})
	return r
}

// counted says that argument i points to as many elements of size bytes as argument
// n says.
func (r Row) counted(i, n int8, size uint32) Row {
	r.pointees = append(r.pointees, pointee{arg: i, count: n, size: size})
	return r
}

// upTo is counted for an argument of which the kernel may need less.
func (r Row) upTo(i, n int8, size uint32) Row {
	r.pointees = append(r.pointees, pointee{arg: i, count: n, size: size, part: true})
	return r
}

// inside says that f looks at the pointers that the arguments lead to, and at
// arguments that are pointers only sometimes.
func (r Row) inside(f func(t *Task, a *Args)) Row { r.inner = f; return r }

// numbers says that arguments of kind Addr are only compared or counted with.
func (r Row) numbers(args ...int8) Row {
	for _, i := range args {
		r.pointees = append(r.pointees, pointee{arg: i})
	}
	return r
}

// within says that arguments i and i+1 are a range of the guest's own memory, and
// what the call answers to others.
func (r Row) within(i int8, e unix.Errno) Row {
	r.pointees = append(r.pointees, pointee{arg: i})
	r.rangeErr, r.rangeArg = e, i
	return r
}

// pointees keeps the kernel away from memory that is not the guest's, see
// guestOnly, in what a row says about its arguments of kind Addr.
func (t *Task) pointees(row *Row, a *Args) {
	for _, p := range row.pointees {
		n := uint64(p.size)
		if p.count != oneElement {
			n *= min(a[p.count], 1<<31)
		}
		switch {
		case a[p.arg] == 0 || n == 0:
		case p.part:
			t.upTo(&a[p.arg], n)
		default:
			t.whole(&a[p.arg], n)
		}
	}
	if row.inner != nil {
		row.inner(t, a)
	}
}

// looksAt reports whether pointees look at argument i, of kind Addr, and so at its tag.
func (r *Row) looksAt(i int) bool {
	for _, p := range r.pointees {
		if int(p.arg) == i {
			return p.size != 0
		}
	}
	return r.inner != nil
}

// outOfRange reports whether a call's range is not the guest's. The kernel itself
// refuses ranges that do not start at a page.
func (t *Task) outOfRange(row *Row, a *Args) bool {
	if row.rangeErr == 0 {
		return false
	}
	start, length := a[row.rangeArg], a[row.rangeArg+1]
	return start%cpu.PageSize == 0 && length != 0 && !t.p.Mem.OK(start, length, 0)
}

// shadow is a copy of a structure of the guest's that the kernel gets in its place,
// because a pointer in it is bad.
type shadow struct {
	addr        uint64
	now, before []byte
}

// nested is what a call has put in place of structures of the guest's until it is
// made.
type nested struct {
	shadows []shadow
	patched patches
}

// standIn makes *addr, the address of a structure of the guest's, that of a copy.
func (t *Task) standIn(addr *uint64, b []byte) {
	n := &t.call.nested
	n.shadows = append(n.shadows, shadow{*addr, b, append([]byte(nil), b...)})
	*addr = pin(b)
}

// shadowed copies the structure at addr if it is one of ours.
func (t *Task) shadowed(dst []byte, addr uint64) bool {
	for _, s := range t.call.nested.shadows {
		if pin(s.now) == addr {
			copy(dst, s.now)
			return true
		}
	}
	return false
}

// endNested tells the guest what the kernel has written to copies, and takes back
// what has been changed in place.
func (t *Task) endNested() {
	n := &t.call.nested
	for _, s := range n.shadows {
		for i := 0; i < len(s.now); {
			end := i
			for end < len(s.now) && s.now[end] != s.before[end] {
				end++
			}
			if end > i {
				t.p.copyOut(s.addr+uint64(i), s.now[i:end])
			}
			i = end + 1
		}
	}
	n.shadows = nil
	n.patched.restore()
}

// field is a pointer in a structure: its offset, and where its count is: a constant
// number of bytes, or at offset count with count's width, times size.
type field struct {
	off   uint16
	size  uint32
	count int16 // offset of the count, or oneElement
	wide  bool  // the count has 64 bits
	part  bool  // the kernel may need less
}

// check makes the fields of b, a copy of a structure, that lead out of the guest's
// memory lead nowhere, and reports whether there were any.
func (t *Task) check(b []byte, fields []field) (bad bool) {
	for _, f := range fields {
		n := uint64(f.size)
		switch {
		case f.count == oneElement:
		case f.wide:
			n *= min(member(b, int(f.count), 8), 1<<31)
		default:
			n *= member(b, int(f.count), 4)
		}
		was := member(b, int(f.off), 8)
		p := was
		if p == 0 || n == 0 {
			continue
		}
		if f.part {
			t.upTo(&p, n)
		} else {
			t.whole(&p, n)
		}
		if p != was {
			var whole [8]byte
			binary.LittleEndian.PutUint64(whole[:], p)
			copy(b[f.off:], whole[:])
			bad = true
		}
	}
	return bad
}

// member is the number of size bytes at off in a structure that may end before it
// or within it: where the kernel takes structures of any length, the rest is zeros
// (copy_struct_from_user, bpf(2)).
func member(b []byte, off, size int) uint64 {
	var whole [8]byte
	if off < len(b) {
		copy(whole[:size], b[off:])
	}
	return binary.LittleEndian.Uint64(whole[:])
}

// structure checks the pointers in the n bytes at *addr.
func (t *Task) structure(addr *uint64, n int, fields []field) {
	if *addr == 0 || n == 0 {
		return
	}
	t.whole(addr, uint64(n))
	b := make([]byte, n)
	if t.p.copyIn(b, *addr) != 0 {
		return
	}
	if t.check(b, fields) {
		t.standIn(addr, b)
	}
}

// text makes a string that does not end within the guest's memory lead nowhere.
func (t *Task) text(addr *uint64) {
	if *addr == 0 || t.p.Mem.Reach(*addr, pathMax, 0) {
		return
	}
	if _, e := t.p.cstring(*addr, pathMax); e == unix.EFAULT {
		*addr = noPage
	}
}

// iovec makes the buffers of an array of n iovecs end where the guest's memory does.
// It returns a copy if it had to change them, nil if not.
func (t *Task) iovec(addr, n uint64) []byte {
	if n > maxIovecs {
		return nil
	}
	var few [8 * 16]byte
	b := few[:]
	if 16*n > uint64(len(few)) {
		b = make([]byte, 16*n)
	}
	b = b[:16*n]
	if t.p.copyIn(b, addr) != 0 {
		return nil
	}
	le, changed := binary.LittleEndian, false
	for v := b; len(v) > 0; v = v[16:] {
		base, size := le.Uint64(v), le.Uint64(v[8:])
		if t.clamp(&base, &size); base != le.Uint64(v) || size != le.Uint64(v[8:]) {
			le.PutUint64(v, base)
			le.PutUint64(v[8:], size)
			changed = true
		}
	}
	if !changed {
		return nil
	}
	return append([]byte(nil), b...)
}

// clampIovec does for the buffers of an iovec array what clamp does for one. The
// array is copied only if one of them reaches outside.
func (t *Task) clampIovec(addr *uint64, n uint64) {
	if n > maxIovecs {
		return
	}
	t.whole(addr, 16*n)
	if own := t.iovec(*addr, n); own != nil {
		t.call.nested.patched.keep = append(t.call.nested.patched.keep, own)
		*addr = pin(own)
	}
}

// Pointers of struct msghdr.
const (
	msgIov        = 16
	msgIovlen     = 24
	msgControl    = 32
	msgControllen = 40
)

// maxMessages is how many messages a call takes here at most: sendmmsg(2) takes UIO_MAXIOV, and
// recvmmsg(2) as many as there are headers.
const maxMessages = 1 << 16

// headers reads n headers of size bytes, up to the first that is not there. The kernel looks at the
// message of a header of which only the end, its own count, is missing.
func (t *Task) headers(b []byte, addr uint64, size int) []byte {
	if t.p.copyIn(b, addr) == 0 {
		return b
	}
	for at := 0; at < len(b); at += size {
		if t.p.copyIn(b[at:at+size], addr+uint64(at)) == 0 {
			continue
		}
		if t.p.copyIn(b[at:at+msghdrSize], addr+uint64(at)) == 0 {
			at += size
		}
		return b[:at]
	}
	return b
}

// messages checks what n headers of size bytes at *addr point to, as far as there are any, and
// returns how many the kernel may look for.
func (t *Task) messages(addr *uint64, n uint64, size int) uint64 {
	n = t.elements(addr, n, uint64(size))
	var one [mmsghdrSize]byte
	b := one[:size]
	if n != 1 {
		b = make([]byte, n*uint64(size))
	}
	b = t.headers(b, *addr, size)
	le, bad := binary.LittleEndian, false
	put := func(at []byte, v uint64) {
		if le.Uint64(at) != v {
			le.PutUint64(at, v)
			bad = true
		}
	}
	for m := b; len(m) >= size; m = m[size:] {
		name, iov, control := le.Uint64(m[msgName:]), le.Uint64(m[msgIov:]), le.Uint64(m[msgControl:])
		if namelen := le.Uint32(m[msgNamelen:]); name != 0 && int32(namelen) > 0 {
			t.upTo(&name, uint64(min(namelen, sockaddrMax)))
			put(m[msgName:], name)
		}
		if n := le.Uint64(m[msgControllen:]); control != 0 && n != 0 {
			t.upTo(&control, min(n, 1<<31))
			put(m[msgControl:], control)
		}
		t.clampIovec(&iov, le.Uint64(m[msgIovlen:]))
		put(m[msgIov:], iov)
	}
	if bad {
		t.standIn(addr, append([]byte(nil), b...))
		return uint64(len(b) / size)
	}
	return n
}

// sockaddrMax is the size of struct sockaddr_storage: the kernel uses no more.
const sockaddrMax = 128
