package syscalls

import (
	"encoding/binary"

	"emu/cpu"

	"golang.org/x/sys/unix"
)

// traceeTags is PTRACE_PEEKMTETAGS and PTRACE_POKEMTETAGS: the memory tags from addr
// on, one in each byte of the iovec at data, whose length becomes what was copied.
// The tags of an emu lie at the same addresses as those of the tracer's.
func (t *Task) traceeTags(tr *tracee, poke bool, addr, data uint64) int64 {
	if !t.p.Mem.HasTags() {
		return fail(unix.EIO)
	}
	iov, e := load[[2]uint64](t.p, data)
	if e != 0 {
		return fail(e)
	}
	done, e := tracedTags(tr, addr, iov[1], func(at, done uint64, tags []byte) unix.Errno {
		return t.copyTags(tr, poke, at, iov[0]+done, tags)
	})
	if done == 0 && e != 0 {
		return fail(e)
	}
	return fail(save(t.p, data+8, done))
}

// tracedTags calls do for runs of the n tags from addr on: where they are in the tracee, how many came
// before them, and room for them.
func tracedTags(tr *tracee, addr, n uint64, do func(at, done uint64, tags []byte) unix.Errno) (done uint64, e unix.Errno) {
	addr = cpu.Untagged(addr) &^ (cpu.Granule - 1)
	for done < n {
		var mark [1]byte
		if addr >= cpu.MaxAddr || peekMemory(tr.tid, cpu.PageBase+addr/cpu.PageSize, mark[:]) != 0 || mark[0] == 0 {
			return done, unix.EIO
		}
		tags := make([]byte, min(n-done, (cpu.PageSize-addr%cpu.PageSize)/cpu.Granule))
		at := uint64(cpu.TagBase + addr/cpu.Granule)
		if cpu.SharedTags(mark[0]) {
			var place [8]byte
			if peekMemory(tr.tid, cpu.StoreBase+addr/cpu.PageSize*8, place[:]) != 0 {
				return done, unix.EIO
			}
			at = binary.LittleEndian.Uint64(place[:]) + addr%cpu.PageSize/cpu.Granule
		}
		if e := do(at, done, tags); e != 0 {
			return done, e
		}
		done += uint64(len(tags))
		addr += uint64(len(tags)) * cpu.Granule
	}
	return done, 0
}

// copyTags copies tags between the tracee's memory and the tracer's buffer.
func (t *Task) copyTags(tr *tracee, poke bool, tracee, buffer uint64, tags []byte) unix.Errno {
	if !poke {
		if e := peekMemory(tr.tid, tracee, tags); e != 0 {
			return unix.EIO
		}
		return t.p.copyOut(buffer, tags)
	}
	if e := t.p.copyIn(tags, buffer); e != 0 {
		return e
	}
	for i := range tags {
		tags[i] &= 15
	}
	if pokeMemory(tr.tid, tracee, tags) != 0 {
		return unix.EIO
	}
	return 0
}
