package syscalls

import (
	"math/bits"
	"syscall"
	"unsafe"

	"emu/cpu"

	"golang.org/x/sys/unix"
)

// noPage is an address that nobody can map, in the page after NULL's.
const noPage = 0x1000

// kindSize is how many bytes the kernel reads or writes at an argument of a
// fixed-size kind.
var kindSize = [lastKind]uint64{
	SigsetIn: sigsetSize, SigsetOut: sigsetSize, StackIn: 24, StackOut: 24, SiginfoIn: 128, SiginfoOut: 128,
	TimespecIn: 16, TimespecOut: 16, TimesIn: 32, TimevalIn: 16, TimevalOut: 16,
	ItimerspecIn: 32, ItimerspecOut: 32, ItimervalIn: 32, ItimervalOut: 32,
	EpollEventIn: armEpollEvent, RlimitIn: 16, RlimitOut: 16, IntIn: 4, IntOut: 4, LongOut: 8, TmsOut: 32, TimezoneOut: 8, TimexOut: 208, MqAttrOut: 64, IpcDsOut: 120, FdPairOut: 8, StatusOut: 4,
	StatfsOut: 120, StatxOut: 256, UtsnameOut: 6 * utsLen, RusageOut: 144, SysinfoOut: 112, CapsIn: 8,
}

// guestOnly keeps the host kernel away from memory that is emu's and not the
// guest's, which may lie next to each other: a pointer to it becomes one to
// nothing, so that the kernel finds the fault where, and only if, it would find
// it in a process of the guest's own, and a buffer that reaches into it ends
// where the guest's memory ends, as if nothing were mapped behind.
func (t *Task) guestOnly(row *Row, a *Args) {
	for m := row.pointers; m != 0; m &= m - 1 {
		i := bits.TrailingZeros8(m)
		if a[i] == 0 {
			continue
		}
		if k := row.Args[i]; t.State.TopBytes && (k.isPath() || k == Str) {
			t.untagString(&a[i])
			if !t.p.Mem.OK(a[i], 1, 0) {
				a[i] = noPage | a[i]%cpu.PageSize
			}
			continue
		}
		switch k := row.Args[i]; k {
		case InBuf, OutBuf, PathOut, DirentsOut:
			t.clamp(&a[i], &a[i+1])
		case IovecIn, IovecOut:
			t.clampIovec(&a[i], a[i+1])
		case MsghdrIn, MsghdrOut:
			t.messages(&a[i], 1, msghdrSize)
		case MmsghdrIn, MmsghdrOut:
			a[i+1] = t.messages(&a[i], min(uint64(uint32(a[i+1])), maxMessages), mmsghdrSize)
		case PollfdsIn:
			t.whole(&a[i], 8*uint64(uint32(a[i+1])))
		case FdSetIn:
			t.whole(&a[i], (uint64(uint32(a[0]))+63)/64*8)
		case MsgOut:
			t.upTo(&a[i], 8+min(a[i+1], 1<<31))
		case GroupsOut:
			t.upTo(&a[i], max(4*uint64(uint32(a[i-1])), 1))
		case SockaddrOut, LenBufOut:
			if n, e := load[uint32](t.p, a[i+1]); e == 0 {
				t.upTo(&a[i], uint64(n))
			}
		case SizedBefore:
			t.clamp(&a[i], &a[i-1])
		case TimespecIn:
			if row.flags&cpu.DirectFutex == 0 || futexWaits(a[1]) {
				t.whole(&a[i], kindSize[k])
			}
		default:
			t.whole(&a[i], max(kindSize[k], 1))
			if k == Str || k.isPath() {
				t.text(&a[i])
			}
		}
	}
	t.pointees(row, a)
}

// futexWaits reports whether a futex operation takes a timeout rather than a
// number as its fourth argument.
func futexWaits(op uint64) bool {
	const wait, lockPI, waitBitset, waitRequeuePI, lockPI2 = 0, 6, 9, 11, 13
	switch op & 0x7f {
	case wait, lockPI, waitBitset, waitRequeuePI, lockPI2:
		return true
	}
	return false
}

