//go:build linux && amd64

package jit

import (
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"emu/cache"
	"emu/cpu"
	"emu/jit/asm/x64"
	"emu/tests/need"

	"golang.org/x/sys/unix"
)

// realCode maps the text of a static C program (hello.c and the parts of libc that
// it pulls in) as guest memory and returns where its blocks begin, in the order of
// a sweep through it. It does not run.
func realCode(t testing.TB) (mem *cpu.Memory, starts []uint64, insts int) {
	t.Helper()
	gcc := need.Tool(t, "aarch64-linux-gnu-gcc", "gcc-aarch64-linux-gnu")
	bin := filepath.Join(t.TempDir(), "hello")
	if out, err := exec.Command(gcc, "-O2", "-static", "-o", bin, "../tests/kernels/hello.c").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	f, err := os.Open(bin)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	program, err := elf.NewFile(f)
	if err != nil {
		t.Fatal(err)
	}
	text := program.Section(".text")
	skip := text.Offset % cpu.PageSize
	mem = cpu.NewMemory()
	at, errno := mem.Map(0, skip+text.Size, unix.PROT_READ|unix.PROT_EXEC, unix.MAP_PRIVATE, int(f.Fd()), int64(text.Offset-skip))
	if errno != 0 {
		t.Fatal(errno)
	}
	at += skip
	c := newCompiler(&Engine{mem: mem})
	for pc := at; pc < at+text.Size; {
		starts = append(starts, pc)
		size := c.unit(cache.Key{PC: pc}, &blockPlan, nil).Size
		insts += c.tr.Covered()
		pc += max(4, uint64(size))
	}
	return mem, starts, insts
}

// translator makes an engine that can translate and install but does not run.
func translator(t testing.TB, mem *cpu.Memory) (*Engine, *compiler) {
	t.Helper()
	e := &Engine{mem: mem}
	e.opts.Hot = DefaultHot
	e.opts.Host.Features, e.opts.Host.Pairing = hostFeatures(), true
	c, err := cache.New(cache.DefaultSize)
	if err != nil {
		t.Fatal(err)
	}
	e.cache = c
	e.stubs, _ = makeStubs(c, false, x64.Detect())
	e.hot = newHotQueue(e, false)
	return e, newCompiler(e)
}

// cpuTime is what the process has used of the processors: unlike the time that
// passed it means something on a machine that is busy otherwise.
func cpuTime(t testing.TB) time.Duration {
	t.Helper()
	var use unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &use); err != nil {
		t.Fatal(err)
	}
	return time.Duration(use.Utime.Nano() + use.Stime.Nano())
}

// BenchmarkTranslate measures what tier 1 does to code that is executed for the
// first time, from the guest's bytes to an installed unit.
func BenchmarkTranslate(b *testing.B) {
	mem, starts, insts := realCode(b)
	b.ReportAllocs()
	var cpu time.Duration
	for b.Loop() {
		b.StopTimer()
		_, c := translator(b, mem)
		from := cpuTime(b)
		b.StartTimer()
		for _, pc := range starts {
			c.compile(nil, cache.Key{PC: pc}, true)
		}
		cpu += cpuTime(b) - from
	}
	b.ReportMetric(float64(cpu)/float64(b.N)/float64(insts), "cpu-ns/guest-inst")
	b.ReportMetric(float64(insts)/float64(len(starts)), "guest-insts/unit")
}

// BenchmarkTranslateStages measures the same a stage at a time.
func BenchmarkTranslateStages(b *testing.B) {
	mem, starts, insts := realCode(b)
	_, c := translator(b, mem)
	stage := func(name string, run func(pc uint64)) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			from := cpuTime(b)
			for b.Loop() {
				for _, pc := range starts {
					run(pc)
				}
			}
			b.ReportMetric(float64(cpuTime(b)-from)/float64(b.N)/float64(insts), "cpu-ns/guest-inst")
		})
	}
	stage("ir", func(pc uint64) { c.unit(cache.Key{PC: pc}, &blockPlan, nil) })
	stage("code", func(pc uint64) {
		if _, err := c.build(cache.Key{PC: pc}, &countedPlan, nil); err != nil {
			b.Fatal(err)
		}
	})
}

// Translating allocates chunks for many blocks, nothing for each.
func TestTranslateAllocatesNothing(t *testing.T) {
	mem, starts, _ := realCode(t)
	_, c := translator(t, mem)
	all := starts
	one := func() {
		c.compile(nil, cache.Key{PC: starts[0]}, true)
		starts = starts[1:]
	}
	for len(starts) > len(all)/2 { // until the working memory has its size
		one()
	}
	if n := testing.AllocsPerRun(len(starts)-1, one); n != 0 {
		t.Errorf("%v allocations a unit", n)
	}
}
