package syscalls

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"emu/internal/hostsig"

	"golang.org/x/sys/unix"
)

// Tracer writes system calls and signals the way strace(1) -f does. A line whose
// call has not returned when another thread has something to say is left as
// unfinished and resumed later.
type Tracer struct {
	mu      sync.Mutex
	w       io.Writer
	share   *traceShare
	fd      int                 // share's file, -1 if it is this process's alone
	lines   map[*Task]uint64    // the number of the line of the call that a task is in
	again   map[*Task]*returned // from calls that may start again unseen
	last    *Task
	newborn *Task // comes out of a fork that it did not make
}

// traceShare is what the processes that write to the same place know of each other:
// they are forked with the mapping and execute programs with the file.
type traceShare struct {
	many  uint64 // 1: more than one thread has been seen: print ids
	lines uint64 // begun so far, which numbers them
	open  uint64 // the number of the one that goes on, 0: none
	pid   uint64 // the process that began the trace
}

// returned is what there is to tell of a call that has returned. If it was interrupted and
// starts again with no signal to be seen, there is nothing: emu interrupted it for itself.
type returned struct {
	row    *Row
	pc     uint64
	begin  string // what enter printed
	rest   string
	result string
}

// lockPatience is how long an event waits for another process's. One that is stopped in the middle of its own, by its tracer
// or SIGSTOP, goes on only when others do, whose lines are then printed into it.
const lockPatience = 100 * time.Millisecond

// lock begins an event: no other process writes until unlock, unless it has lost patience.
func (tr *Tracer) lock() {
	tr.mu.Lock()
	deadline := time.Now().Add(lockPatience)
	for wait := 20 * time.Microsecond; tr.fd >= 0 && !tr.lockFile(unix.F_WRLCK) && time.Now().Before(deadline); wait = min(2*wait, time.Millisecond) {
		pause := unix.NsecToTimespec(int64(wait))
		unix.Nanosleep(&pause, nil) // a young child has no thread for time.Sleep
	}
}

func (tr *Tracer) unlock() {
	if tr.fd >= 0 {
		tr.lockFile(unix.F_UNLCK)
	}
	tr.mu.Unlock()
}

// lockFile makes use of the fact that the kernel unlocks for a process that is killed. It is false if another process has the lock.
func (tr *Tracer) lockFile(kind int16) bool {
	err := unix.FcntlFlock(uintptr(tr.fd), unix.F_SETLK, &unix.Flock_t{Type: kind})
	return err != unix.EAGAIN && err != unix.EACCES
}

// prefix finishes the open line and starts one for t.
func (tr *Tracer) prefix(t *Task) string {
	var b strings.Builder
	if tr.share.open != 0 {
		b.WriteString(" <unfinished ...>\n")
		tr.share.open = 0
	}
	if tr.last != nil && tr.last != t {
		tr.share.many = 1
	}
	tr.last = t
	b.WriteString(tr.thread(t))
	return b.String()
}

// thread is what lines of t begin with.
func (tr *Tracer) thread(t *Task) string {
	if tr.share.many == 0 {
		return ""
	}
	return fmt.Sprintf("[pid %5d] ", t.tid)
}

// begin is what the line of t's call starts with: up to the first argument that the
// kernel fills in.
func (t *Task) begin(row *Row) string { return row.Name + "(" + t.formatArgs(row, 0, 0, false) }

// enter prints a call up to the first argument that the kernel fills in.
func (tr *Tracer) enter(t *Task, row *Row) {
	text := t.begin(row)
	tr.lock()
	defer tr.unlock()
	if c := tr.again[t]; c != nil && c.row == row && c.pc == t.State.PC {
		delete(tr.again, t)
		return
	}
	before := tr.interrupted(t) + tr.prefix(t)
	if row.noReturn {
		c := &returned{rest: ")", result: "?"}
		if row.Nr == 139 {
			c.rest = "{mask=" + sigset(t.frameMask()) + "})"
		}
		io.WriteString(tr.w, before+text+c.end(tr.thread(t)+text))
		return
	}
	tr.share.lines++
	tr.share.open, tr.lines[t] = tr.share.lines, tr.share.lines
	io.WriteString(tr.w, before+text)
}

// resultColumn is where strace aligns results.
const resultColumn = 40

