package hostsig

import "golang.org/x/sys/unix"

// The start code reserves the addresses below lowStart+lowSize while Go's runtime
// starts. The runtime tries 128 places for its heap, beginning with a random one, one
// to a terabyte; it keeps to the one that is free, which then lies above all that
// guests ask for by address: AddressSanitizer's shadow reaches up to 1<<44.
const (
	lowStart = 0x10000
	lowSize  = 0x7000_0000_0000 - lowStart
	lowFlags = unix.MAP_PRIVATE | unix.MAP_ANONYMOUS | unix.MAP_NORESERVE | unix.MAP_FIXED_NOREPLACE
)

// lowReserved is what mmap returned for it: lowStart, or an error where the address
// space is limited.
var lowReserved uintptr

// The heap has its place by now.
func init() { releaseLow() }

func releaseLow() {
	if lowReserved == lowStart {
		unix.Syscall(unix.SYS_MUNMAP, lowStart, lowSize, 0)
	}
}
