package syscalls

import "golang.org/x/sys/unix"

// sysLandlockRestrictSelf implements landlock_restrict_self(2). The host's rules
// count for emu's own work as well: it lists its threads in /proc to fork, and
// executes itself to execute a program of the guest's. Rules that allow that are
// added first, of which the guest sees that it can go on reading /proc.
func sysLandlockRestrictSelf(t *Task, a *Args) int64 {
	const dir, file = unix.LANDLOCK_ACCESS_FS_READ_DIR, unix.LANDLOCK_ACCESS_FS_READ_FILE
	allow(int(int32(a[0])), t.p.Proc, dir, file)
	allow(int(int32(a[0])), t.p.Self, unix.LANDLOCK_ACCESS_FS_EXECUTE, file)
	return t.host(unix.SYS_LANDLOCK_RESTRICT_SELF, a)
}

// allow adds rules to a ruleset. The kernel refuses those for what the ruleset does
// not restrict, which need none.
func allow(ruleset, fd int, rights ...uint64) {
	if fd <= 0 {
		return
	}
	for _, right := range rights {
		beneath := unix.LandlockPathBeneathAttr{Allowed_access: right, Parent_fd: int32(fd)}
		landlockAddRule(ruleset, &beneath)
	}
}
