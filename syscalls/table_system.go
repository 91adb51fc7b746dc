package syscalls

import "golang.org/x/sys/unix"

// systemRows: the machine.
func systemRows() []Row {
	return []Row{
		pass(58, "vhangup", unix.SYS_VHANGUP),
		refuse(104, "kexec_load", unix.EPERM, "would load an arm64 kernel on an x86-64 machine", Hex, Hex, Addr, Hex),
		refuse(294, "kexec_file_load", unix.EPERM, "would load an arm64 kernel on an x86-64 machine", FD, FD, Size, Str, Hex),
		pass(105, "init_module", unix.SYS_INIT_MODULE, Addr, Size, Str).counted(0, 1, 1),
		pass(273, "finit_module", unix.SYS_FINIT_MODULE, FD, Str, Hex),
		pass(106, "delete_module", unix.SYS_DELETE_MODULE, Str, Hex),
		pass(116, "syslog", unix.SYS_SYSLOG, SyslogType, OutBuf, Size),
		pass(142, "reboot", unix.SYS_REBOOT, Hex, Hex, Hex, Addr).inside(insideReboot),
		emul(160, "uname", sysUname, "machine is aarch64; the release can be chosen", UtsnameOut),
		pass(161, "sethostname", unix.SYS_SETHOSTNAME, InBuf, Size),
		pass(162, "setdomainname", unix.SYS_SETDOMAINNAME, InBuf, Size),
		direct(179, "sysinfo", unix.SYS_SYSINFO, SysinfoOut),
		conv(241, "perf_event_open", unix.SYS_PERF_EVENT_OPEN, sysPerfEventOpen, "hardware events count host instructions", Addr, PID, Int, FD, Hex).leavesExecve().returns(FD).at(0, 64),
		direct(278, "getrandom", unix.SYS_GETRANDOM, OutBuf, Size, RandomFlags).blocks(),
		pass(280, "bpf", unix.SYS_BPF, Int, Addr, Size).inside(insideBpf),
	}
}