// whole replaces an address at which the guest does not have n bytes.
func (t *Task) whole(addr *uint64, n uint64) {
	if t.State.TopBytes && t.untag(addr, n) < n {
		return
	}
	if !t.p.Mem.Reach(*addr, n, 0) {
		*addr = nowhere(*addr)
	}
}

// nowhere is where an address leads that is not the guest's: to nothing, or, if no process can have it, to where
// it did. Of those the kernel tells some calls before it looks at anything else (access_ok).
func nowhere(addr uint64) uint64 {
	if addr >= cpu.MaxAddr {
		return addr
	}
	return noPage | addr%cpu.PageSize
}

// wholeIfAddress is whole for what may be a number instead: some requests of ioctl(2) take one although theirs says that
// they point to an int (FICLONE, TUNSETOWNER). Where the host has nothing mapped, the kernel itself finds out what is no address.
func (t *Task) wholeIfAddress(addr *uint64, n uint64) {
	at := *addr
	if t.State.TopBytes {
		at = cpu.Untagged(at)
	}
	if t.p.Mem.Reach(at, n, 0) || hostHasAny(at, n) {
		t.whole(addr, n)
	}
}

// upTo is whole for a buffer of which the kernel may need less than n bytes, and in which there are no pointers: where
// nothing is mapped behind what the guest has of it, the kernel itself finds that out.
func (t *Task) upTo(addr *uint64, n uint64) {
	if !t.endsInHole(*addr, n) {
		t.whole(addr, n)
	}
}

// endsInHole reports whether the guest has the first of n bytes, and the host has nothing where the guest's end.
func (t *Task) endsInHole(addr, n uint64) bool {
	const most = 16 // pages that are looked at: the kernel does not get beyond the first
	if addr+n < addr || t.p.Mem.OK(addr, n, 0) {
		return false
	}
	end := t.endOf(addr, n)
	if end == addr {
		return false
	}
	for stop := min(addr+n, end+most*cpu.PageSize); end < stop; end += cpu.PageSize {
		if hostHas(end) {
			return false
		}
	}
	return true
}

// endOf is where what the guest has of n bytes ends, not before the end of a region.
func (t *Task) endOf(addr, n uint64) (end uint64) {
	for end = addr; end-addr < n; {
		r, ok := t.p.Mem.Find(end)
		if !ok {
			break
		}
		end = r.End
	}
	return end
}

// clamp shortens a buffer to what the guest has of it.
func (t *Task) clamp(addr, size *uint64) {
	if t.State.TopBytes {
		if n := t.untag(addr, *size); n != 0 {
			*size = n
		}
	}
	if t.p.Mem.Reach(*addr, *size, 0) {
		return
	}
	end := t.endOf(*addr, *size)
	if end == *addr {
		if *addr >= cpu.PageSize { // NULL may mean something, and is nobody's
			*addr = nowhere(*addr)
		}
		return
	}
	if hostHas(end) {
		*size = min(*size, end-*addr)
	}
}

// elements is clamp for an array that the kernel goes through until it meets a fault, n
// elements of size bytes. It returns how many there are for it.
func (t *Task) elements(addr *uint64, n, size uint64) uint64 {
	whole := n * size
	have := whole
	if t.clamp(addr, &have); have == whole {
		return n
	}
	if have < size {
		*addr = noPage | *addr%cpu.PageSize
		return n
	}
	return have / size
}

// hostHasAny reports whether anything is mapped of n > 0 bytes of the host.
func hostHasAny(addr, n uint64) bool {
	const inPage = cpu.PageSize - 1
	for left := n + addr&inPage; ; left -= cpu.PageSize {
		if hostHas(addr &^ inPage) {
			return true
		}
		if left <= cpu.PageSize {
			return false
		}
		addr += cpu.PageSize
	}
}

