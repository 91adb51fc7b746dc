#!/bin/sh
# Runs every fuzz target of the project for the given time each (default 60s).
set -eu
time=${1:-60s}
for pkg in $(go list ./...); do
	for target in $(go test -list '^Fuzz' "$pkg" 2>/dev/null | grep '^Fuzz' || true); do
		echo "== $pkg $target"
		go test -run XXX -fuzz "^$target\$" -fuzztime "$time" "$pkg"
	done
done
