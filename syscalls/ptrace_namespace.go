package syscalls

import (
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// Tracees in another process id namespace have other numbers there, by which they
// call themselves and their children.

// namespaceIDs returns the number of a thread's process in this process's namespace,
// and the thread's number in its own.
func namespaceIDs(tid int) (pid, own int) {
	pid, own = tid, tid
	text, err := readHost("/proc/" + strconv.Itoa(tid) + "/status")
	if err != nil {
		return pid, own
	}
	for line := range strings.Lines(string(text)) {
		key, value, _ := strings.Cut(line, ":")
		f := strings.Fields(value)
		if len(f) == 0 {
			continue
		}
		switch n, err := strconv.Atoi(f[len(f)-1]); {
		case err != nil:
		case key == "Tgid":
			pid = n
		case key == "NSpid": // from this namespace to the innermost
			own = n
		}
	}
	return pid, own
}

// outsideID is the number here of a thread or child of a tracee's that has the
// number own there; own itself if there is none any more.
func outsideID(tr *tracee, own int) int {
	tasks := "/proc/" + strconv.Itoa(tr.pid) + "/task/"
	candidates := []string{}
	for _, tid := range listNumbers(tasks) {
		candidates = append(candidates, tid)
		if children, err := readHost(tasks + tid + "/children"); err == nil {
			candidates = append(candidates, strings.Fields(string(children))...)
		}
	}
	for _, c := range candidates {
		n, err := strconv.Atoi(c)
		if err != nil {
			continue
		}
		if _, inner := namespaceIDs(n); inner == own {
			return n
		}
	}
	return own
}

// listNumbers returns the names in a directory of /proc that are numbers. Package os
// would leave descriptors of the runtime's open, which the guest would see.
func listNumbers(dir string) (names []string) {
	fd, err := unix.Open(dir, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil
	}
	return numbersIn(fd)
}

// numbersIn is listNumbers for the descriptor of a directory, which it closes.
func numbersIn(fd int) (names []string) {
	defer unix.Close(fd)
	buf := make([]byte, 8192)
	for {
		n, err := unix.Getdents(fd, buf)
		if err != nil || n <= 0 {
			return names
		}
		_, _, all := unix.ParseDirent(buf[:n], -1, nil)
		for _, name := range all {
			if _, err := strconv.Atoi(name); err == nil {
				names = append(names, name)
			}
		}
	}
}
