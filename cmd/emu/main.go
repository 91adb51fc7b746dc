// How much of the processors a container may have is not looked at: see the start code in
// hostsig, which keeps the runtime from reading about it as well.

//go:debug containermaxprocs=0
//go:debug updatemaxprocs=0

// Emu runs ARM64 Linux programs on x86-64 Linux.
package main

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"

	"emu/cpu"
	"emu/internal/hostsig"
	"emu/jit"
	"emu/loader"
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
	case len(args) == 0:
		usage(os.Stderr)
		os.Exit(statusUsage)
	}
	if err := start(c, args); err != nil {
		fail(statusOf(err), err)
	}
}

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
	c.execFn, c.execFD = kernel.path, kernel.fd
	c.argv0, c.hasArgv0 = kernel.args[0], true
	return c, append([]string{kernel.path}, kernel.args[1:]...), nil
}

// getenv looks variables of emu's up in the environment that it was started with: the
// runtime does not see it.
func getenv(environ []string) func(name string) string {
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

func statusOf(err error) int {
	switch {
	case errors.As(err, &usageError{}):
		return statusUsage
	case errors.Is(err, os.ErrNotExist):
		return statusNotFound
	}
	return statusCannotRun
}

// start loads the program and runs it. It returns only if that fails.
func start(c *config, args []string) error {
	logTo := io.Writer(os.Stderr)
	if c.log != "" {
		flags := os.O_CREATE | os.O_WRONLY | os.O_APPEND
		if c.execFD < 0 {
			flags |= os.O_TRUNC // else it holds what the program before this one did
		}
		f, err := os.OpenFile(c.log, flags, 0o666)
		if err != nil {
			return usageError{fmt.Errorf("flag -D: %w", err)}
		}
		logTo = f
	}
	if c.sysroot != "" && c.execFD < 0 { // else the guest may have gone where its name means nothing
		if st, err := os.Stat(c.sysroot); err != nil {
			return usageError{fmt.Errorf("flag -L: %w", err)}
		} else if !st.IsDir() {
			return usageError{fmt.Errorf("flag -L: %s: %w", c.sysroot, unix.ENOTDIR)}
		}
	}
	log := newLog(logTo)

	collectLate()

	mem := cpu.NewMemory()
	if c.cpu.MTE() {
		if err := mem.EnableTags(); err != nil {
			return fmt.Errorf("no room for memory tags in the address space: %w", err)
		}
	}
	prog, err := load(mem, c, args)
	if err != nil {
		return err
	}
	opts := jit.Options{Tier: c.tier, Hot: c.hot, Cold: c.cold, Passes: c.passes, CacheSize: c.cacheSize, HostLimit: c.host, Translate: translate.Options{CPU: c.cpu, Guarded: mem}}
	if c.stages != nil {
		opts.Dump = &jit.Dump{Stages: c.stages, PC: c.dumpPC, W: logTo}
	}
	opts.Store, opts.StoreFailed = c.codeStore(log)
	if c.trace {
		opts.Trace = &jit.Trace{PC: c.dumpPC, W: logTo}
	}
	prof, err := c.profiling(mem, logTo)
	if err != nil {
		return usageError{fmt.Errorf("flag -profile: %w", err)}
	}
	if prof != nil { // and compile all code in this process, to know it
		opts.Profile, opts.Store = prof.Profiler, ""
	}
	engine, err := jit.New(mem, opts)
	if err != nil {
		return err
	}
	cfg := syscalls.Config{
		Mem: mem, NewRunner: engine.NewRunner,
		Exe: prog.exe, Self: c.self(), Proc: c.proc(), Comm: c.comm(prog), Auxv: prog.stack.Auxv, SigReturn: prog.vdso.SigReturn,
		ArgStart: prog.stack.ArgStart, ArgEnd: prog.stack.ArgEnd, EnvStart: prog.stack.EnvStart, EnvEnd: prog.stack.EnvEnd,
		StackStart: prog.stack.SP, CodeStart: prog.image.Start, CodeEnd: prog.image.End,
		Sysroot: c.sysroot, Release: c.release, Emu: c.again(), Log: log, MIDR: c.cpu.MIDR(), FPCRMask: c.cpu.FPCRMask(), Inherited: c.state,
		Save: engine.Save, Forked: engine.Forked,
	}
	if c.strace {
		cfg.Strace = syscalls.NewTracer(logTo)
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
			return err
		}
	}
	state, err := cpu.NewState()
	if err != nil {
		return err
	}
	state.PC, state.X[cpu.SP] = prog.entry, prog.stack.SP
	state.SetFPCR(0)
	syscalls.ResetPAC(state)
	state.TagExclude = cpu.NoTags
	return syscalls.NewProcess(cfg).Run(state)
}

