package syscalls

import (
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// callFormat is what -strace prints of a call whose arguments depend on each other.
type callFormat struct {
	// after is the first argument that is printed after the call, if kinds do not say so; 0: they do.
	after int
	// arg prints argument i. ok is false where its kind says how; an argument without a text is not shown.
	// r is the result, or 0 before the call.
	arg func(t *Task, i int, r int64) (text string, ok bool)
	// result prints a result that is no error.
	result func(t *Task, r int64) string
}

// callFormats are those of calls, by name. An array needs no code at start as a map does.
var callFormats = [...]struct {
	name string
	callFormat
}{
	{"clone", callFormat{after: 2, arg: showClone}},
	{"epoll_ctl", callFormat{arg: showEpollCtl}},
	{"fcntl", callFormat{after: 2, arg: showFcntl, result: fcntlResult}},
	{"futex", callFormat{arg: showFutex}},
	{"getgroups", callFormat{arg: showGroups}},
	{"getsockopt", callFormat{arg: showSockopt}},
	{"ioctl", callFormat{after: 2, arg: showIoctl}},
	{"mremap", callFormat{arg: showMremap}},
	{"pipe2", callFormat{arg: showPipe2}},
	{"ppoll", callFormat{result: ppollResult}},
	{"prctl", callFormat{after: 1, arg: showPrctl}},
	{"pselect6", callFormat{arg: showPselect, result: pselectResult}},
	{"sched_getaffinity", callFormat{arg: showAffinity}},
	{"sched_setaffinity", callFormat{arg: showAffinity}},
	{"sendmmsg", callFormat{after: 1}},
	{"setsockopt", callFormat{arg: showSockopt}},
	{"socket", callFormat{arg: showSocket}},
	{"statx", callFormat{arg: showStatx}},
	{"timer_create", callFormat{arg: showTimerCreate}},
}

// callFormatOf is the callFormat of a call, one that changes nothing for most.
func callFormatOf(row *Row) (c callFormat) {
	for i := range callFormats {
		if callFormats[i].name == row.Name {
			c = callFormats[i].callFormat
		}
	}
	return c
}

const hidden = "" // an argument that is not shown

// decimal is an argument that is an int.
func decimal(v uint64) string { return strconv.FormatInt(int64(int32(v)), 10) }

// showInts prints the n 32-bit integers at addr as an array.
func (t *Task) showInts(addr uint64, n int) (string, bool) {
	if addr == 0 {
		return "NULL", true
	}
	var out []string
	for i := range n {
		if i == maxShown {
			out = append(out, "...")
			break
		}
		v, e := load[int32](t.p, addr+4*uint64(i))
		if e != 0 {
			return "", false
		}
		out = append(out, strconv.Itoa(int(v)))
	}
	return "[" + strings.Join(out, ", ") + "]", true
}

// showBits prints the numbers of the bits that are set in n bytes at addr.
func (t *Task) showBits(addr, n uint64) (string, bool) {
	b := make([]byte, min(n, 1024))
	if t.p.copyIn(b, addr) != 0 {
		return "", false
	}
	var out []string
	for i := range 8 * len(b) {
		if b[i/8]>>(i%8)&1 != 0 {
			out = append(out, strconv.Itoa(i))
		}
	}
	return "[" + strings.Join(out, " ") + "]", true
}

// showClone: clone(2)'s arguments have names.
func showClone(t *Task, i int, r int64) (string, bool) {
	a := &t.call.args
	flags := a[0]
	switch i {
	case 0:
		stack := "NULL"
		if a[1] != 0 {
			stack = hex(a[1])
		}
		return "child_stack=" + stack, true
	case 1:
		var parts []string
		if f := flags &^ csignal; f != 0 {
			parts = append(parts, flagSets[CloneFlags].format(f))
		}
		if sig := flags & csignal; sig != 0 || parts == nil {
			parts = append(parts, signalName(int(sig)))
		}
		return "flags=" + strings.Join(parts, "|"), true
	case 2:
		if flags&(unix.CLONE_PARENT_SETTID|unix.CLONE_PIDFD) == 0 {
			return hidden, true
		}
		text, ok := t.showInts(a[2], 1)
		if r < 0 || !ok {
			text = hex(a[2])
		}
		return "parent_tid=" + text, true
	case 3:
		if flags&unix.CLONE_SETTLS == 0 {
			return hidden, true
		}
		return "tls=" + hex(a[3]), true
	}
	if flags&(unix.CLONE_CHILD_SETTID|unix.CLONE_CHILD_CLEARTID) == 0 {
		return hidden, true
	}
	return "child_tidptr=" + hex(a[4]), true
}

func showEpollCtl(t *Task, i int, _ int64) (string, bool) {
	a := &t.call.args
	return hex(a[3]), i == 3 && uint32(a[1]) == unix.EPOLL_CTL_DEL && a[3] != 0
}

// showSocket names protocols of the Internet.
func showSocket(t *Task, i int, _ int64) (string, bool) {
	a := &t.call.args
	if domain := uint32(a[0]); i != 2 || domain != unix.AF_INET && domain != unix.AF_INET6 {
		return "", false
	}
	switch uint32(a[2]) {
	case unix.IPPROTO_IP:
		return "IPPROTO_IP", true
	case unix.IPPROTO_ICMP:
		return "IPPROTO_ICMP", true
	case unix.IPPROTO_TCP:
		return "IPPROTO_TCP", true
	case unix.IPPROTO_UDP:
		return "IPPROTO_UDP", true
	case unix.IPPROTO_ICMPV6:
		return "IPPROTO_ICMPV6", true
	}
	return "", false
}

func showMremap(t *Task, i int, _ int64) (string, bool) {
	return hidden, i == 4 && t.call.args[3]&(unix.MREMAP_FIXED|unix.MREMAP_DONTUNMAP) == 0
}

func showPipe2(t *Task, i int, _ int64) (string, bool) { return "0", i == 1 && t.call.args[1] == 0 }

func showGroups(t *Task, i int, r int64) (string, bool) {
	if a := &t.call.args; i == 1 && r >= 0 && a[0] != 0 {
		return t.showInts(a[1], int(r))
	}
	return "", false
}

func showAffinity(t *Task, i int, r int64) (string, bool) {
	a := &t.call.args
	switch {
	case i != 2 || r < 0 || a[2] == 0:
		return "", false
	case t.call.row.Name == "sched_getaffinity":
		return t.showBits(a[2], uint64(r))
	}
	return t.showBits(a[2], a[1])
}

// showStatx says that a file's attributes are asked for as by stat, if they are.
func showStatx(t *Task, i int, _ int64) (string, bool) {
	const sync = unix.AT_STATX_FORCE_SYNC | unix.AT_STATX_DONT_SYNC
	flags := uint64(uint32(t.call.args[2]))
	switch {
	case i != 2 || flags&sync != 0:
		return "", false
	case flags == 0:
		return "AT_STATX_SYNC_AS_STAT", true
	}
	return "AT_STATX_SYNC_AS_STAT|" + flagSets[AtFlags].format(flags), true
}

// showTimerCreate prints a struct sigevent.
func showTimerCreate(t *Task, i int, _ int64) (string, bool) {
	const signalAt, notifyAt, tidAt, size = 8, 12, 16, 20
	notify := []string{"SIGEV_SIGNAL", "SIGEV_NONE", "SIGEV_THREAD", "3", "SIGEV_THREAD_ID"}
	var b [size]byte
	le, addr := binary.LittleEndian, t.call.args[1]
	if i != 1 || addr == 0 || t.p.copyIn(b[:], addr) != 0 || int(le.Uint32(b[notifyAt:])) >= len(notify) {
		return "", false
	}
	kind := notify[le.Uint32(b[notifyAt:])]
	value, tid := "", ""
	if v := le.Uint64(b[:]); v != 0 {
		value = fmt.Sprintf("sigev_value={sival_int=%d, sival_ptr=%#x}, ", int32(v), v)
	}
	if kind == "SIGEV_THREAD_ID" {
		tid = fmt.Sprintf(", sigev_notify_thread_id=%d", le.Uint32(b[tidAt:]))
	}
	return fmt.Sprintf("{%ssigev_signo=%s, sigev_notify=%s%s}", value, signalName(int(int32(le.Uint32(b[signalAt:])))), kind, tid), true
}

// futexArgs are the arguments of futex(2)'s operations behind the second: v is the third, t a timeout and n a number as
// fourth, u an address as fifth, b a bit set and w a value as sixth.
var futexArgs = [...]string{0: "vt", 1: "v", 2: "v", 3: "vnu", 4: "vnuw", 5: "vnuw", 6: "t", 7: "", 8: "", 9: "vtb", 10: "vb", 11: "vtu", 12: "vnuw", 13: "t"}

func showFutex(t *Task, i int, _ int64) (string, bool) {
	const private, anyBit = 128, 0xffffffff
	a := &t.call.args
	op := a[1] & 0x7f
	used, known := "", op < uint64(len(futexArgs))
	if known {
		used = futexArgs[op]
	}
	has := func(kinds string) bool { return !known || strings.ContainsAny(used, kinds) }
	switch {
	case i == 1 && known:
		text := flagSets[FutexOp].format(op)
		if a[1]&private != 0 {
			text += "_PRIVATE"
		}
		switch rest := uint64(uint32(a[1])) &^ (0x7f | private); rest {
		case 0:
		case 256:
			text += "|FUTEX_CLOCK_REALTIME"
		default:
			text += "|" + hex(rest)
		}
		return text, true
	case i == 2 && !has("v"), i == 3 && !has("tn"), i == 4 && !has("u"), i == 5 && !has("bw"):
		return hidden, true
	case i == 3 && known && strings.Contains(used, "n"):
		return strconv.FormatUint(uint64(uint32(a[3])), 10), true
	case i == 5 && known && strings.Contains(used, "b") && uint32(a[5]) == anyBit:
		return "FUTEX_BITSET_MATCH_ANY", true
	case i == 5 && known && op != 5:
		return strconv.FormatUint(uint64(uint32(a[5])), 10), true
	}
	return "", false
}

// showPselect prints sets of descriptors, and the structure that pselect6's last argument points to.
func showPselect(t *Task, i int, _ int64) (string, bool) {
	a := &t.call.args
	switch {
	case i >= 1 && i <= 3 && a[i] != 0:
		return t.showFds(a[i])
	case i != 5 || a[5] == 0:
		return "", false
	}
	ss, e := load[struct{ mask, size uint64 }](t.p, a[5])
	if e != 0 {
		return "", false
	}
	mask := "NULL"
	if ss.mask != 0 {
		mask = hex(ss.mask)
		if set, e := load[uint64](t.p, ss.mask); e == 0 {
			mask = sigset(set)
		}
	}
	return fmt.Sprintf("{sigmask=%s, sigsetsize=%d}", mask, ss.size), true
}

// showFds prints the descriptors in a set of pselect6's.
func (t *Task) showFds(addr uint64) (string, bool) {
	return t.showBits(addr, (uint64(uint32(t.call.args[0]))+63)/64*8)
}

// pselectResult tells what is ready.
func pselectResult(t *Task, r int64) string {
	a := &t.call.args
	if r == 0 {
		return "0 (Timeout)"
	}
	var parts []string
	for i, name := range []string{"in", "out", "except"} {
		if a[i+1] == 0 {
			continue
		}
		if text, ok := t.showFds(a[i+1]); ok && text != "[]" {
			parts = append(parts, name+" "+text)
		}
	}
	return ready(r, append(parts, t.left(a[4])...))
}

// ppollResult tells what is ready.
func ppollResult(t *Task, r int64) string {
	a := &t.call.args
	if r == 0 {
		return "0 (Timeout)"
	}
	var fds []string
	for i := range uint64(uint32(a[1])) {
		p, e := load[pollfd](t.p, a[0]+8*i)
		if e != 0 {
			break
		}
		if p.revents != 0 {
			if len(fds) == maxShown {
				fds = append(fds, "...")
				break
			}
			fds = append(fds, fmt.Sprintf("{fd=%d, revents=%s}", p.fd, pollEvents.format(uint64(p.revents))))
		}
	}
	return ready(r, append([]string{"[" + strings.Join(fds, ", ") + "]"}, t.left(a[2])...))
}

func ready(r int64, parts []string) string {
	return fmt.Sprintf("%d (%s)", r, strings.Join(parts, ", "))
}

// left is what is left of a timeout.
func (t *Task) left(addr uint64) []string {
	if addr == 0 {
		return nil
	}
	if text, ok := t.formatPointer(TimespecIn, addr, 0, 0); ok {
		return []string{"left " + text}
	}
	return nil
}
