#!/bin/sh
# Builds an arm64 Debian root file system in DIRECTORY/root for TestDebian: packages
# fetched from Debian and unpacked, without running anything of theirs and without
# touching the system. apt works in a directory of its own, as if the machine were
# arm64. What is there already is kept; the list of packages is part of the name.
#
#	root.sh DIRECTORY PACKAGES [SUITE]
#
# PACKAGES is a file with one on each line, SUITE a release of Debian; without it the packages are those
# of the machine's own.
set -eu
top=$1 packages=$2 suite=${3:-}
list=$(grep -v '^#' "$packages" | tr '\n' ' ')
mkdir -p "$(dirname "$top")"
exec 9>"$top.lock"
flock 9 # make test begins it in the background
stamp=$top/$( (cat "$packages" "$0"; echo "$suite") | sha256sum | cut -c 1-16)
[ -e "$stamp" ] && exit 0
rm -rf "$top"
mkdir -p "$top/lists/partial" "$top/cache/archives/partial" "$top/root" "$top/control"
apt="apt-get -qq -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o Dir::State::Lists=$top/lists -o Dir::Cache=$top/cache -o Dir::State::status=/dev/null -o Debug::NoLocking=1 -o APT::Sandbox::User=root -o Acquire::Languages=none"
if [ -n "$suite" ]; then
	mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | grep '/debian/$' | head -n 1)
	echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $suite main" >"$top/sources.list"
	apt="$apt -o Dir::Etc::SourceList=$top/sources.list -o Dir::Etc::SourceParts=/dev/null"
fi
$apt update
# shellcheck disable=SC2086 # a list of words
$apt -d -y --no-install-recommends install $list >/dev/null

root=$top/root
# /bin, /sbin and /lib are links into /usr, which dpkg-deb -x would replace.
mkdir -p "$root/usr/bin" "$root/usr/sbin" "$root/usr/lib"
for d in bin sbin lib; do ln -s "usr/$d" "$root/$d"; done
printf '%s\n' "$top"/cache/archives/*.deb |
	xargs -P 2 -n 8 sh -c 'for deb; do dpkg-deb --fsys-tarfile "$deb" | tar -C "$0" -xv --keep-directory-symlink >"$deb.list"; done' "$root"
# The database of dpkg: everything installed, but for what TestDebian configures.
db=$root/var/lib/dpkg
mkdir -p "$db/info" "$db/updates" "$db/triggers" "$root/proc" "$root/sys" "$root/dev" "$root/tmp" "$root/run" "$root/root"
: >"$db/status"
for deb in "$top"/cache/archives/*.deb; do
	control=$top/control/$(basename "$deb" .deb)
	dpkg-deb -e "$deb" "$control"
	name=$(sed -n 's/^Package: //p' "$control/control")
	id=$name
	grep -q '^Multi-Arch: same' "$control/control" && id=$name:arm64
	state=installed
	case $name in dash | mawk | sed | hostname) state=unpacked ;; esac
	{
		sed -n "1p" "$control/control"
		echo "Status: install ok $state"
		sed "1d" "$control/control"
		[ -e "$control/conffiles" ] && [ "$state" = installed ] && {
			echo "Conffiles:"
			sed -n 's/^\(\/.*\)/ \1 newconffile/p' "$control/conffiles"
		}
		echo
	} >>"$db/status"
	sed 's,^\.,,; s,/$,,; s,^$,/.,' "$deb.list" >"$db/info/$id.list"
	for f in preinst postinst prerm postrm md5sums conffiles triggers shlibs; do
		[ -e "$control/$f" ] && cp "$control/$f" "$db/info/$id.$f"
	done
done
echo 1 >"$db/info/format"
: >"$db/available"
chmod 1777 "$root/tmp"
cp "$root/usr/share/base-passwd/passwd.master" "$root/etc/passwd"
cp "$root/usr/share/base-passwd/group.master" "$root/etc/group"
printf '127.0.0.1\tlocalhost\n::1\tlocalhost\n' >"$root/etc/hosts"
echo arm64 >"$root/etc/hostname"
# What maintainer scripts would have made: the alternatives that the commands use.
ln -sf mawk "$root/usr/bin/awk"
ln -sf dash "$root/usr/bin/sh"
for p in java javac; do
	for java in "$root"/usr/lib/jvm/java-*-openjdk-arm64/bin/$p; do
		[ ! -e "$java" ] || ln -sf "../lib/${java#"$root"/usr/lib/}" "$root/usr/bin/$p"
	done
done
for m in null:3 zero:5 full:7 random:8 urandom:9; do
	mknod -m 666 "$root/dev/${m%:*}" c 1 "${m#*:}" 2>/dev/null || : >"$root/dev/${m%:*}"
done
rm -rf "$top/cache" "$top/lists" "$top/control"
: >"$stamp"
