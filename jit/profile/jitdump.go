package profile

import (
	"encoding/binary"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// JITDump writes generated code with its names to jit-PID.dump, from which
// `perf inject --jit` makes files that perf report and perf annotate read
// (tools/perf/Documentation/jitdump-specification.txt):
//
//	perf record -k mono emu -perf=jitdump prog
//	perf inject --jit -i perf.data -o perf.jit
//	perf report -i perf.jit
type JITDump struct {
	dir   string
	pid   int
	path  string // "" if it cannot be written
	index uint64
}

// NewJITDump returns the Listener that writes the dump into dir.
func NewJITDump(dir string) *JITDump { return &JITDump{dir: dir} }

// Of the specification.
const (
	jitMagic      = 0x4a695444 // "JiTD" in the writer's byte order
	jitVersion    = 1
	jitHeaderSize = 40
	jitCodeLoad   = 0
	elfX86_64     = 62 // EM_X86_64
)

// Installed is Listener's. The child of a fork gets a dump of its own, with what is
// installed from then on.
func (d *JITDump) Installed(u *Unit, name string) {
	if u.Addr == 0 {
		return
	}
	if pid := os.Getpid(); pid != d.pid {
		d.pid, d.index = pid, 0
		d.open()
	}
	if d.path == "" {
		return
	}
	name = label(u, name)
	le := binary.LittleEndian
	b := le.AppendUint32(nil, jitCodeLoad)
	b = le.AppendUint32(b, uint32(16+40+len(name)+1+len(u.Code))) // of the whole record
	b = le.AppendUint64(b, monotonic())
	b = le.AppendUint32(b, uint32(d.pid))
	b = le.AppendUint32(b, uint32(unix.Gettid()))
	b = le.AppendUint64(b, uint64(u.Addr)) // virtual address
	b = le.AppendUint64(b, uint64(u.Addr)) // and where the code lies
	b = le.AppendUint64(b, uint64(len(u.Code)))
	b = le.AppendUint64(b, d.index)
	b = append(append(b, name...), 0)
	b = append(b, u.Code...)
	d.index++
	if appendTo(d.path, os.O_APPEND, b) != nil {
		d.path = ""
	}
}

// open begins a file and maps it executable: perf record notes that mapping, and
// perf inject finds the file by it.
func (d *JITDump) open() {
	d.path = ""
	path := fmt.Sprintf("%s/jit-%d.dump", d.dir, d.pid)
	le := binary.LittleEndian
	b := le.AppendUint32(nil, jitMagic)
	b = le.AppendUint32(b, jitVersion)
	b = le.AppendUint32(b, jitHeaderSize)
	b = le.AppendUint32(b, elfX86_64)
	b = le.AppendUint32(b, 0) // reserved
	b = le.AppendUint32(b, uint32(d.pid))
	b = le.AppendUint64(b, monotonic())
	b = le.AppendUint64(b, 0) // flags
	if appendTo(path, os.O_CREATE|os.O_TRUNC, b) != nil {
		return
	}
	f, err := os.Open(path)
	if err != nil {
		return
	}
	defer f.Close()
	if _, err := unix.MmapPtr(int(f.Fd()), 0, nil, uintptr(os.Getpagesize()), unix.PROT_READ|unix.PROT_EXEC, unix.MAP_PRIVATE); err == nil {
		d.path = path
	}
}

// monotonic is the clock of perf record -k mono in ns.
func monotonic() uint64 {
	var ts unix.Timespec
	if unix.ClockGettime(unix.CLOCK_MONOTONIC, &ts) != nil {
		return 0
	}
	return uint64(ts.Nano())
}
