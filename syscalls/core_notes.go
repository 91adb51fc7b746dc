package syscalls

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strconv"
	"strings"

	"emu/cpu"
	"emu/internal/hostsig"

	"golang.org/x/sys/unix"
)

// Types of notes that are no register sets (linux/elf.h).
const (
	ntPrpsinfo = 3
	ntAuxv     = 6
	ntFile     = 0x46494c45
	ntSiginfo  = 0x53494749
)

// coreRegsets are the notes of a thread behind its NT_PRSTATUS, in the order of
// aarch64_regsets (arch/arm64/kernel/ptrace.c). What the CPU does not have is left out.
var coreRegsets = [...]struct {
	name string
	kind uint64
}{
	{"CORE", ntPrfpreg},
	{"LINUX", ntArmTLS},
	{"LINUX", ntArmHwBreak},
	{"LINUX", ntArmHwWatch},
	{"LINUX", ntArmSystemCall},
	{"LINUX", ntArmSVE},
	{"LINUX", ntArmPACMask},
	{"LINUX", ntArmPACAKeys},
	{"LINUX", ntArmPACGKeys},
	{"LINUX", ntArmTaggedAddr},
	{"LINUX", ntArmGCS},
}

// prstatus is struct elf_prstatus of arm64.
type prstatus struct {
	Signo, Code, Errno     int32
	Cursig                 int16
	_                      [2]byte
	Sigpend, Sighold       uint64
	Pid, Ppid, Pgrp, Sid   int32
	Utime, Stime           [2]uint64 // struct timeval
	ChildUtime, ChildStime [2]uint64
	Regs                   [34]uint64 // struct user_pt_regs
	FPValid                int32
	_                      [4]byte
}

// prpsinfo is struct elf_prpsinfo of arm64.
type prpsinfo struct {
	State, Sname, Zombie, Nice byte
	_                          [4]byte
	Flag                       uint64
	UID, GID                   uint32
	Pid, Ppid, Pgrp, Sid       int32
	Fname                      [16]byte
	Psargs                     [80]byte
}

// snapshot takes down the registers of all threads, the caller's first, then by number.
//
// Preconditions: p.mu is held.
func (t *Task) snapshot() []coreThread {
	tasks := make([]*Task, 0, t.p.tasks.len())
	for o := range t.p.tasks.all() {
		tasks = append(tasks, o)
	}
	slices.SortFunc(tasks, func(a, b *Task) int {
		switch {
		case a == t:
			return -1
		case b == t:
			return 1
		}
		return a.tid - b.tid
	})
	threads := make([]coreThread, len(tasks))
	for i, o := range tasks {
		c := &threads[i]
		c.tid, c.blocked = o.tid, o.blocked
		o.showRegisters(&c.regs)
		c.regs.Call = -1 // do_signal of arm64 has forgotten the call by now
	}
	return threads
}

// coreNotes is the content of the core's PT_NOTE, in the order of write_note_info of the
// kernel.
func (t *Task) coreNotes(sig int, info *hostsig.Info, threads []coreThread, segments []coreSegment) (notes []byte) {
	p := t.p
	ids := [3]int32{int32(unix.Getppid()), int32(unix.Getpgrp()), 0}
	if sid, err := unix.Getsid(0); err == nil {
		ids[2] = int32(sid)
	}
	for i := range threads {
		c := &threads[i]
		notes = appendNote(notes, "CORE", ntPrstatus, p.prstatus(c, sig, ids))
		if i == 0 {
			notes = appendNote(notes, "CORE", ntPrpsinfo, p.prpsinfo(ids))
			notes = appendNote(notes, "CORE", ntSiginfo, info[:])
			notes = appendNote(notes, "CORE", ntAuxv, p.Auxv)
			notes = appendNote(notes, "CORE", ntFile, fileNote(segments))
		}
		for _, set := range coreRegsets {
			if content, _, e := t.regsetContent(&c.regs, set.kind); e == 0 {
				notes = appendNote(notes, set.name, uint32(set.kind), content)
			}
		}
	}
	return notes
}

