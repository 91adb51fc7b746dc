package syscalls

import (
	"fmt"
	"strconv"

	"golang.org/x/sys/unix"
)

// What fcntl(2), ioctl(2) and prctl(2) take depends on the operation.

var fdFlag = flagSet{names: []name{{unix.FD_CLOEXEC, "FD_CLOEXEC"}}}

var lockTypes = []string{"F_RDLCK", "F_WRLCK", "F_UNLCK"}

var sealFlags = flagSet{names: []name{{unix.F_SEAL_SEAL, "F_SEAL_SEAL"}, {unix.F_SEAL_SHRINK, "F_SEAL_SHRINK"}, {unix.F_SEAL_GROW, "F_SEAL_GROW"},
	{unix.F_SEAL_WRITE, "F_SEAL_WRITE"}, {unix.F_SEAL_FUTURE_WRITE, "F_SEAL_FUTURE_WRITE"}, {unix.F_SEAL_EXEC, "F_SEAL_EXEC"}}}

func showFcntl(t *Task, i int, r int64) (string, bool) {
	if i != 2 {
		return "", false
	}
	a := &t.call.args
	switch cmd := uint32(a[1]); cmd {
	case unix.F_GETFD, unix.F_GETFL, unix.F_GETOWN, unix.F_GETSIG, unix.F_GETLEASE, unix.F_GETPIPE_SZ, unix.F_GET_SEALS:
		return hidden, true
	case unix.F_SETFD:
		return fdFlag.format(a[2]), true
	case unix.F_SETFL:
		return flagSets[OpenFlags].format(uint64(uint32(a[2]))), true
	case unix.F_DUPFD, unix.F_DUPFD_CLOEXEC, unix.F_SETOWN, unix.F_SETPIPE_SZ:
		return decimal(a[2]), true
	case unix.F_SETSIG:
		return signalName(int(int32(a[2]))), true
	case unix.F_SETLEASE:
		if a[2] < uint64(len(lockTypes)) {
			return lockTypes[a[2]], true
		}
	case unix.F_ADD_SEALS:
		return sealFlags.format(a[2]), true
	case unix.F_SETLK, unix.F_SETLKW, unix.F_OFD_SETLK, unix.F_OFD_SETLKW:
		return t.showLock(a[2], false)
	case unix.F_GETLK, unix.F_OFD_GETLK:
		if r >= 0 {
			return t.showLock(a[2], true)
		}
	}
	return "", false
}

// showLock prints a struct flock.
func (t *Task) showLock(addr uint64, owner bool) (string, bool) {
	l, e := load[struct {
		kind, whence int16
		start, size  int64
		pid          int32
	}](t.p, addr)
	if e != 0 || l.kind < 0 || int(l.kind) >= len(lockTypes) {
		return "", false
	}
	pid := ""
	if owner {
		pid = fmt.Sprintf(", l_pid=%d", l.pid)
	}
	return fmt.Sprintf("{l_type=%s, l_whence=%s, l_start=%d, l_len=%d%s}", lockTypes[l.kind], flagSets[Whence].format(uint64(l.whence)), l.start, l.size, pid), true
}

// fcntlResult tells the flags that the number is.
func fcntlResult(t *Task, r int64) string {
	switch cmd := uint32(t.call.args[1]); {
	case cmd == unix.F_GETFD && r != 0:
		return fmt.Sprintf("%#x (flags %s)", r, fdFlag.format(uint64(r)))
	case cmd == unix.F_GETFL:
		return fmt.Sprintf("%s (flags %s)", shortHex(uint64(r)), flagSets[OpenFlags].format(uint64(r)))
	}
	return strconv.FormatInt(r, 10)
}

// shortHex is strace's way of writing numbers that are not for counting.
func shortHex(v uint64) string {
	if v == 0 {
		return "0"
	}
	return hex(v)
}

