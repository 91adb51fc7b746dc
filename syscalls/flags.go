package syscalls

import (
	"strconv"
	"strings"

	"emu/cpu"

	"golang.org/x/sys/unix"
)

// name is one named value of a flag set.
type name struct {
	value uint64
	name  string
}

// flagSet prints an argument by the names of its values. The bits of mask hold
// one of several values; the others are single flags.
type flagSet struct {
	mask  uint64
	zero  string // printed for 0 where no value is named
	names []name
}

// format prints v as strace does: names joined by |, the rest in hexadecimal.
func (s *flagSet) format(v uint64) string {
	var parts []string
	field, rest := v&s.mask, v&^s.mask
	known := s.mask == 0
	for _, n := range s.names {
		switch {
		case s.mask != 0 && n.value&^s.mask == 0:
			if n.value == field && !known {
				parts, known = append(parts, n.name), true
			}
		case n.value != 0 && rest&n.value == n.value:
			parts = append(parts, n.name)
			rest &^= n.value
		case n.value == 0 && v == 0:
			return n.name
		}
	}
	if !known {
		rest |= field
	}
	if rest != 0 || len(parts) == 0 {
		if v == 0 {
			if s.zero != "" {
				return s.zero
			}
			return "0"
		}
		if rest != 0 {
			parts = append(parts, hex(rest))
		}
	}
	return strings.Join(parts, "|")
}

const allBits = ^uint64(0) // an enumeration

