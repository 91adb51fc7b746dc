// How much of the processors a container may have is not looked at: see the start code in
// hostsig, which keeps the runtime from reading about it as well.

//go:debug containermaxprocs=0
//go:debug updatemaxprocs=0

// Emu runs ARM64 Linux programs on x86-64 Linux.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"

	"emu/cpu"
	"emu/internal/hostsig"
	"emu/jit"
	"emu/syscalls"
	"emu/translate"

	"github.com/rs/zerolog"
	"golang.org/x/sys/unix"
)

// version is set by the linker, see the Makefile.
var version = "devel"

// Exit statuses of emu itself, as shells and env(1) use them.
const (
	statusUsage     = 125 // bad flags
	statusCannotRun = 126 // found, but not a program that emu can run
	statusNotFound  = 127
)

func init() {
	// The guest's main thread is the process's first thread.
	runtime.LockOSThread()
}

func main() {
	for i, arg := range os.Args {
		os.Args[i] = strings.Clone(arg) // see hostsig.LeaveStack
	}
	if len(os.Args) > 1 && os.Args[1] == "tool" {
		hostsig.SetReadiness(hostsig.NoGuest)
		hostsig.UseProcessors()
		os.Exit(tool(os.Args[2:], os.Stdout, os.Stderr))
	}
	c, args, err := command(os.Args)
	switch {
	case err != nil:
		fail(statusUsage, err)
	case c.version:
		fmt.Printf("emu %s (%s/%s, %s)\n", version, runtime.GOOS, runtime.GOARCH, runtime.Version())
		return
	case c.help:
		usage(os.Stdout)
		return
	case c.cpuHelp:
		translate.DescribeCPUs(os.Stdout)
		return
	case c.gdbPID != 0:
		if err := c.serveDebugger(); err != nil {
			fail(statusCannotRun, err)
		}
		return
	case len(os.Args) == 1:
		usage(os.Stderr)
		os.Exit(statusUsage)
	case len(args) == 0:
		fail(statusUsage, errors.New("no program to run among the arguments (emu -help says what they are)"))
	}
	p, state, err := start(c, args)
	if err == nil {
		err = p.Run(state) // here, where little is on the stack: what each fork writes to is on one page
	}
	if err != nil {
		if errors.As(err, &unloadable{}) && c.byGuest {
			fmt.Fprintln(os.Stderr, "emu:", err)
			unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0) // it is not emu's core that is wanted
			hostsig.Die(int(unix.SIGSEGV))
		}
		fail(statusOf(err), err)
	}
}

// unloadable is a program that could not be mapped. execve has left the one before it by then, and the
// kernel ends the process.
type unloadable struct{ error }

func (e unloadable) Unwrap() error { return e.error }

// command reads the command line: the user's, or the one that the kernel makes
// when emu is registered with binfmt_misc.
func command(argv []string) (*config, []string, error) {
	kernel := registered(argv)
	if kernel == nil {
		return parse(argv[1:], getenv(hostsig.Environ()))
	}
	c, _, err := parse(nil, getenv(hostsig.Environ()))
	if err != nil {
		return nil, nil, err
	}
	if err := findFlag("bykernel").apply(c, "binfmt_misc", ""); err != nil {
		return nil, nil, err
	}
	c.execFn, c.execFD = kernel.path, kernel.fd
	c.argv0, c.hasArgv0 = kernel.args[0], true
	return c, append([]string{kernel.path}, kernel.args[1:]...), nil
}

// secure reports whether emu has rights that who executed it has not, as with a set-uid
// program and binfmt_misc's flag C. The guest is told so too.
func secure() bool { return hostsig.Auxval(atSecure) != 0 }

// getenv looks variables of emu's up in the environment that it was started with: the
// runtime does not see it. Of one who has fewer rights they are not taken: they name files
// to write, and variables of the guest that its dynamic linker would not take either.
func getenv(environ []string) func(name string) string {
	if secure() {
		return func(string) string { return "" }
	}
	var own []string
	for _, e := range environ {
		if strings.HasPrefix(e, "EMU_") || strings.HasPrefix(e, "QEMU_") {
			own = append(own, e)
		}
	}
	return func(name string) string {
		for _, e := range own {
			if v, ok := strings.CutPrefix(e, name); ok && strings.HasPrefix(v, "=") {
				return v[1:]
			}
		}
		return ""
	}
}

// newLog is a log of warnings whose lines begin as those of fail do.
func newLog(w io.Writer) zerolog.Logger {
	lines := zerolog.ConsoleWriter{Out: w, NoColor: true, PartsExclude: []string{zerolog.TimestampFieldName}, FormatLevel: func(any) string { return "emu:" }}
	return zerolog.New(lines).Level(zerolog.WarnLevel)
}

func fail(status int, err error) {
	fmt.Fprintln(os.Stderr, "emu:", err)
	os.Exit(status)
}

// usageError is a flag whose value turns out to be wrong after it has been parsed.
type usageError struct{ error }

// usageError says where the flag, or the variable in its place, is.
func (c *config) usageError(flag string, err error) error {
	return usageError{fmt.Errorf("%s: %w", c.source[flag], err)}
}

func statusOf(err error) int {
	switch {
	case errors.As(err, &usageError{}):
		return statusUsage
	case errors.Is(err, os.ErrNotExist):
		return statusNotFound
	}
	return statusCannotRun
}

