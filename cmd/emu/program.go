package main

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"unsafe"

	"emu/cpu"
	"emu/internal/hostsig"
	"emu/loader"
	"emu/syscalls"

	"golang.org/x/sys/unix"
)

// load loads the program that is open as f, a file that it closes, into mem. args are the program's name and what
// follows it.
func load(mem *cpu.Memory, c *config, f *os.File, args []string) (*syscalls.Program, error) {
	defer f.Close()
	path := args[0]
	p := &syscalls.Program{}
	var err error
	if p.File, err = unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, int(f.Fd())); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	var random [8 + len(loader.Start{}.Random)]byte
	// The generators of package crypto and of the runtime, in the vDSO, take longer to set up.
	if _, _, e := unix.RawSyscall(unix.SYS_GETRANDOM, uintptr(unsafe.Pointer(&random)), unsafe.Sizeof(random), 0); e != 0 {
		return nil, fmt.Errorf("getrandom: %w", e)
	}
	mem.SetLayout(syscalls.Layout(c.stackSize(), binary.LittleEndian.Uint64(random[:])))
	// Symbolic links are resolved, as in the kernel's /proc/self/exe.
	if p.Exe, err = os.Readlink(fmt.Sprintf("/proc/self/fd/%d", f.Fd())); err != nil {
		if p.Exe, err = filepath.Abs(path); err != nil {
			return nil, err
		}
	}
	vdso, err := loader.MapVDSO(mem)
	if err != nil {
		return nil, err
	}
	if c.state != nil { // the vDSO has been written and made executable
		mem.RefuseExecGain(c.state.ExecGain)
	}
	image, err := loader.Load(mem, f, path)
	if err != nil {
		if c.execFD < 0 && path != c.execFn {
			err = interpreterError(c.execFn, err)
		}
		return nil, err
	}
	p.Entry = image.Entry
	mem.SetBrk(image.End)
	if c.cpu.BTI() && image.Interp == "" {
		image.Guard(mem)
	}
	p.Held = syscalls.HoldProgram(int(f.Fd()))
	s := &loader.Start{Argv: append([]string(nil), args...), Envp: c.environment(), ExecFn: c.execFn, Platform: "aarch64", StackSize: c.stackSize(), Secure: secure()}
	if image.Interp != "" {
		if c.sysroot == "" {
			c.sysroot = syscalls.CrossRoot(image.Interp)
		}
		in, err := c.interpreter(mem, image.Interp)
		if err != nil {
			return nil, interpreterError(path, err)
		}
		p.Entry, s.InterpBase = in.Entry, in.Bias
		if c.cpu.BTI() {
			in.Guard(mem)
		}
	}
	s.VDSO = vdso.Base
	s.HWCAP, s.HWCAP2, s.HWCAP3 = c.cpu.HWCAP()
	if c.hasArgv0 || c.execFD >= 0 {
		s.Argv[0] = c.argv0
	}
	copy(s.Random[:], random[8:])
	stack, err := loader.NewStack(mem, image, s)
	if err != nil {
		return nil, err
	}
	p.Comm, p.Auxv, p.SigReturn = c.comm(p), stack.Auxv, vdso.SigReturn
	p.ArgStart, p.ArgEnd, p.EnvStart, p.EnvEnd = stack.ArgStart, stack.ArgEnd, stack.EnvStart, stack.EnvEnd
	p.StackStart, p.CodeStart, p.CodeEnd = stack.SP, image.Start, image.End
	return p, nil
}

// loadNext loads a program that the guest executes.
func (c *config) loadNext(mem *cpu.Memory, s *syscalls.ProgramStart) (*syscalls.Program, error) {
	next := *c
	next.execFD, next.execFn, next.argv0 = s.File, s.Name, s.Argv[0]
	next.environ, next.state, next.sysroot = append([]string{}, s.Env...), nil, s.Root
	return load(mem, &next, os.NewFile(uintptr(s.File), s.Exe), append([]string{s.Exe}, s.Argv[1:]...))
}

// comm is the name of the process: the file's, or if it was executed as a
// descriptor that of the program, as Linux has it since 6.14.
func (c *config) comm(p *syscalls.Program) string {
	if fd, ok := strings.CutPrefix(c.execFn, "/dev/fd/"); ok && !strings.Contains(fd, "/") {
		return filepath.Base(strings.TrimSuffix(p.Exe, " (deleted)"))
	}
	return filepath.Base(c.execFn)
}

