#!/bin/sh
# Runs every fuzz target of the project for the given time each (default 60s), or with 1x once, which tells whether
# they link: code that counts its branches has larger frames, which once made forkall.Fork's stack too deep.
set -eu
time=${1:-60s}
for pkg in $(go list ./...); do
	for target in $(go test -list '^Fuzz' "$pkg" 2>/dev/null | grep '^Fuzz' || true); do
		echo "== $pkg $target"
		go test -run XXX -fuzz "^$target\$" -fuzztime "$time" "$pkg"
	done
done
