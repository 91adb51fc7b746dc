#!/bin/sh
# Installs what the tests use besides Go: the arm64 cross compiler and binutils,
# qemu-user and libunicorn as judges. Debian and its relatives only; elsewhere it
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
[ -e /usr/src/gcc-12 ] || need="$need gcc-12-source"
[ -e /usr/lib/x86_64-linux-gnu/libunicorn.so.2 ] || need="$need libunicorn2"
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
