package main

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"emu/cache"
	"emu/internal/hostsig"
	"emu/ir/opt"
	"emu/jit"
	"emu/syscalls"
	"emu/translate"

	"golang.org/x/sys/unix"
)

// config is what the command line and the environment ask for.
type config struct {
	sysroot   string
	env       []string // changes of the environment in their order: -E as VAR=VALUE, -U as VAR
	argv0     string
	hasArgv0  bool // argv0 counts even if it is empty
	stack     uint64
	strace    bool
	log       string // -D
	release   string
	cpu       *translate.CPU
	tier      jit.Tier
	hot       uint32
	cold      uint32
	passes    []opt.Pass
	cacheSize int
	host      uint64 // the host's features that code may use, 0: all
	codeCache string
	stages    map[string]bool
	dumpPC    *jit.Addresses // nil: all
	trace     bool
	stats     bool
	profile   string
	hotReport bool
	perf      string
	gdb       unix.Sockaddr // where -g waits, or nil
	gdbPID    int           // the guest that this process serves gdb for, 0: none
	version   bool
	help      bool
	cpuHelp   bool // -cpu help

	source map[string]string // of flags: as -L or EMU_LD_PREFIX

	// What emu tells itself when the guest executes a program.
	execFD   int    // the program is open here, or -1
	byGuest  bool   // the guest has executed it
	byKernel bool   // binfmt_misc has started emu for it, or for a program that led to it
	execFn   string // what the guest called it
	state    *syscalls.Inheritance
	selfFD   int      // emu's own program is open here, or -1
	procFD   int      // /proc is open here, or -1
	straceFD int      // what processes with -strace share is open here, or -1
	environ  []string // the environment, nil: emu's
	inherit  []string
}

// flagRow is one command line option. Options that qemu-user has carry its name
// and meaning, and its environment variable QEMU_x beside our own EMU_x.
type flagRow struct {
	name string
	arg  string // what the argument is called, empty for switches
	env  string // EMU_<env> and QEMU_<env>
	set  func(c *config, v string) error
	doc  string
	once bool // concerns this program only, not those that it executes
}

