package tests

import "testing"

// TestCompany has a program compile its atomic operations while it is alone, without LOCK prefixes, and
// lets others have its memory then, in each way that there is: nothing that they count may be lost.
func TestCompany(t *testing.T) {
	const src = "guest/litmus/company.c"
	emu, host := emuPath(t), build(t, src, native)
	for _, arch := range []string{"-march=armv8.1-a", "-mno-outline-atomics"} {
		guest := build(t, src, arm64, arch)
		for _, how := range []string{"thread", "vm", "mmap", "mprotect", "shm"} {
			want := run(t, "", host, how)
			for _, tier := range []string{"-tier=1", "-tier=2", "-tier=auto"} {
				same(t, arch+" "+how+" "+tier, run(t, "", emu, tier, "-code-cache=off", guest, how), want)
			}
		}
	}
}
