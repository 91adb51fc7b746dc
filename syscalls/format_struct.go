package syscalls

import (
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"

	"emu/internal/armabi"

	"golang.org/x/sys/unix"
)

// structFormat returns the size of what a kind points to and how to print it.
func structFormat(k Kind) (int, func(b []byte) string) {
	le := binary.LittleEndian
	ts := func(b []byte) string {
		return fmt.Sprintf("{tv_sec=%d, tv_nsec=%d}", int64(le.Uint64(b)), int64(le.Uint64(b[8:])))
	}
	tv := func(b []byte) string {
		return fmt.Sprintf("{tv_sec=%d, tv_usec=%d}", int64(le.Uint64(b)), int64(le.Uint64(b[8:])))
	}
	u32 := func(b []byte) string { return fmt.Sprintf("[%d]", int32(le.Uint32(b))) }
	switch k {
	case SigsetIn, SigsetOut:
		return 8, func(b []byte) string { return sigset(le.Uint64(b)) }
	case SigactionIn, SigactionOut:
		return 32, func(b []byte) string {
			h := hex(le.Uint64(b))
			switch le.Uint64(b) {
			case sigDfl:
				h = "SIG_DFL"
			case sigIgn:
				h = "SIG_IGN"
			}
			return fmt.Sprintf("{sa_handler=%s, sa_mask=%s, sa_flags=%s}", h, sigset(le.Uint64(b[24:])), sigactionFlags.format(le.Uint64(b[8:])))
		}
	case StackIn, StackOut:
		return 24, func(b []byte) string {
			return fmt.Sprintf("{ss_sp=%#x, ss_flags=%#x, ss_size=%d}", le.Uint64(b), le.Uint32(b[8:]), le.Uint64(b[16:]))
		}
	case SiginfoIn, SiginfoOut:
		return 128, formatSiginfo
	case TimespecIn, TimespecOut:
		return 16, ts
	case TimesIn:
		at := func(b []byte) string {
			switch le.Uint64(b[8:]) {
			case unix.UTIME_NOW:
				return "UTIME_NOW"
			case unix.UTIME_OMIT:
				return "UTIME_OMIT"
			}
			return ts(b)
		}
		return 32, func(b []byte) string { return "[" + at(b) + ", " + at(b[16:]) + "]" }
	case TimevalIn, TimevalOut:
		return 16, tv
	case ItimerspecIn, ItimerspecOut:
		return 32, func(b []byte) string { return "{it_interval=" + ts(b) + ", it_value=" + ts(b[16:]) + "}" }
	case ItimervalIn, ItimervalOut:
		return 32, func(b []byte) string { return "{it_interval=" + tv(b) + ", it_value=" + tv(b[16:]) + "}" }
	case EpollEventIn:
		return armEpollEvent, formatEpollEvent
	case RlimitIn, RlimitOut:
		return 16, func(b []byte) string {
			return "{rlim_cur=" + limit(le.Uint64(b)) + ", rlim_max=" + limit(le.Uint64(b[8:])) + "}"
		}
	case IntOut, IntIn:
		return 4, u32
	case FdPairOut:
		return 8, func(b []byte) string { return fmt.Sprintf("[%d, %d]", int32(le.Uint32(b)), int32(le.Uint32(b[4:]))) }
	case StatOut:
		return armabi.StatSize, func(b []byte) string {
			if mode := le.Uint32(b[16:]); mode&unix.S_IFMT == unix.S_IFCHR || mode&unix.S_IFMT == unix.S_IFBLK {
				dev := le.Uint64(b[32:])
				return fmt.Sprintf("{st_mode=%s, st_rdev=makedev(%#x, %#x), ...}", fileMode(mode), unix.Major(dev), unix.Minor(dev))
			}
			return fmt.Sprintf("{st_mode=%s, st_size=%d, ...}", fileMode(le.Uint32(b[16:])), int64(le.Uint64(b[48:])))
		}
	case StatfsOut:
		return int(kindSize[k]), formatStatfs
	case StatxOut:
		return int(kindSize[k]), func(b []byte) string {
			return fmt.Sprintf("{stx_mask=%s, stx_attributes=%s, stx_mode=%s, stx_size=%d, ...}", flagSets[StatxFlags].format(uint64(le.Uint32(b))),
				fileAttributes.format(le.Uint64(b[8:])), fileMode(uint32(le.Uint16(b[28:]))), int64(le.Uint64(b[40:])))
		}
	case SysinfoOut:
		return int(kindSize[k]), formatSysinfo
	case RusageOut:
		return int(kindSize[k]), func(b []byte) string { return "{ru_utime=" + tv(b) + ", ru_stime=" + tv(b[16:]) + ", ...}" }
	case TmsOut:
		return int(kindSize[k]), func(b []byte) string {
			return fmt.Sprintf("{tms_utime=%d, tms_stime=%d, tms_cutime=%d, tms_cstime=%d}", le.Uint64(b), le.Uint64(b[8:]), le.Uint64(b[16:]), le.Uint64(b[24:]))
		}
	case LongOut:
		return 8, func(b []byte) string { return fmt.Sprintf("[%d]", int64(le.Uint64(b))) }
	case StatusOut:
		return 4, func(b []byte) string { return waitStatus(unix.WaitStatus(le.Uint32(b))) }
	case UtsnameOut:
		return 6 * utsLen, func(b []byte) string {
			sys, _, _ := strings.Cut(string(b[:utsLen]), "\x00")
			node, _, _ := strings.Cut(string(b[utsLen:2*utsLen]), "\x00")
			return fmt.Sprintf("{sysname=%q, nodename=%q, ...}", sys, node)
		}
	case CloneArgsIn:
		return cloneArgsMin, func(b []byte) string {
			return fmt.Sprintf("{flags=%s, child_tid=%#x, parent_tid=%#x, exit_signal=%d, stack=%#x, stack_size=%#x, tls=%#x}", flagSets[CloneFlags].format(le.Uint64(b)),
				le.Uint64(b[16:]), le.Uint64(b[24:]), le.Uint64(b[32:]), le.Uint64(b[40:]), le.Uint64(b[48:]), le.Uint64(b[56:]))
		}
	case OpenHowIn:
		return openHowSize, func(b []byte) string {
			return fmt.Sprintf("{flags=%s, mode=%#o, resolve=%#x}", flagSets[OpenFlags].format(le.Uint64(b)), le.Uint64(b[8:]), le.Uint64(b[16:]))
		}
	}
	return 0, nil
}

