package syscalls

import (
	"emu/internal/hostsig"

	"golang.org/x/sys/unix"
)

// takesRights reports whether the kernel is to execute x, an arm64 program: it has rights of
// its own, which binfmt_misc's flag C gives to the emu that the kernel starts for it, and no
// emu could give itself. As a traced program it would not have them either, and what emu keeps
// over execve, filters above all, would be lost.
func (t *Task) takesRights(x *execution) bool {
	return t.p.ByKernel && t.p.Strace == nil && t.p.root.Load() == nil && x.hasRights() && t.inheritance() == nil
}

// hasRights reports whether the program's file says that who executes it becomes another user, a
// member of another group, or capable of more (execve(2), capabilities(7)).
func (x *execution) hasRights() bool {
	const setGroup = unix.S_ISGID | unix.S_IXGRP
	var st unix.Stat_t
	if unix.Fstat(x.file, &st) != nil {
		return false
	}
	if st.Mode&unix.S_ISUID != 0 && int(st.Uid) != unix.Geteuid() || st.Mode&setGroup == setGroup && int(st.Gid) != unix.Getegid() {
		return true
	}
	_, err := unix.Fgetxattr(x.file, "security.capability", nil)
	return err == nil
}

// execUnreadable executes a program that the guest may execute, but not read, as some distributions'
// sudo: the kernel can, and binfmt_misc's flag O hands such a file to emu open.
func (t *Task) execUnreadable(x *execution) int64 {
	if t.p.root.Load() != nil {
		return fail(unix.EACCES)
	}
	if t.p.sharer == nil { // as in execFile
		hostsig.BeginExec()
		defer hostsig.EndExec()
	}
	if r := t.replaceByHost(x); r != fail(unix.ENOEXEC) {
		return r
	}
	return fail(unix.EACCES)
}
