package syscalls

import (
	"testing"

	"emu/cpu"

	"golang.org/x/sys/unix"
)

// TestProcmapShadowStack: PROCMAP_QUERY tells the same of a shadow stack as the line of
// /proc/self/maps, which has it writable, and none that is inaccessible.
func TestProcmapShadowStack(t *testing.T) {
	p := &Process{}
	for _, prot := range []int{unix.PROT_READ, unix.PROT_NONE} {
		r := cpu.Region{Start: cpu.ShadowBase, End: cpu.ShadowBase + cpu.PageSize, Prot: prot, Flags: unix.MAP_PRIVATE | unix.MAP_ANONYMOUS, Shadow: true}
		want := map[int]string{unix.PROT_READ: "rw-p", unix.PROT_NONE: "---p"}[prot]
		got := []byte("---p")
		for i, f := range []uint64{unix.PROT_READ, unix.PROT_WRITE, unix.PROT_EXEC} {
			if permsOf(&r)&f != 0 {
				got[i] = "rwx"[i]
			}
		}
		if line := p.mapsLine(&r); string(got) != want || line[len("580000000000-580000001000 "):][:4] != want {
			t.Errorf("protection %d: PROCMAP_QUERY has %s, maps has %q, want %s", prot, got, line, want)
		}
	}
}
