package tests

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// soakConfigs are the ways of running that shake the code cache and the background
// compiler most: caches that overflow again and again, and regions that replace
// blocks almost at once.
var soakConfigs = []string{
	"-hot 20",
	"-hot 1 -cache-size 1M",
	"-hot 200 -cache-size 2M",
	"-tier 1 -cache-size 1M",
	"-tier 2 -cache-size 1M",
}

// soakTime is how long TestSoak runs: EMU_SOAK (a duration of package time; make
// soak says 30m) or a few seconds.
func soakTime(t *testing.T) time.Duration {
	v := os.Getenv("EMU_SOAK")
	if v == "" {
		return 10 * time.Second
	}
	d, err := time.ParseDuration(v)
	if err != nil {
		t.Fatalf("EMU_SOAK: %v", err)
	}
	return d
}

// TestSoak runs kernels in random order under changing configurations, two at a
// time, and compares each run with the native program. A failure names the seed,
// which EMU_SOAK_SEED repeats.
func TestSoak(t *testing.T) {
	emu := emuPath(t)
	end := time.Now().Add(soakTime(t))
	seed := uint64(time.Now().UnixNano())
	if v := os.Getenv("EMU_SOAK_SEED"); v != "" {
		var err error
		if seed, err = strconv.ParseUint(v, 0, 64); err != nil {
			t.Fatalf("EMU_SOAK_SEED: %v", err)
		}
	}
	for worker := range uint64(2) {
		t.Run(strconv.FormatUint(worker, 10), func(t *testing.T) {
			t.Parallel()
			r, runs := rand.New(rand.NewPCG(seed, worker)), 0
			for ; !t.Failed() && (runs == 0 || time.Now().Before(end)); runs++ {
				k := kernels[r.IntN(len(kernels))]
				flags := soakConfigs[r.IntN(len(soakConfigs))]
				soak(t, emu, k.src, strings.Fields(k.jit), flags)
			}
			t.Logf("seed %d: %d runs", seed, runs)
		})
	}
}

func soak(t *testing.T, emu, src string, args []string, flags string) {
	path := filepath.Join("kernels", src)
	guest := build(t, path, arm64, kernelFlags(t, path, arm64)...)
	host := build(t, path, native, kernelFlags(t, path, native)...)
	want := run(t, "", append([]string{host}, args...)...)
	argv := append(strings.Fields(flags), append([]string{guest}, args...)...)
	same(t, src+" "+flags, run(t, "", append([]string{emu}, argv...)...), want)
}
