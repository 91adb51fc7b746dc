package syscalls

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"emu/cpu"
	"emu/internal/forkall"

	"golang.org/x/sys/unix"
)

// RLIMIT_DATA and RLIMIT_AS would count emu's own memory on the host, so the
// guest has its own, which cpu.Memory enforces: those that emu has inherited, until it sets others.
func (p *Process) ownLimit(resource uint64) *unix.Rlimit {
	switch resource {
	case unix.RLIMIT_DATA:
		return &p.limits[0]
	case unix.RLIMIT_AS:
		return &p.limits[1]
	}
	return nil
}

func (t *Task) prlimit(resource, newAddr, oldAddr uint64) int64 {
	if resource == unix.RLIMIT_NPROC && t.p.sharer == nil {
		return t.processLimit(newAddr, oldAddr)
	}
	own := t.p.ownLimit(resource)
	if own == nil {
		for _, addr := range []*uint64{&newAddr, &oldAddr} {
			if *addr != 0 {
				t.whole(addr, 16)
			}
		}
		return t.host(unix.SYS_PRLIMIT64, &Args{0, resource, newAddr, oldAddr})
	}
	t.p.mu.Lock()
	defer t.p.mu.Unlock()
	old := *own
	if newAddr != 0 {
		lim, e := load[unix.Rlimit](t.p, newAddr)
		switch {
		case e != 0:
			return fail(e)
		case lim.Cur > lim.Max:
			return fail(unix.EINVAL)
		case lim.Max > own.Max && unix.Geteuid() != 0:
			return fail(unix.EPERM)
		}
		*own = lim
		t.p.limitMemory()
	}
	if oldAddr != 0 {
		return fail(save(t.p, oldAddr, old))
	}
	return 0
}

// processLimit is prlimit for RLIMIT_NPROC, which is not to hold Go's runtime.
func (t *Task) processLimit(newAddr, oldAddr uint64) int64 {
	old, e := forkall.ProcessLimit()
	if e == 0 && newAddr != 0 {
		var to unix.Rlimit
		if to, e = load[unix.Rlimit](t.p, newAddr); e == 0 {
			e = forkall.SetProcessLimit(to, capable(unix.CAP_SYS_RESOURCE))
		}
	}
	if e == 0 && oldAddr != 0 {
		e = save(t.p, oldAddr, old)
	}
	return fail(e)
}

// limitsFile is /proc/PID/limits (proc_pid_limits(5)) with the limits that are the guest's own.
func (p *Process) limitsFile(host string) ([]byte, bool) {
	text, err := p.readHostProc(host)
	if err != nil {
		return nil, false
	}
	own := map[string]unix.Rlimit{"Max data size": p.limits[0], "Max address space": p.limits[1]}
	if lim, e := forkall.ProcessLimit(); e == 0 {
		own["Max processes"] = lim
	}
	shown := func(v uint64) string {
		if v == unix.RLIM_INFINITY {
			return "unlimited"
		}
		return strconv.FormatUint(v, 10)
	}
	const nameWidth, width = 25, 20
	var out []byte
	for line := range bytes.Lines(text) {
		name := strings.TrimRight(string(line[:min(len(line), nameWidth)]), " ")
		if lim, ok := own[name]; ok && len(line) > nameWidth+2*(width+1) {
			line = fmt.Appendf(nil, "%-*s %-*s %-*s%s", nameWidth, name, width, shown(lim.Cur), width, shown(lim.Max), line[nameWidth+2*(width+1):])
		}
		out = append(out, line...)
	}
	return out, true
}

// noLimits are Process.limits of a process that has none.
var noLimits = [2]unix.Rlimit{{Cur: unix.RLIM_INFINITY, Max: unix.RLIM_INFINITY}, {Cur: unix.RLIM_INFINITY, Max: unix.RLIM_INFINITY}}

// limitMemory makes the guest's own limits count.
func (p *Process) limitMemory() {
	data, space := p.limits[0], p.limits[1]
	l := cpu.Limits{Break: asLimit(data.Cur), Data: asLimit(data.Cur), AddressSpace: asLimit(space.Cur)}
	if data.Cur == 0 {
		l.Data = asLimit(data.Max) // the kernel has it so for Valgrind
	}
	p.Mem.SetLimits(l)
}

// asLimit is a limit in cpu.Limits' terms, where 0 means unlimited.
func asLimit(cur uint64) uint64 {
	switch cur {
	case unix.RLIM_INFINITY:
		return 0
	case 0:
		return 1
	}
	return cur
}

func sysGetrlimit(t *Task, a *Args) int64 {
	if a[1] == 0 {
		return fail(unix.EFAULT)
	}
	return t.prlimit(uint64(uint32(a[0])), 0, a[1])
}

func sysSetrlimit(t *Task, a *Args) int64 {
	if a[1] == 0 {
		return fail(unix.EFAULT)
	}
	return t.prlimit(uint64(uint32(a[0])), a[1], 0)
}

// sysPrlimit64 implements prlimit(2).
func sysPrlimit64(t *Task, a *Args) int64 {
	if pid := int(int32(a[0])); pid != 0 && pid != t.p.pid {
		return t.host(unix.SYS_PRLIMIT64, a)
	}
	return t.prlimit(uint64(uint32(a[1])), a[2], a[3])
}
