package tests

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"emu/tests/need"
)

// gdbScript debugs a guest, a source among traceGuests and its arguments, with gdb-multiarch, which is given
// commands. It fails the test where gdb prints nothing like one of the patterns, which follow each other.
func gdbScript(t *testing.T, guestAndArgs, commands, patterns []string) (s *session) {
	t.Helper()
	gdb := need.Tool(t, "gdb-multiarch", "gdb-multiarch")
	guest := build(t, filepath.Join(traceGuests, guestAndArgs[0]), arm64, "-O0", "-g")
	socket := filepath.Join(t.TempDir(), "gdb")
	s = waitForGdb(t, socket, guest, guestAndArgs[1:]...)
	argv := []string{gdb, "-nx", "-batch", "-ex", "set width 0", "-ex", "target remote " + socket}
	for _, c := range commands {
		argv = append(argv, "-ex", c)
	}
	got := run(t, "", append(argv, guest)...)
	rest := got.stdout
	for _, p := range patterns {
		at := regexp.MustCompile(p).FindStringIndex(rest)
		if at == nil {
			t.Errorf("gdb printed nothing like %s there:\n%s", p, rest)
			continue
		}
		rest = rest[at[1]:]
	}
	if t.Failed() {
		t.Logf("gdb printed\n%s\n%s", got.stdout, strings.TrimSpace(got.stderr))
	}
	return s
}

// TestGdbRegisterTypes looks at registers whose parts have names.
func TestGdbRegisterTypes(t *testing.T) {
	s := gdbScript(t, []string{"remote.c", "twice"}, []string{
		"info registers cpsr", "set var $cpsr = 0x60000000", "info registers cpsr", "set var $fpsr = 0x08000011", "info registers fpsr",
		"set var $fpcr = 0x03c00000", "info registers fpcr", "set var $v3.d.u[1] = 0x4008000000000000", "print $v3.d.f[1]", "print/x $v3.h.u[7]", "print $v3.b.s[14]", "kill",
	}, []string{
		`(?m)^cpsr +0x0 +\[ EL=0 BTYPE=0 \]$`, `(?m)^cpsr +0x60000000 +\[ EL=0 BTYPE=0 C Z \]$`, `(?m)^fpsr +0x8000011 +\[ IOC IXC QC \]$`,
		`(?m)^fpcr +0x3c00000 +\[ Len=0 Stride=0 RMode=3 FZ DN \]$`, `(?m)^\$1 = 3$`, `(?m)^\$2 = 0x4008$`, `(?m)^\$3 = 8$`,
	})
	s.ends(-1, "")
}

// TestGdbScalableRegisters reads and writes the registers of SVE, of which gdb makes the V registers.
func TestGdbScalableRegisters(t *testing.T) {
	t.Setenv("EMU_CPU", "max,sve=on")
	s := gdbScript(t, []string{"predicates.c"}, []string{
		"break look", "continue", "print/x $p3", "print/x $ffr", "print $vg", "print $z3.d.u", "print $v3.d.u[1]", "print/x $p4",
		"set var $p3[0] = 0xff", "set var $ffr[1] = 0", "set var $v3.b.u[0] = 2", "print/x $p3", "print/x $z3.b.u[0]", "print $z3.d.s[1]", "set var $vg = 4", "continue",
	}, []string{
		`\$1 = \{0x55, 0x55\}`, `\$2 = \{0xff, 0xff\}`, `\$3 = 2`, `\$4 = \{7, 7\}`, `\$5 = 7`, `\$6 = \{0x0, 0x0\}`,
		`\$7 = \{0xff, 0x55\}`, `\$8 = 0x2`, `\$9 = 7`, `exited with code 026`,
	})
	s.ends(12+8+2, "")
}

// TestGdbMemoryTags reads and writes memory tags.
func TestGdbMemoryTags(t *testing.T) {
	t.Setenv("EMU_CPU", "max,mte=on")
	s := gdbScript(t, []string{"tagged.c"}, []string{
		"break look", "continue", "finish", "print/x $tag_ctl", "memory-tag print-allocation-tag tagged", "memory-tag print-logical-tag tagged", "memory-tag check tagged",
		"memory-tag print-allocation-tag tagged + 16", "memory-tag check tagged + 16", "memory-tag set-allocation-tag tagged+16 16 09", "memory-tag print-allocation-tag tagged+16", "continue",
	}, []string{
		`\$1 = 0x7fff3`, `\$2 = 0x5`, `\$3 = 0x5`, `Memory tags for address 0x\w+ match \(0x5\)`, `\$4 = 0x0`, `does not match the allocation tag \(0x0\)`, `Allocation tag\(s\) updated`, `\$5 = 0x9`, `exited with code 011`,
	})
	s.ends(9, "")
}
