package store

import (
	"os"
	"os/exec"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// TestRoomForOthers has stores of many programs in a file system as small as a container's for
// shared memory. They filled it, and PostgreSQL found no room for its own.
func TestRoomForOthers(t *testing.T) {
	const variable = "STORE_TEST_SMALL"
	dir := os.Getenv(variable)
	if dir == "" {
		cmd := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
		cmd.Env = append(os.Environ(), variable+"="+t.TempDir())
		cmd.SysProcAttr = &syscall.SysProcAttr{
			Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
			UidMappings: []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}},
			GidMappings: []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}},
		}
		if out, err := cmd.CombinedOutput(); cmd.ProcessState == nil {
			t.Skipf("no user namespaces: %v", err)
		} else if err != nil {
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	if err := unix.Mount("none", dir, "tmpfs", 0, "size=8m,mode=700"); err != nil {
		t.Skip(err)
	}
	record := make([]byte, maxRecord/4)
	for key := range byte(16) {
		s, err := Open(dir, [KeySize]byte{key}, Code{Size: 1 << 20})
		if err != nil {
			t.Logf("store %d: %v", key, err)
			continue
		}
		for pc := uint64(0); err == nil && pc < 32; pc += 4 {
			s.Add(pc, 0, record, false)
			err = s.Flush()
		}
		s.WriteImage(s.End(), func() [][]byte { return [][]byte{record} })
	}
	var fs unix.Statfs_t
	if err := unix.Statfs(dir, &fs); err != nil {
		t.Fatal(err)
	}
	if used := fs.Blocks - fs.Bavail; used > fs.Blocks/2 || used < fs.Blocks/4 {
		t.Errorf("%d of %d blocks are used", used, fs.Blocks)
	}
}
