package syscalls

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"net/netip"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// Limits of what is printed of a string or list, strace's own.
const (
	maxShown     = 32
	maxShownPath = 4096
)

// formatArgs formats arguments for -strace: before the call those up to the
// first that the kernel fills in, after it (done) the rest, with result r.
func (t *Task) formatArgs(row *Row, from int, r int64, done bool) string {
	to := len(row.Args)
	if !done {
		to = firstOutArg(row)
	}
	var b strings.Builder
	for i := from; i < to; i++ {
		k := row.Args[i]
		if k == Mode && row.Args[i-min(i, 1)] == OpenFlags && t.call.args[i-1]&(unix.O_CREAT|0o20000000) == 0 {
			continue // open without O_CREAT has no mode
		}
		text := t.formatArg(row, i, r)
		if text == hidden {
			continue
		}
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(text)
	}
	return b.String() // a comma comes with the next argument
}

// formatArg formats argument i.
func (t *Task) formatArg(row *Row, i int, r int64) string {
	k, v := row.Args[i], t.call.args[i]
	if c := callFormatOf(row); c.arg != nil {
		if text, ok := c.arg(t, i, r); ok {
			return text
		}
	}
	next := uint64(0)
	if i+1 < len(t.call.args) {
		next = t.call.args[i+1]
	}
	if k.isFlags() {
		if wide := flagSets[k].mask == allBits && k != RusageWho && k != IoctlCmd; wide {
			v = uint64(uint32(v))
		}
		return flagSets[k].format(v)
	}
	switch k {
	case Int:
		return strconv.FormatInt(int64(int32(v)), 10)
	case PID, FD:
		return strconv.FormatInt(int64(int32(v)), 10)
	case UID:
		return strconv.FormatInt(int64(int32(v)), 10)
	case Uint, Size:
		return strconv.FormatUint(v, 10)
	case Offset:
		return strconv.FormatInt(int64(v), 10)
	case Hex:
		if v == 0 {
			return "0"
		}
		return hex(v)
	case DirFD:
		if int32(v) == unix.AT_FDCWD {
			return "AT_FDCWD"
		}
		return strconv.FormatInt(int64(int32(v)), 10)
	case Mode:
		return fmt.Sprintf("%#03o", v)
	case Signal:
		return signalName(int(int32(v)))
	}
	if v == 0 {
		return "NULL"
	}
	if k.isOut() && r < 0 || k == StatusOut && r == 0 || k == Addr {
		return hex(v) // nothing is there: wait4 with WNOHANG returns 0 if nothing has happened
	}
	if s, ok := t.formatPointer(k, v, next, r); ok {
		return s
	}
	return hex(v)
}

// formatPointer formats what an argument points to. ok is false when it cannot
// be read.
func (t *Task) formatPointer(k Kind, addr, next uint64, r int64) (s string, ok bool) {
	switch k {
	case Path, PathLink, PathOpen, PathNew, PathReplace, Str, PathOut:
		return t.showString(addr)
	case InBuf:
		return t.showBuf(addr, next)
	case OutBuf:
		return t.showBuf(addr, uint64(r))
	case StringsIn:
		return t.showStrings(addr)
	case EnvIn:
		return t.showEnv(addr)
	case IovecIn:
		return t.showIovec(addr, next, 1<<62)
	case IovecOut:
		return t.showIovec(addr, next, uint64(r))
	case SockaddrIn, SockaddrNew:
		return t.showSockaddr(addr, next)
	case SockaddrOut:
		n, e := load[uint32](t.p, next)
		if e != 0 {
			return "", false
		}
		return t.showSockaddr(addr, uint64(n))
	case LenBufOut:
		n, e := load[uint32](t.p, next)
		if v, bad := load[int32](t.p, addr); n == 4 && e == 0 && bad == 0 {
			return fmt.Sprintf("[%d]", v), true
		}
		return t.showBuf(addr, uint64(n))
	case PollfdsIn:
		return t.showPollfds(addr, next)
	case DirentsOut:
		return t.showDirents(addr, r)
	case EpollEventsOut:
		return t.showEpollEvents(addr, r)
	case MsghdrIn:
		return t.showMsghdr(addr, 1<<62)
	case MsghdrOut:
		return t.showMsghdr(addr, uint64(r))
	case MmsghdrIn:
		return t.showMmsghdr(addr, uint64(uint32(next)), false)
	case MmsghdrOut:
		return t.showMmsghdr(addr, uint64(r), true)
	}
	size, f := structFormat(k)
	if f == nil {
		return "", false
	}
	b := make([]byte, size)
	if t.p.copyIn(b, addr) != 0 {
		return "", false
	}
	return f(b), true
}

