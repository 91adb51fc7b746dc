package syscalls

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"emu/cpu"
	"emu/internal/hostsig"
)

// ofOthers are the files that otherFile serves.
var ofOthers = [...]string{"cmdline", "comm", "maps", "smaps", "smaps_rollup", "stat", "statm", "status"}

// otherFile returns the content of a file of /proc/PID or /proc/PID/task/TID of another
// process that this emu runs, as that process itself sees it: maps and smaps, in stat, statm and
// status the numbers of its threads and pages, and cmdline and comm until it has told them to the kernel. ok is false for all others.
func (p *Process) otherFile(s string) (content []byte, ok bool) {
	dir, file := path.Split(s)
	number, inner, _ := strings.Cut(strings.TrimPrefix(dir, procPrefix), "/")
	pid, err := strconv.Atoi(number)
	if err != nil || !slices.Contains(ofOthers[:], file) || inner != "" && path.Dir(path.Clean(inner)) != "task" || !sameProgram(pid) {
		return nil, false
	}
	if file == "cmdline" || file == "comm" {
		argv, name, ok := toCome(procPrefix + number)
		if file == "comm" {
			return []byte(name[:min(len(name), 15)] + "\n"), ok
		}
		return []byte(strings.Join(argv, "\x00") + "\x00"), ok
	}
	regions, ok := regionsOf(pid)
	if !ok {
		return nil, false
	}
	switch file {
	case "maps":
		return p.mapsText(regions), true
	case "smaps", "smaps_rollup":
		return p.smaps(procPrefix+number, regions, file == "smaps_rollup")
	}
	text, err := readHost(s)
	if err != nil {
		return nil, false
	}
	threads := strconv.Itoa(threadsOf(pid))
	switch file {
	case "stat":
		return statWith(text, map[int]string{statThreads: threads, statSize: strconv.FormatUint(sizeOf(regions), 10)})
	case "statm":
		return statm(text, regions)
	}
	status := memoryStatus(regions)
	status["Threads"] = threads
	return statusWith(text, status), true
}

// toCome returns the arguments and the name of the program of a process that this emu runs and that has just executed it,
// as emu tells them itself (see replaceByGuest). ok is false if the process has come to the program.
func toCome(proc string) (argv []string, name string, ok bool) {
	_, all := begun(proc)
	if all == nil {
		return nil, "", false
	}
	flags := all[max(slices.Index(all, execFDFlag), 0):]
	for ; len(flags) > 1 && flags[0] != "--"; flags = flags[2:] {
		switch flags[0] {
		case "-execfn":
			name = path.Base(flags[1])
		case "-0":
			argv = flags[1:2]
		}
	}
	if _, still := begun(proc); still == nil || argv == nil || len(flags) < 2 {
		return nil, "", false
	}
	return slices.Concat(argv, flags[2:]), name, true
}

// regionsOf reads what another process that this emu runs has mapped.
func regionsOf(pid int) ([]cpu.Region, bool) {
	table, ok := guestTable(pid)
	if !ok {
		return nil, false
	}
	read := func(addr uint64, b []byte) bool { return peekMemory(pid, addr, b) == 0 }
	var mem uint64
	if !read(hostsig.MemoryAt(table), bytesOf(&mem)) || mem == 0 {
		return nil, false
	}
	return cpu.PeekRegions(mem, read)
}

// threadsOf is the number of the guest's threads in another process that this emu runs.
func threadsOf(pid int) (n int) {
	for _, number := range listNumbers(procPrefix + strconv.Itoa(pid) + "/task") {
		if tid, err := strconv.Atoi(number); err == nil && isGuest(pid, tid) {
			n++
		}
	}
	return max(n, 1)
}

// guestTable is the address of the table of guest threads in another process that
// this emu runs.
func guestTable(pid int) (table uint64, ok bool) {
	at, _ := hostsig.TableAt()
	ok = peekMemory(pid, at, bytesOf(&table)) == 0 && table != 0
	return table, ok
}

// isGuest reports whether a thread of another process that this emu runs is the
// guest's. If that cannot be found out, it may be.
func isGuest(pid, tid int) bool {
	table, ok := guestTable(pid)
	var thread uint64
	return !ok || peekMemory(pid, hostsig.EntryAt(table, pid, tid), bytesOf(&thread)) != 0 || thread != 0
}