// showIoctl prints the arguments of requests of terminals, and those that are an integer.
func showIoctl(t *Task, i int, r int64) (string, bool) {
	const (
		fionbio, fioasync = 0x5421, 0x5452
		fioclex, fionclex = 0x5451, 0x5450
	)
	if i != 2 {
		return "", false
	}
	v := t.call.args[2]
	switch uint32(t.call.args[1]) {
	case fioclex, fionclex, unix.TIOCNOTTY, unix.TIOCEXCL, unix.TIOCNXCL:
		return hidden, true
	case unix.TIOCSCTTY, unix.FICLONE, unix.TCSBRK, unix.TCXONC, unix.TCFLSH:
		return decimal(v), true
	case fionbio, fioasync, unix.TIOCSPGRP, unix.TIOCSPTLCK:
		return t.showInts(v, 1)
	case unix.TIOCSWINSZ:
		return t.showWinsize(v)
	case unix.TCSETS, unix.TCSETSW, unix.TCSETSF:
		return t.showTermios(v)
	case unix.TIOCGPGRP, unix.TIOCGSID, unix.TIOCINQ, unix.TIOCOUTQ, unix.TIOCGPTN, unix.TIOCGPTLCK:
		if r >= 0 {
			return t.showInts(v, 1)
		}
	case unix.TIOCGWINSZ:
		if r >= 0 {
			return t.showWinsize(v)
		}
	case unix.TCGETS:
		if r >= 0 {
			return t.showTermios(v)
		}
	}
	return "", false
}

func (t *Task) showWinsize(addr uint64) (string, bool) {
	w, e := load[[4]uint16](t.p, addr)
	return fmt.Sprintf("{ws_row=%d, ws_col=%d, ws_xpixel=%d, ws_ypixel=%d}", w[0], w[1], w[2], w[3]), e == 0
}

// Flags of struct termios (asm-generic/termbits.h) but for delays, which terminals do not have.
var (
	inputFlags = flagSet{names: []name{{unix.IGNBRK, "IGNBRK"}, {unix.BRKINT, "BRKINT"}, {unix.IGNPAR, "IGNPAR"}, {unix.PARMRK, "PARMRK"}, {unix.INPCK, "INPCK"},
		{unix.ISTRIP, "ISTRIP"}, {unix.INLCR, "INLCR"}, {unix.IGNCR, "IGNCR"}, {unix.ICRNL, "ICRNL"}, {unix.IUCLC, "IUCLC"}, {unix.IXON, "IXON"},
		{unix.IXANY, "IXANY"}, {unix.IXOFF, "IXOFF"}, {unix.IMAXBEL, "IMAXBEL"}, {unix.IUTF8, "IUTF8"}}}
	outputFlags = flagSet{names: []name{{unix.OPOST, "OPOST"}, {unix.OLCUC, "OLCUC"}, {unix.ONLCR, "ONLCR"}, {unix.OCRNL, "OCRNL"}, {unix.ONOCR, "ONOCR"},
		{unix.ONLRET, "ONLRET"}, {unix.OFILL, "OFILL"}, {unix.OFDEL, "OFDEL"}}}
	controlFlags = flagSet{mask: unix.CBAUD, names: []name{{unix.B0, "B0"}, {unix.B9600, "B9600"}, {unix.B19200, "B19200"}, {unix.B38400, "B38400"},
		{unix.B57600, "B57600"}, {unix.B115200, "B115200"}, {unix.CS8, "CS8"}, {unix.CS7, "CS7"}, {unix.CS6, "CS6"}, {unix.CSTOPB, "CSTOPB"},
		{unix.CREAD, "CREAD"}, {unix.PARENB, "PARENB"}, {unix.PARODD, "PARODD"}, {unix.HUPCL, "HUPCL"}, {unix.CLOCAL, "CLOCAL"}, {unix.CRTSCTS, "CRTSCTS"}}}
	localFlags = flagSet{names: []name{{unix.ISIG, "ISIG"}, {unix.ICANON, "ICANON"}, {unix.ECHO, "ECHO"}, {unix.ECHOE, "ECHOE"}, {unix.ECHOK, "ECHOK"},
		{unix.ECHONL, "ECHONL"}, {unix.NOFLSH, "NOFLSH"}, {unix.TOSTOP, "TOSTOP"}, {unix.IEXTEN, "IEXTEN"}, {unix.ECHOCTL, "ECHOCTL"},
		{unix.ECHOPRT, "ECHOPRT"}, {unix.ECHOKE, "ECHOKE"}, {unix.FLUSHO, "FLUSHO"}, {unix.PENDIN, "PENDIN"}, {unix.EXTPROC, "EXTPROC"}}}
)

func (t *Task) showTermios(addr uint64) (string, bool) {
	f, e := load[[4]uint32](t.p, addr)
	return fmt.Sprintf("{c_iflag=%s, c_oflag=%s, c_cflag=%s, c_lflag=%s, ...}", inputFlags.format(uint64(f[0])), outputFlags.format(uint64(f[1])),
		controlFlags.format(uint64(f[2])), localFlags.format(uint64(f[3]))), e == 0
}

