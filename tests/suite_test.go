package tests

import (
	"os/exec"
	"sync"
	"sync/atomic"
	"testing"
)

// suite runs many small programs that exit with 0 if all is well, two at a time.
type suite struct {
	t            *testing.T
	emu          string
	jobs         chan suiteJob
	wg           sync.WaitGroup
	ran, unbuilt atomic.Int64
}

// suiteJob is a program of a suite and the engines that run it; build returns its path, or
// false if the compiler does not take it.
type suiteJob struct {
	name  string
	tiers []string
	build func() (prog string, ok bool)
}

func newSuite(t *testing.T) *suite {
	s := &suite{t: t, emu: emuPath(t), jobs: make(chan suiteJob)}
	for range 2 {
		s.wg.Go(func() {
			for j := range s.jobs {
				s.do(j)
			}
		})
	}
	return s
}

func (s *suite) add(name string, tiers []string, build func() (prog string, ok bool)) {
	s.jobs <- suiteJob{name, tiers, build}
}

func (s *suite) do(j suiteJob) {
	prog, ok := j.build()
	if !ok {
		s.unbuilt.Add(1)
		return
	}
	for _, tier := range j.tiers {
		s.ran.Add(1)
		if out, err := exec.Command("timeout", "60", s.emu, "-tier", tier, prog).CombinedOutput(); err != nil {
			s.t.Errorf("%s -tier=%s: %v\n%s", j.name, tier, err, tail(string(out)))
		}
	}
}

// end waits for the programs and fails the test if fewer ran, or more were not built,
// than the suite has when all is well.
func (s *suite) end(leastRuns, mostUnbuilt int64) {
	close(s.jobs)
	s.wg.Wait()
	s.t.Logf("%d runs, %d programs not built", s.ran.Load(), s.unbuilt.Load())
	if s.ran.Load() < leastRuns || s.unbuilt.Load() > mostUnbuilt {
		s.t.Errorf("%d runs and %d programs not built: the suite is not what it should be", s.ran.Load(), s.unbuilt.Load())
	}
}
