package gdbserver

import (
	"encoding/hex"
	"strings"

	"emu/syscalls"

	"golang.org/x/sys/unix"
)

// allocationTags is the type of the tags that memory has (gdb manual, E.3.3, AArch64 Memory Tag
// Types). Those of pointers are gdb's own matter.
const allocationTags = "1"

// maxTags is how many tags a packet may be about.
const maxTags = maxPacket / 4

// tagRange reads start,length:type, and returns the number of granules that the range touches.
func (s *server) tagRange(p string) (addr, n uint64, rest string, err error) {
	where, rest, _ := strings.Cut(p, ":")
	kind, rest, _ := strings.Cut(rest, ":")
	addr, size, good := pair(where, ",")
	switch {
	case s.here() == nil:
		return 0, 0, "", unix.ESRCH
	case !good || kind != allocationTags || size > maxTags*syscalls.Granule:
		return 0, 0, "", unix.EINVAL
	}
	n = 1
	if size > 0 {
		n = (addr%syscalls.Granule + size + syscalls.Granule - 1) / syscalls.Granule
	}
	return addr, n, rest, nil
}

// readTags serves qMemTags.
func (s *server) readTags(p string) []byte {
	addr, n, _, err := s.tagRange(p)
	if err != nil {
		return failed(err)
	}
	tags, err := s.d.ReadTags(s.here().someone(), addr, n)
	if err != nil {
		return failed(err)
	}
	return hex.AppendEncode([]byte("m"), tags)
}

// writeTags serves QMemTags, whose tags are repeated until they fill the range.
func (s *server) writeTags(p string) error {
	addr, n, rest, err := s.tagRange(p)
	if err != nil {
		return err
	}
	given, err := hex.DecodeString(rest)
	if err != nil || len(given) == 0 {
		return unix.EINVAL
	}
	tags := make([]byte, n)
	for i := range tags {
		tags[i] = given[i%len(given)] & 15
	}
	return s.d.WriteTags(s.here().someone(), addr, tags)
}
