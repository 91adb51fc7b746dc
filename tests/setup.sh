#!/bin/sh
# Installs what the tests use besides Go: the arm64 cross compiler and binutils, a
# second C library, qemu-user and libunicorn as judges. Debian and its relatives only; elsewhere it
# says what to install and lets the tests skip, loudly, what they cannot do.
set -eu
need=
want() { # command package
	command -v "$1" >/dev/null 2>&1 || need="$need $2"
}
want aarch64-linux-gnu-gcc "gcc-aarch64-linux-gnu libc6-dev-arm64-cross"
want aarch64-linux-gnu-g++ g++-aarch64-linux-gnu
want aarch64-linux-gnu-objdump binutils-aarch64-linux-gnu
want qemu-aarch64 qemu-user
want gcc gcc
want objdump binutils
want gdb-multiarch gdb-multiarch
[ -e /usr/src/gcc-12 ] || need="$need gcc-12-source"
[ -e /usr/lib/x86_64-linux-gnu/libunicorn.so.2 ] || need="$need libunicorn2"
want busybox busybox-static
want musl-gcc musl-tools
want csmith "csmith libcsmith-dev"
# fetch WHERE ARCH LIST COMMAND... unpacks the packages that an apt-get COMMAND downloads
# into the directory WHERE, without touching the system: apt works in a directory of its
# own, as on a machine of that architecture with nothing installed. LIST is a sources.list
# for a machine that has another, or empty.
fetch() {
	where=$(mkdir -p "$1" && cd "$1" && pwd) arch=$2 list=$3
	shift 3
	d=$(mktemp -d)
	mkdir -p "$d/lists/partial" "$d/cache/archives/partial"
	apt="apt-get -qq -o Dir::State::lists=$d/lists -o Dir::Cache=$d/cache -o Dir::State::status=/dev/null -o APT::Architecture=$arch -o APT::Architectures::=$arch -o APT::Sandbox::User=root"
	if [ -n "$list" ]; then
		echo "$list" >"$d/sources.list"
		apt="$apt -o Dir::Etc::SourceList=$d/sources.list -o Dir::Etc::SourceParts=/dev/null"
	fi
	ok=0
	if $apt update && (cd "$d" && $apt "$@"); then
		for deb in "$d"/*.deb "$d"/cache/archives/*.deb; do
			[ ! -e "$deb" ] || dpkg-deb -x "$deb" "$where"
		done
	else
		ok=1
	fi
	rm -rf "$d"
	return $ok
}
if command -v apt-get >/dev/null 2>&1; then
	bin=$(dirname "$0")/../bin
	# Programs of arm64, in roots of their own.
	guests=$bin/guests/debian
	[ -e "$guests/bin/busybox" ] && [ -e "$guests/usr/lib/aarch64-linux-musl/libc.a" ] ||
		fetch "$guests" arm64 "" download busybox-static musl musl-dev ||
		echo "setup: no arm64 busybox-static, musl and musl-dev to be had; TestShell and TestMusl will be skipped" >&2
	debuggers=$bin/guests/debuggers
	[ -e "$debuggers/usr/bin/gdb" ] && [ -e "$debuggers/usr/bin/strace" ] && [ -e "$debuggers/bin/sh" ] ||
		fetch "$debuggers" arm64 "" install -y --download-only --no-install-recommends dash coreutils strace gdb ||
		echo "setup: no arm64 strace and gdb to be had; TestStrace and TestGdb will be skipped" >&2
	# The newest qemu-user, of Debian's unstable: the judge of what older ones lack or do in another way.
	mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | grep '/debian/$' | head -n 1)
	[ -x "$bin/qemu/usr/bin/qemu-aarch64" ] ||
		fetch "$bin/qemu" amd64 "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror unstable main" download qemu-user &&
		find "$bin/qemu" ! -type d ! -name qemu-aarch64 -delete ||
		echo "setup: no qemu-user of Debian unstable to be had; tests that want a newer one than there is will be skipped" >&2
fi
[ -z "$need" ] && exit 0
if ! command -v apt-get >/dev/null 2>&1; then
	echo "setup: install these (Debian's names) for the full test suite:$need" >&2
	exit 0
fi
sudo=
[ "$(id -u)" = 0 ] || sudo=sudo
echo "setup: installing$need"
$sudo apt-get update -qq
DEBIAN_FRONTEND=noninteractive $sudo apt-get install -y -qq --no-install-recommends $need >/dev/null