var flagRows = []flagRow{
	{"L", "DIR", "LD_PREFIX", func(c *config, v string) error { c.sysroot = v; return nil }, "the guest's root file system; what is not below DIR is looked up on the host", false},
	{"E", "VAR=VALUE", "SET_ENV", setVariables, "set environment variables of the guest: VAR=VALUE or VAR=VALUE,VAR=VALUE", true},
	{"U", "VAR", "UNSET_ENV", unsetVariables, "remove environment variables of the guest: VAR or VAR,VAR", true},
	{"0", "NAME", "ARGV0", func(c *config, v string) error { c.argv0, c.hasArgv0 = v, true; return nil }, "give the guest NAME as its argv[0]", true},
	{"s", "BYTES", "STACK_SIZE", stackSize, "size of the guest's stack (suffixes k, M, G; at least 128k; default: ulimit -s)", false},
	{"strace", "", "STRACE", func(c *config, _ string) error { c.strace = true; return nil }, "print the guest's system calls", false},
	{"D", "FILE", "LOG_FILENAME", logFile, "write logs, -strace and -dump to FILE, in whose name %d is the process, instead of standard error", false},
	{"d", "ITEMS", "LOG", logItems, "qemu's spelling of -dump, -trace and -strace: in_asm, op, op_opt, out_asm, exec, cpu, strace", false},
	{"r", "RELEASE", "UNAME", kernelRelease, "kernel release that uname reports (default: the host's)", false},
	{"cpu", "MODEL", "CPU", cpuModel, "CPU model, with changes to its features: max (default), cortex-a72, max,pauth=off (-cpu help lists models and features)", false},
	{"tier", "TIER", "TIER", func(c *config, v string) (err error) { c.tier, err = jit.ParseTier(v); return err }, "how to run: auto (default), 1 or 2 (the tiers of the JIT alone), interp or interp2 (the IR interpreter on units of tier 1 or 2)", false},
	{"hot", "N", "HOT", hotThreshold, fmt.Sprintf("executions after which a loop or function goes to tier 2 (default %d)", jit.DefaultHot), false},
	{"cold", "N", "COLD", coldExecutions, "executions of a basic block without translation, in tier 0, before it is compiled, up to " + strconv.Itoa(jit.MaxCold) + " (default " + strconv.Itoa(jit.DefaultCold) + ")", false},
	{"without", "PASSES", "WITHOUT", func(c *config, v string) (err error) { c.passes, err = opt.Without(v); return err }, "leave out passes of tier 2, to tell whose mistake something is, such as exclusive,licm", false},
	{"cache-size", "BYTES", "CACHE_SIZE", cacheSize, fmt.Sprintf("memory for generated code (suffixes k, M, G; default %dM)", cache.DefaultSize>>20), false},
	{"code-cache", "DIR", "CODE_CACHE", func(c *config, v string) error { c.codeCache = v; return nil }, "directory of generated code that processes share, made if it is not there, or off for none (default: /dev/shm/emu-UID)", false},
	{"host", "LEVEL", "HOST", func(c *config, v string) (err error) { c.host, err = jit.ParseHost(v); return err }, "use no more of the host's CPU than this: v2, v3 (x86-64 levels), avx512 or native (default), less features: native,-f16c", false},
	{"dump", "STAGES", "DUMP", dumpStages, "print each translated unit: any of guest, ir, opt (tier 2's IR behind its passes) and asm", false},
	{"dump-pc", "PC", "DUMP_PC", dumpRange, "limit -dump to units that contain PC, or any of LOW-HIGH, and -trace to the instructions there", false},
	{"trace", "", "TRACE", func(c *config, _ string) error { c.trace = true; return nil }, "print each executed instruction with the registers that it changes: thread, address, word, text; everything is interpreted", false},
	{"g", "PORT", "GDB", debuggerAddress, "wait for gdb (target remote) at PORT of this machine, ADDRESS:PORT or a socket's /path", true},
	{"stats", "", "STATS", func(c *config, _ string) error { c.stats = true; return nil }, "print counters at the end", false},
	{"profile", "FILE", "PROFILE", func(c *config, v string) error { c.profile = v; return nil }, "write a profile of the guest for go tool pprof; children that it forks write FILE.PID", true},
	{"hot-report", "", "HOT_REPORT", func(c *config, _ string) error { c.hotReport = true; return nil }, "print the hottest functions, loops and blocks at the end", true},
	{"perf", "KIND", "PERF", perfKind, "name generated code for Linux perf: map (/tmp/perf-PID.map) or jitdump (/tmp/jit-PID.dump)", false},
	{"version", "", "", func(c *config, _ string) error { c.version = true; return nil }, "print the version and exit", true},
	{"help", "", "", func(c *config, _ string) error { c.help = true; return nil }, "print this text and exit", true},
}

// ownFlags are what emu tells an emu that it starts, for execve and for -g.
var ownFlags = []flagRow{
	{"execfd", "FD", "", func(c *config, v string) (err error) { c.execFD, err = strconv.Atoi(v); c.byGuest = true; return err }, "the program is open as descriptor FD", true},
	{"bykernel", "", "", func(c *config, _ string) error { c.byKernel = true; return nil }, "the kernel starts emu by binfmt_misc", false},
	{"execfn", "NAME", "", func(c *config, v string) error { c.execFn = v; return nil }, "the guest executes the program by this name", true},
	{"execstate", "FD", "", inheritance, "what the guest's process keeps over execve", true},
	{"selffd", "FD", "", func(c *config, v string) (err error) { c.selfFD, err = strconv.Atoi(v); return err }, "emu itself is open as descriptor FD", true},
	{"procfd", "FD", "", func(c *config, v string) (err error) { c.procFD, err = strconv.Atoi(v); return err }, "/proc is open as descriptor FD", true},
	{"stracefd", "FD", "", func(c *config, v string) (err error) { c.straceFD, err = strconv.Atoi(v); return err }, "what processes with -strace share is open as descriptor FD", true},
	{"gdbserver", "PID", "", func(c *config, v string) (err error) { c.gdbPID, err = strconv.Atoi(v); return err }, "serve gdb for PID, which emu -g runs", true},
}

func cpuModel(c *config, v string) (err error) {
	if v == "help" {
		c.cpuHelp = true
		return nil
	}
	c.cpu, err = translate.ParseCPU(v)
	return err
}

func inheritance(c *config, v string) error {
	fd, err := strconv.Atoi(v)
	if err != nil {
		return err
	}
	c.state, err = syscalls.ReadInheritance(fd)
	return err
}

