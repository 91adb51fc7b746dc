package syscalls

import (
	"fmt"
	"strings"

	"golang.org/x/sys/unix"
)

// msghdr is struct msghdr.
type msghdr struct{ name, namelen, iov, iovlen, control, controllen, flags uint64 }

// showMsghdr prints a message whose buffers hold n bytes at most.
func (t *Task) showMsghdr(addr, n uint64) (string, bool) {
	m, e := load[msghdr](t.p, addr)
	if e != 0 {
		return "", false
	}
	return t.formatMsghdr(&m, n), true
}

func (t *Task) formatMsghdr(m *msghdr, n uint64) string {
	name, control := "NULL", ""
	if m.name != 0 {
		name, _ = t.showSockaddr(m.name, uint64(uint32(m.namelen)))
	}
	iov, _ := t.showIovec(m.iov, m.iovlen, n)
	if text, ok := t.showControl(m.control, m.controllen); ok {
		control = "msg_control=" + text + ", "
	}
	return fmt.Sprintf("{msg_name=%s, msg_namelen=%d, msg_iov=%s, msg_iovlen=%d, %smsg_controllen=%d, msg_flags=%s}",
		name, uint32(m.namelen), iov, m.iovlen, control, m.controllen, flagSets[MsgFlags].format(uint64(uint32(m.flags))))
}

// showControl prints the control messages in n bytes at addr.
func (t *Task) showControl(addr, n uint64) (string, bool) {
	const header, credentials = 16, 12
	if addr == 0 || n < header || n > 1<<16 {
		return "", false
	}
	var out []string
	for at := uint64(0); at+header <= n; {
		h, e := load[struct {
			size        uint64
			level, kind int32
		}](t.p, addr+at)
		if e != 0 || h.size < header || h.size > n-at {
			break
		}
		data, size := addr+at+header, h.size-header
		kind, text := fmt.Sprintf("%#x", h.kind), ""
		switch {
		case h.level == unix.SOL_SOCKET && h.kind == unix.SCM_RIGHTS:
			kind = "SCM_RIGHTS"
			text, _ = t.showInts(data, int(size/4))
		case h.level == unix.SOL_SOCKET && h.kind == unix.SCM_CREDENTIALS && size >= credentials:
			kind = "SCM_CREDENTIALS"
			if c, e := load[[3]int32](t.p, data); e == 0 {
				text = fmt.Sprintf("{pid=%d, uid=%d, gid=%d}", c[0], c[1], c[2])
			}
		default:
			text, _ = t.showBuf(data, size)
		}
		if text != "" {
			text = ", cmsg_data=" + text
		}
		out = append(out, fmt.Sprintf("{cmsg_len=%d, cmsg_level=%s, cmsg_type=%s%s}", h.size, flagSets[SockLevel].format(uint64(uint32(h.level))), kind, text))
		at += (h.size + 7) &^ 7
	}
	return "[" + strings.Join(out, ", ") + "]", len(out) != 0
}

// showMmsghdr prints n messages with their lengths. Of those that the kernel fills in as many are shown as it has.
func (t *Task) showMmsghdr(addr, n uint64, filled bool) (string, bool) {
	var out []string
	for i := range n {
		if i == maxShown {
			out = append(out, "...")
			break
		}
		m, e := load[struct {
			msghdr
			size uint64
		}](t.p, addr+mmsghdrSize*i)
		if e != 0 {
			break
		}
		room := uint64(1 << 62)
		if filled {
			room = uint64(uint32(m.size))
		}
		out = append(out, fmt.Sprintf("{msg_hdr=%s, msg_len=%d}", t.formatMsghdr(&m.msghdr, room), uint32(m.size)))
	}
	return "[" + strings.Join(out, ", ") + "]", true
}
