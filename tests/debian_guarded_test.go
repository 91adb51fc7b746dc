package tests

import (
	"debug/elf"
	"encoding/binary"
	"path/filepath"
	"slices"
	"testing"

	"emu/tests/need"
)

// guardedRelease is the first whose code is in guarded pages, as it is in those after it, in Ubuntu and in Fedora.
var guardedRelease = debianRelease{"../bin/_trixie", "debian/packages-trixie.txt", "trixie"}

// TestGuardedDebian runs those of the command lines that do not depend on the release in a root of one whose programs and libraries
// are in guarded pages (FEAT_BTI), where branches are checked and code in the store is of its own kind.
func TestGuardedDebian(t *testing.T) {
	t.Parallel()
	need.Tool(t, "unshare", "util-linux")
	root := guardedRelease.root(t)
	if !guardedELF(t, filepath.Join(root, "usr/bin/bash")) {
		t.Errorf("%s/usr/bin/bash is not linked for guarded pages", root)
	}
	list := slices.DeleteFunc(readCommands(t), func(c command) bool { return !c.guarded })
	runCommands(t, root, list, []string{"chroot", "sysroot"})
}

// guardedELF reports whether a program says that its code may be mapped guarded: GNU_PROPERTY_AARCH64_FEATURE_1_BTI in its note
// (Arm, "ELF for the Arm 64-bit Architecture").
func guardedELF(t *testing.T, name string) bool {
	t.Helper()
	f, err := elf.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	s := f.Section(".note.gnu.property")
	if s == nil {
		return false
	}
	data, err := s.Data()
	if err != nil {
		t.Fatal(err)
	}
	const header = 16 // of the note, whose name is GNU
	const features, bti = 0xc0000000, 1
	for data = data[min(header, len(data)):]; len(data) >= 12; {
		kind, size := binary.LittleEndian.Uint32(data), binary.LittleEndian.Uint32(data[4:])
		if kind == features {
			return data[8]&bti != 0
		}
		data = data[min(8+int(size+7)&^7, len(data)):]
	}
	return false
}
