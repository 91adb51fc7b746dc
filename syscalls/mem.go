package syscalls

import (
	"emu/cpu"

	"golang.org/x/sys/unix"
)

func sysBrk(t *Task, a *Args) int64 { return int64(t.p.Mem.Brk(a[0])) }

// sysMmap implements mmap(2).
func sysMmap(t *Task, a *Args) int64 {
	prot, e := t.guestProt(a[2])
	if e != 0 {
		return fail(e)
	}
	addr, e := t.p.Mem.Map(a[0], a[1], prot, int(a[3]), int(int32(a[4])), int64(a[5]))
	if e != 0 {
		return fail(e)
	}
	t.p.rings.mapped(int(int32(a[4])), a[5], addr)
	return int64(addr)
}

// guestProt checks arm64's protection bits. Guarded pages are those of a CPU with
// FEAT_BTI, pages with tags need FEAT_MTE.
func (t *Task) guestProt(prot uint64) (int, unix.Errno) {
	if prot&cpu.ProtMTE != 0 && !t.p.Mem.HasTags() {
		return 0, unix.EINVAL
	}
	if !t.haveBTI() {
		prot &^= cpu.ProtBTI
	}
	if prot&unix.PROT_READ != 0 && t.p.personality.Load()&readImpliesExec != 0 {
		prot |= unix.PROT_EXEC
	}
	return int(prot), 0
}

func sysMunmap(t *Task, a *Args) int64 {
	if t.guestRange(a[0], a[1]) {
		return fail(t.p.Mem.Unmap(a[0], a[1]))
	}
	return fail(unix.EINVAL)
}

// guestRange reports whether a range is page-aligned and lies within what a
// guest can map.
func (t *Task) guestRange(addr, length uint64) bool {
	end := addr + length
	return addr%cpu.PageSize == 0 && end >= addr && end <= cpu.MaxAddr
}

func sysMprotect(t *Task, a *Args) int64 {
	prot, e := t.guestProt(a[2])
	if e != 0 || a[0]%cpu.PageSize != 0 {
		return fail(unix.EINVAL)
	}
	return fail(t.p.Mem.Protect(a[0], a[1], prot))
}

// sysPkeyMprotect implements pkey_mprotect(2) of a machine without keys.
func sysPkeyMprotect(t *Task, a *Args) int64 {
	if int32(a[3]) != -1 {
		return fail(unix.EINVAL)
	}
	return sysMprotect(t, a)
}

// sysUserfaultfd implements userfaultfd(2).
func sysUserfaultfd(t *Task, a *Args) int64 {
	r := t.host(unix.SYS_USERFAULTFD, a)
	if r >= 0 {
		t.p.absent.Store(true)
	}
	return r
}

func sysMremap(t *Task, a *Args) int64 {
	addr, e := t.p.Mem.Remap(a[0], a[1], a[2], int(a[3]), a[4])
	if e != 0 {
		return fail(e)
	}
	return int64(addr)
}

// sysMincore implements mincore(2): ENOMEM for what the guest did not map.
func sysMincore(t *Task, a *Args) int64 {
	if a[0]%cpu.PageSize != 0 {
		return fail(unix.EINVAL)
	}
	if !t.guestRange(a[0], a[1]) || !t.p.Mem.OK(a[0], a[1], 0) {
		return fail(unix.ENOMEM)
	}
	t.whole(&a[2], max((a[1]+cpu.PageSize-1)/cpu.PageSize, 1))
	return t.host(unix.SYS_MINCORE, a)
}

// sysMadvise implements madvise(2). A page whose content is dropped may have
// been guarded because code was translated from it.
func sysMadvise(t *Task, a *Args) int64 {
	if a[0]%cpu.PageSize != 0 {
		return fail(unix.EINVAL)
	}
	if a[1] == 0 {
		return t.host(unix.SYS_MADVISE, a)
	}
	length := (a[1] + cpu.PageSize - 1) &^ (cpu.PageSize - 1)
	if length == 0 || a[0]+length < a[0] {
		return fail(unix.EINVAL)
	}
	if discards(a[2]) && !t.p.Mem.Discardable(a[0], a[0]+length) {
		return fail(unix.EPERM)
	}
	if !t.p.Mem.OK(a[0], length, 0) {
		return t.madviseParts(a[0], a[0]+length, a[2])
	}
	t.p.Mem.Unguard(a[0], a[0]+length)
	return t.advise(a[0], length, a[2])
}

// advise advises the host on pages that are the guest's.
func (t *Task) advise(addr, length, advice uint64) int64 {
	r := t.host(unix.SYS_MADVISE, &Args{addr, length, advice})
	if r == 0 {
		t.p.Mem.Advised(addr, addr+length, advice)
	}
	return r
}

// madviseParts advises on the mapped parts of a range with holes and then fails
// with ENOMEM, as the kernel does.
func (t *Task) madviseParts(start, end, advice uint64) int64 {
	for _, r := range t.p.Mem.Regions() {
		from, to := max(r.Start, start), min(r.End, end)
		if from >= to {
			continue
		}
		t.p.Mem.Unguard(from, to)
		if ret := t.advise(from, to-from, advice); ret < 0 {
			return ret
		}
	}
	return fail(unix.ENOMEM)
}

// discards reports whether advice makes a child or the process lose the content of
// pages.
func discards(advice uint64) bool {
	const guardInstall = 102
	switch advice {
	case unix.MADV_DONTNEED, unix.MADV_DONTNEED_LOCKED, unix.MADV_FREE, unix.MADV_REMOVE, unix.MADV_DONTFORK, unix.MADV_WIPEONFORK, guardInstall:
		return true
	}
	return false
}

// sysMseal implements mseal(2).
func sysMseal(t *Task, a *Args) int64 {
	if a[2] != 0 {
		return fail(unix.EINVAL)
	}
	return fail(t.p.Mem.Seal(a[0], a[1]))
}

// sysRemapFilePages implements remap_file_pages(2): the host does it in the guest's
// mapping, which the map then shows.
func sysRemapFilePages(t *Task, a *Args) int64 {
	return fail(t.p.Mem.RemapFile(a[0], a[1], int(a[2]), a[3], int(a[4])))
}
