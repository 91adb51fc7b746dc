package syscalls

import (
	"os"
	"path/filepath"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// Who waits for a process that a signal has ended is told whether it has left a core
// (WCOREDUMP, CLD_DUMPED). Only the kernel can say so, of a process that it has dumped
// itself. So, behind the core that emu writes, it dumps emu: no memory, 24 KiB of
// registers and names, in a directory of emu's own. The parent removes it, if that is a guest
// too, or whoever dumps next. Where core_pattern is absolute that takes the right to chroot, and
// where it names a program nothing is done.

// dumpedCore is WCOREDUMP's bit of a wait status, and cldDumped the si_code for it.
const (
	dumpedCore = 0x80
	cldDumped  = 3
)

// Of dumps that no parent removes there are few, and not for long.
const (
	oldDump   = 5 * time.Second // the process has long been dumped
	mostDumps = 64
)

func (p *Process) dumps() string { return filepath.Join(p.Private, "dumps") }

// letHostDump prepares the calling thread, which ends the process next, for the kernel's dump.
// core is the name of the guest's. It reports whether the kernel is to dump.
func (p *Process) letHostDump(core string) bool {
	if p.sharesMemory() {
		return false // the filter is the memory's
	}
	var st unix.Stat_t
	if p.Private == "" || unix.Lstat(p.Private, &st) != nil || st.Mode&(unix.S_IFMT|0o022) != unix.S_IFDIR || int(st.Uid) != unix.Geteuid() {
		return false // somebody else could say where it goes
	}
	if isPiped(p.corePattern()) {
		return false
	}
	for _, resource := range [...]int{unix.RLIMIT_CORE, unix.RLIMIT_FSIZE} {
		var limit unix.Rlimit
		if unix.Getrlimit(resource, &limit) == nil {
			limit.Cur = limit.Max
			unix.Prlimit(0, resource, &limit, nil)
		}
	}
	if !p.roomForDump() {
		return false
	}
	dir := filepath.Join(p.dumps(), strconv.Itoa(p.pid))
	if os.WriteFile("/proc/self/coredump_filter", []byte("0"), 0) != nil || os.MkdirAll(filepath.Join(dir, filepath.Dir(core)), 0o700) != nil ||
		unix.Unshare(unix.CLONE_FS) != nil || unix.Chdir(dir) != nil {
		return false
	}
	return !filepath.IsAbs(core) || unix.Chroot(".") == nil
}

// roomForDump removes old dumps and reports whether there are not too many others.
func (p *Process) roomForDump() bool {
	dumps, _ := os.ReadDir(p.dumps())
	young := 0
	for _, d := range dumps {
		if info, err := d.Info(); err == nil && time.Since(info.ModTime()) < oldDump {
			young++
		} else {
			os.RemoveAll(filepath.Join(p.dumps(), d.Name()))
		}
	}
	return young < mostDumps
}

// forgetDump removes the kernel's dump of a child.
func (p *Process) forgetDump(pid int) {
	if p.Private != "" {
		os.RemoveAll(filepath.Join(p.dumps(), strconv.Itoa(pid)))
	}
}
