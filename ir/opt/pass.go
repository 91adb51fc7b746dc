// Package opt holds the passes over the IR, one a file. Each takes a valid Func
// and leaves a valid one that computes the same.
package opt

import (
	"fmt"
	"slices"
	"strings"

	"emu/ir"
)

// Pass is one row of a tier's pipeline.
type Pass struct {
	Name     string
	Fn       func(w *Work, f *ir.Func)
	Required bool   // seed 000 lists it as required for tier 2
	Why      string // why it stands where it stands
}

// Work is the memory that passes share from unit to unit. It belongs to one
// goroutine.
type Work struct {
	spare   *ir.Func // what rebuilds go to; then it trades places with the unit
	builder *ir.Builder
	rebuild ir.Rebuilder
	scopes  ir.Structure
	regs    liveRegs
	mark    marker
	narrow  narrow
	copies  copyProp
	sink    sinker
	twins   twins
	remat   remat
	loads   loadElim
	pairs   pairs
	fences  fences

	exclusive exclusive
	bulk      bulk
}

// NewWork returns memory for Run.
func NewWork() *Work {
	f := ir.NewFunc(1024)
	return &Work{spare: f, builder: ir.NewBuilder(f)}
}

// Passes is the pipeline of tier 2.
var Passes = []Pass{
	{Name: "constfold", Fn: ConstFold, Required: true, Why: "arms that are never taken go before anything looks at them"},
	{Name: "exclusive", Fn: Exclusive, Why: "the loop around a pair goes with its arm, before anything looks at it"},
	{Name: "narrow", Fn: Narrow, Why: "what is only extended once more is a copy"},
	{Name: "copyprop", Fn: CopyProp, Required: true, Why: "a SET of what a register holds already is seen as one"},
	{Name: "getset", Fn: GetSet, Why: "SETs in an arm keep it from becoming a SELECT"},
	{Name: "loadelim", Fn: LoadElim, Why: "a LOAD keeps an arm from becoming a SELECT"},
	{Name: "fences", Fn: Fences, Why: "any place does"},
	{Name: "ifselect", Fn: IfSelect, Why: "leaves operands behind that DCE removes"},
	{Name: "pairs", Fn: Pairs, Why: "sink lets its vectors flow"},
	{Name: "sink", Fn: Sink, Why: "after ifselect: an IF whose flags flow in parts has more results than it flattens"},
	{Name: "twins", Fn: Twins, Why: "the operands that sink lets flow are mostly there already"},
	{Name: "remat", Fn: Remat, Why: "sink has the operands of flags flow, and twins leaves those that others are not"},
	{Name: "licm", Fn: LICM, Why: "flattened arms give it more to move"},
	{Name: "dce", Fn: DCE, Required: true, Why: "everything above leaves dead values"},
	{Name: "bulk", Fn: Bulk, Why: "it knows all that goes round a loop once what is dead is gone"},
	{Name: "shortcircuit", Fn: ShortCircuit, Why: "a rebuild would make one again of the conditions that it makes two of"},
	{Name: "compact", Fn: Compact, Why: "after the last pass that makes NOPs"},
}

// Without is Passes but for those that list names, separated by commas.
func Without(list string) ([]Pass, error) {
	passes := slices.Clone(Passes)
	for _, name := range strings.Split(list, ",") {
		n := slices.IndexFunc(passes, func(p Pass) bool { return p.Name == name })
		if n < 0 {
			var names []string
			for _, p := range Passes {
				names = append(names, p.Name)
			}
			return nil, fmt.Errorf("pass %q: want some of %s, once each", name, strings.Join(names, ", "))
		}
		passes = slices.Delete(passes, n, n+1)
	}
	return passes, nil
}

