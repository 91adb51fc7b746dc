package syscalls

import (
	"math/rand/v2"

	"emu/cpu"

	"golang.org/x/sys/unix"
)

// Keys are numbered by cpu.State.APKeys; PR_PAC_APIAKEY and so on are 1 << n.
const (
	pacKeys     = 1<<cpu.NumAPKeys - 1
	pacPointers = 1<<(cpu.NumAPKeys-1) - 1 // without APGAKEY
)

// ResetPAC gives a state what execve gives a process: random keys, all enabled.
func ResetPAC(s *cpu.State) {
	newPACKeys(s, pacKeys)
	for n := range s.PACEnabled {
		s.PACEnabled[n] = ^uint64(0)
	}
}

func newPACKeys(s *cpu.State, which uint64) {
	for n := range s.APKeys {
		if which>>n&1 != 0 {
			s.APKeys[n] = [2]uint64{rand.Uint64(), rand.Uint64()}
		}
	}
}

// havePAC reports whether the guest's CPU has pointer authentication.
func (t *Task) havePAC() bool {
	const paca = 1 << 30
	return auxval(t.p.Auxv, atHWCAP)&paca != 0
}

// resetPACKeys is prctl(PR_PAC_RESET_KEYS), of the calling thread; 0 is all.
func (t *Task) resetPACKeys(a *Args) int64 {
	if a[2]|a[3]|a[4] != 0 || !t.havePAC() || a[1]&^pacKeys != 0 {
		return fail(unix.EINVAL)
	}
	which := a[1]
	if which == 0 {
		which = pacKeys
	}
	newPACKeys(t.State, which)
	return 0
}

// setEnabledPACKeys is prctl(PR_PAC_SET_ENABLED_KEYS, keys, enabled).
func (t *Task) setEnabledPACKeys(a *Args) int64 {
	keys, enabled := a[1], a[2]
	if a[3]|a[4] != 0 || !t.havePAC() || keys&^pacPointers != 0 || enabled&^keys != 0 {
		return fail(unix.EINVAL)
	}
	for n := range t.State.PACEnabled {
		if keys>>n&1 != 0 {
			t.State.PACEnabled[n] = -(enabled >> n & 1)
		}
	}
	return 0
}

// enabledPACKeys is prctl(PR_PAC_GET_ENABLED_KEYS).
func (t *Task) enabledPACKeys(a *Args) int64 {
	if a[1]|a[2]|a[3]|a[4] != 0 || !t.havePAC() {
		return fail(unix.EINVAL)
	}
	enabled := int64(0)
	for n, mask := range t.State.PACEnabled {
		if mask != 0 {
			enabled |= 1 << n
		}
	}
	return enabled
}
