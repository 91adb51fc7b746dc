package main

import (
	"fmt"
	"io"
	"os"

	"emu/internal/hostsig"
)

// Entries of the auxiliary vector by which binfmt_misc tells its interpreter what
// the registration's flags have made of the command line
// (Documentation/admin-guide/binfmt-misc.rst).
const (
	atExecFD            = 2
	atFlags             = 8
	atSecure            = 23
	atFlagsPreserveArgv = 1 // AT_FLAGS_PRESERVE_ARGV0
)

// invocation is a program that the kernel has started emu for.
type invocation struct {
	path string   // the program, as execve named it
	args []string // its own, argv[0] included
	fd   int      // the program is open here, or -1
}

// registered recognises that the kernel has started emu as interpreter of
// binfmt_misc with one of these flags; it returns nil if not, or without them, when
// the command line looks like a user's: emu PATH ARGUMENTS.
//
// P: the line is emu PATH ARGV0 ARGUMENTS, AT_FLAGS says so.
// O: AT_EXECFD is the program, which emu might not be allowed to open.
// C: as O, and the kernel has taken credentials from the program.
// F: the kernel has opened emu beforehand, whatever the guest's root directory is:
// nothing to do, for emu needs no other file.
func registered(argv []string) *invocation {
	fd := -1
	if v, ok := hostsig.LookupAuxval(atExecFD); ok {
		fd = int(v) // 0 if that was closed
	}
	return invoked(argv, hostsig.Auxval(atFlags), fd)
}

// invoked is registered for what the auxiliary vector says, fd -1 if it names none.
func invoked(argv []string, flags uint64, fd int) *invocation {
	in := &invocation{fd: fd}
	switch {
	case flags&atFlagsPreserveArgv != 0 && len(argv) >= 3:
		in.path, in.args = argv[1], argv[2:]
	case in.fd >= 0 && len(argv) >= 2:
		in.path, in.args = argv[1], argv[1:]
	default:
		return nil
	}
	return in
}

// toolBinfmt prints the line that registers emu with the kernel, for
// /proc/sys/fs/binfmt_misc/register or a file in /etc/binfmt.d: 64-bit little-endian
// ELF files, executable or position-independent, of machine EM_AARCH64, whatever OS
// ABI they name.
func toolBinfmt(args []string, out io.Writer) error {
	const (
		magic = `\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00`
		mask  = `\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff`
	)
	self, err := os.Executable()
	if len(args) > 0 {
		self, err = args[0], nil
	}
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, ":emu-aarch64:M::%s:%s:%s:POCF\n", magic, mask, self)
	return err
}
