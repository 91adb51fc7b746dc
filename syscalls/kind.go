package syscalls

import "golang.org/x/sys/unix"

// Kind says what an argument or result is: how -strace prints it, what the call
// does with a path, and whether the kernel fills it in (then it is printed
// after the call).
type Kind uint8

// The kinds. A buffer's length is the argument after it, or for a filled one the
// result; a list's count likewise.
const (
	None Kind = iota
	Int       // signed decimal
	Uint      // unsigned decimal
	Hex       // hexadecimal
	Addr      // a pointer whose target is not printed, or a returned address
	FD
	DirFD // AT_FDCWD or a descriptor
	// NUL-terminated file names, by what the call does with them; see uses.
	Path
	PathLink
	PathOpen
	PathNew
	PathReplace
	Str // NUL-terminated, not a file name
	InBuf
	Size
	Offset
	Mode // octal permissions
	PID
	UID
	Signal
	SigsetIn
	SigactionIn
	StackIn
	SiginfoIn
	TimespecIn
	TimesIn // two timespecs
	ItimerspecIn
	ItimervalIn
	TimevalIn
	IovecIn // the count follows
	SockaddrIn
	SockaddrNew // to bind: the path of a socket is made
	MsghdrIn
	MmsghdrIn // its count follows
	PollfdsIn
	EpollEventIn
	RlimitIn
	StringsIn // argv
	EnvIn     // envp
	CloneArgsIn
	OpenHowIn
	FdSetIn
	IntIn
	SemBufIn
	CapsIn

	firstOut // kinds from here on are printed after the call
	OutBuf
	PathOut // NUL-terminated, within the result's length
	SigsetOut
	SigactionOut
	StackOut
	SiginfoOut
	TimespecOut
	ItimerspecOut
	ItimervalOut
	TimevalOut
	IovecOut
	SockaddrOut // its length pointer follows
	MsghdrOut
	MmsghdrOut
	EpollEventsOut
	StatOut
	StatfsOut
	StatxOut
	DirentsOut
	FdPairOut
	IntOut
	LongOut
	TimezoneOut
	TimexOut
	MqAttrOut
	IpcDsOut // struct shmid_ds or msqid_ds
	MsgOut   // struct msgbuf; the size of its text follows
	TmsOut
	SizedBefore // a buffer whose size is the argument before it
	GroupsOut   // group ids, as many as the argument before it says
	LenBufOut   // a buffer whose length is behind the next pointer
	UtsnameOut
	RlimitOut
	RusageOut
	StatusOut // wait status
	SysinfoOut

	firstFlags // kinds from here on name a flag set of flags.go
	OpenFlags
	FdFlags
	AtFlags
	UnlinkFlags
	StatxFlags
	AccessMode
	Whence
	FcntlCmd
	IoctlCmd
	MmapProt
	MmapFlags
	MremapFlags
	MsyncFlags
	MadviseAdvice
	MlockFlags
	MlockallFlags
	CloneFlags
	UnshareFlags
	FutexOp
	ClockID
	TimerFlags
	WhichTimer
	SigHow
	WaitOptions
	WaitIDType
	SocketDomain
	SocketType
	SockFlags
	MsgFlags
	SockLevel
	ShutHow
	EpollOp
	EpollFlags
	EventfdFlags
	TimerfdFlags
	SignalfdFlags
	InotifyMask
	PrctlOp
	RlimitRes
	RusageWho
	RandomFlags
	MemfdFlags
	RenameFlags
	FallocFlags
	FlockOp
	FadviseAdvice
	SpliceFlags
	MountFlags
	UmountFlags
	SchedPolicy
	PriorityWhich
	MembarrierCmd
	XattrFlags
	FanMarkFlags
	FspickFlags
	MoveMountFlags
	IpcFlags
	SyslogType
	RseqFlags
	PreadvFlags
	lastKind
)

// pathUse says what a call does with a path of some kind.
type pathUse struct {
	use use
	doc string
}

// pathUses tells what becomes of each kind of path. Everything that translates or
// documents paths derives from it and from the table's rows.
var pathUses = [lastKind]pathUse{
	Path:        {useFollow, "followed"},
	PathLink:    {useLink, "the link itself"},
	PathOpen:    {useCreate, "followed, made with O_CREAT"},
	PathNew:     {useNew, "made"},
	PathReplace: {useReplace, "made or replaced"},
	SockaddrIn:  {useFollow, "socket, followed"},
	SockaddrNew: {useNew, "socket, made"},
	MsghdrIn:    {useFollow, "socket, followed"},
	MmsghdrIn:   {useFollow, "socket, followed"},
	MmsghdrOut:  {useFollow, "socket, as the guest sees it"},
	SockaddrOut: {useFollow, "socket, as the guest sees it"},
	MsghdrOut:   {useFollow, "socket, as the guest sees it"},
}

// linkBits are the bits of flag arguments that change whether a symbolic link at
// the end of a path is followed: of a Path noFollow, of the first or second
// PathLink follow.
var linkBits = [lastKind]struct {
	noFollow uint64
	follow   [2]uint64
}{
	AtFlags:        {unix.AT_SYMLINK_NOFOLLOW, [2]uint64{unix.AT_SYMLINK_FOLLOW, 0}},
	OpenFlags:      {armO_NOFOLLOW, [2]uint64{}},
	UmountFlags:    {unix.UMOUNT_NOFOLLOW, [2]uint64{}},
	InotifyMask:    {unix.IN_DONT_FOLLOW, [2]uint64{}},
	FanMarkFlags:   {unix.FAN_MARK_DONT_FOLLOW, [2]uint64{}},
	FspickFlags:    {unix.FSPICK_SYMLINK_NOFOLLOW, [2]uint64{}},
	MoveMountFlags: {0, [2]uint64{unix.MOVE_MOUNT_F_SYMLINKS, unix.MOVE_MOUNT_T_SYMLINKS}},
}

// isPath reports whether an argument of this kind is a string that names a file.
func (k Kind) isPath() bool { return k >= Path && k <= PathReplace }

// pointer reports whether the kernel reads or writes what an argument of this
// kind points to. Addr is not among them: such arguments may be plain numbers.
func (k Kind) pointer() bool {
	switch k {
	case Size, Offset, Mode, PID, UID, Signal:
		return false
	}
	return k >= Path && k < firstOut || k.isOut()
}

func (k Kind) isOut() bool   { return k > firstOut && k < firstFlags }
func (k Kind) isFlags() bool { return k > firstFlags && k < lastKind }