// appendNote adds an Elf64_Nhdr with its name and content, each padded to 4 bytes.
func appendNote(notes []byte, name string, kind uint32, content []byte) []byte {
	le := binary.LittleEndian
	notes = le.AppendUint32(notes, uint32(len(name)+1))
	notes = le.AppendUint32(notes, uint32(len(content)))
	notes = le.AppendUint32(notes, kind)
	pad := func() {
		for len(notes)%4 != 0 {
			notes = append(notes, 0)
		}
	}
	notes = append(append(notes, name...), 0)
	pad()
	notes = append(notes, content...)
	pad()
	return notes
}

// prstatus is what NT_PRSTATUS says of a thread; ids are the process's parent, group and
// session.
func (p *Process) prstatus(c *coreThread, sig int, ids [3]int32) []byte {
	stat := "self/task/" + strconv.Itoa(c.tid) + "/stat"
	if c.tid == p.pid {
		stat = "self/stat" // the main thread's times are those of all
	}
	f := p.statFields(stat)
	s := prstatus{
		Signo: int32(sig), Cursig: int16(sig), Sighold: c.blocked,
		Pid: int32(c.tid), Ppid: ids[0], Pgrp: ids[1], Sid: ids[2],
		Utime: f.time(14), Stime: f.time(15), ChildUtime: f.time(16), ChildStime: f.time(17),
		Regs: c.regs.Regs, FPValid: 1,
	}
	return slices.Clone(bytesOf(&s))
}

// prpsinfo is what NT_PRPSINFO says of the process.
func (p *Process) prpsinfo(ids [3]int32) []byte {
	f := p.statFields("self/stat")
	s := prpsinfo{
		Sname: 'R', Nice: byte(f.number(19)), Flag: uint64(f.number(9)), UID: uint32(unix.Getuid()), GID: uint32(unix.Getgid()),
		Pid: int32(p.pid), Ppid: ids[0], Pgrp: ids[1], Sid: ids[2],
	}
	name, err := p.readProc("self/comm")
	if err != nil {
		name = []byte(comm())
	}
	copy(s.Fname[:len(s.Fname)-1], bytes.TrimSuffix(name, []byte("\n")))
	args := p.strings(p.ArgStart, min(p.ArgEnd, p.ArgStart+uint64(len(s.Psargs))-1))
	copy(s.Psargs[:], bytes.ReplaceAll(args, []byte{0}, []byte{' '}))
	return slices.Clone(bytesOf(&s))
}

// statFields are the fields of a file /proc/PID/stat behind the name, from number 3 on.
type statFields []string

func (p *Process) statFields(name string) statFields {
	text, err := p.readProc(name)
	if err != nil {
		return nil
	}
	return strings.Fields(string(text[strings.LastIndex(string(text), ")")+1:]))
}

// number is field n as proc_pid_stat(5) counts.
func (f statFields) number(n int) int64 {
	if n-3 >= len(f) {
		return 0
	}
	v, _ := strconv.ParseInt(f[n-3], 10, 64)
	return v
}

// state is field 3, "" if the file could not be read.
func (f statFields) state() string {
	if len(f) == 0 {
		return ""
	}
	return f[0]
}

// time is field n, in clock ticks, as a struct timeval.
func (f statFields) time(n int) [2]uint64 {
	const ticks = 100 // USER_HZ
	v := uint64(f.number(n))
	return [2]uint64{v / ticks, v % ticks * (1000000 / ticks)}
}

// fileNote is NT_FILE: the files that are mapped (fill_files_note of the kernel).
func fileNote(segments []coreSegment) []byte {
	le := binary.LittleEndian
	var ranges, names []byte
	n := uint64(0)
	for i := range segments {
		s := &segments[i]
		if s.file == "" {
			continue
		}
		n++
		for _, v := range [...]uint64{s.start, s.end, s.offset / cpu.PageSize} {
			ranges = le.AppendUint64(ranges, v)
		}
		names = append(append(names, s.file...), 0)
	}
	head := le.AppendUint64(le.AppendUint64(nil, n), cpu.PageSize)
	return slices.Concat(head, ranges, names)
}
