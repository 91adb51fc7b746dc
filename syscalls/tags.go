package syscalls

import (
	"encoding/binary"

	"emu/cpu"
	"emu/internal/hostsig"

	"golang.org/x/sys/unix"
)

// Tags in addresses that reach the kernel. A thread may pass addresses with a top byte
// once it has asked for that (Linux Documentation/arch/arm64/tagged-address-abi.rst);
// here the byte is removed on the way to the host. With FEAT_MTE it may have memory
// tags checked too (memory-tagging-extension.rst), which the kernel then does for its
// own accesses in synchronous mode, as far as it can: here for all arguments whose
// size the table of calls knows.

// Bits of prctl(PR_SET_TAGGED_ADDR_CTRL).
const (
	taggedAddrEnable = 1
	tagFaultShift    = 1 // PR_MTE_TCF_MASK: cpu.TagSync and cpu.TagAsync
	tagFaultMask     = 3
	tagSetShift      = 3 // PR_MTE_TAG_MASK: the tags that are not excluded
	tagSetMask       = 0xffff
)

// setTaggedAddr is prctl(PR_SET_TAGGED_ADDR_CTRL).
func (t *Task) setTaggedAddr(a *Args) int64 {
	if a[2]|a[3]|a[4] != 0 {
		return fail(unix.EINVAL)
	}
	return fail(t.applyTaggedAddr(a[1]))
}

func (t *Task) applyTaggedAddr(control uint64) unix.Errno {
	if control&^t.p.validTagged() != 0 {
		return unix.EINVAL
	}
	s := t.State
	s.TopBytes = control&taggedAddrEnable != 0
	if s.TopBytes {
		t.p.topBytes.Store(true)
	}
	s.TagFaults = uint32(control >> tagFaultShift & tagFaultMask)
	s.TagExclude = ^(control >> tagSetShift) & tagSetMask
	t.slowDown(slowTags, t.tagsChecked())
	return 0
}

// validTagged are the bits that the control may have.
func (p *Process) validTagged() uint64 {
	valid := uint64(taggedAddrEnable)
	if p.Mem.HasTags() {
		valid |= tagFaultMask<<tagFaultShift | tagSetMask<<tagSetShift
	}
	return valid
}

// taggedAddr is prctl(PR_GET_TAGGED_ADDR_CTRL).
func (t *Task) taggedAddr(a *Args) int64 {
	if a[1]|a[2]|a[3]|a[4] != 0 {
		return fail(unix.EINVAL)
	}
	return int64(t.taggedAddrControl())
}

func (t *Task) taggedAddrControl() uint64 {
	s := t.State
	control := uint64(s.TagFaults)<<tagFaultShift | (^s.TagExclude&tagSetMask)<<tagSetShift
	if s.TopBytes {
		control |= taggedAddrEnable
	}
	return control
}

// tagsChecked reports whether the kernel checks the tags of what it accesses for the
// thread.
func (t *Task) tagsChecked() bool { return t.State.TagFaults == cpu.TagSync }

// plain is cpu.Untagged if a thread of the process may use tags.
func (p *Process) plain(addr uint64) uint64 {
	if !p.topBytes.Load() {
		return addr
	}
	return cpu.Untagged(addr)
}

// untag removes the top byte of an address and returns how many of the n bytes there
// the kernel may access, by their tags. If it is none, the address becomes one of
// nothing.
func (t *Task) untag(addr *uint64, n uint64) uint64 {
	tagged := *addr
	*addr = cpu.Untagged(tagged)
	if !t.tagsChecked() || *addr >= cpu.MaxAddr || n == 0 {
		return n
	}
	at, found := cpu.Mismatch(tagged, min(n, cpu.MaxAddr-*addr))
	if !found {
		return n
	}
	if n = cpu.Untagged(at) - *addr; n == 0 {
		*addr = noPage | *addr%cpu.PageSize
	}
	return n
}

// keepsTags are the calls whose arguments of kind Addr are not addresses to the
// kernel, or must have no tag: brk, mremap and mmap, shmat and shmdt, clone, prctl,
// ptrace; and those that look at them themselves: ioctl, mincore.
var keepsTags = map[int]bool{214: true, 216: true, 222: true, 196: true, 197: true, 220: true, 167: true, 117: true, 29: true, 232: true}

// untagArgs removes the tags of a call's addresses. Arguments that guestOnly looks at
// are left to it.
func (t *Task) untagArgs(row *Row, a *Args) {
	for i, k := range row.Args {
		switch {
		case k == Addr && row.looksAt(i):
		case k == Addr && !keepsTags[row.Nr]:
			if p := cpu.Untagged(a[i]); p != a[i] && t.p.Mem.OK(p, 1, 0) {
				a[i] = p
			}
		case a[i] == 0 || row.pointers>>i&1 == 0 || row.Class != Emulate:
		case k.isPath() || k == Str:
			t.untagString(&a[i])
		default:
			t.untag(&a[i], max(kindSize[k], 1))
		}
	}
}

// untagString is untag for a string, of which every byte has to be accessible.
func (t *Task) untagString(addr *uint64) {
	n := uint64(1)
	if t.tagsChecked() {
		if s, e := t.p.cstring(*addr, cpu.PageSize); e == 0 {
			n += uint64(len(s))
		}
	}
	tagged := *addr
	if t.untag(addr, n) < n {
		*addr = noPage | tagged%cpu.PageSize
	}
}

// hideTag removes the top byte of a fault's address (SA_EXPOSE_TAGBITS asks for it).
func hideTag(sig int, info *hostsig.Info) {
	const faults = 1<<(unix.SIGSEGV-1) | 1<<(unix.SIGBUS-1) | 1<<(unix.SIGILL-1) | 1<<(unix.SIGFPE-1)
	le := binary.LittleEndian
	if code := int32(le.Uint32(info[8:])); faults&bit(sig) == 0 || code <= 0 || code >= siKernel {
		return
	}
	le.PutUint64(info[16:], cpu.Untagged(le.Uint64(info[16:])))
}

// raiseAsyncTagFault sends the thread the signal of an asynchronous tag check fault.
func (t *Task) raiseAsyncTagFault() {
	const segvMTEAErr = 8
	t.State.TagFault = 0
	var info hostsig.Info
	binary.LittleEndian.PutUint32(info[0:], uint32(unix.SIGSEGV))
	binary.LittleEndian.PutUint32(info[8:], segvMTEAErr)
	t.p.queue(t, int(unix.SIGSEGV), &info)
}