// codeStore is the directory of the code that processes share, "" for none. What is
// wrong with one that the user names is said; the default is used if it can be: it
// is in memory, so that nothing is left on a disk or in a container's image.
func (c *config) codeStore(log zerolog.Logger) (dir string, failed func(error)) {
	switch c.codeCache {
	case "off":
		return "", nil
	case "":
		if os.Getuid() != os.Geteuid() {
			return "", nil
		}
		return fmt.Sprintf("/dev/shm/emu-%d", os.Geteuid()), nil
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

// program is a loaded program, ready to run.
type program struct {
	exe   string
	entry uint64
	image *loader.Image
	stack *loader.Stack
	vdso  *loader.VDSO
}

func load(mem *cpu.Memory, c *config, args []string) (*program, error) {
	f, args, err := c.open(args)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	path := args[0]
	p := &program{}
	var random [8 + len(loader.Start{}.Random)]byte
	if _, err := unix.Getrandom(random[:], 0); err != nil { // package crypto's generator takes longer to set up
		return nil, err
	}
	mem.SetLayout(syscalls.Layout(c.stackSize(), binary.LittleEndian.Uint64(random[:])))
	// Symbolic links are resolved, as in the kernel's /proc/self/exe.
	if p.exe, err = os.Readlink(fmt.Sprintf("/proc/self/fd/%d", f.Fd())); err != nil {
		if p.exe, err = filepath.Abs(path); err != nil {
			return nil, err
		}
	}
	if p.image, err = loader.Load(mem, f, path); err != nil {
		if c.execFD < 0 && path != c.execFn {
			err = interpreterError(c.execFn, err)
		}
		return nil, err
	}
	p.entry = p.image.Entry
	mem.SetBrk(p.image.End)
	if c.cpu.BTI() && p.image.Interp == "" {
		p.image.Guard(mem)
	}
	syscalls.HoldProgram(int(f.Fd()))
	s := &loader.Start{Argv: append([]string(nil), args...), Envp: c.environment(), ExecFn: c.execFn, Platform: "aarch64", StackSize: c.stackSize()}
	if p.image.Interp != "" {
		if c.sysroot == "" {
			c.sysroot = syscalls.CrossRoot(p.image.Interp)
		}
		in, err := c.interpreter(mem, p.image.Interp)
		if err != nil {
			return nil, interpreterError(path, err)
		}
		p.entry, s.InterpBase = in.Entry, in.Bias
		if c.cpu.BTI() {
			in.Guard(mem)
		}
	}
	if p.vdso, err = loader.MapVDSO(mem); err != nil {
		return nil, err
	}
	s.VDSO = p.vdso.Base
	s.HWCAP, s.HWCAP2, s.HWCAP3 = c.cpu.HWCAP()
	if c.hasArgv0 || c.execFD >= 0 {
		s.Argv[0] = c.argv0
	}
	copy(s.Random[:], random[8:])
	p.stack, err = loader.NewStack(mem, p.image, s)
	return p, err
}

// comm is the name of the process: the file's, or if it was executed as a
// descriptor that of the program, as Linux has it since 6.14.
func (c *config) comm(p *program) string {
	if fd, ok := strings.CutPrefix(c.execFn, "/dev/fd/"); ok && !strings.Contains(fd, "/") {
		return filepath.Base(strings.TrimSuffix(p.exe, " (deleted)"))
	}
	return filepath.Base(c.execFn)
}

const defaultStack = 8 << 20

// stackSize is what -s asks for, else the soft limit, as the kernel has it.
func (c *config) stackSize() uint64 {
	if c.stack != 0 {
		return max(c.stack, 128<<10)
	}
	var lim unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_STACK, &lim) != nil || lim.Cur == unix.RLIM_INFINITY || lim.Cur > 1<<30 {
		return defaultStack
	}
	return max(lim.Cur, 128<<10)
}

// again is the command line with which a child of the guest runs under emu too.
func (c *config) again() []string {
	self, err := os.Executable()
	if err != nil {
		self = os.Args[0]
	}
	again := []string{self}
	for _, flag := range c.inherit {
		if !strings.HasPrefix(flag, "-L=") {
			again = append(again, flag)
		}
	}
	if c.sysroot != "" {
		if abs, err := filepath.Abs(c.sysroot); err == nil {
			again = append(again, "-L="+abs) // the guest may change the working directory
		}
	}
	return again
}

// proc opens /proc, as self does.
func (c *config) proc() int {
	if c.procFD >= 0 {
		unix.CloseOnExec(c.procFD)
		return c.procFD
	}
	fd, err := unix.Open("/proc", unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return -1
	}
	return fd
}

// self opens emu's own program, if the emu that executed this one has not handed
// it down: the guest may change its root directory to one where it is not found. It
// is -1 if it cannot be opened.
func (c *config) self() int {
	if c.selfFD >= 0 {
		unix.CloseOnExec(c.selfFD)
		return c.selfFD
	}
	for _, name := range []string{"/proc/self/exe", os.Args[0]} {
		if fd, err := unix.Open(name, unix.O_PATH|unix.O_CLOEXEC, 0); err == nil {
			return fd
		}
	}
	return -1
}
