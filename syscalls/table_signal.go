package syscalls

import "golang.org/x/sys/unix"

// signalRows: signals.
func signalRows() []Row {
	return []Row{
		emul(128, "restart_syscall", sysRestartSyscall, "only of a tracee: other interrupted calls are restarted under their own number").neverRestarts(),
		conv(129, "kill", unix.SYS_KILL, sysKill, "soft signals to this process are queued without the host", PID, Signal).isWhole(),
		conv(130, "tkill", unix.SYS_TKILL, sysTkill, "emu's own threads do not exist for the guest", PID, Signal),
		conv(131, "tgkill", unix.SYS_TGKILL, sysTgkill, "emu's own threads do not exist for the guest", PID, PID, Signal).isWhole(),
		conv(138, "rt_sigqueueinfo", unix.SYS_RT_SIGQUEUEINFO, sysRtSigqueueinfo, "as kill", PID, Signal, SiginfoIn),
		conv(240, "rt_tgsigqueueinfo", unix.SYS_RT_TGSIGQUEUEINFO, sysRtTgsigqueueinfo, "as tgkill", PID, PID, Signal, SiginfoIn),
		conv(424, "pidfd_send_signal", unix.SYS_PIDFD_SEND_SIGNAL, sysPidfdSendSignal, "SIGKILL for a process that shares the memory waits until that runs no Go code", FD, Signal, SiginfoIn, Hex),
		emul(132, "sigaltstack", sysSigaltstack, "", StackIn, StackOut),
		emul(133, "rt_sigsuspend", sysRtSigsuspend, "", SigsetIn, Size).restartsUnhandled(),
		emul(134, "rt_sigaction", sysRtSigaction, "", Signal, SigactionIn, SigactionOut, Size),
		emul(135, "rt_sigprocmask", sysRtSigprocmask, "", SigHow, SigsetIn, SigsetOut, Size).restartsAlways(),
		emul(136, "rt_sigpending", sysRtSigpending, "", SigsetOut, Size),
		emul(137, "rt_sigtimedwait", sysRtSigtimedwait, "", SigsetIn, SiginfoOut, TimespecIn, Size).relativeTimeout(2),
		emul(139, "rt_sigreturn", sysRtSigreturn, "").neverReturns(),
	}
}
