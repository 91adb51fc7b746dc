package forkall

import (
	"unsafe"

	"emu/internal/program"

	"golang.org/x/sys/unix"
)

// What a fork and the child's end cost depends on how many page table entries are
// copied, and on how many pages the child touches. A process that forks time and again
// therefore arranges its program in memory for that, once:
//
//   - Every child maps the code that it runs anew, a page fault for each 64 KiB of it: the
//     kernel does not copy page tables of files that nobody has written to, and small
//     entries would cost as much to copy. Text moves into huge pages, of which a fork
//     copies one entry each and the child faults on none.
//   - The program's variables are one private mapping, written here and there, whose
//     entries are copied, those of tables that nobody writes as well. Long runs of pages as
//     they are in the file are mapped anew: such a mapping is not copied. Where page faults are slow all
//     of them have been read into a huge page (see hostsig), and stay there.
//
// That takes about as long as arrangeAfter forks save.
const arrangeAfter = 64

const (
	hugePage = 2 << 20
	pageSize = 4096
	// fewPages is what a mapping of its own is not worth.
	fewPages = 16
)

// counted is how many forks there were in this process until it was arranged, and in
// its parents: children inherit the arrangement.
var counted uint32

// Arranges reports whether the next fork arranges the program.
func Arranges() bool { return counted == arrangeAfter-1 }

// segment is a part of the program's file in memory.
type segment struct {
	start, end, offset uintptr
	prot               uintptr // of mmap(2)
}

// clean says where pages may be clean: what run has to do about the variables while nobody writes to them.
type clean struct {
	segment
	exe, pagemap uintptr // descriptors
}

// arrange does it for the text, and prepares what j has to do about variables.
func arrange(j *job) (done func()) {
	fixed, data := image()
	for _, f := range fixed {
		moveFixed(f)
	}
	proc, _, err := openProc()
	if err != nil {
		return func() {}
	}
	defer unix.Close(proc)
	exe, err := unix.Openat(proc, "self/exe", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return func() {}
	}
	pagemap, err := unix.Openat(proc, "self/pagemap", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		unix.Close(exe)
		return func() {}
	}
	j.clean = clean{segment: data, exe: uintptr(exe), pagemap: uintptr(pagemap)}
	return func() {
		unix.Close(exe)
		unix.Close(pagemap)
	}
}

// moveFixed replaces the whole huge pages of a segment that is not writable by
// copies. Nothing changes where the kernel gives no huge pages, or is older than 6.1 and
// cannot say so: small pages would be copied entry by entry in every fork.
func moveFixed(s segment) {
	start, end := (s.start+hugePage-1)&^(hugePage-1), s.end&^(hugePage-1)
	if start >= end {
		return
	}
	size := end - start
	to, ok := mapHuge(size)
	if !ok {
		return
	}
	unmap := func() { raw(unix.SYS_MUNMAP, uintptr(to), size, 0, 0, 0) }
	if isError(raw(unix.SYS_MADVISE, uintptr(to), size, unix.MADV_HUGEPAGE, 0, 0)) {
		unmap()
		return
	}
	copy(unsafe.Slice((*byte)(to), size), unsafe.Slice((*byte)(unsafe.Pointer(word(start))), size))
	if isError(raw(unix.SYS_MADVISE, uintptr(to), size, unix.MADV_COLLAPSE, 0, 0)) ||
		isError(raw(unix.SYS_MPROTECT, uintptr(to), size, s.prot, 0, 0)) ||
		isError(raw(unix.SYS_MREMAP, uintptr(to), size, size, unix.MREMAP_MAYMOVE|unix.MREMAP_FIXED, start)) {
		unmap()
	}
}

// mapHuge maps size bytes at a multiple of hugePage. Nothing is left around them: once they
// have moved, their addresses are free, and may be another thread's at once.
func mapHuge(size uintptr) (at unsafe.Pointer, ok bool) {
	mem, err := unix.MmapPtr(-1, 0, nil, size+hugePage, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS|unix.MAP_NORESERVE)
	if err != nil {
		return nil, false
	}
	before := -uintptr(mem) & (hugePage - 1)
	at = unsafe.Add(mem, before)
	if before != 0 {
		unix.MunmapPtr(mem, before)
	}
	unix.MunmapPtr(unsafe.Add(at, size), hugePage-before)
	return at, true
}

// renewClean maps anew what is as it is in the file.
//
// Preconditions: no other thread runs, which could write to it meanwhile.
//
//go:nosplit
func renewClean(c *clean) {
	const ( // /proc/PID/pagemap, proc_pid_pagemap(5)
		entrySize  = 8
		filePage   = 1 << 61
		swapped    = 1 << 62
		present    = 1 << 63
		perRequest = entriesSize / entrySize
	)
	first := uintptr(0) // of a run
	for at := c.start; at < c.end; {
		n := min((c.end-at)/pageSize, perRequest)
		if got := raw(unix.SYS_PREAD64, c.pagemap, entries, n*entrySize, at/pageSize*entrySize, 0); got != n*entrySize {
			return
		}
		for i := range n {
			e := *(*uint64)(unsafe.Pointer(word(entries + i*entrySize)))
			own := e&swapped != 0 || e&present != 0 && e&filePage == 0
			switch {
			case !own && first == 0:
				first = at + i*pageSize
			case own && first != 0:
				renewRun(c, first, at+i*pageSize)
				first = 0
			}
		}
		at += n * pageSize
	}
	if first != 0 {
		renewRun(c, first, c.end)
	}
}

//go:nosplit
func renewRun(c *clean, start, end uintptr) {
	if end-start < fewPages*pageSize {
		return
	}
	syscall6(unix.SYS_MMAP, start, end-start, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_FIXED, c.exe, c.offset+start-c.start)
}

// image returns what of the program is never written, and the whole pages
// of its variables that have a value in the file.
func image() (fixed []segment, data segment) {
	headers := program.Own()
	for i := range headers.N {
		h := headers.At(i)
		s := segment{uintptr(h.Vaddr), uintptr(h.Vaddr + h.Filesz), uintptr(h.Offset), unix.PROT_READ}
		switch {
		case h.Kind != unix.PT_LOAD:
		case h.Flags&unix.PF_W == 0:
			if h.Flags&unix.PF_X != 0 {
				s.prot |= unix.PROT_EXEC
			}
			fixed = append(fixed, s)
		case s.start%pageSize == 0 && s.offset%pageSize == 0:
			s.end &^= pageSize - 1
			data = s
		}
	}
	return fixed, data
}
