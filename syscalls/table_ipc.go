package syscalls

import "golang.org/x/sys/unix"

// ipcRows: System V and POSIX message queues, semaphores and shared memory.
func ipcRows() []Row {
	return []Row{
		conv(180, "mq_open", unix.SYS_MQ_OPEN, sysMqOpen, "O_DIRECT and its kin differ", Str, OpenFlags, Mode, Addr).returns(FD).at(3, 64),
		pass(181, "mq_unlink", unix.SYS_MQ_UNLINK, Str),
		pass(182, "mq_timedsend", unix.SYS_MQ_TIMEDSEND, FD, InBuf, Size, Uint, TimespecIn),
		pass(183, "mq_timedreceive", unix.SYS_MQ_TIMEDRECEIVE, FD, OutBuf, Size, IntOut, TimespecIn),
		pass(184, "mq_notify", unix.SYS_MQ_NOTIFY, FD, Addr).at(1, sigevSize).inside(insideMqNotify),
		pass(185, "mq_getsetattr", unix.SYS_MQ_GETSETATTR, FD, Addr, MqAttrOut).at(1, 64),
		pass(186, "msgget", unix.SYS_MSGGET, Hex, IpcFlags),
		pass(187, "msgctl", unix.SYS_MSGCTL, Int, Int, IpcDsOut),
		pass(188, "msgrcv", unix.SYS_MSGRCV, Int, MsgOut, Size, Int, IpcFlags).restartsUnhandled(),
		pass(189, "msgsnd", unix.SYS_MSGSND, Int, Addr, Size, IpcFlags).inside(insideMsgsnd).restartsUnhandled(),
		pass(190, "semget", unix.SYS_SEMGET, Hex, Int, IpcFlags),
		conv(191, "semctl", unix.SYS_SEMCTL, sysSemctl, "struct semid64_ds has padding on x86-64", Int, Int, Int, Addr),
		pass(192, "semtimedop", unix.SYS_SEMTIMEDOP, Int, SemBufIn, Uint, TimespecIn).relativeTimeout(3),
		pass(193, "semop", unix.SYS_SEMOP, Int, SemBufIn, Uint),
		pass(194, "shmget", unix.SYS_SHMGET, Hex, Size, IpcFlags),
		pass(195, "shmctl", unix.SYS_SHMCTL, Int, Int, IpcDsOut),
		emul(196, "shmat", sysShmat, "placed where the guest's map has room", Int, Addr, IpcFlags).returns(Addr),
		emul(197, "shmdt", sysShmdt, "only what the guest attached", Addr),
		pass(217, "add_key", unix.SYS_ADD_KEY, Str, Str, InBuf, Size, Int).isInherited().leavesExecve(),
		pass(218, "request_key", unix.SYS_REQUEST_KEY, Str, Str, Str, Int).isInherited().leavesExecve(),
		pass(219, "keyctl", unix.SYS_KEYCTL, Int, Hex, Hex, Hex, Hex).isInherited().inside(insideKeyctl).because("KEYCTL_SESSION_TO_PARENT gives EPERM: a parent that is a guest has threads of emu's").leavesExecve(),
	}
}