func limit(v uint64) string {
	if v == unix.RLIM_INFINITY {
		return "RLIM64_INFINITY"
	}
	return strconv.FormatUint(v, 10)
}

func fileMode(m uint32) string {
	kinds := [16]string{1: "S_IFIFO", 2: "S_IFCHR", 4: "S_IFDIR", 6: "S_IFBLK", 8: "S_IFREG", 10: "S_IFLNK", 12: "S_IFSOCK"}
	if k := kinds[m>>12&15]; k != "" {
		return fmt.Sprintf("%s|%#03o", k, m&0o7777)
	}
	return fmt.Sprintf("%#o", m)
}

func waitStatus(s unix.WaitStatus) string {
	switch {
	case s.Exited():
		return fmt.Sprintf("[{WIFEXITED(s) && WEXITSTATUS(s) == %d}]", s.ExitStatus())
	case s.Signaled():
		return fmt.Sprintf("[{WIFSIGNALED(s) && WTERMSIG(s) == %s}]", signalName(int(s.Signal())))
	case s.Stopped():
		return fmt.Sprintf("[{WIFSTOPPED(s) && WSTOPSIG(s) == %s}]", signalName(int(s.StopSignal())))
	}
	return fmt.Sprintf("[%#x]", uint32(s))
}

// siCodes names si_code values that do not depend on the signal.
var siCodes = map[int32]string{0: "SI_USER", 0x80: "SI_KERNEL", -1: "SI_QUEUE", -2: "SI_TIMER", -3: "SI_MESGQ", -4: "SI_ASYNCIO", -5: "SI_SIGIO", -6: "SI_TKILL"}

// faultCodes names those of the signals of a CPU.
var faultCodes = map[int][]string{
	int(unix.SIGSEGV): {1: "SEGV_MAPERR", 2: "SEGV_ACCERR"},
	int(unix.SIGBUS):  {1: "BUS_ADRALN", 2: "BUS_ADRERR", 3: "BUS_OBJERR"},
	int(unix.SIGILL):  {1: "ILL_ILLOPC", 2: "ILL_ILLOPN", 3: "ILL_ILLADR", 4: "ILL_ILLTRP", 5: "ILL_PRVOPC"},
	int(unix.SIGTRAP): {1: "TRAP_BRKPT", 2: "TRAP_TRACE"},
	int(unix.SIGFPE):  {1: "FPE_INTDIV", 2: "FPE_INTOVF", 3: "FPE_FLTDIV"},
	int(unix.SIGCHLD): {1: "CLD_EXITED", 2: "CLD_KILLED", 3: "CLD_DUMPED", 4: "CLD_TRAPPED", 5: "CLD_STOPPED", 6: "CLD_CONTINUED"},
}

func formatSiginfo(b []byte) string {
	le := binary.LittleEndian
	sig, code := int(int32(le.Uint32(b))), int32(le.Uint32(b[8:]))
	name, ok := siCodes[code]
	if list := faultCodes[sig]; code > 0 && int(code) < len(list) {
		name, ok = list[code], true
	}
	if !ok {
		name = strconv.Itoa(int(code))
	}
	head := fmt.Sprintf("{si_signo=%s, si_code=%s", signalName(sig), name)
	pid, uid := int32(le.Uint32(b[16:])), int32(le.Uint32(b[20:]))
	switch {
	case sig == int(unix.SIGCHLD) && code > 0:
		status := strconv.Itoa(int(int32(le.Uint32(b[24:]))))
		if faultCodes[sig][code] != "CLD_EXITED" {
			status = signalName(int(int32(le.Uint32(b[24:]))))
		}
		return fmt.Sprintf("%s, si_pid=%d, si_uid=%d, si_status=%s, si_utime=%d, si_stime=%d}", head, pid, uid, status, le.Uint64(b[32:]), le.Uint64(b[40:]))
	case faultCodes[sig] != nil && code > 0:
		return fmt.Sprintf("%s, si_addr=%s}", head, hex(le.Uint64(b[16:])))
	case code == -1:
		return fmt.Sprintf("%s, si_pid=%d, si_uid=%d, si_value=%#x}", head, pid, uid, le.Uint64(b[24:]))
	case code == -2:
		return fmt.Sprintf("%s, si_timerid=%d, si_overrun=%d, si_value=%#x}", head, pid, uid, le.Uint64(b[24:]))
	case code == 0 || code == siTkill:
		return fmt.Sprintf("%s, si_pid=%d, si_uid=%d}", head, pid, uid)
	}
	return head + "}"
}
