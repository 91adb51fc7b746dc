package syscalls

import (
	"encoding/binary"
	"fmt"

	"golang.org/x/sys/unix"
)

// Options of sockets by level (asm-generic/socket.h, linux/tcp.h, linux/in.h, linux/in6.h).
var (
	socketOptions = [...]string{1: "SO_DEBUG", 2: "SO_REUSEADDR", 3: "SO_TYPE", 4: "SO_ERROR", 5: "SO_DONTROUTE", 6: "SO_BROADCAST", 7: "SO_SNDBUF", 8: "SO_RCVBUF", 9: "SO_KEEPALIVE",
		10: "SO_OOBINLINE", 12: "SO_PRIORITY", 13: "SO_LINGER", 15: "SO_REUSEPORT", 16: "SO_PASSCRED", 17: "SO_PEERCRED", 18: "SO_RCVLOWAT", 19: "SO_SNDLOWAT",
		20: "SO_RCVTIMEO_OLD", 21: "SO_SNDTIMEO_OLD", 25: "SO_BINDTODEVICE", 26: "SO_ATTACH_FILTER", 27: "SO_DETACH_FILTER", 29: "SO_TIMESTAMP_OLD", 30: "SO_ACCEPTCONN", 31: "SO_PEERSEC",
		32: "SO_SNDBUFFORCE", 33: "SO_RCVBUFFORCE", 36: "SO_MARK", 38: "SO_PROTOCOL", 39: "SO_DOMAIN", 42: "SO_PEEK_OFF", 46: "SO_BUSY_POLL", 49: "SO_INCOMING_CPU",
		57: "SO_COOKIE", 59: "SO_PEERGROUPS", 60: "SO_ZEROCOPY"}
	tcpOptions = [...]string{1: "TCP_NODELAY", 2: "TCP_MAXSEG", 3: "TCP_CORK", 4: "TCP_KEEPIDLE", 5: "TCP_KEEPINTVL", 6: "TCP_KEEPCNT", 7: "TCP_SYNCNT", 8: "TCP_LINGER2",
		9: "TCP_DEFER_ACCEPT", 10: "TCP_WINDOW_CLAMP", 11: "TCP_INFO", 12: "TCP_QUICKACK", 13: "TCP_CONGESTION", 18: "TCP_USER_TIMEOUT", 23: "TCP_FASTOPEN",
		30: "TCP_FASTOPEN_CONNECT"}
	ipOptions = [...]string{1: "IP_TOS", 2: "IP_TTL", 3: "IP_HDRINCL", 4: "IP_OPTIONS", 8: "IP_PKTINFO", 10: "IP_MTU_DISCOVER", 11: "IP_RECVERR", 12: "IP_RECVTTL", 13: "IP_RECVTOS",
		14: "IP_MTU", 15: "IP_FREEBIND", 24: "IP_BIND_ADDRESS_NO_PORT", 32: "IP_MULTICAST_IF", 33: "IP_MULTICAST_TTL", 34: "IP_MULTICAST_LOOP", 35: "IP_ADD_MEMBERSHIP"}
	ipv6Options = [...]string{16: "IPV6_UNICAST_HOPS", 17: "IPV6_MULTICAST_IF", 18: "IPV6_MULTICAST_HOPS", 20: "IPV6_ADD_MEMBERSHIP", 23: "IPV6_MTU_DISCOVER", 24: "IPV6_MTU",
		25: "IPV6_RECVERR", 26: "IPV6_V6ONLY", 49: "IPV6_RECVPKTINFO", 66: "IPV6_RECVTCLASS", 67: "IPV6_TCLASS"}
)

// sockOption names an option of a level; it is "" for others.
func sockOption(level, option uint32) string {
	var names []string
	switch level {
	case unix.SOL_SOCKET:
		names = socketOptions[:]
	case unix.SOL_TCP:
		names = tcpOptions[:]
	case unix.SOL_IP:
		names = ipOptions[:]
	case unix.SOL_IPV6:
		names = ipv6Options[:]
	}
	if int(option) >= len(names) {
		return ""
	}
	return names[option]
}

// showSockopt names the option, and prints a value that is an integer or SO_LINGER's.
func showSockopt(t *Task, i int, r int64) (string, bool) {
	a := &t.call.args
	level, option := uint32(a[1]), uint32(a[2])
	n := a[4]
	if t.call.row.Name == "getsockopt" {
		size, e := load[uint32](t.p, a[4])
		if e != 0 || r < 0 {
			n = 0
		} else {
			n = uint64(size)
		}
	}
	switch {
	case i == 2:
		name := sockOption(level, option)
		return name, name != ""
	case i != 3 || a[3] == 0:
		return "", false
	case level == unix.SOL_SOCKET && option == unix.SO_LINGER && n >= 8:
		var b [8]byte
		e := t.p.copyIn(b[:], a[3])
		return fmt.Sprintf("{l_onoff=%d, l_linger=%d}", int32(binary.LittleEndian.Uint32(b[:])), int32(binary.LittleEndian.Uint32(b[4:]))), e == 0
	case n == 4:
		return t.showInts(a[3], 1)
	}
	return "", false
}
