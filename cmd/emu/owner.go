package main

import (
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// owner is the effective user as the user namespace above this one knows it
// (user_namespaces(7)). What root of a namespace without privileges, as that of a rootless
// build of a container's image, makes in the host's /dev/shm is not root's there.
func owner() int {
	id := os.Geteuid()
	fd, err := unix.Open("/proc/self/uid_map", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return id
	}
	defer unix.Close(fd)
	var text [4096]byte // of at most 340 lines those with this user come early
	n, _ := unix.Read(fd, text[:])
	return mapped(string(text[:max(n, 0)]), id)
}

// mapped is what id is by a uid_map.
func mapped(uidMap string, id int) int {
	for line := range strings.Lines(uidMap) {
		f := strings.Fields(line)
		if len(f) != 3 {
			break // which is not whole
		}
		inside, _ := strconv.Atoi(f[0])
		outside, _ := strconv.Atoi(f[1])
		if n, _ := strconv.Atoi(f[2]); id >= inside && id-inside < n {
			return outside + id - inside
		}
	}
	return id
}