// start loads the program and makes its process, which is to run from the state that it returns.
func start(c *config, args []string) (*syscalls.Process, *cpu.State, error) {
	logTo, err := c.openLog()
	if err != nil {
		return nil, nil, c.usageError("D", err)
	}
	log := newLog(logTo)
	if err := c.checkSysroot(); err != nil {
		return nil, nil, c.usageError("L", err)
	}
	collectLate()

	mem := cpu.NewMemory()
	if c.cpu.MTE() {
		if err := mem.EnableTags(); err != nil {
			return nil, nil, fmt.Errorf("no room for memory tags in the address space: %w", err)
		}
	}
	file, args, err := c.open(args)
	if err != nil {
		return nil, nil, unloadable{err}
	}
	prog, err := load(mem, c, file, args)
	if err != nil {
		return nil, nil, unloadable{err}
	}
	prof, err := c.profiling(mem, logTo)
	if err != nil {
		return nil, nil, c.usageError("profile", err)
	}
	opts := c.engineOptions(mem, prof, log, logTo)
	engine, err := jit.New(mem, opts)
	if err != nil {
		return nil, nil, err
	}
	proc := c.proc()
	cfg := syscalls.Config{
		Mem: mem, NewRunner: engine.NewRunner,
		Program: *prog, Self: c.self(proc), Proc: proc,
		Sysroot: c.sysroot, Release: c.release, Emu: c.again(), ByKernel: c.byKernel, Log: log, MIDR: c.cpu.MIDR(), FPCRMask: c.cpu.FPCRMask(), Predicates: c.cpu.Predicates(), Inherited: c.state,
		Save: engine.Save, Private: opts.Store,
	}
	if c.strace {
		cfg.Strace = syscalls.NewTracer(logTo, c.straceFD, strings.Contains(c.log, "%d"))
	}
	if c.stats || prof != nil {
		cfg.AtExit = func(int) {
			if c.stats {
				engine.WriteStats(logTo)
			}
			prof.write()
		}
	}
	if c.gdb != nil {
		if cfg.Ready, err = c.startDebugger(); err != nil {
			return nil, nil, err
		}
	}
	if !secure() {
		cfg.Load = func(s *syscalls.ProgramStart) (*syscalls.Program, error) { return c.loadNext(mem, s) }
	}
	state, err := cpu.NewState()
	if err != nil {
		return nil, nil, err
	}
	prog.Begin(state)
	return syscalls.NewProcess(cfg), state, nil
}

// openLog opens what -D names, else it is standard error.
func (c *config) openLog() (io.Writer, error) {
	if c.log == "" {
		return os.Stderr, nil
	}
	flags := os.O_CREATE | os.O_WRONLY | os.O_APPEND
	if c.execFD < 0 {
		flags |= os.O_TRUNC // else it holds what the program before this one did
	}
	return os.OpenFile(strings.Replace(c.log, "%d", strconv.Itoa(os.Getpid()), 1), flags, 0o666)
}

// checkSysroot says what is wrong with -L, unless the guest has executed this program: it may
// have gone where the name means nothing.
func (c *config) checkSysroot() error {
	if c.sysroot == "" || c.execFD >= 0 {
		return nil
	}
	st, err := os.Stat(c.sysroot)
	if err == nil && !st.IsDir() {
		return &os.PathError{Op: "root file system", Path: c.sysroot, Err: unix.ENOTDIR}
	}
	return err
}

// engineOptions is what the engine is to do. prof may be nil.
func (c *config) engineOptions(mem *cpu.Memory, prof *profiling, log zerolog.Logger, logTo io.Writer) jit.Options {
	opts := jit.Options{Alone: true, Tier: c.tier, Hot: c.hot, Cold: c.cold, Passes: c.passes, CacheSize: c.cacheSize, HostLimit: c.host, Translate: translate.Options{CPU: c.cpu, Guarded: mem}}
	if c.stages != nil {
		opts.Dump = &jit.Dump{Stages: c.stages, PC: c.dumpPC, W: logTo}
	}
	if c.trace {
		opts.Trace = &jit.Trace{PC: c.dumpPC, W: logTo}
	}
	opts.Store, opts.StoreFailed = c.codeStore(log)
	if prof != nil { // and compile all code in this process, to know it
		opts.Profile, opts.Store = prof.Profiler, ""
	}
	return opts
}

// codeStore is the directory of the code that processes share, "" for none. What is
// wrong with one that the user names is said; the default is used if it can be: it
// is in memory, so that nothing is left on a disk or in a container's image.
func (c *config) codeStore(log zerolog.Logger) (dir string, failed func(error)) {
	switch c.codeCache {
	case "off":
		return "", nil
	case "":
		if secure() || os.Getuid() != os.Geteuid() {
			return "", nil
		}
		return fmt.Sprintf("/dev/shm/emu-%d", owner()), nil
	}
	return c.codeCache, func(err error) { log.Warn().Err(err).Msg("no code is shared with other processes") }
}

// collectLate puts the first garbage collection off until the heap has 64 MiB: what
// short programs allocate, for translated code above all, stays in use to their
// end. From then on the heap may double between collections.
func collectLate() {
	debug.SetGCPercent(firstCollection)
	runtime.AddCleanup(new([16]byte), func(percent int) {
		debug.SetGCPercent(percent)
		hostsig.UseProcessors()
	}, 100)
}

// firstCollection is in percent of the runtime's least heap, 4 MiB.
const firstCollection = 1600
