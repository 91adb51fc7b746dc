package syscalls

import (
	"fmt"
	"io"
	"strings"
	"sync"

	"emu/internal/hostsig"

	"golang.org/x/sys/unix"
)

// Tracer writes system calls and signals the way strace(1) does. A line whose
// call has not returned when another thread has something to say is left as
// unfinished and resumed later.
type Tracer struct {
	mu      sync.Mutex
	w       io.Writer
	open    *Task          // whose line is unfinished
	resumed map[*Task]bool // tasks whose line was left unfinished
	many    bool           // more than one thread has been seen: print ids
	last    *Task
}

// NewTracer traces to w.
func NewTracer(w io.Writer) *Tracer { return &Tracer{w: w, resumed: map[*Task]bool{}} }

// prefix finishes another thread's open line and starts one for t.
func (tr *Tracer) prefix(t *Task) string {
	var b strings.Builder
	if tr.open != nil && tr.open != t {
		b.WriteString(" <unfinished ...>\n")
		tr.resumed[tr.open] = true
		tr.open = nil
	}
	if tr.last != nil && tr.last != t {
		tr.many = true
	}
	tr.last = t
	if tr.many {
		fmt.Fprintf(&b, "[pid %5d] ", t.tid)
	}
	return b.String()
}

// enter prints a call up to the first argument that the kernel fills in.
func (tr *Tracer) enter(t *Task, row *Row) {
	text := row.Name + "(" + t.formatArgs(row, 0, 0, false)
	tr.mu.Lock()
	defer tr.mu.Unlock()
	p := tr.prefix(t)
	if row.noReturn {
		tail := ") = ?\n"
		if row.Nr == 139 {
			tail = "{mask=" + sigset(t.frameMask()) + "}) = ?\n"
		}
		io.WriteString(tr.w, p+text+tail)
		return
	}
	io.WriteString(tr.w, p+text)
	tr.open = t
}

// resultColumn is where strace aligns results.
const resultColumn = 40

// exit prints the rest of the line.
func (tr *Tracer) exit(t *Task, row *Row, r int64) {
	if row.noReturn {
		return
	}
	rest := t.formatArgs(row, firstOutArg(row), r, true) + ")"
	pad := max(1, resultColumn-len("(")-len(row.Name)-len(rest)-len(t.formatArgs(row, 0, 0, false)))
	line := rest + strings.Repeat(" ", pad) + "= " + t.formatResult(row, r) + "\n"
	tr.mu.Lock()
	defer tr.mu.Unlock()
	if tr.resumed[t] {
		delete(tr.resumed, t)
		line = tr.prefix(t) + "<... " + row.Name + " resumed>" + line
	} else if tr.open != t {
		line = tr.prefix(t) + line
	}
	tr.open = nil
	io.WriteString(tr.w, line)
}

func (t *Task) formatResult(row *Row, r int64) string {
	switch {
	case t.restart == restartSys:
		return "? ERESTARTSYS (To be restarted if SA_RESTART is set)"
	case t.restart == restartNoHand:
		return "? ERESTARTNOHAND (To be restarted if no handler)"
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
	case row.Name == "fcntl" && r > 0 && t.call.args[1] == unix.F_GETFL:
		return fmt.Sprintf("%#x (flags %s)", r, flagSets[OpenFlags].format(uint64(r)))
	}
	return fmt.Sprint(r)
}

// signal prints a signal that is being delivered.
func (tr *Tracer) signal(t *Task, sig int, info *hostsig.Info) {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	fmt.Fprintf(tr.w, "%s--- %s %s ---\n", tr.prefix(t), signalName(sig), formatSiginfo(info[:]))
}

// forked makes the tracer that of a forked child: other threads' lines are not
// its own to finish.
func (tr *Tracer) forked() {
	tr.open, tr.last, tr.many = nil, nil, true
	clear(tr.resumed)
}

// killed prints the end of the process by a signal.
func (tr *Tracer) killed(t *Task, sig int, dumped bool) {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	core := ""
	if dumped {
		core = " (core dumped)"
	}
	fmt.Fprintf(tr.w, "%s+++ killed by %s%s +++\n", tr.prefix(t), signalName(sig), core)
}

// exited prints the end of a thread or of the process.
func (tr *Tracer) exited(t *Task, status int) {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	fmt.Fprintf(tr.w, "%s+++ exited with %d +++\n", tr.prefix(t), status&0xff)
	delete(tr.resumed, t)
}

// firstOutArg is the index of the first argument printed after the call.
func firstOutArg(row *Row) int {
	for i, k := range row.Args {
		if k.isOut() {
			return i
		}
	}
	return len(row.Args)
}
