package syscalls

import "golang.org/x/sys/unix"

// netRows: sockets. Families, options, addresses and message headers are the
// same in both ABIs (asm-generic/socket.h).
func netRows() []Row {
	return []Row{
		pass(198, "socket", unix.SYS_SOCKET, SocketDomain, SocketType, Int).returns(FD).isWhole(),
		pass(199, "socketpair", unix.SYS_SOCKETPAIR, SocketDomain, SocketType, Int, FdPairOut).isWhole(),
		pass(200, "bind", unix.SYS_BIND, FD, SockaddrNew, Size).isWhole(),
		pass(201, "listen", unix.SYS_LISTEN, FD, Int).isWhole(),
		pass(202, "accept", unix.SYS_ACCEPT, FD, SockaddrOut, IntOut).returns(FD),
		pass(242, "accept4", unix.SYS_ACCEPT4, FD, SockaddrOut, IntOut, SockFlags).returns(FD),
		pass(203, "connect", unix.SYS_CONNECT, FD, SockaddrIn, Size),
		pass(204, "getsockname", unix.SYS_GETSOCKNAME, FD, SockaddrOut, IntOut).isWhole(),
		pass(205, "getpeername", unix.SYS_GETPEERNAME, FD, SockaddrOut, IntOut).isWhole(),
		direct(206, "sendto", unix.SYS_SENDTO, FD, InBuf, Size, MsgFlags, SockaddrIn, Size).blocks().onlyZero(4),
		direct(207, "recvfrom", unix.SYS_RECVFROM, FD, OutBuf, Size, MsgFlags, SockaddrOut, IntOut).blocks().onlyZero(4).onlyZero(5),
		pass(208, "setsockopt", unix.SYS_SETSOCKOPT, FD, SockLevel, Int, InBuf, Size).inside(insideSetsockopt).isWhole(),
		pass(209, "getsockopt", unix.SYS_GETSOCKOPT, FD, SockLevel, Int, LenBufOut, IntOut).inside(insideGetsockopt).isWhole(),
		pass(210, "shutdown", unix.SYS_SHUTDOWN, FD, ShutHow),
		pass(211, "sendmsg", unix.SYS_SENDMSG, FD, MsghdrIn, MsgFlags),
		pass(212, "recvmsg", unix.SYS_RECVMSG, FD, MsghdrOut, MsgFlags).then(noteReceived),
		pass(269, "sendmmsg", unix.SYS_SENDMMSG, FD, MmsghdrIn, Uint, MsgFlags),
		pass(243, "recvmmsg", unix.SYS_RECVMMSG, FD, MmsghdrOut, Uint, MsgFlags, TimespecIn).relativeTimeout(4).then(noteManyReceived),
	}
}