// exit prints the rest of the line.
func (tr *Tracer) exit(t *Task, row *Row, r int64) {
	if row.noReturn {
		return
	}
	c := &returned{row, t.State.PC, t.begin(row), t.formatArgs(row, firstOutArg(row), r, true) + ")", t.formatResult(row, r)}
	tr.lock()
	defer tr.unlock()
	switch {
	case tr.newborn == t: // it is the parent's call
		tr.newborn = nil
	case t.restart != noRestart:
		tr.again[t] = c
	case tr.lines[t] == 0: // an execve that failed after all
		io.WriteString(tr.w, tr.prefix(t)+c.begin+c.end(tr.thread(t)+c.begin))
	default:
		io.WriteString(tr.w, tr.end(t, c))
	}
}

// end is the rest of a line that begins like that.
func (c *returned) end(begin string) string {
	pad := max(1, resultColumn-len(begin)-len(c.rest))
	return c.rest + strings.Repeat(" ", pad) + "= " + c.result + "\n"
}

// end is the rest of t's line, which is open or has to be resumed.
func (tr *Tracer) end(t *Task, c *returned) string {
	number := tr.lines[t]
	delete(tr.lines, t)
	if tr.share.open == number {
		tr.share.open = 0
		return c.end(tr.thread(t) + c.begin)
	}
	resumed := "<... " + c.row.Name + " resumed>"
	return tr.prefix(t) + resumed + c.end(tr.thread(t)+resumed)
}

// interrupted is the end of a call of t's that was interrupted, and that did not start
// again at once.
func (tr *Tracer) interrupted(t *Task) string {
	c := tr.again[t]
	if c == nil {
		return ""
	}
	delete(tr.again, t)
	return tr.end(t, c)
}

func (t *Task) formatResult(row *Row, r int64) string {
	switch {
	case t.restart == restartSys:
		return "? ERESTARTSYS (To be restarted if SA_RESTART is set)"
	case t.restart == restartNoHand:
		return "? ERESTARTNOHAND (To be restarted if no handler)"
	case t.restart == restartBlock, t.restart == restartEntered:
		return "? ERESTART_RESTARTBLOCK (Interrupted by signal)"
	case t.restart == restartAlways:
		return "? ERESTARTNOINTR (To be restarted)"
	case r < 0 && r >= -maxErrno:
		return "-1 " + errnoText(unix.Errno(-r))
	case row.Ret == Addr || row.Ret == Hex:
		return hex(uint64(r))
	case row.Ret == Mode:
		return fmt.Sprintf("%#03o", r)
	case row.Ret.isFlags():
		return fmt.Sprintf("%d (%s)", r, flagSets[row.Ret].format(uint64(r)))
	}
	if c := callFormatOf(row); c.result != nil {
		return c.result(t, r)
	}
	return fmt.Sprint(r)
}

// signal prints a signal that is being delivered.
func (tr *Tracer) signal(t *Task, sig int, info *hostsig.Info) {
	tr.event(t, fmt.Sprintf("--- %s %s ---\n", signalName(sig), formatSiginfo(info[:])))
}

// killed prints the end of the process by a signal.
func (tr *Tracer) killed(t *Task, sig int, dumped bool) {
	core := ""
	if dumped {
		core = " (core dumped)"
	}
	tr.event(t, fmt.Sprintf("+++ killed by %s%s +++\n", signalName(sig), core))
}

// exited prints the end of a thread or of the process.
func (tr *Tracer) exited(t *Task, status int) {
	tr.event(t, fmt.Sprintf("+++ exited with %d +++\n", status&0xff))
	tr.mu.Lock()
	defer tr.mu.Unlock()
	delete(tr.lines, t)
}

// event prints a line that is no call's.
func (tr *Tracer) event(t *Task, line string) {
	tr.lock()
	defer tr.unlock()
	before := tr.interrupted(t)
	io.WriteString(tr.w, before+tr.prefix(t)+line)
}

// forked makes the tracer that of a forked child, whose only task is t.
func (tr *Tracer) forked(t *Task) {
	clear(tr.lines)
	clear(tr.again)
	tr.last, tr.newborn = nil, t
	tr.share.many = 1
}

// firstOutArg is the index of the first argument printed after the call.
func firstOutArg(row *Row) int {
	if c := callFormatOf(row); c.after != 0 {
		return c.after
	}
	for i, k := range row.Args {
		if k.isOut() {
			return i
		}
	}
	return len(row.Args)
}
