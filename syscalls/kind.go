package syscalls

// Kind says what an argument or result is: how -strace prints it, whether it is
// a path to translate, and whether the kernel fills it in (then it is printed
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
	Path  // NUL-terminated, translated (sysroot, /proc/self)
	Str   // NUL-terminated, not a file name
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
	MsghdrIn
	PollfdsIn
	EpollEventIn
	RlimitIn
	StringsIn // argv, envp
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
	IpcFlags
	SyslogType
	RseqFlags
	PreadvFlags
	lastKind
)

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
