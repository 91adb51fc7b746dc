package syscalls

import (
	"strings"

	"emu/cpu"

	"golang.org/x/sys/unix"
)

// utsLen is the size of each string of struct new_utsname.
const utsLen = 65

// sysUname implements uname(2).
func sysUname(t *Task, a *Args) int64 {
	var u unix.Utsname
	if err := unix.Uname(&u); err != nil {
		return fail(unix.EFAULT)
	}
	setUts(&u.Machine, "aarch64")
	if t.p.Release != "" {
		setUts(&u.Release, t.p.Release)
	}
	return fail(save(t.p, a[0], u))
}

func setUts(field *[utsLen]byte, s string) {
	*field = [utsLen]byte{}
	copy(field[:utsLen-1], s)
}

// Bits of personality(2) that have an effect on arm64.
const (
	uname26          = 0x0020000
	addrNoRandomize  = 0x0040000
	mmapPageZero     = 0x0100000 // of the guest's memory, from execve on
	addrCompatLayout = 0x0200000
	readImpliesExec  = 0x0400000 // until execve
	stickyTimeouts   = 0x4000000

	// hostPersonality are those that the host gives their effect, or which it keeps over
	// execve for a Layout.
	hostPersonality = uname26 | addrNoRandomize | addrCompatLayout | stickyTimeouts

	personalityQuery  = 0xffffffff
	personalityDomain = 0xff
	linux32           = 8 // PER_LINUX32
)

// sysPersonality implements personality(2). PER_LINUX32 is refused as where EL0 is
// AArch64 only (arch/arm64/kernel/sys.c), which ID_AA64PFR0_EL1 says.
func sysPersonality(t *Task, a *Args) int64 {
	now := t.p.personality.Load()
	switch {
	case uint32(a[0]) == personalityQuery:
		return int64(now)
	case a[0]&personalityDomain == linux32:
		return fail(unix.EINVAL)
	}
	if next := uint32(a[0]); (next^now)&hostPersonality != 0 {
		unix.Syscall(unix.SYS_PERSONALITY, uintptr(next&hostPersonality), 0, 0)
		t.p.changed.Store(true)
	}
	return int64(t.p.personality.Swap(uint32(a[0])))
}

// inheritedPersonality is what of the personality the process has from its parent's or the
// program before.
func inheritedPersonality() uint32 {
	v, _, _ := unix.RawSyscall(unix.SYS_PERSONALITY, personalityQuery, 0, 0)
	return uint32(v) & hostPersonality
}

// Layout is where memory goes in a process whose main stack has up to stack bytes, as the
// personality and the limits that it has inherited want it. random chooses among what they
// allow.
func Layout(stack, random uint64) cpu.Layout {
	inherited := inheritedPersonality()
	if inherited&addrNoRandomize != 0 {
		random = 0
	}
	var l unix.Rlimit
	unlimited := unix.Getrlimit(unix.RLIMIT_STACK, &l) == nil && l.Cur == unix.RLIM_INFINITY
	return cpu.NewLayout(stack, unlimited || inherited&addrCompatLayout != 0, random)
}

// mapPageZero gives a program what MMAP_PAGE_ZERO asks for, if the kernel lets it
// (vm.mmap_min_addr).
func (p *Process) mapPageZero() {
	if p.personality.Load()&mmapPageZero != 0 {
		p.Mem.Map(0, cpu.PageSize, unix.PROT_READ|unix.PROT_EXEC, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS|unix.MAP_FIXED, -1, 0)
	}
}

// comm is the calling thread's name.
func comm() string {
	b := make([]byte, 16)
	unix.Prctl(unix.PR_GET_NAME, uintptr(pin(b)), 0, 0, 0)
	name, _, _ := strings.Cut(string(b), "\x00")
	return name
}

// setComm names the calling thread after the program.
func setComm(name string) {
	b := make([]byte, 16)
	copy(b[:15], name)
	unix.Prctl(unix.PR_SET_NAME, uintptr(pin(b)), 0, 0, 0)
}

// timerSlack is the calling thread's, in ns, which those that it makes inherit.
func timerSlack() uint64 {
	slack, _, _ := unix.RawSyscall(unix.SYS_PRCTL, unix.PR_GET_TIMERSLACK, 0, 0)
	return uint64(slack)
}

func setTimerSlack(slack uint64) {
	unix.RawSyscall(unix.SYS_PRCTL, unix.PR_SET_TIMERSLACK, uintptr(slack), 0)
}

// sysPrctl implements prctl(2). What concerns the CPU is answered for arm64,
// what would disturb emu is refused, the rest is the host's.
func sysPrctl(t *Task, a *Args) int64 {
	switch uint32(a[0]) {
	case unix.PR_SET_TAGGED_ADDR_CTRL:
		return t.setTaggedAddr(a)
	case unix.PR_GET_TAGGED_ADDR_CTRL:
		return t.taggedAddr(a)
	case unix.PR_PAC_RESET_KEYS:
		return t.resetPACKeys(a)
	case unix.PR_PAC_SET_ENABLED_KEYS:
		return t.setEnabledPACKeys(a)
	case unix.PR_PAC_GET_ENABLED_KEYS:
		return t.enabledPACKeys(a)
	case prGetShadowStackStatus, prSetShadowStackStatus, prLockShadowStackStatus:
		return t.shadowStackStatus(a)
	case unix.PR_SVE_SET_VL:
		return t.setVectorLength(a[1])
	case unix.PR_SVE_GET_VL:
		return t.getVectorLength()
	case unix.PR_SET_TSC, unix.PR_GET_TSC, // x86 only
		unix.PR_SME_SET_VL, unix.PR_SME_GET_VL,
		unix.PR_SET_SYSCALL_USER_DISPATCH, unix.PR_SET_MM:
		return fail(unix.EINVAL)
	case unix.PR_SET_MDWE: // the host's would keep emu from mapping code
		if a[2]|a[3]|a[4] != 0 || a[1]>>32 != 0 {
			return fail(unix.EINVAL)
		}
		return fail(t.p.Mem.RefuseExecGain(uint32(a[1])))
	case unix.PR_GET_MDWE:
		if a[1]|a[2]|a[3]|a[4] != 0 {
			return fail(unix.EINVAL)
		}
		return int64(t.p.Mem.ExecGain())
	case unix.PR_SET_TIMERSLACK:
		if int64(a[1]) <= 0 && t.slack != 0 { // the thread's default, which for the host is that of a thread of emu's
			a[1] = t.slack
		}
	case unix.PR_SET_SECCOMP:
		return t.prctlSeccomp(a)
	case unix.PR_GET_SECCOMP:
		if t.seccomp.Load().strict() {
			return unix.SECCOMP_MODE_STRICT
		}
		if t.seccomp.Load() != nil || filteredByHost() {
			return unix.SECCOMP_MODE_FILTER
		}
		return unix.SECCOMP_MODE_DISABLED
	case unix.PR_GET_TID_ADDRESS: // the host has another one if it is not the guest's memory
		return fail(save(t.p, a[1], t.clearTid))
	}
	if n := prctlSize[uint32(a[0])]; n != 0 && a[1] != 0 {
		t.upTo(&a[1], n)
	}
	return t.host(unix.SYS_PRCTL, a)
}

// capable reports whether the thread has a capability of those up to 31
// (capabilities(7)) in its effective set.
func capable(number uint) bool {
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var data [2]unix.CapUserData
	return unix.Capget(&header, &data[0]) == nil && data[0].Effective>>number&1 != 0
}
