package tests

import (
	"strings"
	"testing"
)

// Stores by two threads to a page whose code a third one runs, see the guest.
func TestStoresNextToCode(t *testing.T) {
	emu, guest := emuPath(t), build(t, "guest/smc/stores.c", arm64, "-O1", "-pthread")
	for _, how := range []string{"-tier=1", "-tier=2", "-hot=1", "-cold=100"} {
		if got := run(t, "", emu, how, guest); got.stdout != "ok\n" {
			t.Errorf("%s: exit status %d: %s%s", how, got.status, got.stdout, got.stderr)
		}
	}
}

// Stores to the page of the code that makes them, see the guest.
func TestStoresToOwnPage(t *testing.T) {
	emu, guest := emuPath(t), build(t, "guest/smc/own.c", arm64, "-O1")
	for _, how := range []string{"-tier=1", "-tier=2", "-hot=1", "-cold=100", "-tier=interp"} {
		if got := run(t, "", emu, how, guest); got.stdout != "ok\n" {
			t.Errorf("%s: exit status %d: %s%s", how, got.status, got.stdout, got.stderr)
		}
	}
}

// Compare-and-swap loops on a word beside their own code, see the guest: made one access
// in tier 2, they tried for ever.
func TestCompareAndSwapOnOwnPage(t *testing.T) {
	emu, guest := emuPath(t), build(t, "guest/smc/cas.S", arm64, "-nostdlib", "-Wl,-N")
	for _, how := range []string{"-tier=1", "-tier=2", "-hot=1", "-cold=100", "-tier=interp", "-tier=interp2"} {
		if got := run(t, "", emu, how, guest); got.status != 7 {
			t.Errorf("%s: %v\n%s", how, got, got.stderr)
		}
	}
}

// Code at address 0, see the guest: it read as zeros, as 0 stood for no address.
func TestCodeInPageZero(t *testing.T) {
	emu, guest := emuPath(t), build(t, "guest/smc/page0.S", arm64, "-nostdlib", "-Wl,-Ttext=0,-z,max-page-size=4096,--build-id=none")
	for _, how := range []string{"-tier=1", "-tier=2", "-hot=1", "-cold=100", "-tier=interp", "-tier=interp2"} {
		got := run(t, "", emu, how, guest)
		if strings.Contains(got.stderr, "operation not permitted") {
			t.Skip("needs vm.mmap_min_addr=0, or root")
		}
		if got.status != 150 {
			t.Errorf("%s: %v\n%s", how, got, got.stderr)
		}
	}
}