// flagSets are indexed by Kind. Values are arm64's.
var flagSets = [lastKind]*flagSet{
	OpenFlags: {mask: unix.O_ACCMODE, names: []name{{unix.O_RDONLY, "O_RDONLY"}, {unix.O_WRONLY, "O_WRONLY"}, {unix.O_RDWR, "O_RDWR"},
		{unix.O_CREAT, "O_CREAT"}, {unix.O_EXCL, "O_EXCL"}, {unix.O_NOCTTY, "O_NOCTTY"}, {unix.O_TRUNC, "O_TRUNC"},
		{unix.O_APPEND, "O_APPEND"}, {unix.O_NONBLOCK, "O_NONBLOCK"}, {0o4010000, "O_SYNC"}, {unix.O_DSYNC, "O_DSYNC"},
		{unix.O_ASYNC, "O_ASYNC"}, {0o20000000 | armO_DIRECTORY, "O_TMPFILE"}, {armO_DIRECTORY, "O_DIRECTORY"}, {armO_NOFOLLOW, "O_NOFOLLOW"},
		{armO_DIRECT, "O_DIRECT"}, {armO_LARGEFILE, "O_LARGEFILE"}, {unix.O_NOATIME, "O_NOATIME"}, {unix.O_CLOEXEC, "O_CLOEXEC"}, {unix.O_PATH, "O_PATH"}}},
	FdFlags: {names: []name{{unix.O_NONBLOCK, "IN_NONBLOCK"}, {unix.O_CLOEXEC, "O_CLOEXEC"}}},
	AtFlags: {names: []name{{unix.AT_SYMLINK_NOFOLLOW, "AT_SYMLINK_NOFOLLOW"}, {unix.AT_EACCESS, "AT_EACCESS"}, {unix.AT_SYMLINK_FOLLOW, "AT_SYMLINK_FOLLOW"},
		{unix.AT_NO_AUTOMOUNT, "AT_NO_AUTOMOUNT"}, {unix.AT_EMPTY_PATH, "AT_EMPTY_PATH"}, {unix.AT_STATX_FORCE_SYNC, "AT_STATX_FORCE_SYNC"},
		{unix.AT_STATX_DONT_SYNC, "AT_STATX_DONT_SYNC"}, {unix.AT_RECURSIVE, "AT_RECURSIVE"}}},
	UnlinkFlags: {names: []name{{unix.AT_REMOVEDIR, "AT_REMOVEDIR"}}},
	StatxFlags: {names: []name{{unix.STATX_ALL, "STATX_ALL"}, {unix.STATX_BASIC_STATS, "STATX_BASIC_STATS"}, {unix.STATX_TYPE, "STATX_TYPE"}, {unix.STATX_MODE, "STATX_MODE"},
		{unix.STATX_NLINK, "STATX_NLINK"}, {unix.STATX_UID, "STATX_UID"}, {unix.STATX_GID, "STATX_GID"}, {unix.STATX_ATIME, "STATX_ATIME"}, {unix.STATX_MTIME, "STATX_MTIME"}, {unix.STATX_CTIME, "STATX_CTIME"},
		{unix.STATX_INO, "STATX_INO"}, {unix.STATX_SIZE, "STATX_SIZE"}, {unix.STATX_BLOCKS, "STATX_BLOCKS"}, {unix.STATX_BTIME, "STATX_BTIME"}, {unix.STATX_MNT_ID, "STATX_MNT_ID"},
		{unix.STATX_DIOALIGN, "STATX_DIOALIGN"}}},
	AccessMode: {names: []name{{0, "F_OK"}, {unix.R_OK, "R_OK"}, {unix.W_OK, "W_OK"}, {unix.X_OK, "X_OK"}}},
	Whence:     {mask: allBits, names: []name{{0, "SEEK_SET"}, {1, "SEEK_CUR"}, {2, "SEEK_END"}, {3, "SEEK_DATA"}, {4, "SEEK_HOLE"}}},
	FcntlCmd: {mask: allBits, names: []name{{unix.F_DUPFD, "F_DUPFD"}, {unix.F_GETFD, "F_GETFD"}, {unix.F_SETFD, "F_SETFD"}, {unix.F_GETFL, "F_GETFL"},
		{unix.F_SETFL, "F_SETFL"}, {unix.F_GETLK, "F_GETLK"}, {unix.F_SETLK, "F_SETLK"}, {unix.F_SETLKW, "F_SETLKW"}, {unix.F_SETOWN, "F_SETOWN"},
		{unix.F_GETOWN, "F_GETOWN"}, {unix.F_SETSIG, "F_SETSIG"}, {unix.F_GETSIG, "F_GETSIG"}, {unix.F_SETOWN_EX, "F_SETOWN_EX"}, {unix.F_GETOWN_EX, "F_GETOWN_EX"},
		{unix.F_OFD_GETLK, "F_OFD_GETLK"}, {unix.F_OFD_SETLK, "F_OFD_SETLK"}, {unix.F_OFD_SETLKW, "F_OFD_SETLKW"}, {unix.F_SETLEASE, "F_SETLEASE"},
		{unix.F_GETLEASE, "F_GETLEASE"}, {unix.F_NOTIFY, "F_NOTIFY"}, {unix.F_DUPFD_CLOEXEC, "F_DUPFD_CLOEXEC"}, {unix.F_SETPIPE_SZ, "F_SETPIPE_SZ"},
		{unix.F_GETPIPE_SZ, "F_GETPIPE_SZ"}, {unix.F_ADD_SEALS, "F_ADD_SEALS"}, {unix.F_GET_SEALS, "F_GET_SEALS"}}},
	IoctlCmd: {mask: allBits, names: []name{{unix.TCGETS, "TCGETS"}, {unix.TCSETS, "TCSETS"}, {unix.TCSETSW, "TCSETSW"}, {unix.TCSETSF, "TCSETSF"},
		{unix.TIOCGWINSZ, "TIOCGWINSZ"}, {unix.TIOCSWINSZ, "TIOCSWINSZ"}, {unix.TIOCGPGRP, "TIOCGPGRP"}, {unix.TIOCSPGRP, "TIOCSPGRP"},
		{unix.TIOCSCTTY, "TIOCSCTTY"}, {unix.TIOCNOTTY, "TIOCNOTTY"}, {unix.TIOCINQ, "FIONREAD"}, {0x5421, "FIONBIO"}, {0x5451, "FIOCLEX"},
		{0x5450, "FIONCLEX"}, {0x5452, "FIOASYNC"}, {unix.TIOCGPTN, "TIOCGPTN"}, {unix.TIOCSPTLCK, "TIOCSPTLCK"}, {unix.SIOCGIFCONF, "SIOCGIFCONF"},
		{unix.SIOCGIFFLAGS, "SIOCGIFFLAGS"}, {unix.SIOCGIFINDEX, "SIOCGIFINDEX"}, {unix.FICLONE, "FICLONE"}}},
	MmapProt: {zero: "PROT_NONE", names: []name{{1, "PROT_READ"}, {2, "PROT_WRITE"}, {4, "PROT_EXEC"}, {cpu.ProtBTI, "PROT_BTI"}, {cpu.ProtMTE, "PROT_MTE"},
		{unix.PROT_GROWSDOWN, "PROT_GROWSDOWN"}}},
	MmapFlags: {mask: 0xf, names: []name{{1, "MAP_SHARED"}, {2, "MAP_PRIVATE"}, {3, "MAP_SHARED_VALIDATE"}, {unix.MAP_FIXED, "MAP_FIXED"},
		{unix.MAP_ANONYMOUS, "MAP_ANONYMOUS"}, {unix.MAP_GROWSDOWN, "MAP_GROWSDOWN"}, {unix.MAP_DENYWRITE, "MAP_DENYWRITE"}, {unix.MAP_LOCKED, "MAP_LOCKED"},
		{unix.MAP_NORESERVE, "MAP_NORESERVE"}, {unix.MAP_POPULATE, "MAP_POPULATE"}, {unix.MAP_NONBLOCK, "MAP_NONBLOCK"}, {unix.MAP_STACK, "MAP_STACK"},
		{unix.MAP_HUGETLB, "MAP_HUGETLB"}, {unix.MAP_SYNC, "MAP_SYNC"}, {unix.MAP_FIXED_NOREPLACE, "MAP_FIXED_NOREPLACE"}}},
	MremapFlags: {names: []name{{1, "MREMAP_MAYMOVE"}, {2, "MREMAP_FIXED"}, {4, "MREMAP_DONTUNMAP"}}},
	MsyncFlags:  {names: []name{{1, "MS_ASYNC"}, {2, "MS_INVALIDATE"}, {4, "MS_SYNC"}}},
	MadviseAdvice: {mask: allBits, names: []name{{0, "MADV_NORMAL"}, {1, "MADV_RANDOM"}, {2, "MADV_SEQUENTIAL"}, {3, "MADV_WILLNEED"}, {4, "MADV_DONTNEED"},
		{8, "MADV_FREE"}, {9, "MADV_REMOVE"}, {10, "MADV_DONTFORK"}, {11, "MADV_DOFORK"}, {12, "MADV_MERGEABLE"}, {13, "MADV_UNMERGEABLE"}, {14, "MADV_HUGEPAGE"},
		{15, "MADV_NOHUGEPAGE"}, {16, "MADV_DONTDUMP"}, {17, "MADV_DODUMP"}, {18, "MADV_WIPEONFORK"}, {19, "MADV_KEEPONFORK"}, {20, "MADV_COLD"},
		{21, "MADV_PAGEOUT"}, {22, "MADV_POPULATE_READ"}, {23, "MADV_POPULATE_WRITE"}, {24, "MADV_DONTNEED_LOCKED"}, {25, "MADV_COLLAPSE"},
		{102, "MADV_GUARD_INSTALL"}, {103, "MADV_GUARD_REMOVE"}}},
	MlockFlags:    {names: []name{{1, "MLOCK_ONFAULT"}}},
	MlockallFlags: {names: []name{{1, "MCL_CURRENT"}, {2, "MCL_FUTURE"}, {4, "MCL_ONFAULT"}}},
	CloneFlags: {names: []name{{unix.CLONE_VM, "CLONE_VM"}, {unix.CLONE_FS, "CLONE_FS"}, {unix.CLONE_FILES, "CLONE_FILES"}, {unix.CLONE_SIGHAND, "CLONE_SIGHAND"},
		{unix.CLONE_PIDFD, "CLONE_PIDFD"}, {unix.CLONE_VFORK, "CLONE_VFORK"}, {unix.CLONE_PARENT, "CLONE_PARENT"}, {unix.CLONE_THREAD, "CLONE_THREAD"},
		{unix.CLONE_NEWNS, "CLONE_NEWNS"}, {unix.CLONE_SYSVSEM, "CLONE_SYSVSEM"}, {unix.CLONE_SETTLS, "CLONE_SETTLS"}, {unix.CLONE_PARENT_SETTID, "CLONE_PARENT_SETTID"},
		{unix.CLONE_CHILD_CLEARTID, "CLONE_CHILD_CLEARTID"}, {unix.CLONE_DETACHED, "CLONE_DETACHED"}, {unix.CLONE_CHILD_SETTID, "CLONE_CHILD_SETTID"},
		{unix.CLONE_NEWCGROUP, "CLONE_NEWCGROUP"}, {unix.CLONE_NEWUTS, "CLONE_NEWUTS"}, {unix.CLONE_NEWIPC, "CLONE_NEWIPC"}, {unix.CLONE_NEWUSER, "CLONE_NEWUSER"},
		{unix.CLONE_NEWPID, "CLONE_NEWPID"}, {unix.CLONE_NEWNET, "CLONE_NEWNET"}, {17, "SIGCHLD"}}},
	UnshareFlags: {names: []name{{unix.CLONE_FS, "CLONE_FS"}, {unix.CLONE_FILES, "CLONE_FILES"}, {unix.CLONE_NEWNS, "CLONE_NEWNS"}, {unix.CLONE_SYSVSEM, "CLONE_SYSVSEM"},
		{unix.CLONE_NEWCGROUP, "CLONE_NEWCGROUP"}, {unix.CLONE_NEWUTS, "CLONE_NEWUTS"}, {unix.CLONE_NEWIPC, "CLONE_NEWIPC"}, {unix.CLONE_NEWUSER, "CLONE_NEWUSER"},
		{unix.CLONE_NEWPID, "CLONE_NEWPID"}, {unix.CLONE_NEWNET, "CLONE_NEWNET"}}},
	FutexOp: {mask: 0x7f, names: []name{{0, "FUTEX_WAIT"}, {1, "FUTEX_WAKE"}, {2, "FUTEX_FD"}, {3, "FUTEX_REQUEUE"}, {4, "FUTEX_CMP_REQUEUE"}, {5, "FUTEX_WAKE_OP"},
		{6, "FUTEX_LOCK_PI"}, {7, "FUTEX_UNLOCK_PI"}, {8, "FUTEX_TRYLOCK_PI"}, {9, "FUTEX_WAIT_BITSET"}, {10, "FUTEX_WAKE_BITSET"}, {11, "FUTEX_WAIT_REQUEUE_PI"},
		{12, "FUTEX_CMP_REQUEUE_PI"}, {13, "FUTEX_LOCK_PI2"}, {128, "FUTEX_PRIVATE_FLAG"}, {256, "FUTEX_CLOCK_REALTIME"}}},
	ClockID: {mask: allBits, names: []name{{0, "CLOCK_REALTIME"}, {1, "CLOCK_MONOTONIC"}, {2, "CLOCK_PROCESS_CPUTIME_ID"}, {3, "CLOCK_THREAD_CPUTIME_ID"},
		{4, "CLOCK_MONOTONIC_RAW"}, {5, "CLOCK_REALTIME_COARSE"}, {6, "CLOCK_MONOTONIC_COARSE"}, {7, "CLOCK_BOOTTIME"}, {8, "CLOCK_REALTIME_ALARM"},
		{9, "CLOCK_BOOTTIME_ALARM"}, {11, "CLOCK_TAI"}}},
	TimerFlags:  {names: []name{{1, "TIMER_ABSTIME"}}},
	WhichTimer:  {mask: allBits, names: []name{{0, "ITIMER_REAL"}, {1, "ITIMER_VIRTUAL"}, {2, "ITIMER_PROF"}}},
	SigHow:      {mask: allBits, names: []name{{0, "SIG_BLOCK"}, {1, "SIG_UNBLOCK"}, {2, "SIG_SETMASK"}}},
	WaitOptions: {names: []name{{1, "WNOHANG"}, {2, "WUNTRACED"}, {4, "WEXITED"}, {8, "WCONTINUED"}, {0x1000000, "WNOWAIT"}, {0x40000000, "__WALL"}, {0x80000000, "__WCLONE"}}},
	WaitIDType:  {mask: allBits, names: []name{{0, "P_ALL"}, {1, "P_PID"}, {2, "P_PGID"}, {3, "P_PIDFD"}}},
	SocketDomain: {mask: allBits, names: []name{{0, "AF_UNSPEC"}, {1, "AF_UNIX"}, {2, "AF_INET"}, {10, "AF_INET6"}, {16, "AF_NETLINK"}, {17, "AF_PACKET"},
		{38, "AF_ALG"}, {40, "AF_VSOCK"}}},
	SocketType: {mask: 0xf, names: []name{{1, "SOCK_STREAM"}, {2, "SOCK_DGRAM"}, {3, "SOCK_RAW"}, {4, "SOCK_RDM"}, {5, "SOCK_SEQPACKET"},
		{unix.SOCK_CLOEXEC, "SOCK_CLOEXEC"}, {unix.SOCK_NONBLOCK, "SOCK_NONBLOCK"}}},
	SockFlags: {names: []name{{unix.SOCK_CLOEXEC, "SOCK_CLOEXEC"}, {unix.SOCK_NONBLOCK, "SOCK_NONBLOCK"}}},
	MsgFlags: {names: []name{{1, "MSG_OOB"}, {2, "MSG_PEEK"}, {4, "MSG_DONTROUTE"}, {8, "MSG_CTRUNC"}, {0x20, "MSG_TRUNC"}, {0x40, "MSG_DONTWAIT"}, {0x80, "MSG_EOR"},
		{0x100, "MSG_WAITALL"}, {0x2000, "MSG_ERRQUEUE"}, {0x4000, "MSG_NOSIGNAL"}, {0x8000, "MSG_MORE"}, {0x10000, "MSG_WAITFORONE"}, {0x40000000, "MSG_CMSG_CLOEXEC"}}},
	SockLevel:     {mask: allBits, names: []name{{0, "SOL_IP"}, {1, "SOL_SOCKET"}, {6, "SOL_TCP"}, {17, "SOL_UDP"}, {41, "SOL_IPV6"}, {263, "SOL_PACKET"}, {270, "SOL_NETLINK"}}},
	ShutHow:       {mask: allBits, names: []name{{0, "SHUT_RD"}, {1, "SHUT_WR"}, {2, "SHUT_RDWR"}}},
	EpollOp:       {mask: allBits, names: []name{{1, "EPOLL_CTL_ADD"}, {2, "EPOLL_CTL_DEL"}, {3, "EPOLL_CTL_MOD"}}},
	EpollFlags:    {names: []name{{unix.EPOLL_CLOEXEC, "EPOLL_CLOEXEC"}}},
	EventfdFlags:  {names: []name{{1, "EFD_SEMAPHORE"}, {unix.EFD_CLOEXEC, "EFD_CLOEXEC"}, {unix.EFD_NONBLOCK, "EFD_NONBLOCK"}}},
	TimerfdFlags:  {names: []name{{unix.TFD_CLOEXEC, "TFD_CLOEXEC"}, {unix.TFD_NONBLOCK, "TFD_NONBLOCK"}}},
	SignalfdFlags: {names: []name{{unix.SFD_CLOEXEC, "SFD_CLOEXEC"}, {unix.SFD_NONBLOCK, "SFD_NONBLOCK"}}},
	InotifyMask: {names: []name{{unix.IN_ALL_EVENTS, "IN_ALL_EVENTS"}, {1, "IN_ACCESS"}, {2, "IN_MODIFY"}, {4, "IN_ATTRIB"}, {8, "IN_CLOSE_WRITE"}, {16, "IN_CLOSE_NOWRITE"},
		{32, "IN_OPEN"}, {64, "IN_MOVED_FROM"}, {128, "IN_MOVED_TO"}, {256, "IN_CREATE"}, {512, "IN_DELETE"}, {1024, "IN_DELETE_SELF"}, {2048, "IN_MOVE_SELF"},
		{0x1000000, "IN_ONLYDIR"}, {0x2000000, "IN_DONT_FOLLOW"}, {0x20000000, "IN_MASK_ADD"}, {0x80000000, "IN_ONESHOT"}}},
	PrctlOp: {mask: allBits, names: []name{{1, "PR_SET_PDEATHSIG"}, {2, "PR_GET_PDEATHSIG"}, {3, "PR_GET_DUMPABLE"}, {4, "PR_SET_DUMPABLE"}, {7, "PR_GET_KEEPCAPS"},
		{8, "PR_SET_KEEPCAPS"}, {15, "PR_SET_NAME"}, {16, "PR_GET_NAME"}, {21, "PR_GET_SECCOMP"}, {22, "PR_SET_SECCOMP"}, {23, "PR_CAPBSET_READ"}, {24, "PR_CAPBSET_DROP"},
		{27, "PR_SET_SECUREBITS"}, {28, "PR_GET_SECUREBITS"}, {29, "PR_SET_TIMERSLACK"}, {30, "PR_GET_TIMERSLACK"}, {36, "PR_SET_CHILD_SUBREAPER"},
		{37, "PR_GET_CHILD_SUBREAPER"}, {38, "PR_SET_NO_NEW_PRIVS"}, {39, "PR_GET_NO_NEW_PRIVS"}, {40, "PR_GET_TID_ADDRESS"}, {41, "PR_SET_THP_DISABLE"},
		{50, "PR_SVE_SET_VL"}, {51, "PR_SVE_GET_VL"}, {54, "PR_PAC_RESET_KEYS"}, {55, "PR_SET_TAGGED_ADDR_CTRL"}, {56, "PR_GET_TAGGED_ADDR_CTRL"},
		{unix.PR_SET_MDWE, "PR_SET_MDWE"}, {unix.PR_GET_MDWE, "PR_GET_MDWE"},
		{74, "PR_GET_SHADOW_STACK_STATUS"}, {75, "PR_SET_SHADOW_STACK_STATUS"}, {76, "PR_LOCK_SHADOW_STACK_STATUS"}, {0x53564d41, "PR_SET_VMA"}}},
	RlimitRes: {mask: allBits, names: []name{{0, "RLIMIT_CPU"}, {1, "RLIMIT_FSIZE"}, {2, "RLIMIT_DATA"}, {3, "RLIMIT_STACK"}, {4, "RLIMIT_CORE"}, {5, "RLIMIT_RSS"},
		{6, "RLIMIT_NPROC"}, {7, "RLIMIT_NOFILE"}, {8, "RLIMIT_MEMLOCK"}, {9, "RLIMIT_AS"}, {10, "RLIMIT_LOCKS"}, {11, "RLIMIT_SIGPENDING"}, {12, "RLIMIT_MSGQUEUE"},
		{13, "RLIMIT_NICE"}, {14, "RLIMIT_RTPRIO"}, {15, "RLIMIT_RTTIME"}}},
	RusageWho:   {mask: allBits, names: []name{{0, "RUSAGE_SELF"}, {allBits, "RUSAGE_CHILDREN"}, {1, "RUSAGE_THREAD"}}},
	RandomFlags: {names: []name{{1, "GRND_NONBLOCK"}, {2, "GRND_RANDOM"}, {4, "GRND_INSECURE"}}},
	MemfdFlags:  {names: []name{{1, "MFD_CLOEXEC"}, {2, "MFD_ALLOW_SEALING"}, {4, "MFD_HUGETLB"}, {8, "MFD_NOEXEC_SEAL"}, {16, "MFD_EXEC"}}},
	RenameFlags: {names: []name{{1, "RENAME_NOREPLACE"}, {2, "RENAME_EXCHANGE"}, {4, "RENAME_WHITEOUT"}}},
	FallocFlags: {names: []name{{1, "FALLOC_FL_KEEP_SIZE"}, {2, "FALLOC_FL_PUNCH_HOLE"}, {8, "FALLOC_FL_COLLAPSE_RANGE"}, {16, "FALLOC_FL_ZERO_RANGE"}, {32, "FALLOC_FL_INSERT_RANGE"}}},
	FlockOp:     {names: []name{{1, "LOCK_SH"}, {2, "LOCK_EX"}, {8, "LOCK_UN"}, {4, "LOCK_NB"}}},
	FadviseAdvice: {mask: allBits, names: []name{{0, "POSIX_FADV_NORMAL"}, {1, "POSIX_FADV_RANDOM"}, {2, "POSIX_FADV_SEQUENTIAL"}, {3, "POSIX_FADV_WILLNEED"},
		{4, "POSIX_FADV_DONTNEED"}, {5, "POSIX_FADV_NOREUSE"}}},
	SpliceFlags: {names: []name{{1, "SPLICE_F_MOVE"}, {2, "SPLICE_F_NONBLOCK"}, {4, "SPLICE_F_MORE"}, {8, "SPLICE_F_GIFT"}}},
	MountFlags: {names: []name{{1, "MS_RDONLY"}, {2, "MS_NOSUID"}, {4, "MS_NODEV"}, {8, "MS_NOEXEC"}, {16, "MS_SYNCHRONOUS"}, {32, "MS_REMOUNT"}, {1024, "MS_NOATIME"},
		{4096, "MS_BIND"}, {8192, "MS_MOVE"}, {16384, "MS_REC"}, {1 << 18, "MS_PRIVATE"}, {1 << 19, "MS_SLAVE"}, {1 << 20, "MS_SHARED"}}},
	UmountFlags:   {names: []name{{1, "MNT_FORCE"}, {2, "MNT_DETACH"}, {4, "MNT_EXPIRE"}, {8, "UMOUNT_NOFOLLOW"}}},
	SchedPolicy:   {mask: 0xff, names: []name{{0, "SCHED_OTHER"}, {1, "SCHED_FIFO"}, {2, "SCHED_RR"}, {3, "SCHED_BATCH"}, {5, "SCHED_IDLE"}, {6, "SCHED_DEADLINE"}, {0x40000000, "SCHED_RESET_ON_FORK"}}},
	PriorityWhich: {mask: allBits, names: []name{{0, "PRIO_PROCESS"}, {1, "PRIO_PGRP"}, {2, "PRIO_USER"}}},
	MembarrierCmd: {mask: allBits, names: []name{{0, "MEMBARRIER_CMD_QUERY"}, {1, "MEMBARRIER_CMD_GLOBAL"}, {2, "MEMBARRIER_CMD_GLOBAL_EXPEDITED"},
		{4, "MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED"}, {8, "MEMBARRIER_CMD_PRIVATE_EXPEDITED"}, {16, "MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED"}}},
	FanMarkFlags: {names: []name{{1, "FAN_MARK_ADD"}, {2, "FAN_MARK_REMOVE"}, {4, "FAN_MARK_DONT_FOLLOW"}, {8, "FAN_MARK_ONLYDIR"}, {0x10, "FAN_MARK_MOUNT"},
		{0x20, "FAN_MARK_IGNORED_MASK"}, {0x40, "FAN_MARK_IGNORED_SURV_MODIFY"}, {0x80, "FAN_MARK_FLUSH"}, {0x100, "FAN_MARK_FILESYSTEM"}, {0x200, "FAN_MARK_EVICTABLE"}, {0x400, "FAN_MARK_IGNORE"}}},
	FspickFlags: {names: []name{{1, "FSPICK_CLOEXEC"}, {2, "FSPICK_SYMLINK_NOFOLLOW"}, {4, "FSPICK_NO_AUTOMOUNT"}, {8, "FSPICK_EMPTY_PATH"}}},
	MoveMountFlags: {names: []name{{1, "MOVE_MOUNT_F_SYMLINKS"}, {2, "MOVE_MOUNT_F_AUTOMOUNTS"}, {4, "MOVE_MOUNT_F_EMPTY_PATH"}, {0x10, "MOVE_MOUNT_T_SYMLINKS"},
		{0x20, "MOVE_MOUNT_T_AUTOMOUNTS"}, {0x40, "MOVE_MOUNT_T_EMPTY_PATH"}, {0x100, "MOVE_MOUNT_SET_GROUP"}, {0x200, "MOVE_MOUNT_BENEATH"}}},
	XattrFlags:  {names: []name{{1, "XATTR_CREATE"}, {2, "XATTR_REPLACE"}}},
	IpcFlags:    {names: []name{{0o1000, "IPC_CREAT"}, {0o2000, "IPC_EXCL"}, {0o4000, "IPC_NOWAIT"}}},
	SyslogType:  {mask: allBits, names: []name{{3, "SYSLOG_ACTION_READ_ALL"}, {10, "SYSLOG_ACTION_SIZE_BUFFER"}}},
	RseqFlags:   {names: []name{{1, "RSEQ_FLAG_UNREGISTER"}}},
	PreadvFlags: {names: []name{{1, "RWF_HIPRI"}, {2, "RWF_DSYNC"}, {4, "RWF_SYNC"}, {8, "RWF_NOWAIT"}, {16, "RWF_APPEND"}}},
}

// signalName is SIGHUP, SIGRTMIN, SIGRT_3, or the number.
func signalName(sig int) string {
	const rtMin = 32 // the kernel's
	switch {
	case sig == rtMin:
		return "SIGRTMIN"
	case sig > rtMin && sig <= 64:
		return "SIGRT_" + strconv.Itoa(sig-rtMin)
	case sig > 0:
		if n := unix.SignalName(unix.Signal(sig)); n != "" {
			return n
		}
	}
	return strconv.Itoa(sig)
}

// errnoText is "ENOENT (No such file or directory)".
func errnoText(e unix.Errno) string {
	n := unix.ErrnoName(e)
	if n == "" {
		return "ERRNO_" + strconv.Itoa(int(e)) + " (Unknown error)"
	}
	text := e.Error()
	return n + " (" + strings.ToUpper(text[:1]) + text[1:] + ")"
}