// order lists what has to stand before what, and why.
var order = []struct{ before, after, why string }{
	{"constfold", "exclusive", "checks of an address that was checked stand between a pair"},
	{"narrow", "copyprop", "an argument that is extended once more on the way around is that argument"},
	{"narrow", "dce", "replaced extensions are garbage"},
	{"exclusive", "copyprop", "what loops that are gone passed along is one value"},
	{"constfold", "getset", "registers written in dead arms would count"},
	{"copyprop", "getset", "a merged value that is the old one need not be set again"},
	{"copyprop", "dce", "replaced results and arguments are garbage"},
	{"getset", "ifselect", "an arm with a SET is not pure"},
	{"getset", "dce", "replaced GETs and the operands of dead SETs are garbage"},
	{"getset", "loadelim", "addresses are equal when the registers they come from are values"},
	{"loadelim", "ifselect", "a LOAD keeps an arm from becoming a SELECT"},
	{"ifselect", "licm", "a SELECT can move, an IF cannot"},
	{"ifselect", "sink", "an IF whose flags flow in parts has more results than it flattens"},
	{"loadelim", "pairs", "a load that another one makes superfluous is half of no pair"},
	{"pairs", "sink", "the lanes of its vectors flow as vectors"},
	{"pairs", "twins", "both lanes of a vector make it flow twice"},
	{"sink", "twins", "the operands that sink lets flow are mostly there already"},
	{"sink", "licm", "what it puts behind a header may not change in the loop"},
	{"twins", "remat", "an operand that is another argument as it is needs no operation"},
	{"pairs", "bulk", "it copies vectors"},
	{"sink", "bulk", "it looks for loops around which vectors flow"},
	{"dce", "bulk", "arguments that are dead are nothing that it knows"},
	{"bulk", "shortcircuit", "a rebuild makes one of the conditions that it makes two of"},
	{"remat", "dce", "operands that do not flow any more are garbage"},
	{"twins", "dce", "replaced results and arguments are garbage"},
	{"licm", "dce", "constants that moved may have made values dead"},
	{"constfold", "shortcircuit", "the condition of a SELECT of flags is a SELECT of conditions behind it"},
	{"dce", "shortcircuit", "a rebuild makes one of the conditions that it makes two of"},
	{"shortcircuit", "compact", "it makes NOPs"},
	{"ifselect", "dce", "yields that became SELECTs are garbage"},
	{"dce", "compact", "DCE makes NOPs"},
}

func init() {
	if err := CheckOrder(Passes); err != nil {
		panic("BUG: " + err.Error())
	}
}

// CheckOrder reports the first pass of a pipeline that stands in a wrong place.
func CheckOrder(passes []Pass) error {
	at := make(map[string]int)
	for n, p := range passes {
		if _, twice := at[p.Name]; !twice {
			at[p.Name] = n
		}
	}
	for _, c := range order {
		before, ok1 := at[c.before]
		after, ok2 := at[c.after]
		if ok1 && ok2 && before > after {
			return fmt.Errorf("opt: %s has to stand before %s: %s", c.before, c.after, c.why)
		}
	}
	return nil
}

// Run applies passes to f in their order. check, if not nil, is called after each
// of them: tests verify and dumps print there.
func Run(w *Work, f *ir.Func, passes []Pass, check func(p *Pass, f *ir.Func)) {
	for n := range passes {
		p := &passes[n]
		apply(w, f, p)
		if check != nil {
			check(p, f)
		}
	}
}

// apply names the pass, the unit and its IR when one of our mistakes panics.
func apply(w *Work, f *ir.Func, p *Pass) {
	text := func() string { return f.String() }
	defer func() {
		if r := recover(); r != nil {
			panic(fmt.Sprintf("BUG: pass %s on the unit at %#x: %v\n%s", p.Name, f.PC, r, text()))
		}
	}()
	p.Fn(w, f)
}

// again rebuilds f through w's builder with the options set in w.rebuild, which
// it clears.
func (w *Work) again(f *ir.Func) {
	w.rebuild.Run(f, w.builder)
	*f, *w.spare = *w.spare, *f
	w.rebuild.Forward, w.rebuild.Flatten, w.rebuild.Hoist, w.rebuild.Live = false, nil, nil, nil
	w.rebuild.Split, w.rebuild.Instead, w.rebuild.Arm, w.rebuild.Early, w.rebuild.Enter, w.rebuild.Entered = nil, nil, nil, nil, nil, nil
}
