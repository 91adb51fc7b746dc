package syscalls

import (
	"math/bits"
	"path/filepath"
	"strings"

	"emu/cpu"

	"golang.org/x/sys/unix"
)

// pathMax is PATH_MAX.
const pathMax = 4096

const procPrefix = "/proc/"

// noPath is what a path argument that cannot be read becomes: the kernel reports it.
const noPath = ""

// pathAt reads the path at addr if it may mean something else to the host; else,
// or if it cannot be read, it returns noPath.
func (t *Task) pathAt(addr uint64) string {
	if addr == 0 || t.p.root.Load() == nil && !t.inProc(addr) {
		return noPath
	}
	s, e := t.p.cstring(addr, pathMax)
	if e != 0 {
		return noPath
	}
	return s
}

// inProc reports whether the path at addr begins with /proc/, or may, because it
// lies at the end of a mapping. Relative paths count while the working directory is
// in /proc.
func (t *Task) inProc(addr uint64) bool {
	var head [len(procPrefix)]byte
	return t.p.copyIn(head[:], addr) != 0 || string(head[:]) == procPrefix || head[0] != '/'
}

// dirOf returns the directory that path argument i is relative to.
func dirOf(row *Row, a *Args, i int) int {
	if i > 0 && row.Args[i-1] == DirFD {
		return int(int32(a[i-1]))
	}
	return unix.AT_FDCWD
}

// useOf returns what a call does with path argument i: what its kind says, changed
// by flags that say what becomes of symbolic links.
func useOf(row *Row, a *Args, i int) use {
	u := pathUses[row.Args[i]].use
	nth := 0
	for _, k := range row.Args[:i] {
		if k == PathLink {
			nth = 1
		}
	}
	for j, k := range row.Args {
		bits := &linkBits[k]
		switch {
		case u == useFollow && a[j]&bits.noFollow != 0:
			return useLink
		case u == useLink && a[j]&bits.follow[nth] != 0:
			return useFollow
		}
	}
	return u
}

// translatePaths replaces the paths among a call's arguments that mean something
// else to the host: those that lead into the sysroot and those of /proc that would
// show emu. Addresses that cannot be read stay as they are: the kernel reports
// them.
func (t *Task) translatePaths(row *Row, a *Args) unix.Errno {
	slot := scratchPath
	for m := row.paths; m != 0; m &= m - 1 {
		i := bits.TrailingZeros8(m)
		s := t.pathAt(a[i])
		if s == noPath {
			continue
		}
		host, same, e := t.hostPath(dirOf(row, a, i), s, useOf(row, a, i))
		if e != 0 {
			return e
		}
		if same {
			continue
		}
		if len(host) >= pathMax {
			return unix.ENAMETOOLONG
		}
		a[i] = t.putPath(slot, host)
		slot = scratchPath2
	}
	return 0
}

// putPath copies a path to the thread's scratch memory.
func (t *Task) putPath(slot int, s string) (addr uint64) {
	n := copy(t.th.Scratch[slot:slot+pathMax-1], s)
	t.th.Scratch[slot+n] = 0
	return uint64(t.th.ScratchAddr(slot))
}

// hostPath is the host's name for a guest path, which may be relative to dir. same
// is true if the host finds the same with the path and directory as they are.
func (t *Task) hostPath(dir int, s string, u use) (host string, same bool, e unix.Errno) {
	if program, ok := t.programAt(dir, s, u); ok {
		return program, false, 0
	}
	r := t.p.root.Load()
	if r == nil || s == "" {
		return s, true, 0
	}
	return r.findAt(dir, s, u)
}

// programAt returns the host's name of the program that a path of /proc leads to, if it is
// to be followed: exe of this process and of others that are emulated.
func (t *Task) programAt(dir int, s string, u use) (host string, ok bool) {
	if u != useFollow || !strings.HasSuffix(s, "exe") {
		return "", false
	}
	s = t.procName(dir, s)
	if file, _, ok := t.procSelf(s); ok && file == "exe" {
		return t.p.program(), true
	}
	if pid, ok := exeOwner(s); ok && emulates(procPrefix+pid) {
		return programFile(procPrefix + pid)
	}
	return "", false
}

// sysChdir implements chdir(2).
func sysChdir(t *Task, a *Args) int64 {
	if e := t.translatePaths(t.call.row, a); e != 0 {
		return fail(e)
	}
	return t.moved(t.host(unix.SYS_CHDIR, a))
}

// sysFchdir implements fchdir(2).
func sysFchdir(t *Task, a *Args) int64 { return t.moved(t.host(unix.SYS_FCHDIR, a)) }