// setVariables is -E, several at a time as in qemu. A comma that no VAR= follows is the value's.
func setVariables(c *config, v string) error {
	first := len(c.env)
	for _, e := range strings.Split(v, ",") {
		switch {
		case strings.Index(e, "=") > 0:
			c.env = append(c.env, e)
		case len(c.env) == first:
			return fmt.Errorf("%q is not VAR=VALUE", e)
		default:
			c.env[len(c.env)-1] += "," + e
		}
	}
	return nil
}

// unsetVariables is -U, several at a time as in qemu.
func unsetVariables(c *config, v string) error {
	if strings.Contains(v, "=") {
		return fmt.Errorf("%q: a variable's name has no =", v)
	}
	c.env = append(c.env, strings.Split(v, ",")...)
	return nil
}

// kernelRelease is -r.
func kernelRelease(c *config, v string) error {
	if most := len(unix.Utsname{}.Release) - 1; len(v) > most {
		return fmt.Errorf("%q is longer than the %d characters that uname(2) can tell", v, most)
	}
	c.release = v
	return nil
}

func size(v string) (uint64, error) {
	unit := uint64(1)
	if n := len(v); n > 0 {
		switch v[n-1] {
		case 'k', 'K':
			unit, v = 1<<10, v[:n-1]
		case 'm', 'M':
			unit, v = 1<<20, v[:n-1]
		case 'g', 'G':
			unit, v = 1<<30, v[:n-1]
		}
	}
	n, err := strconv.ParseUint(v, 0, 64)
	if err != nil || n > 1<<46/unit {
		return 0, fmt.Errorf("%q is not a size", v)
	}
	return n * unit, nil
}

// leastStack is less than what a program's start may need.
const leastStack = 128 << 10

// stackSize is -s.
func stackSize(c *config, v string) (err error) {
	if c.stack, err = size(v); err == nil && c.stack < leastStack {
		err = fmt.Errorf("%q is less than the 128k that a program needs", v)
	}
	return err
}

func hotThreshold(c *config, v string) error {
	n, err := strconv.ParseUint(v, 0, 31)
	if err != nil || n == 0 {
		return fmt.Errorf("%q is not a number from 1 on", v)
	}
	c.hot = uint32(n)
	return nil
}

func coldExecutions(c *config, v string) error {
	n, err := strconv.ParseUint(v, 0, 31)
	if err != nil || n > jit.MaxCold {
		return fmt.Errorf("%q is not a number up to %d", v, jit.MaxCold)
	}
	c.cold = uint32(n)
	return nil
}

func cacheSize(c *config, v string) error {
	n, err := size(v)
	if err != nil {
		return err
	}
	if n > 1<<30 {
		return fmt.Errorf("%q is more than the 1G that branches reach", v)
	}
	c.cacheSize = int(n)
	return nil
}

func dumpStages(c *config, v string) error {
	for _, s := range strings.Split(v, ",") {
		known := false
		for _, k := range jit.DumpStages {
			known = known || k == s
		}
		if !known {
			return fmt.Errorf("stage %q: want %s", s, strings.Join(jit.DumpStages, ", "))
		}
		if c.stages == nil {
			c.stages = make(map[string]bool)
		}
		c.stages[s] = true
	}
	return nil
}

// dumpRange is -dump-pc: an address, or the first and the last of several.
func dumpRange(c *config, v string) error {
	first, last, ranged := strings.Cut(v, "-")
	low, err := strconv.ParseUint(first, 0, 64)
	high := low
	if err == nil && ranged {
		high, err = strconv.ParseUint(last, 0, 64)
	}
	if err != nil || high < low {
		return fmt.Errorf("%q is neither an address nor LOW-HIGH", v)
	}
	c.dumpPC = &jit.Addresses{First: low, Last: high}
	return nil
}

// logFile is -D: as in qemu %d is all that its name may hold of a format.
func logFile(c *config, v string) error {
	if _, rest, ok := strings.Cut(v, "%"); ok && (!strings.HasPrefix(rest, "d") || strings.Contains(rest, "%")) {
		return fmt.Errorf("%q has a %% that is not the only %%d", v)
	}
	c.log = v
	return nil
}

