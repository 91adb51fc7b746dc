package syscalls

import (
	"encoding/binary"
	"unsafe"

	"emu/internal/hostsig"

	"golang.org/x/sys/unix"
)

// The supervisor's side of user notification (seccomp_unotify(2)).

// Sizes of struct seccomp_notif and seccomp_notif_resp, and the requests that
// carry them.
const (
	notifSize     = 80
	notifRespSize = 24

	notifRecv = 0xc0502100
	notifSend = 0xc0182101

	notifContinue = 1 // SECCOMP_USER_NOTIF_FLAG_CONTINUE
)

// notifIoctl makes the requests in which a call of another guest is described.
func (t *Task) notifIoctl(a *Args) int64 {
	le := binary.LittleEndian
	if uint32(a[1]) == notifRecv {
		r := t.host(unix.SYS_IOCTL, a)
		var n [notifSize]byte
		if r != 0 || t.p.copyIn(n[:], a[2]) != 0 {
			return r
		}
		nr := le.Uint32(n[16:])
		if nr < notifBase {
			return r
		}
		le.PutUint32(n[16:], nr-notifBase)
		le.PutUint32(n[20:], auditArch)
		le.PutUint64(n[24:], guestPC(int(le.Uint32(n[8:]))))
		return fail(t.p.copyOut(a[2], n[:]))
	}
	var resp [notifRespSize]byte
	if e := t.p.copyIn(resp[:], a[2]); e != 0 {
		return fail(e)
	}
	if le.Uint32(resp[20:])&notifContinue != 0 {
		if le.Uint64(resp[8:]) != 0 || le.Uint32(resp[16:]) != 0 || le.Uint32(resp[20:]) != notifContinue {
			return fail(unix.EINVAL)
		}
		const goOn int32 = -notifGoOn
		err := goOn
		le.PutUint32(resp[16:], uint32(err))
		le.PutUint32(resp[20:], 0)
	} else if err := int32(le.Uint32(resp[16:])); err >= -notifRestartLast && err <= -hostsig.ERestart {
		le.PutUint32(resp[16:], uint32(err-notifRaw))
	}
	copy(t.th.Scratch[scratchSmall:], resp[:])
	a[2] = uint64(t.th.ScratchAddr(scratchSmall))
	return t.host(unix.SYS_IOCTL, a)
}

// guestPC is where a thread of another emu made the call that it waits in, 0 if
// that cannot be known.
func guestPC(tid int) (pc uint64) {
	at, _, e := findTrace(tid)
	if e != 0 {
		return 0
	}
	peekMemory(tid, at+uint64(unsafe.Offsetof(hostsig.Trace{}.Regs))+8*regPC, bytesOf(&pc))
	return pc
}