func (t *Task) moved(r int64) int64 {
	if root := t.p.root.Load(); root != nil && r >= 0 {
		root.moved()
	}
	return r
}

// sysGetcwd implements getcwd(2).
func sysGetcwd(t *Task, a *Args) int64 {
	root := t.p.root.Load()
	if root == nil || root.cwdOutside() {
		return t.host(unix.SYS_GETCWD, a)
	}
	var buf [pathMax]byte
	n, err := unix.Getcwd(buf[:])
	if err != nil {
		return errnoOf(err)
	}
	name := append([]byte(t.p.guestName(string(buf[:n-1]))), 0)
	if uint64(len(name)) > a[1] {
		return fail(unix.ERANGE)
	}
	if e := t.p.copyOut(a[0], name); e != 0 {
		return fail(e)
	}
	return int64(len(name))
}

// sysChroot implements chroot(2). The new root is the guest's whole world: the
// sysroot no longer counts.
func sysChroot(t *Task, a *Args) int64 {
	s := t.pathAt(a[1])
	if e := t.translatePaths(t.call.row, a); e != 0 {
		return fail(e)
	}
	r := t.host(unix.SYS_CHROOT, a)
	if root := t.p.root.Load(); root != nil && r >= 0 && !(isTop(s) && root.onlyLibraries()) {
		t.p.root.Store(nil)
		t.p.paths.SetDir(cpu.PathsHost)
		if !t.p.filesShared.Load() {
			unix.Close(root.dir)
		}
		t.p.mu.Lock()
		t.p.Emu = append(t.p.Emu[:len(t.p.Emu):len(t.p.Emu)], "-L=")
		t.p.mu.Unlock()
	}
	return r
}

// sysMount implements mount(2). The directory of -L need not be a mount: how changes of it
// propagate, which unshare(1) sets for the root, is that of the mount that it is part of.
func sysMount(t *Task, a *Args) int64 {
	const propagations = unix.MS_SHARED | unix.MS_PRIVATE | unix.MS_SLAVE | unix.MS_UNBINDABLE
	target := t.pathAt(a[1])
	if e := t.translatePaths(t.call.row, a); e != 0 {
		return fail(e)
	}
	r := t.host(unix.SYS_MOUNT, a)
	root := t.p.root.Load()
	if r != fail(unix.EINVAL) || root == nil || a[3]&propagations == 0 || target == noPath {
		return r
	}
	if host, same, e := t.hostPath(unix.AT_FDCWD, target, useFollow); e != 0 || same || filepath.Clean(host) != root.name {
		return r
	}
	a[1] = t.putPath(scratchPath, mountOf(root.name))
	return t.host(unix.SYS_MOUNT, a)
}

// mountOf returns the mount point above the absolute path dir, or dir if it is one.
func mountOf(dir string) string {
	for ; dir != "/"; dir = filepath.Dir(dir) {
		var st unix.Statx_t
		if unix.Statx(unix.AT_FDCWD, dir, unix.AT_NO_AUTOMOUNT, 0, &st) == nil && st.Attributes&unix.STATX_ATTR_MOUNT_ROOT != 0 {
			break
		}
	}
	return dir
}

// sysPivotRoot implements pivot_root(2).
func sysPivotRoot(t *Task, a *Args) int64 {
	if e := t.translatePaths(t.call.row, a); e != 0 {
		return fail(e)
	}
	return t.moved(t.host(unix.SYS_PIVOT_ROOT, a))
}

// sysFaccessat implements faccessat(2), which has no flags and so cannot be asked
// about a descriptor.
func sysFaccessat(t *Task, a *Args) int64 {
	if t.p.root.Load() == nil {
		return t.host(unix.SYS_FACCESSAT, a)
	}
	a[3] = 0
	return t.lookAt(t.p.table[nrFaccessat2], a, unix.SYS_FACCESSAT2, nil)
}

const nrFaccessat2 = 439

// sysFsconfig implements fsconfig(2).
func sysFsconfig(t *Task, a *Args) int64 {
	const setPath = 3 // FSCONFIG_SET_PATH: a[3] is a path relative to the descriptor a[4]
	if s := t.pathAt(a[3]); uint32(a[1]) == setPath && s != noPath {
		host, same, e := t.hostPath(int(int32(a[4])), s, useFollow)
		if e != 0 {
			return fail(e)
		}
		if !same {
			a[3] = t.putPath(scratchPath, host)
		}
	}
	const setString, setBinary = 1, 2
	switch uint32(a[1]) {
	case setString:
		t.text(&a[3])
	case setBinary:
		t.whole(&a[3], uint64(uint32(a[4])))
	}
	return t.host(unix.SYS_FSCONFIG, a)
}
