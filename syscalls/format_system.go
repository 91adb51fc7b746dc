package syscalls

import (
	"encoding/binary"
	"fmt"

	"golang.org/x/sys/unix"
)

// Structures that tell of file systems and of the machine.

// fileSystems are the magic numbers of struct statfs (linux/magic.h).
var fileSystems = flagSet{mask: allBits, names: []name{{unix.EXT4_SUPER_MAGIC, "EXT2_SUPER_MAGIC"}, {unix.PROC_SUPER_MAGIC, "PROC_SUPER_MAGIC"}, {unix.TMPFS_MAGIC, "TMPFS_MAGIC"},
	{unix.SYSFS_MAGIC, "SYSFS_MAGIC"}, {unix.DEVPTS_SUPER_MAGIC, "DEVPTS_SUPER_MAGIC"}, {unix.OVERLAYFS_SUPER_MAGIC, "OVERLAYFS_SUPER_MAGIC"}, {unix.BTRFS_SUPER_MAGIC, "BTRFS_SUPER_MAGIC"},
	{unix.XFS_SUPER_MAGIC, "XFS_SB_MAGIC"}, {unix.NFS_SUPER_MAGIC, "NFS_SUPER_MAGIC"}, {unix.CGROUP_SUPER_MAGIC, "CGROUP_SUPER_MAGIC"}, {unix.CGROUP2_SUPER_MAGIC, "CGROUP2_SUPER_MAGIC"},
	{unix.SQUASHFS_MAGIC, "SQUASHFS_MAGIC"}, {unix.RAMFS_MAGIC, "RAMFS_MAGIC"}, {unix.FUSE_SUPER_MAGIC, "FUSE_SUPER_MAGIC"}, {unix.HUGETLBFS_MAGIC, "HUGETLBFS_MAGIC"},
	{unix.NSFS_MAGIC, "NSFS_MAGIC"}, {unix.V9FS_MAGIC, "V9FS_MAGIC"}}}

var mountFlags = flagSet{names: []name{{0x20, "ST_VALID"}, {unix.ST_RDONLY, "ST_RDONLY"}, {unix.ST_NOSUID, "ST_NOSUID"}, {unix.ST_NODEV, "ST_NODEV"}, {unix.ST_NOEXEC, "ST_NOEXEC"},
	{unix.ST_SYNCHRONOUS, "ST_SYNCHRONOUS"}, {unix.ST_MANDLOCK, "ST_MANDLOCK"}, {unix.ST_NOATIME, "ST_NOATIME"}, {unix.ST_NODIRATIME, "ST_NODIRATIME"}, {unix.ST_RELATIME, "ST_RELATIME"},
	{0x2000, "ST_NOSYMFOLLOW"}}}

var fileAttributes = flagSet{names: []name{{unix.STATX_ATTR_COMPRESSED, "STATX_ATTR_COMPRESSED"}, {unix.STATX_ATTR_IMMUTABLE, "STATX_ATTR_IMMUTABLE"}, {unix.STATX_ATTR_APPEND, "STATX_ATTR_APPEND"},
	{unix.STATX_ATTR_NODUMP, "STATX_ATTR_NODUMP"}, {unix.STATX_ATTR_ENCRYPTED, "STATX_ATTR_ENCRYPTED"}, {unix.STATX_ATTR_AUTOMOUNT, "STATX_ATTR_AUTOMOUNT"},
	{unix.STATX_ATTR_MOUNT_ROOT, "STATX_ATTR_MOUNT_ROOT"}, {unix.STATX_ATTR_VERITY, "STATX_ATTR_VERITY"}, {unix.STATX_ATTR_DAX, "STATX_ATTR_DAX"}}}

func formatStatfs(b []byte) string {
	le := binary.LittleEndian
	n := func(i int) uint64 { return le.Uint64(b[8*i:]) }
	return fmt.Sprintf("{f_type=%s, f_bsize=%d, f_blocks=%d, f_bfree=%d, f_bavail=%d, f_files=%d, f_ffree=%d, f_fsid={val=[%s, %s]}, f_namelen=%d, f_frsize=%d, f_flags=%s}",
		fileSystems.format(n(0)), n(1), n(2), n(3), n(4), n(5), n(6), shortHex(uint64(le.Uint32(b[56:]))), shortHex(uint64(le.Uint32(b[60:]))), n(8), n(9), mountFlags.format(n(10)))
}

func formatSysinfo(b []byte) string {
	le := binary.LittleEndian
	n := func(i int) uint64 { return le.Uint64(b[8*i:]) }
	return fmt.Sprintf("{uptime=%d, loads=[%d, %d, %d], totalram=%d, freeram=%d, sharedram=%d, bufferram=%d, totalswap=%d, freeswap=%d, procs=%d, totalhigh=%d, freehigh=%d, mem_unit=%d}",
		n(0), n(1), n(2), n(3), n(4), n(5), n(6), n(7), n(8), n(9), le.Uint16(b[80:]), n(11), n(12), le.Uint32(b[104:]))
}
