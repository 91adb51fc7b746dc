package syscalls

import (
	"testing"

	"golang.org/x/sys/unix"
)

// TestPersonalityLinux32: a processor without AArch32 refuses PER_LINUX32, whatever flags
// come with it, and the personality stays as it was.
func TestPersonalityLinux32(t *testing.T) {
	task := &Task{p: &Process{}}
	const addrLimit3GB = 0x8000000
	for _, p := range []uint64{linux32, linux32 | addrLimit3GB} {
		if r := sysPersonality(task, &Args{p}); r != fail(unix.EINVAL) {
			t.Errorf("personality(%#x): %d, want EINVAL", p, r)
		}
	}
	if r := sysPersonality(task, &Args{personalityQuery}); r != 0 {
		t.Errorf("personality afterwards: %#x", r)
	}
}