// hostHas reports whether anything is mapped at a page of the host. Where there
// is nothing, the kernel itself ends the buffer.
func hostHas(page uint64) bool {
	var in [1]byte
	_, _, e := syscall.RawSyscall(unix.SYS_MINCORE, uintptr(page), cpu.PageSize, uintptr(unsafe.Pointer(&in)))
	return e != unix.ENOMEM
}

// maxIovecs is UIO_MAXIOV: the kernel refuses more.
const maxIovecs = 1024

// prctlSize is how many bytes prctl operations read or write at their second
// argument; those that are not here take numbers.
var prctlSize = map[uint32]uint64{
	unix.PR_SET_NAME: 16, unix.PR_GET_NAME: 16, unix.PR_GET_PDEATHSIG: 4, unix.PR_GET_TID_ADDRESS: 8,
	unix.PR_GET_CHILD_SUBREAPER: 4, unix.PR_GET_UNALIGN: 4, unix.PR_GET_FPEMU: 4, unix.PR_GET_FPEXC: 4, unix.PR_GET_ENDIAN: 4,
}

// fcntlSize is the same for fcntl's third argument.
var fcntlSize = map[uint32]uint64{
	unix.F_GETLK: 32, unix.F_SETLK: 32, unix.F_SETLKW: 32, unix.F_OFD_GETLK: 32, unix.F_OFD_SETLK: 32, unix.F_OFD_SETLKW: 32,
	unix.F_GETOWN_EX: 8, unix.F_SETOWN_EX: 8, unix.F_GET_RW_HINT: 8, unix.F_SET_RW_HINT: 8, unix.F_GET_FILE_RW_HINT: 8, unix.F_SET_FILE_RW_HINT: 8,
}

// Requests that every file knows (asm-generic/ioctls.h).
const (
	fionbio  = 0x5421
	fioasync = 0x5452
)

// ioctlSizes are those of requests from before sizes were part of the number.
var ioctlSizes = map[uint32]uint64{
	unix.TCGETS: 36, unix.TCSETS: 36, unix.TCSETSW: 36, unix.TCSETSF: 36, unix.TIOCGWINSZ: 8, unix.TIOCSWINSZ: 8,
	unix.TIOCGPGRP: 4, fionbio: 4, fioasync: 4, unix.TIOCSPGRP: 4, unix.TIOCGSID: 4, unix.TIOCINQ: 4, unix.TIOCOUTQ: 4, unix.SIOCGIFCONF: 16,
	unix.SIOCGIFFLAGS: 40, unix.SIOCGIFADDR: 40, unix.SIOCGIFINDEX: 40, unix.SIOCGIFMTU: 40, unix.SIOCGIFHWADDR: 40, unix.SIOCGIFNAME: 40,
	unix.SIOCGIFNETMASK: 40, unix.SIOCGIFBRDADDR: 40,
}

// ioctlSize is how many bytes an ioctl request reads or writes at its argument,
// 0 if it is not known to point anywhere (asm-generic/ioctl.h).
func ioctlSize(request uint32) uint64 {
	if n, ok := ioctlSizes[request]; ok {
		return n
	}
	const sizeMask, dirShift = 1<<14 - 1, 30
	if request>>dirShift == 0 {
		return 0
	}
	return uint64(request >> 16 & sizeMask)
}

// sysIoctl implements ioctl(2).
func sysIoctl(t *Task, a *Args) int64 {
	if r := uint32(a[1]); r == notifRecv || r == notifSend {
		return t.notifIoctl(a)
	}
	if uint32(a[1]) == procmapQuery {
		if regions, e, ok := t.mapsOf(int(int32(a[0]))); e != 0 {
			return fail(e)
		} else if ok {
			return t.queryMap(regions, a[2])
		}
	}
	if n := ioctlSize(uint32(a[1])); n != 0 && a[2] != 0 {
		t.wholeIfAddress(&a[2], n)
		insideIoctl(t, a)
	}
	return t.host(unix.SYS_IOCTL, a)
}
