package syscalls

import (
	"emu/cpu"

	"golang.org/x/sys/unix"
)

// timeRows: clocks, sleeping, timers.
func timeRows() []Row {
	return []Row{
		pass(101, "nanosleep", unix.SYS_NANOSLEEP, TimespecIn, TimespecOut).relativeTimeout(0).isWhole().resumesUnhandled(),
		direct(102, "getitimer", unix.SYS_GETITIMER, WhichTimer, ItimervalOut),
		pass(103, "setitimer", unix.SYS_SETITIMER, WhichTimer, ItimervalIn, ItimervalOut).isWhole(),
		pass(107, "timer_create", unix.SYS_TIMER_CREATE, ClockID, Addr, IntOut).at(1, sigevSize).leavesExecve(),
		direct(108, "timer_gettime", unix.SYS_TIMER_GETTIME, Int, ItimerspecOut),
		direct(109, "timer_getoverrun", unix.SYS_TIMER_GETOVERRUN, Int),
		direct(110, "timer_settime", unix.SYS_TIMER_SETTIME, Int, TimerFlags, ItimerspecIn, ItimerspecOut),
		direct(111, "timer_delete", unix.SYS_TIMER_DELETE, Int),
		pass(112, "clock_settime", unix.SYS_CLOCK_SETTIME, ClockID, TimespecIn),
		direct(113, "clock_gettime", unix.SYS_CLOCK_GETTIME, ClockID, TimespecOut).special(cpu.DirectClock),
		direct(114, "clock_getres", unix.SYS_CLOCK_GETRES, ClockID, TimespecOut).special(cpu.DirectClock),
		pass(115, "clock_nanosleep", unix.SYS_CLOCK_NANOSLEEP, ClockID, TimerFlags, TimespecIn, TimespecOut).relativeTimeout(2).isWhole().resumesUnhandled(),
		pass(266, "clock_adjtime", unix.SYS_CLOCK_ADJTIME, ClockID, TimexOut),
		direct(153, "times", unix.SYS_TIMES, TmsOut),
		direct(169, "gettimeofday", unix.SYS_GETTIMEOFDAY, TimevalOut, TimezoneOut).special(cpu.DirectDay).onlyZero(1),
		pass(170, "settimeofday", unix.SYS_SETTIMEOFDAY, TimevalIn, Addr).at(1, 8),
		pass(171, "adjtimex", unix.SYS_ADJTIMEX, TimexOut),
	}
}
