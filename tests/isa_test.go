package tests

import (
	"os/exec"
	"testing"
)

// TestPointerAuth runs the guest with each of the algorithms.
func TestPointerAuth(t *testing.T) {
	emu, guest := emuPath(t), build(t, "guest/isa/pauth.c", arm64, "-O1")
	for _, cpu := range []string{"max", "max,pauth-qarma3=on", "max,pauth-qarma5=on"} {
		for _, tier := range []string{"interp", "1", "2"} {
			if got := run(t, "", emu, "-tier="+tier, "-cpu="+cpu, guest); got.stdout != "ok\n" {
				t.Errorf("-tier=%s -cpu=%s: %s%s", tier, cpu, got.stdout, got.stderr)
			}
		}
	}
}

// TestExclusivesIgnoreTags is a bug that was: generated code compared the monitor's
// address with its tag, so that no store-exclusive through a tagged pointer
// succeeded.
func TestExclusivesIgnoreTags(t *testing.T) {
	const want = "plain 1\nstore tagged 1\nload tagged 1\nboth tagged 1\n5\n"
	emu, guest := emuPath(t), build(t, "guest/isa/exclusive.c", arm64, "-O1")
	for _, tier := range []string{"interp", "1", "2"} {
		if got := run(t, "", emu, "-tier="+tier, guest); got.stdout != want {
			t.Errorf("-tier=%s: %s%s", tier, got.stdout, got.stderr)
		}
	}
}

// TestModelsAgainstQemu compares the models that are whole in both: HWCAPs,
// identification registers, and which instructions are undefined.
func TestModelsAgainstQemu(t *testing.T) {
	emu, guest := emuPath(t), build(t, "guest/isa/models.c", arm64, "-O1")
	qemu := need(t, "qemu-aarch64", "qemu-user")
	if newer, err := exec.LookPath("qemu-aarch64-11"); err == nil {
		qemu = newer
	}
	for _, cpu := range []string{"cortex-a35", "cortex-a53", "cortex-a55", "cortex-a57", "cortex-a72", "cortex-a76", "neoverse-n1"} {
		want := run(t, "", qemu, "-cpu", cpu, guest)
		if got := run(t, "", emu, "-cpu", cpu, guest); got.stdout != want.stdout {
			t.Errorf("%s: got\n%swant\n%s", cpu, got.stdout, want.stdout)
		}
	}
}
