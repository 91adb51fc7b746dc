package profile

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
)

// reported is how many units and functions a report shows.
const reported = 20

// WriteReport prints the functions and the units in which the program spent its
// time, the units with their guest code. A unit is a basic block in tier 1 and
// a loop nest or a function in tier 2.
func (p *Profiler) WriteReport(w io.Writer) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.notice()
	var total int64
	type line struct {
		unit *Unit
		pc   uint64
	}
	at := map[*Unit]int64{}       // time of the samples in a unit
	lines := map[line]int64{}     // and at an instruction
	byName := map[string]*hotFn{} // and in a function, with and without callees
	for _, s := range p.samples {
		total += s.time
		if u := p.unitOf(s.stack[0]); u != nil {
			at[u] += s.time
			lines[line{u, s.stack[0]}] += s.time
		}
		seen := map[string]bool{}
		for i, pc := range s.stack {
			if i > 0 {
				pc -= 4
			}
			name := p.symbols.function(pc)
			f := byName[name]
			if f == nil {
				f = &hotFn{name: name}
				byName[name] = f
			}
			if i == 0 {
				f.self += s.time
			}
			if !seen[name] {
				seen[name] = true
				f.all += s.time
			}
		}
	}
	var out strings.Builder
	fmt.Fprintf(&out, "hot: %d ms of processor time in %d samples\n\n", total/1e6, p.count())
	fmt.Fprintf(&out, "%7s %7s  %s\n", "self", "all", "function")
	for _, f := range hottestFunctions(byName) {
		fmt.Fprintf(&out, "%6.1f%% %6.1f%%  %s\n", percent(f.self, total), percent(f.all, total), f.name)
	}
	for n, u := range p.hottestUnits(at) {
		fmt.Fprintf(&out, "\n#%d  %5.1f%%  tier %s, %s executions, %d guest instructions in %d bytes of host code, at %#x %s\n",
			n+1, percent(at[u], total), u.Tier, u.entries(), len(u.Guest), u.Host, u.PC, p.symbols.name(u.PC))
		for k, l := range u.Guest {
			if k > 0 && l.PC != u.Guest[k-1].PC+4 {
				fmt.Fprintf(&out, "%7s ...\n", "")
			}
			share := ""
			if t := lines[line{u, l.PC}]; t > 0 {
				share = fmt.Sprintf("%.1f%%", percent(t, total))
			}
			fmt.Fprintf(&out, "%7s %#12x  %08x  %s\n", share, l.PC, l.Word, l.Text)
		}
	}
	_, err := io.WriteString(w, out.String())
	return err
}

// hotFn is a function with its processor time in ns.
type hotFn struct {
	name      string
	self, all int64
}

func hottestFunctions(byName map[string]*hotFn) []*hotFn {
	var list []*hotFn
	for _, f := range byName {
		list = append(list, f)
	}
	slices.SortFunc(list, func(a, b *hotFn) int {
		return cmp.Or(cmp.Compare(b.self, a.self), cmp.Compare(b.all, a.all), cmp.Compare(a.name, b.name))
	})
	return list[:min(len(list), reported)]
}

// hottestUnits orders units by their time, then by their executions. Those without
// either are left out.
func (p *Profiler) hottestUnits(time map[*Unit]int64) []*Unit {
	list := slices.DeleteFunc(slices.Clone(p.units), func(u *Unit) bool { return time[u] == 0 && u.executions() == 0 })
	slices.SortStableFunc(list, func(a, b *Unit) int {
		return cmp.Or(cmp.Compare(time[b], time[a]), cmp.Compare(b.executions(), a.executions()), cmp.Compare(a.PC, b.PC))
	})
	return list[:min(len(list), reported)]
}

// entries is how often the unit was entered, as text.
func (u *Unit) entries() string {
	if u.Executions == nil {
		return "uncounted"
	}
	return fmt.Sprint(u.executions())
}

func (p *Profiler) count() (n int64) {
	for _, s := range p.samples {
		n += s.count
	}
	return n
}

func percent(part, total int64) float64 {
	if total == 0 {
		return 0
	}
	return 100 * float64(part) / float64(total)
}
