package gdbserver

import "golang.org/x/sys/unix"

// gdbSignals are gdb's numbers of Linux's signals below 32 (include/gdb/signals.def
// names them); most differ.
var gdbSignals = [32]uint8{
	unix.SIGHUP: 1, unix.SIGINT: 2, unix.SIGQUIT: 3, unix.SIGILL: 4, unix.SIGTRAP: 5,
	unix.SIGABRT: 6, unix.SIGFPE: 8, unix.SIGKILL: 9, unix.SIGBUS: 10, unix.SIGSEGV: 11,
	unix.SIGSYS: 12, unix.SIGPIPE: 13, unix.SIGALRM: 14, unix.SIGTERM: 15, unix.SIGURG: 16,
	unix.SIGSTOP: 17, unix.SIGTSTP: 18, unix.SIGCONT: 19, unix.SIGCHLD: 20, unix.SIGTTIN: 21,
	unix.SIGTTOU: 22, unix.SIGIO: 23, unix.SIGXCPU: 24, unix.SIGXFSZ: 25, unix.SIGVTALRM: 26,
	unix.SIGPROF: 27, unix.SIGWINCH: 28, unix.SIGUSR1: 30, unix.SIGUSR2: 31, unix.SIGPWR: 32,
}

// Real-time signals: 33 to 63 in a row, the two ends elsewhere.
const (
	gdbRealTime33 = 45
	gdbRealTime32 = 77
	gdbRealTime64 = 78
	gdbUnknown    = 143
)

// toGDB is gdb's number of a signal.
func toGDB(sig int) int {
	switch {
	case sig == 32:
		return gdbRealTime32
	case sig == 64:
		return gdbRealTime64
	case sig > 32 && sig < 64:
		return gdbRealTime33 + sig - 33
	}
	if sig > 0 && sig < len(gdbSignals) && gdbSignals[sig] != 0 {
		return int(gdbSignals[sig])
	}
	return gdbUnknown
}

// fromGDB is the signal of a number of gdb's, 0 if Linux has none.
func fromGDB(n int) int {
	for sig := 1; sig <= 64; sig++ {
		if toGDB(sig) == n {
			return sig
		}
	}
	return 0
}