// prctlCount is how many arguments an operation of prctl(2) has. known is false if they are not told apart.
func prctlCount(op uint32) (n int, known bool) {
	switch op {
	case unix.PR_GET_DUMPABLE, unix.PR_GET_KEEPCAPS, unix.PR_GET_SECCOMP, unix.PR_GET_SECUREBITS, unix.PR_GET_TIMERSLACK:
		return 0, true
	case unix.PR_SET_PDEATHSIG, unix.PR_GET_PDEATHSIG, unix.PR_SET_DUMPABLE, unix.PR_SET_KEEPCAPS, unix.PR_SET_NAME, unix.PR_GET_NAME, unix.PR_CAPBSET_READ,
		unix.PR_CAPBSET_DROP, unix.PR_SET_SECUREBITS, unix.PR_SET_TIMERSLACK, unix.PR_SET_CHILD_SUBREAPER, unix.PR_GET_CHILD_SUBREAPER, unix.PR_GET_TID_ADDRESS:
		return 1, true
	case unix.PR_SET_SECCOMP:
		return 2, true
	case unix.PR_SET_NO_NEW_PRIVS, unix.PR_SET_THP_DISABLE:
		return 4, true
	}
	return 0, false
}

// capNames are capabilities by number (linux/capability.h).
var capNames = [...]string{"CHOWN", "DAC_OVERRIDE", "DAC_READ_SEARCH", "FOWNER", "FSETID", "KILL", "SETGID", "SETUID", "SETPCAP", "LINUX_IMMUTABLE", "NET_BIND_SERVICE",
	"NET_BROADCAST", "NET_ADMIN", "NET_RAW", "IPC_LOCK", "IPC_OWNER", "SYS_MODULE", "SYS_RAWIO", "SYS_CHROOT", "SYS_PTRACE", "SYS_PACCT", "SYS_ADMIN", "SYS_BOOT",
	"SYS_NICE", "SYS_RESOURCE", "SYS_TIME", "SYS_TTY_CONFIG", "MKNOD", "LEASE", "AUDIT_WRITE", "AUDIT_CONTROL", "SETFCAP", "MAC_OVERRIDE", "MAC_ADMIN", "SYSLOG",
	"WAKE_ALARM", "BLOCK_SUSPEND", "AUDIT_READ", "PERFMON", "BPF", "CHECKPOINT_RESTORE"}

func showPrctl(t *Task, i int, r int64) (string, bool) {
	a := &t.call.args
	op := uint32(a[0])
	n, known := prctlCount(op)
	switch {
	case !known || i == 0:
		return "", false
	case i > n:
		return hidden, true
	case i > 1:
		return "", false
	}
	switch op {
	case unix.PR_SET_NAME:
		return t.showString(a[1])
	case unix.PR_GET_NAME:
		if r >= 0 {
			return t.showString(a[1])
		}
	case unix.PR_SET_PDEATHSIG:
		return signalName(int(int32(a[1]))), true
	case unix.PR_GET_PDEATHSIG:
		if sig, e := load[int32](t.p, a[1]); e == 0 && r >= 0 {
			return "[" + signalName(int(sig)) + "]", true
		}
	case unix.PR_GET_CHILD_SUBREAPER:
		if r >= 0 {
			return t.showInts(a[1], 1)
		}
	case unix.PR_GET_TID_ADDRESS:
		if addr, e := load[uint64](t.p, a[1]); e == 0 && r >= 0 {
			return "[" + hex(addr) + "]", true
		}
	case unix.PR_CAPBSET_READ, unix.PR_CAPBSET_DROP:
		if a[1] < uint64(len(capNames)) {
			return "CAP_" + capNames[a[1]], true
		}
	case unix.PR_SET_DUMPABLE:
		if names := [...]string{"SUID_DUMP_DISABLE", "SUID_DUMP_USER", "SUID_DUMP_ROOT"}; a[1] < uint64(len(names)) {
			return names[a[1]], true
		}
	case unix.PR_SET_KEEPCAPS, unix.PR_SET_TIMERSLACK, unix.PR_SET_CHILD_SUBREAPER, unix.PR_SET_NO_NEW_PRIVS, unix.PR_SET_THP_DISABLE:
		return strconv.FormatUint(a[1], 10), true
	}
	return "", false
}
