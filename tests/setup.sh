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
guests=$(dirname "$0")/../bin/guests/debian

# Debian's arm64 busybox and musl, unpacked without touching the system: apt works in
# a directory of its own, as if the machine were arm64.
fetch_arm64() {
	[ -e "$guests/bin/busybox" ] && [ -e "$guests/usr/lib/aarch64-linux-musl/libc.a" ] && return
	d=$(mktemp -d)
	mkdir -p "$d/lists/partial" "$d/cache/archives/partial" "$guests"
	apt="apt-get -qq -o Dir::State::lists=$d/lists -o Dir::Cache=$d/cache -o Dir::State::status=/dev/null -o APT::Architecture=arm64 -o APT::Architectures::=arm64 -o APT::Sandbox::User=root"
	if $apt update && (cd "$d" && $apt download busybox-static musl musl-dev); then
		for deb in "$d"/*.deb; do dpkg-deb -x "$deb" "$guests"; done
	else
		echo "setup: no arm64 busybox-static, musl and musl-dev to be had; TestShell and TestMusl will be skipped" >&2
	fi
	rm -rf "$d"
}

# Debian's arm64 strace and gdb with what they need, in a root of their own.
fetch_debuggers() {
	root=$(dirname "$guests")/debuggers
	[ -e "$root/usr/bin/gdb" ] && [ -e "$root/usr/bin/strace" ] && [ -e "$root/bin/sh" ] && return
	d=$(mktemp -d)
	mkdir -p "$d/lists/partial" "$d/cache/archives/partial" "$root"
	apt="apt-get -qq -o Dir::State::lists=$d/lists -o Dir::Cache=$d/cache -o Dir::State::status=/dev/null -o APT::Architecture=arm64 -o APT::Architectures::=arm64 -o APT::Sandbox::User=root"
	if $apt update && $apt install -y --download-only --no-install-recommends dash coreutils strace gdb; then
		for deb in "$d"/cache/archives/*.deb; do dpkg-deb -x "$deb" "$root"; done
	else
		echo "setup: no arm64 strace and gdb to be had; TestStrace and TestGdb will be skipped" >&2
	fi
	rm -rf "$d"
}
# The newest qemu-user, of Debian's unstable: the judge of what older ones lack or do in another way.
fetch_qemu() {
	dir=$(dirname "$0")/../bin/qemu
	[ -x "$dir/qemu-aarch64" ] && return
	mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | grep '/debian/$' | head -n 1)
	d=$(mktemp -d)
	mkdir -p "$d/lists/partial" "$d/cache/archives/partial" "$dir"
	echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror unstable main" >"$d/sources.list"
	apt="apt-get -qq -o Dir::Etc::SourceList=$d/sources.list -o Dir::Etc::SourceParts=/dev/null -o Dir::State::lists=$d/lists -o Dir::Cache=$d/cache -o Dir::State::status=/dev/null -o APT::Sandbox::User=root"
	if [ -n "$mirror" ] && $apt update && (cd "$d" && $apt download qemu-user && dpkg-deb -x qemu-user_*.deb .); then
		cp "$d/usr/bin/qemu-aarch64" "$dir/"
	else
		echo "setup: no qemu-user of Debian unstable to be had; tests that want a newer one than there is will be skipped" >&2
	fi
	rm -rf "$d"
}
if command -v apt-get >/dev/null 2>&1; then
	fetch_arm64
	fetch_debuggers
	fetch_qemu
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
