package main

import (
	"os"
	"path/filepath"
	"strings"

	"emu/internal/forkall"

	"golang.org/x/sys/unix"
)

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
	if err == nil && unix.Faccessat(fd, "self/exe", unix.F_OK, 0) == nil {
		return fd
	}
	unix.Close(fd)
	if fd, err = forkall.UnmountedProc(); err != nil {
		return -1
	}
	return fd
}

// self opens emu's own program, if the emu that executed this one has not handed
// it down: the guest may change its root directory to one where it is not found. It
// is -1 if it cannot be opened.
func (c *config) self(proc int) int {
	if c.selfFD >= 0 {
		unix.CloseOnExec(c.selfFD)
		return c.selfFD
	}
	if fd, err := unix.Openat(proc, "self/exe", unix.O_PATH|unix.O_CLOEXEC, 0); err == nil {
		return fd
	}
	if fd, err := unix.Open(os.Args[0], unix.O_PATH|unix.O_CLOEXEC, 0); err == nil {
		return fd
	}
	return -1
}
