package syscalls

import (
	"encoding/binary"

	"emu/cpu"
	"emu/internal/armabi"

	"golang.org/x/sys/unix"
)

// sysMqOpen implements mq_open(2).
func sysMqOpen(t *Task, a *Args) int64 {
	host := *a
	host[1] = armabi.OpenFlags(a[1])
	return t.host(unix.SYS_MQ_OPEN, &host)
}

// Commands of semctl(2) (linux/ipc.h, linux/sem.h).
const (
	ipcSet     = 1
	ipcStat    = 2
	ipcInfo    = 3
	semGetall  = 13
	semSetall  = 17
	semStat    = 18
	semInfo    = 19
	semStatAny = 20
)

// struct semid64_ds begins with struct ipc64_perm (48 bytes, the same in both
// ABIs), then sem_otime, sem_ctime and sem_nsems. x86-64 has a padding word after
// each of the two times.
const (
	ipcPerm     = 48
	armSemidDs  = ipcPerm + 5*8
	hostSemidDs = ipcPerm + 7*8
	seminfoSize = 40
)

// sysSemctl implements semctl(2).
func sysSemctl(t *Task, a *Args) int64 {
	host := *a
	buf := t.th.Scratch[scratchSmall : scratchSmall+hostSemidDs]
	le := binary.LittleEndian
	switch uint32(a[2]) {
	case ipcSet:
		if e := t.p.copyIn(buf[:armSemidDs], a[3]); e != 0 {
			return fail(e)
		}
		host[3] = uint64(t.th.ScratchAddr(scratchSmall)) // only sem_perm is read
	case ipcStat, semStat, semStatAny:
		host[3] = uint64(t.th.ScratchAddr(scratchSmall))
		r := t.host(unix.SYS_SEMCTL, &host)
		if r < 0 {
			return r
		}
		var ds [armSemidDs]byte
		copy(ds[:ipcPerm+8], buf)
		le.PutUint64(ds[ipcPerm+8:], le.Uint64(buf[ipcPerm+16:]))
		le.PutUint64(ds[ipcPerm+16:], le.Uint64(buf[ipcPerm+32:]))
		if e := t.p.copyOut(a[3], ds[:]); e != 0 {
			return fail(e)
		}
		return r
	case semGetall, semSetall:
		if r := t.host(unix.SYS_SEMCTL, &Args{a[0], 0, ipcStat, uint64(t.th.ScratchAddr(scratchSmall))}); r >= 0 {
			t.whole(&host[3], 2*le.Uint64(buf[ipcPerm+32:]))
		}
	case ipcInfo, semInfo:
		t.whole(&host[3], seminfoSize)
	}
	return t.host(unix.SYS_SEMCTL, &host)
}

// Flags of shmat(2).
const (
	shmRdonly = 0o10000
	shmRnd    = 0o20000
	shmRemap  = 0o40000
	shmExec   = 0o100000
)

// shmidSegsz is the offset of shm_segsz in struct shmid64_ds.
const shmidSegsz = ipcPerm

// sysVDevice is the device of segments of shared memory for the map of tags: none of a
// file.
const sysVDevice = 1<<64 - 1

// sysShmat implements shmat(2): the guest's map makes room, and the segment
// replaces it.
func sysShmat(t *Task, a *Args) int64 {
	var ds [112]byte
	id, addr, flags := a[0], a[1], a[2]
	if r := t.host(unix.SYS_SHMCTL, &Args{id, ipcStat, pin(ds[:])}); r < 0 {
		return r
	}
	size := binary.LittleEndian.Uint64(ds[shmidSegsz:])
	prot := unix.PROT_READ | unix.PROT_WRITE
	if flags&shmRdonly != 0 {
		prot = unix.PROT_READ
	}
	if flags&shmExec != 0 {
		prot |= unix.PROT_EXEC
	}
	mapFlags := unix.MAP_SHARED | unix.MAP_ANONYMOUS
	switch {
	case addr == 0 && flags&shmRemap != 0:
		return fail(unix.EINVAL)
	case addr != 0:
		if addr%cpu.PageSize != 0 {
			if flags&shmRnd == 0 {
				return fail(unix.EINVAL)
			}
			addr &^= cpu.PageSize - 1
		}
		if flags&shmRemap != 0 {
			mapFlags |= unix.MAP_FIXED
		} else {
			mapFlags |= unix.MAP_FIXED_NOREPLACE
		}
	}
	at, e := t.p.Mem.Map(addr, size, prot, mapFlags, -1, 0)
	if e == unix.EACCES { // see cpu.Memory.RefuseExecGain
		return fail(e)
	}
	if e != 0 {
		return fail(unix.EINVAL)
	}
	if r := t.host(unix.SYS_SHMAT, &Args{id, at, flags&shmRdonly | shmRemap}); r < 0 {
		t.p.Mem.Unmap(at, size)
		return r
	}
	t.p.Mem.Name(at, "/SYSV00000000")
	t.p.Mem.ShareTags(at, cpu.Object{Dev: sysVDevice, Ino: id})
	t.p.mu.Lock()
	t.p.shm[at] = size
	t.p.mu.Unlock()
	return int64(at)
}

// sysShmdt implements shmdt(2). Unmapping detaches, and leaves no moment at which
// something else could take the addresses.
func sysShmdt(t *Task, a *Args) int64 {
	t.p.mu.Lock()
	size, ok := t.p.shm[a[0]]
	delete(t.p.shm, a[0])
	t.p.mu.Unlock()
	if !ok {
		return fail(unix.EINVAL)
	}
	return fail(t.p.Mem.Unmap(a[0], size))
}
