package syscalls

import (
	"path"
	"strconv"
	"strings"
	"sync"

	"emu/cpu"

	"golang.org/x/sys/unix"
)

// A file of /proc that is made up is a file in memory that has what the real one would have
// shown when it was opened, and its name. The kernel makes the content anew when such a
// file is read from its beginning again. So while one is open lseek and pread64 come here.

// madeUp are the descriptors of such files, as far as it is known that they are open.
type madeUp struct {
	mu     sync.Mutex
	open   map[int]bool
	misses int // calls for other descriptors since open was looked through
}

// memfdPrefix is what links of /proc/self/fd show before the name of a file in memory.
const memfdPrefix = "/memfd:"

// canonical is a name of procName's by the number of the process.
func (t *Task) canonical(s string) string {
	own := procPrefix + strconv.Itoa(t.p.pid) + "/"
	if rest, ok := strings.CutPrefix(s, procPrefix+"self/"); ok {
		return own + rest
	}
	if rest, ok := strings.CutPrefix(s, procPrefix+"thread-self/"); ok {
		return own + "task/" + strconv.Itoa(t.tid) + "/" + rest
	}
	return s
}

// madeUpName returns the name of the made up file that a descriptor is of.
func (p *Process) madeUpName(fd int) (name string, ok bool) {
	link, err := p.readProcLink("self/fd/" + strconv.Itoa(fd))
	if err != nil {
		return "", false
	}
	return madeUpTarget(link)
}

// madeUpTarget returns the name of the made up file that a link in a directory of descriptors leads to.
func madeUpTarget(link string) (name string, ok bool) {
	name, ok = strings.CutPrefix(link, memfdPrefix+procPrefix)
	return procPrefix + strings.TrimSuffix(name, " (deleted)"), ok
}

// openMadeUp returns a descriptor of a file of /proc with the given content.
func (t *Task) openMadeUp(name string, content []byte, flags int) int64 {
	fd := t.p.fileOf(t.canonical(name), content, flags)
	if fd < 0 {
		return fd
	}
	m := &t.p.madeUp
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.open == nil {
		m.open = make(map[int]bool)
	}
	if len(m.open) == 0 {
		t.p.leaveForRenewal(true)
	}
	m.open[int(fd)] = true
	return fd
}

// leaveForRenewal has generated code leave the calls to renewFile, or make them again.
func (p *Process) leaveForRenewal(on bool) {
	for nr, row := range p.table {
		d := &p.direct[nr]
		switch {
		case row == nil || row.before == nil:
		case on:
			d.Flags &^= cpu.DirectCan
		default:
			d.Flags |= cpu.DirectCan
		}
	}
}

// missesInARow is how many calls for other descriptors there are before those of made up
// files are looked at: most are closed soon.
const missesInARow = 32

// renewFile makes the content of a made up file anew that is about to be read from its
// beginning.
func renewFile(t *Task, a *Args) {
	m := &t.p.madeUp
	fd := int(int32(a[0]))
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.open[fd] {
		if m.misses++; m.misses >= missesInARow {
			m.misses = 0
			t.p.dropClosed()
		}
		return
	}
	name, ok := t.p.madeUpName(fd)
	if !ok {
		t.p.dropClosed()
		return
	}
	content, ok := t.procFile(name)
	if !ok {
		return // the process has ended
	}
	file, err := t.p.openProc("self/fd/"+strconv.Itoa(fd), unix.O_WRONLY|unix.O_CLOEXEC)
	if err != nil {
		return
	}
	defer unix.Close(file)
	if writeAll(file, content) == nil {
		unix.Ftruncate(file, int64(len(content)))
	}
}

// dropClosed forgets the descriptors of made up files that are something else now. The
// lock is held.
func (p *Process) dropClosed() {
	m := &p.madeUp
	for fd := range m.open {
		if _, ok := p.madeUpName(fd); !ok {
			delete(m.open, fd)
		}
	}
	if len(m.open) == 0 {
		p.leaveForRenewal(false)
	}
}

func renewOnSeek(t *Task, a *Args) {
	if a[1] == 0 && uint32(a[2]) == unix.SEEK_SET {
		renewFile(t, a)
	}
}

func renewOnPread(t *Task, a *Args) {
	if a[3] == 0 {
		renewFile(t, a)
	}
}

// mapsOf returns the regions of the process whose maps a descriptor is of. ok is false for other
// files.
func (t *Task) mapsOf(fd int) (regions []cpu.Region, e unix.Errno, ok bool) {
	name, ok := t.p.madeUpName(fd)
	if !ok || path.Base(name) != "maps" {
		return nil, 0, false
	}
	number, _, _ := strings.Cut(strings.TrimPrefix(name, procPrefix), "/")
	pid, err := strconv.Atoi(number)
	if err != nil {
		return nil, 0, false
	}
	if pid == t.p.pid {
		return t.p.Mem.Regions(), 0, true
	}
	if regions, ok = regionsOf(pid); !ok {
		return nil, unix.ESRCH, true
	}
	return regions, 0, true
}
