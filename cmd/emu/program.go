package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"emu/cpu"
	"emu/internal/hostsig"
	"emu/loader"
	"emu/syscalls"

	"golang.org/x/sys/unix"
)

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
		if err != nil && depth > 0 {
			err = interpreterError(c.execFn, err)
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
	interp, arg, script = syscalls.Shebang(head[:n])
	return interp, arg, script, nil
}

// executable checks what execve checks before it reads the file.
func executable(f *os.File, path string) error {
	st, err := f.Stat()
	switch {
	case err != nil:
		return err
	case st.IsDir():
		return fmt.Errorf("%s: %w", path, unix.EISDIR)
	case !st.Mode().IsRegular():
		return fmt.Errorf("%s: %w: not a regular file", path, unix.EACCES)
	case st.Mode()&0o111 == 0:
		return fmt.Errorf("%s: %w: not executable", path, unix.EACCES)
	}
	return nil
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
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return os.NewFile(uintptr(fd), path), nil // os.Open would tell the runtime's poller of it
}
