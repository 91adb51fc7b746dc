#!/bin/sh
# Runs a command line by bash of an arm64 root file system, in mount and process
# namespaces of its own with the root under an overlay, so that nothing of the machine or
# of the root changes.
#
#	enter.sh MODE ROOT EMULATOR WORK COMMAND
#
# MODE: sysroot   emu -L; the machine's own files can be seen where the root has none
#       chroot    emu copied into the root; no binfmt_misc
#       binfmt    emulator registered with binfmt_misc of a user namespace (Linux 6.7)
set -eu
if [ "${EMU_INSIDE:-}" = "" ] && [ "$(id -u)" = 0 ] && [ "$1" = binfmt ]; then
	# A user namespace that has all of the machine's users and groups, as root may make it:
	# unshare's process is this one, and the map is written from outside.
	outside=$(readlink "/proc/$$/ns/user")
	(
		while [ "$(readlink "/proc/$$/ns/user")" = "$outside" ]; do :; done
		for map in uid gid; do printf '0 0 4294967295' >"/proc/$$/${map}_map"; done
	) </dev/null >/dev/null 2>&1 &
	EMU_INSIDE=user exec unshare --user "$0" "$@"
fi
if [ "${EMU_INSIDE:-}" != root ]; then
	user=
	case ${EMU_INSIDE:-} in
	user) until grep -q . /proc/self/gid_map; do :; done ;; # from the next exec on this is root
	*) [ "$(id -u)" = 0 ] || user="--user --map-root-user" ;;
	esac
	# shellcheck disable=SC2086 # a list of words
	EMU_INSIDE=root exec unshare $user --mount --pid --fork --kill-child --mount-proc "$0" "$@"
fi
unset EMU_INSIDE
mode=$1 root=$2 emulator=$3 work=$4 command=$5
over=$(mktemp -d)
mount -t tmpfs -o mode=755 emu-debian "$over"
mkdir "$over/upper" "$over/workdir" "$over/root" "$over/binfmt"
mount -t overlay -o "userxattr,lowerdir=$root,upperdir=$over/upper,workdir=$over/workdir" emu-debian "$over/root"
root=$over/root
mount --rbind /dev "$root/dev"
mkdir "$root/t"
cp -R "$work/." "$root/t"
clean="/usr/bin/env -i PATH=/usr/bin:/usr/sbin HOME=/root LANG=C.UTF-8 USER=root"
case $mode in
sysroot)
	cd "$root/t"
	exec env -i PATH=/usr/bin:/usr/sbin HOME=/root LANG=C.UTF-8 USER=root "$emulator" -L "$root" -0 /bin/bash "$root/bin/bash" -c "cd /t; $command"
	;;
chroot)
	cp "$emulator" "$root/run/emu"
	mount -t proc proc "$root/proc"
	# shellcheck disable=SC2086
	exec chroot "$root" /run/emu $clean /bin/bash -c "cd /t; $command"
	;;
binfmt)
	mount -t proc proc "$root/proc"
	mount -t binfmt_misc binfmt_misc "$over/binfmt"
	printf '%s' ":arm64:M::\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00:\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff:$emulator:${EMU_BINFMT_FLAGS:-POCF}" >"$over/binfmt/register"
	# shellcheck disable=SC2086
	exec chroot "$root" $clean /bin/bash -c "cd /t; $command"
	;;
esac
