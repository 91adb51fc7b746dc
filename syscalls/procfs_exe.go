package syscalls

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"emu/cpu"
	"emu/internal/program"

	"golang.org/x/sys/unix"
)

// exeOf tells what another process runs if that is emulated.
func (p *Process) exeOf(pid string) (string, bool) {
	proc := procPrefix + pid
	if !emulates(proc) {
		return "", false
	}
	if name, ok := programFile(proc); ok {
		return p.guestName(name), true
	}
	auxv, _ := readHost(proc + "/auxv")
	name, ok := execName(pid, auxval(auxv, atEXECFN))
	if ok && !strings.HasPrefix(name, "/") {
		cwd, err := hostLink(proc + "/cwd")
		if err != nil {
			return "", false
		}
		name = path.Join(cwd, name)
	}
	return p.guestName(name), ok
}

// programFile returns the host's name of what another process runs, which is emulated: the
// file that its program's headers are mapped from, for its auxiliary vector is the guest's
// (see describe). As long as emu starts there, the vector is emu's, and the program is the
// descriptor that execve has left (see replaceByGuest).
func programFile(proc string) (string, bool) {
	auxv, args := begun(proc)
	if args != nil {
		if name, ok := exeToCome(proc, args); ok {
			return name, true
		}
		auxv, _ = readHost(proc + "/auxv") // it has come to the program meanwhile
	}
	return mappedFile(proc, auxval(auxv, atPHDR))
}

// execveWait is how long a process that looks at another one waits at a time for the kernel to finish an execve
// there, and execveWaits how often: it takes far less than a millisecond, but for a busy processor.
const (
	execveWait  = time.Millisecond
	execveWaits = 100
)

// begun returns the auxiliary vector of a process that is emulated and, as long as emu starts there, emu's arguments.
// When an execve closes files, which tells others that it has succeeded, the new process has neither yet: the kernel
// sets one, then the other.
func begun(proc string) (auxv []byte, args []string) {
	for n := 0; ; n++ {
		auxv, err := readHost(proc + "/auxv")
		headers := auxval(auxv, atPHDR)
		if len(auxv) == 0 || err != nil || headers != 0 && headers != uint64(program.Own().Addr) {
			return auxv, nil
		}
		text, err := readHost(proc + "/cmdline")
		if headers != 0 && len(text) > 0 {
			return auxv, strings.Split(strings.TrimSuffix(string(text), "\x00"), "\x00")
		}
		if err != nil || n == execveWaits {
			return auxv, nil
		}
		time.Sleep(execveWait)
	}
}

// emulates reports whether the process that proc is runs this emu.
func emulates(proc string) bool {
	self, err := hostLink("/proc/self/exe")
	if err != nil {
		return false
	}
	other, err := hostLink(proc + "/exe")
	return err == nil && other == self
}

// exeToCome is programFile for a process in which emu, with args, has not come to the program yet.
func exeToCome(proc string, args []string) (string, bool) {
	at := slices.Index(args, execFDFlag) + 1
	if at == 0 || at == len(args) {
		return "", false
	}
	name, err := hostLink(proc + "/fd/" + args[at])
	return name, err == nil
}

// mappedFile returns the name of the file that a process has mapped at addr, from
// proc/maps.
func mappedFile(proc string, addr uint64) (name string, ok bool) {
	text, err := readHost(proc + "/maps")
	if err != nil {
		return "", false
	}
	for line := range strings.Lines(string(text)) {
		var start, end uint64
		if n, _ := fmt.Sscanf(line, "%x-%x", &start, &end); n < 2 || addr < start || addr >= end {
			continue
		}
		i := strings.IndexByte(line, '/')
		return strings.TrimSuffix(line[max(i, 0):], "\n"), i >= 0
	}
	return "", false
}

// execName reads the string AT_EXECFN of a process.
func execName(pid string, at uint64) (string, bool) {
	n, _ := strconv.Atoi(pid)
	buf := make([]byte, pathMax)
	got, err := unix.ProcessVMReadv(n, []unix.Iovec{{Base: &buf[0], Len: uint64(len(buf))}}, []unix.RemoteIovec{{Base: uintptr(at), Len: int(min(pathMax, cpu.PageSize-at%cpu.PageSize))}}, 0)
	if at == 0 || err != nil {
		return "", false
	}
	name, _, _ := strings.Cut(string(buf[:got]), "\x00")
	return name, true
}

func hostLink(name string) (string, error) {
	var buf [pathMax]byte
	n, err := unix.Readlink(name, buf[:])
	return string(buf[:max(n, 0)]), err
}
