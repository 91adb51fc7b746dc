package syscalls

import (
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// defaultCorePattern is the kernel's own, and pipedCorePattern stands for patterns that
// have the kernel pass cores to a program or a socket: for that a process would have to be
// dumped by the kernel, and those who collect cores could not read this one's.
const (
	defaultCorePattern = "core"
	pipedCorePattern   = "core.%p"
)

// coreFacts are what the specifiers of /proc/sys/kernel/core_pattern stand for.
type coreFacts struct {
	pid, tid   int
	uid, gid   int
	sig        int
	limit      uint64 // RLIMIT_CORE
	when       time.Time
	host       string
	comm       string // of the thread
	exe        string // of the process, absolute
	appendsPid bool   // /proc/sys/kernel/core_uses_pid
}

// coreName is the guest's name of the core file, "" if there is to be none.
func (p *Process) coreName(sig int, limit uint64) string {
	usesPid, _ := p.readProc("sys/kernel/core_uses_pid")
	var uts unix.Utsname
	unix.Uname(&uts)
	facts := coreFacts{
		pid: p.pid, tid: unix.Gettid(), uid: unix.Getuid(), gid: unix.Getgid(), sig: sig, limit: limit, when: time.Now(),
		host: unix.ByteSliceToString(uts.Nodename[:]), comm: comm(), exe: p.Exe,
		appendsPid: strings.TrimSpace(string(usesPid)) != "0" && len(usesPid) != 0,
	}
	return facts.name(p.corePattern())
}

// corePattern is /proc/sys/kernel/core_pattern.
func (p *Process) corePattern() string {
	text, err := p.readProc("sys/kernel/core_pattern")
	if err != nil {
		return defaultCorePattern
	}
	return strings.TrimSuffix(string(text), "\n")
}

// isPiped reports whether cores go to a program or a socket.
func isPiped(pattern string) bool {
	return strings.HasPrefix(pattern, "|") || strings.HasPrefix(pattern, "@")
}

// name expands a pattern as format_corename of the kernel does. Process and thread have
// one number each here: the one that they know themselves by.
func (f *coreFacts) name(pattern string) string {
	if isPiped(pattern) {
		pattern = pipedCorePattern
	}
	var b strings.Builder
	hasPid := false
	for i := 0; i < len(pattern); i++ {
		if pattern[i] != '%' {
			b.WriteByte(pattern[i])
			continue
		}
		if i++; i == len(pattern) {
			break // a % at the end is dropped
		}
		switch pattern[i] {
		case '%':
			b.WriteByte('%')
		case 'p':
			hasPid = true
			b.WriteString(strconv.Itoa(f.pid))
		case 'P':
			b.WriteString(strconv.Itoa(f.pid))
		case 'i', 'I':
			b.WriteString(strconv.Itoa(f.tid))
		case 'u':
			b.WriteString(strconv.Itoa(f.uid))
		case 'g':
			b.WriteString(strconv.Itoa(f.gid))
		case 'd':
			b.WriteByte('1') // or there would be no core
		case 's':
			b.WriteString(strconv.Itoa(f.sig))
		case 't':
			b.WriteString(strconv.FormatInt(f.when.Unix(), 10))
		case 'c':
			b.WriteString(strconv.FormatUint(f.limit, 10))
		case 'h':
			b.WriteString(coreNamePart(f.host))
		case 'e':
			b.WriteString(coreNamePart(f.comm))
		case 'E':
			b.WriteString(coreNamePart(f.exe))
		case 'f':
			b.WriteString(coreNamePart(filepath.Base(f.exe)))
		}
	}
	if f.appendsPid && !hasPid {
		b.WriteString("." + strconv.Itoa(f.pid))
	}
	return b.String()
}

// coreNamePart keeps a string from leading to another directory (cn_esc_printf in the kernel).
func coreNamePart(s string) string {
	switch s {
	case "":
		return "!"
	case ".", "..":
		s = "!" + s[1:]
	}
	return strings.ReplaceAll(s, "/", "!")
}

// createCore creates the core file, which is never one that was there before: do_coredump
// removes that first.
func (t *Task) createCore(name string) (fd int, err error) {
	host, _, e := t.hostPath(unix.AT_FDCWD, name, useNew)
	if e != 0 {
		return -1, e
	}
	unix.Unlinkat(unix.AT_FDCWD, host, 0)
	fd, err = unix.Openat(unix.AT_FDCWD, host, unix.O_CREAT|unix.O_EXCL|unix.O_WRONLY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return -1, err
	}
	var st unix.Stat_t
	fsuid, _ := unix.SetfsuidRetUid(-1)
	err = unix.Fstat(fd, &st)
	if err == nil && (st.Mode&unix.S_IFMT != unix.S_IFREG || st.Nlink != 1 || int(st.Uid) != fsuid || st.Mode&0o677 != 0o600) {
		err = unix.EPERM // a file system that keeps neither owners nor modes keeps no secrets
	}
	if err != nil {
		unix.Close(fd)
		return -1, err
	}
	return fd, nil
}