// showDirents counts the directory entries in n bytes.
func (t *Task) showDirents(addr uint64, n int64) (string, bool) {
	b := make([]byte, n)
	if t.p.copyIn(b, addr) != 0 {
		return "", false
	}
	count := 0
	for ; len(b) > direntName; count++ {
		size := int(binary.LittleEndian.Uint16(b[direntReclen:]))
		if size <= direntName || size > len(b) {
			break
		}
		b = b[size:]
	}
	return fmt.Sprintf("%#x /* %d entries */", addr, count), true
}

func quote(b []byte) string {
	var s strings.Builder
	s.WriteByte('"')
	for i, c := range b {
		switch {
		case c == '"' || c == '\\':
			s.WriteByte('\\')
			s.WriteByte(c)
		case c >= ' ' && c < 0x7f:
			s.WriteByte(c)
		case c == '\n':
			s.WriteString(`\n`)
		case c == '\t':
			s.WriteString(`\t`)
		case c == '\r':
			s.WriteString(`\r`)
		case i+1 < len(b) && b[i+1] >= '0' && b[i+1] <= '9':
			fmt.Fprintf(&s, `\%03o`, c)
		default:
			fmt.Fprintf(&s, `\%o`, c)
		}
	}
	s.WriteByte('"')
	return s.String()
}

func (t *Task) showString(addr uint64) (string, bool) {
	s, e := t.p.cstring(addr, maxShownPath)
	if e == unix.ENAMETOOLONG {
		return t.showBuf(addr, maxShownPath)
	}
	return quote([]byte(s)), e == 0
}

func (t *Task) showBuf(addr, n uint64) (string, bool) {
	b := make([]byte, min(n, maxShown))
	if t.p.copyIn(b, addr) != 0 {
		return "", false
	}
	if n > maxShown {
		return quote(b) + "...", true
	}
	return quote(b), true
}

func (t *Task) showStrings(addr uint64) (string, bool) {
	list, e := t.stringArray(addr)
	if e != 0 {
		return "", false
	}
	var out []string
	for i, s := range list {
		if i == maxShown {
			out = append(out, "...")
			break
		}
		out = append(out, shortened([]byte(s)))
	}
	return "[" + strings.Join(out, ", ") + "]", true
}

// shortened quotes as much of b as is shown.
func shortened(b []byte) string {
	if len(b) > maxShown {
		return quote(b[:maxShown]) + "..."
	}
	return quote(b)
}

// showEnv says where an environment is and how many variables it has: strace does without them.
func (t *Task) showEnv(addr uint64) (string, bool) {
	list, e := t.stringArray(addr)
	plural := "s"
	if len(list) == 1 {
		plural = ""
	}
	return fmt.Sprintf("%#x /* %d var%s */", addr, len(list), plural), e == 0
}

func (t *Task) showIovec(addr, count, limit uint64) (string, bool) {
	var out []string
	for i := uint64(0); i < count; i++ {
		if i == maxShown {
			out = append(out, "...")
			break
		}
		v, e := load[struct{ base, size uint64 }](t.p, addr+16*i)
		if e != 0 {
			return "", false
		}
		n := min(v.size, limit)
		limit -= n
		s, ok := t.showBuf(v.base, n)
		if !ok {
			s = hex(v.base)
		}
		out = append(out, fmt.Sprintf("{iov_base=%s, iov_len=%d}", s, v.size))
	}
	return "[" + strings.Join(out, ", ") + "]", true
}

