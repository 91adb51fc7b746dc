package syscalls

import (
	"encoding/binary"
	"testing"
	"time"

	"emu/cpu"

	"golang.org/x/sys/unix"
)

// TestCoreName expands patterns as core(5) describes them.
func TestCoreName(t *testing.T) {
	facts := coreFacts{
		pid: 10, tid: 12, uid: 1000, gid: 100, sig: 11, limit: 1 << 20, when: time.Unix(1700000000, 5),
		host: "box", comm: "a/b", exe: "/usr/bin/prog",
	}
	appends := facts
	appends.appendsPid = true
	dots := facts
	dots.comm, dots.host = "..", "."
	empty := facts
	empty.comm = ""
	for _, c := range []struct {
		facts         coreFacts
		pattern, want string
	}{
		{facts, "core", "core"},
		{appends, "core", "core.10"},
		{appends, "core-%p", "core-10"},
		{appends, "core-%P", "core-10.10"},
		{facts, "/var/crash/%e.%p.%s", "/var/crash/a!b.10.11"},
		{facts, "%u-%g-%t-%h-%c-%d", "1000-100-1700000000-box-1048576-1"},
		{facts, "%i %I %P", "12 12 10"},
		{facts, "%E", "!usr!bin!prog"},
		{facts, "%f", "prog"},
		{facts, "100%%", "100%"},
		{facts, "core%", "core"},
		{facts, "c%qre", "cre"},
		{dots, "%e/%h", "!./!"},
		{empty, "%e", "!"},
		{facts, "", ""},
		{appends, "", ".10"},
		{facts, "|/usr/lib/systemd/systemd-coredump %P %u", "core.10"},
		{appends, "|/usr/share/apport/apport", "core.10"},
		{facts, "@/run/coredump.socket", "core.10"},
	} {
		if got := c.facts.name(c.pattern); got != c.want {
			t.Errorf("%q gives %q, want %q", c.pattern, got, c.want)
		}
	}
}

// TestCoreStructs compares the sizes of what notes hold with linux/elfcore.h for arm64.
func TestCoreStructs(t *testing.T) {
	if n := binary.Size(prstatus{}); n != 392 || len(bytesOf(&prstatus{})) != n {
		t.Errorf("struct elf_prstatus has %d bytes", n)
	}
	if n := binary.Size(prpsinfo{}); n != 136 || len(bytesOf(&prpsinfo{})) != n {
		t.Errorf("struct elf_prpsinfo has %d bytes", n)
	}
}

// TestCoreManySegments: more program headers than e_phnum counts.
func TestCoreManySegments(t *testing.T) {
	if h, ext := coreHeader(0xfffe, 4096); h.Phnum != 0xfffe || h.Shnum != 0 || ext != nil {
		t.Errorf("65,534 program headers: %+v", h)
	}
	h, ext := coreHeader(70000, 4096)
	const shInfo = 44 // sh_info of Elf64_Shdr
	if h.Phnum != 0xffff || h.Shnum != 1 || h.Shoff != 4096 || len(ext) != 64 || binary.LittleEndian.Uint32(ext[shInfo:]) != 70000 {
		t.Errorf("70,000 program headers: %+v, %x", h, ext)
	}
}

// TestCoreFilter: which memory is dumped under each bit of coredump_filter.
func TestCoreFilter(t *testing.T) {
	const size = 4 * cpu.PageSize
	anonymous := cpu.Region{Flags: unix.MAP_PRIVATE | unix.MAP_ANONYMOUS, Prot: unix.PROT_READ | unix.PROT_WRITE, End: size}
	file := cpu.Region{Flags: unix.MAP_PRIVATE, Prot: unix.PROT_READ, Path: "/lib/x", End: size}
	behind := file
	behind.Offset = cpu.PageSize
	vdso := anonymous
	vdso.Path = "[vdso]"
	for _, c := range []struct {
		name    string
		r       cpu.Region
		f       areaFacts
		filters uint64 // bits that dump it whole
	}{
		{"anonymous", anonymous, areaFacts{written: true}, dumpAnonPrivate},
		{"untouched", anonymous, areaFacts{}, 0},
		{"written file", behind, areaFacts{written: true}, dumpAnonPrivate | dumpFilePrivate},
		{"file", behind, areaFacts{}, dumpFilePrivate},
		{"shared file", behind, areaFacts{shared: true}, dumpFileShared},
		{"shared file without a name", behind, areaFacts{shared: true, deleted: true}, dumpAnonShared},
		{"shared memory", anonymous, areaFacts{shared: true}, dumpAnonShared},
		{"huge pages", anonymous, areaFacts{huge: true, written: true}, dumpHugePrivate},
		{"shared huge pages", anonymous, areaFacts{huge: true, shared: true}, dumpHugeShared},
		{"not to be dumped", anonymous, areaFacts{written: true, dontDump: true}, 0},
		{"device", file, areaFacts{shared: true, device: true}, 0},
		{"vdso", vdso, areaFacts{dontDump: true}, 1<<9 - 1},
	} {
		for filter := uint64(0); filter < 1<<9; filter++ {
			want := uint64(0)
			if filter&c.filters != 0 || c.r.Path == "[vdso]" {
				want = size
			}
			if got, header := c.f.dumped(&c.r, c.r.Start, c.r.End, filter); got != want || header {
				t.Fatalf("%s with filter %#x: %d bytes, header %v; want %d", c.name, filter, got, header, want)
			}
		}
	}
	if got, header := new(areaFacts).dumped(&file, file.Start, file.End, defaultCoreFilter); got != 0 || !header {
		t.Errorf("the first page of a file: %d bytes, header %v", got, header)
	}
}
