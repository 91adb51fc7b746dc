package main

import (
	"errors"
	"fmt"
	"io"
	"net/netip"
	"os"
	"runtime"
	"strconv"
	"strings"

	"emu/internal/hostsig"
	"emu/syscalls/gdbserver"

	"golang.org/x/sys/unix"
)

// With -g a second process serves gdb and traces the guest. It is no child of the
// guest's, which would otherwise find it with wait(2), and in a session of its own, so
// that what the terminal sends goes to the guest.

// Descriptors of the process that serves gdb.
const (
	gdbListenFD = 3 // the socket that gdb connects to
	gdbGuestFD  = 4 // a socket to the guest's process, see startDebugger
)

// startDebugger starts the server and returns what the guest waits with until gdb is
// there. The two processes then talk through a socket: one byte says that the guest
// can be traced, another that it is and may begin.
func (c *config) startDebugger() (ready func() error, err error) {
	listener, err := listen(c.gdb)
	if err != nil {
		return nil, fmt.Errorf("-g %s: %v", socketName(c.gdb), err) // whatever it is, it is not that the program was not found
	}
	defer listener.Close()
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("-g: a socket between the guest and gdb's server: %w", err)
	}
	ours, theirs := os.NewFile(uintptr(pair[0]), "server"), os.NewFile(uintptr(pair[1]), "guest")
	defer theirs.Close()
	// Yama lets only ancestors trace, unless the tracee allows it (prctl(2)).
	unix.Prctl(unix.PR_SET_PTRACER, unix.PR_SET_PTRACER_ANY, 0, 0, 0)
	args := append(c.again(), fmt.Sprintf("-gdbserver=%d", os.Getpid()))
	first, err := os.StartProcess("/proc/self/exe", args, &os.ProcAttr{
		Env:   []string{},
		Files: []*os.File{nil, nil, os.Stderr, listener, theirs},
		Sys:   &unix.SysProcAttr{Setsid: true},
	})
	if err != nil {
		return nil, fmt.Errorf("-g: starting gdb's server: %w", err)
	}
	if state, err := first.Wait(); err != nil || !state.Success() {
		return nil, errors.New("-g: gdb's server did not start")
	}
	hostsig.Discard(unix.SIGCHLD) // that child is not the guest's
	return func() error {
		defer ours.Close()
		b := []byte{0}
		if _, err := ours.Write(b); err != nil {
			return err
		}
		if _, err := io.ReadFull(ours, b); err != nil {
			return errors.New("gdb's server ended before the program began")
		}
		return nil
	}, nil
}

// serveDebugger is the server's process. The first one only starts another, which
// thereby has no parent among the guest's processes.
func (c *config) serveDebugger() error {
	hostsig.SetReadiness(hostsig.NoGuest)
	listener, guest := os.NewFile(gdbListenFD, "listener"), os.NewFile(gdbGuestFD, "guest")
	if os.Getppid() == c.gdbPID {
		_, err := os.StartProcess("/proc/self/exe", os.Args, &os.ProcAttr{Files: []*os.File{nil, nil, os.Stderr, listener, guest}})
		return err
	}
	if _, err := io.ReadFull(guest, []byte{0}); err != nil {
		return nil // the guest could not be loaded, and its process says so
	}
	conn, err := accept(int(listener.Fd()), int(guest.Fd()))
	if conn == nil || err != nil {
		return err
	}
	listener.Close()
	hostsig.UseProcessors()
	runtime.LockOSThread()
	return gdbserver.Serve(gdbserver.Config{
		PID: c.gdbPID, Sysroot: c.sysroot, Conn: conn,
		Go: func() {
			guest.Write([]byte{1})
			guest.Close()
		},
		Log: newLog(os.Stderr),
	})
}

// accept says where it listens, which for port 0 is the kernel's choice, and waits
// for gdb. It returns nil if the guest's process ends first.
func accept(listener, guest int) (*os.File, error) {
	bound, err := unix.Getsockname(listener)
	if err != nil {
		return nil, err
	}
	if path, ok := bound.(*unix.SockaddrUnix); ok { // of no use once gdb is there
		defer removeSocket(path.Name)()
	}
	fmt.Fprintf(os.Stderr, "emu: waiting for gdb at %s\n", socketName(bound))
	for {
		fds := []unix.PollFd{{Fd: int32(listener), Events: unix.POLLIN}, {Fd: int32(guest), Events: unix.POLLIN}}
		if _, err := unix.Poll(fds, -1); err != nil && err != unix.EINTR {
			return nil, err
		}
		if fds[1].Revents != 0 {
			return nil, nil
		}
		if fds[0].Revents == 0 {
			continue
		}
		fd, _, err := unix.Accept4(listener, unix.SOCK_CLOEXEC)
		if err != nil {
			return nil, err
		}
		unix.SetsockoptInt(fd, unix.IPPROTO_TCP, unix.TCP_NODELAY, 1) // fails for a path, which has no delay
		return os.NewFile(uintptr(fd), "gdb"), nil
	}
}

// removeSocket returns what removes the file of a socket, unless there is another one by then.
func removeSocket(path string) (remove func()) {
	ours, err := os.Lstat(path)
	return func() {
		if now, e := os.Lstat(path); err == nil && e == nil && os.SameFile(ours, now) {
			os.Remove(path)
		}
	}
}

// listen makes the socket that -g names.
func listen(addr unix.Sockaddr) (*os.File, error) {
	var family int
	switch a := addr.(type) {
	case *unix.SockaddrInet4:
		family = unix.AF_INET
	case *unix.SockaddrInet6:
		family = unix.AF_INET6
	case *unix.SockaddrUnix:
		family = unix.AF_UNIX
		if st, err := os.Lstat(a.Name); err == nil && st.Mode()&os.ModeSocket != 0 {
			os.Remove(a.Name) // an earlier run's
		}
	}
	fd, err := unix.Socket(family, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	f := os.NewFile(uintptr(fd), "listener")
	unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_REUSEADDR, 1)
	if err = unix.Bind(fd, addr); err == nil {
		err = unix.Listen(fd, 1)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// debuggerAddress is -g: a port of this machine, an address and a port, or a path.
func debuggerAddress(c *config, where string) error {
	if strings.Contains(where, "/") {
		c.gdb = &unix.SockaddrUnix{Name: where}
		return nil
	}
	full := where
	if _, err := strconv.ParseUint(where, 10, 16); err == nil {
		full = "127.0.0.1:" + where
	}
	ap, err := netip.ParseAddrPort(full)
	switch {
	case err != nil:
		return fmt.Errorf("%q is neither a port, nor ADDRESS:PORT, nor a path with a slash", where)
	case ap.Addr().Is4():
		c.gdb = &unix.SockaddrInet4{Port: int(ap.Port()), Addr: ap.Addr().As4()}
	default:
		c.gdb = &unix.SockaddrInet6{Port: int(ap.Port()), Addr: ap.Addr().As16()}
	}
	return nil
}

func socketName(a unix.Sockaddr) string {
	switch a := a.(type) {
	case *unix.SockaddrInet4:
		return netip.AddrPortFrom(netip.AddrFrom4(a.Addr), uint16(a.Port)).String()
	case *unix.SockaddrInet6:
		return netip.AddrPortFrom(netip.AddrFrom16(a.Addr), uint16(a.Port)).String()
	case *unix.SockaddrUnix:
		return a.Name
	}
	return "?"
}