const defaultStack = 8 << 20

// stackSize is what -s asks for, else the soft limit, as the kernel has it.
func (c *config) stackSize() uint64 {
	if c.stack != 0 {
		return c.stack
	}
	var lim unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_STACK, &lim) != nil || lim.Cur == unix.RLIM_INFINITY || lim.Cur > 1<<30 {
		return defaultStack
	}
	return max(lim.Cur, leastStack)
}

// open opens the program that args name, unless the emu that executed it has done
// so. A script gives way to its interpreter, and args to what that one is called
// with, as execve has it.
func (c *config) open(args []string) (*os.File, []string, error) {
	if c.execFD >= 0 {
		return os.NewFile(uintptr(hostsig.Raise(c.execFD)), args[0]), args, nil
	}
	c.execFn = args[0]
	for depth := range syscalls.MaxScripts + 1 {
		f, err := c.find(args[0])
		switch {
		case err != nil && depth > 0:
			err = interpreterError(c.execFn, err)
		case errors.Is(err, os.ErrNotExist) && !strings.Contains(args[0], "/"):
			err = fmt.Errorf("%w (PATH is not searched)", err)
		}
		if err != nil {
			return nil, nil, err
		}
		interp, arg, script, err := inspect(f, args[0])
		if err != nil {
			f.Close()
			return nil, nil, err
		}
		if !script {
			return f, args, nil
		}
		f.Close()
		prefix := []string{interp}
		if arg != "" {
			prefix = append(prefix, arg)
		}
		args = append(prefix, args...)
	}
	return nil, nil, fmt.Errorf("%s: %w: scripts that interpret each other", c.execFn, unix.ELOOP)
}

// inspect checks that a file can be executed, and reads a script's first line.
func inspect(f *os.File, path string) (interp, arg string, script bool, err error) {
	if err := executable(f, path); err != nil {
		return "", "", false, err
	}
	head := make([]byte, syscalls.BinprmBuf)
	n, err := f.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return "", "", false, err
	}
	if interp, arg, script = syscalls.Shebang(head[:n]); !script && strings.HasPrefix(string(head), "#!") {
		return "", "", false, &loader.FormatError{Path: path, Reason: "its first line does not name an interpreter"}
	}
	return interp, arg, script, nil
}

// executable checks what execve checks before it reads the file.
func executable(f *os.File, path string) error {
	mode, err := regular(f, path)
	if err == nil && mode&0o111 == 0 {
		return fmt.Errorf("%s: %w: not executable", path, unix.EACCES)
	}
	return err
}

// regular returns the mode of a file, or that it is none with contents.
func regular(f *os.File, path string) (os.FileMode, error) {
	st, err := f.Stat()
	switch {
	case err != nil:
		return 0, err
	case st.IsDir():
		return 0, fmt.Errorf("%s: %w", path, unix.EISDIR)
	case !st.Mode().IsRegular():
		return 0, fmt.Errorf("%s: %w: not a regular file", path, unix.EACCES)
	}
	return st.Mode(), nil
}

// interpreterError says of a program or script what is wrong with its interpreter. Where that is no file
// for arm64, the guest's libraries and shells are elsewhere.
func interpreterError(program string, err error) error {
	return fmt.Errorf("%s: interpreter %w (is there an arm64 root file system to name with -L?)", program, err)
}

// interpreter loads the dynamic linker, below the sysroot if it is there.
func (c *config) interpreter(mem *cpu.Memory, path string) (*loader.Image, error) {
	f, err := c.find(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if _, err := regular(f, f.Name()); err != nil {
		return nil, err
	}
	return loader.Load(mem, f, f.Name())
}

// find opens a program by the name that the guest has for it: below the sysroot if
// it is there.
func (c *config) find(path string) (*os.File, error) {
	if c.sysroot != "" && filepath.IsAbs(path) {
		if fd, err := syscalls.OpenInSysroot(c.sysroot, path); err == nil {
			return os.NewFile(uintptr(fd), filepath.Join(c.sysroot, path)), nil
		} else if !errors.Is(err, os.ErrNotExist) {
			return nil, fmt.Errorf("%s: %w", filepath.Join(c.sysroot, path), err)
		}
	}
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC|unix.O_NONBLOCK, 0) // a FIFO has no other end
	switch {
	case err != nil && path == "":
		return nil, fmt.Errorf("%q: %w", path, err)
	case err != nil:
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return os.NewFile(uintptr(fd), path), nil
}