func logItems(c *config, v string) error {
	stages := map[string]string{"in_asm": "guest", "op": "ir", "op_opt": "opt", "out_asm": "asm"}
	for _, item := range strings.Split(v, ",") {
		switch {
		case item == "strace":
			c.strace = true
		case item == "exec" || item == "cpu":
			c.trace = true
		case stages[item] != "":
			if err := dumpStages(c, stages[item]); err != nil {
				return err
			}
		default:
			return fmt.Errorf("log item %q: want in_asm, op, op_opt, out_asm, exec, cpu, strace", item)
		}
	}
	return nil
}

// parse reads the environment, then the arguments; it stops at the first
// argument that is no flag, which is the program.
func parse(args []string, getenv func(string) string) (c *config, rest []string, err error) {
	c = &config{execFD: -1, selfFD: -1, procFD: -1, straceFD: -1, cpu: translate.MaxCPU(), cold: jit.DefaultCold, source: map[string]string{}}
	for _, r := range flagRows {
		if r.env == "" || slices.Contains(args, "-execfd") {
			continue // what the variables say is among the flags already, and the guest may have changed them
		}
		for _, prefix := range []string{"QEMU_", "EMU_"} {
			if v := getenv(prefix + r.env); v != "" {
				if err := r.apply(c, prefix+r.env, v); err != nil {
					return nil, nil, err
				}
			}
		}
	}
	for len(args) > 0 && len(args[0]) > 1 && args[0][0] == '-' {
		arg := args[0]
		args = args[1:]
		if arg == "--" {
			break
		}
		name, value, joined := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		row := findFlag(name)
		if row == nil {
			return nil, nil, fmt.Errorf("unknown flag %s (emu -help lists them)", arg)
		}
		switch {
		case row.arg == "" && joined:
			return nil, nil, fmt.Errorf("flag -%s takes no value", name)
		case row.arg != "" && !joined && len(args) == 0:
			return nil, nil, fmt.Errorf("flag -%s needs %s", name, row.arg)
		case row.arg != "" && !joined:
			value, args = args[0], args[1:]
		}
		if err := row.apply(c, "flag -"+row.name, value); err != nil {
			return nil, nil, err
		}
	}
	return c, args, nil
}

// apply sets the flag to v, which source has, and notes it for the programs that this one
// executes.
func (r *flagRow) apply(c *config, source, v string) error {
	if err := r.set(c, v); err != nil {
		return fmt.Errorf("%s: %w", source, err)
	}
	c.source[r.name] = source
	if r.once {
		return nil
	}
	flag := "-" + r.name
	if r.arg != "" {
		flag += "=" + v
	}
	c.inherit = append(c.inherit, flag)
	return nil
}

func findFlag(name string) *flagRow {
	for _, rows := range [][]flagRow{flagRows, ownFlags} {
		for i := range rows {
			if rows[i].name == name || name == "h" && rows[i].name == "help" {
				return &rows[i]
			}
		}
	}
	return nil
}

func usage(w io.Writer) {
	fmt.Fprint(w, `usage: emu [flags] program [arguments]
       emu tool [arguments]     (developers' tools; emu tool help)

Runs an ARM64 (AArch64) Linux program. Flags, with their environment variables:

`)
	for _, r := range flagRows {
		left := "-" + r.name
		if r.arg != "" {
			left += " " + r.arg
		}
		env := ""
		if r.env != "" {
			env = " [EMU_" + r.env + "]"
		}
		fmt.Fprintf(w, "  %-18s %s%s\n", left, r.doc, env)
	}
	fmt.Fprintf(w, `
QEMU_LD_PREFIX and so on are read as well; EMU_ goes before QEMU_, and a flag before both.

The exit status is the program's; a signal that ends it ends emu. Of emu itself: %d for
wrong flags, %d for a file that it cannot run, %d if there is none.
`, statusUsage, statusCannotRun, statusNotFound)
}

// environment is the guest's: ours, changed as asked. The last change of a variable counts.
func (c *config) environment() []string {
	if c.environ != nil {
		return c.environ
	}
	env := hostsig.Environ()
	if len(c.env) == 0 {
		return env
	}
	env = slices.Clone(env)
	for _, change := range c.env {
		name, _, set := strings.Cut(change, "=")
		env = slices.DeleteFunc(env, func(e string) bool { return strings.HasPrefix(e, name+"=") })
		if set {
			env = append(env, change)
		}
	}
	return env
}