func (t *Task) showSockaddr(addr, n uint64) (string, bool) {
	b := make([]byte, min(n, 128))
	if len(b) < 2 || t.p.copyIn(b, addr) != 0 {
		return "", false
	}
	family := binary.LittleEndian.Uint16(b)
	switch {
	case family == unix.AF_UNIX:
		path, _, _ := strings.Cut(string(b[2:]), "\x00")
		if path == "" && len(b) > 3 {
			return `{sa_family=AF_UNIX, sun_path=@` + quote(b[3:]) + "}", true
		}
		return "{sa_family=AF_UNIX, sun_path=" + quote([]byte(path)) + "}", true
	case family == unix.AF_INET && len(b) >= 8:
		ip := netip.AddrFrom4([4]byte(b[4:8]))
		return fmt.Sprintf("{sa_family=AF_INET, sin_port=htons(%d), sin_addr=inet_addr(%q)}", binary.BigEndian.Uint16(b[2:]), ip), true
	case family == unix.AF_INET6 && len(b) >= 24:
		ip := netip.AddrFrom16([16]byte(b[8:24]))
		return fmt.Sprintf("{sa_family=AF_INET6, sin6_port=htons(%d), sin6_addr=%q}", binary.BigEndian.Uint16(b[2:]), ip), true
	}
	return fmt.Sprintf("{sa_family=%s, sa_data=%s}", flagSets[SocketDomain].format(uint64(family)), quote(b[2:])), true
}

var pollEvents = flagSet{names: []name{{1, "POLLIN"}, {2, "POLLPRI"}, {4, "POLLOUT"}, {8, "POLLERR"}, {16, "POLLHUP"}, {32, "POLLNVAL"}, {0x2000, "POLLRDHUP"}}}

var epollEvents = flagSet{names: []name{{1, "EPOLLIN"}, {2, "EPOLLPRI"}, {4, "EPOLLOUT"}, {8, "EPOLLERR"}, {16, "EPOLLHUP"}, {0x2000, "EPOLLRDHUP"},
	{1 << 28, "EPOLLEXCLUSIVE"}, {1 << 29, "EPOLLWAKEUP"}, {1 << 30, "EPOLLONESHOT"}, {1 << 31, "EPOLLET"}}}

// pollfd is struct pollfd.
type pollfd struct {
	fd              int32
	events, revents uint16
}

func (t *Task) showPollfds(addr, n uint64) (string, bool) {
	var out []string
	for i := range n {
		if i == maxShown {
			out = append(out, "...")
			break
		}
		p, e := load[pollfd](t.p, addr+8*i)
		if e != 0 {
			return "", false
		}
		out = append(out, fmt.Sprintf("{fd=%d, events=%s}", p.fd, pollEvents.format(uint64(p.events))))
	}
	return "[" + strings.Join(out, ", ") + "]", true
}

func (t *Task) showEpollEvents(addr uint64, n int64) (string, bool) {
	var out []string
	for i := range n {
		b := make([]byte, armEpollEvent)
		if t.p.copyIn(b, addr+uint64(i)*armEpollEvent) != 0 {
			return "", false
		}
		out = append(out, formatEpollEvent(b))
	}
	return "[" + strings.Join(out, ", ") + "]", true
}

func formatEpollEvent(b []byte) string {
	le := binary.LittleEndian
	return fmt.Sprintf("{events=%s, data={u32=%d, u64=%d}}", epollEvents.format(uint64(le.Uint32(b))), le.Uint32(b[8:]), le.Uint64(b[8:]))
}

// sigset prints a signal set as strace does: [INT TERM], ~[] for all.
func sigset(set uint64) string {
	neg := ""
	if bits.OnesCount64(set) > 32 {
		neg, set = "~", ^set
	}
	var names []string
	for ; set != 0; set &= set - 1 {
		names = append(names, strings.TrimPrefix(signalName(bits.TrailingZeros64(set)+1), "SIG"))
	}
	return neg + "[" + strings.Join(names, " ") + "]"
}

var sigactionFlags = flagSet{names: []name{{saNocldstop, "SA_NOCLDSTOP"}, {saNocldwait, "SA_NOCLDWAIT"}, {saSiginfo, "SA_SIGINFO"}, {saRestorer, "SA_RESTORER"},
	{saOnstack, "SA_ONSTACK"}, {saRestart, "SA_RESTART"}, {saNodefer, "SA_NODEFER"}, {saResethand, "SA_RESETHAND"}}}
