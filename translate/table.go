// Package translate turns A64 instructions into IR.
//
// A Translator reads guest words, decodes them and emits one ir.Func a unit.
// What each instruction means is written in one function an encoding group of
// the Arm ARM; the files are named after the groups (int_*, branch*, ldst_*,
// system*, simd_*, fp_*).
//
// # How an instruction is registered
//
// Every file lists its rules: a groupRule names a function for all encodings of
// a group of the decoder's table, a rule one for a single encoding. The lists are
// named in generalGroups and generalRules below, and in simdGroups and simdRules (simd_table.go)
// for floating point and SIMD. They are merged once, when the first unit is
// translated, which many processes never do; single rules win over groups. An encoding is left out when it
// needs a feature that the table of features (features.go) does not have; a
// processor model (model.go) leaves out more.
//
// # What a translation function does
//
// It gets the decoded instruction and emits IR through the Translator, which
// embeds the ir.Builder: t.Add, t.Load and so on emit, t.X and t.SetX (reg.go)
// read and write guest registers. It must do all memory accesses before it sets
// any guest state, because a fault leaves the state as it was. A function that
// ends the unit emits a terminator (t.Jump, t.Exit, ...); the Translator notices.
// A function that finds operands that do not exist calls t.undefined.
package translate

import (
	"slices"
	"sync"

	"emu/decoder"
)

// translateFunc emits the IR of one instruction.
type translateFunc func(t *Translator, i decoder.Inst)

// rule says which function translates an encoding.
type rule struct {
	op decoder.Op
	fn translateFunc
}

// groupRule says which function translates the encodings of a group. Those of
// the hint space execute as NOP on processors without their feature.
type groupRule struct {
	class decoder.Class
	group string
	fn    translateFunc
	hint  bool
}

var generalGroups = [][]groupRule{
	addSubGroups, logicalGroups, moveGroups, bitfieldGroups, condGroups, dpGroups,
	branchGroups, loadStoreGroups, pairGroups, exclusiveGroups, orderedGroups,
	atomicGroups, rcwGroups, memoryGroups, systemGroups,
}

// generalRules are built when they are needed: functions that other functions return
// would be made at each start if the lists were variables.
func generalRules() [][]rule {
	return [][]rule{
		dpRules(), flagRules(), branchRules(), prefetchRules(), exclusiveRules(), pairAtomicRules(), rcwRules(), systemRules(),
		pauthRules(), tagRules(), gcsRules(),
	}
}

// tables is what the rules give, built once.
var tables = sync.OnceValue(func() *dispatch {
	return buildTables(slices.Concat(generalGroups, simdGroups), generalRules(), simdRules())
})

// sveTables is tables with SVE, which few programs meet.
var sveTables = sync.OnceValue(func() *dispatch {
	return buildTables(slices.Concat(generalGroups, simdGroups, sveGroups()), generalRules(), simdRules(), sveRules())
})

// dispatch is the merged table.
type dispatch struct {
	fn   [decoder.NumOps]translateFunc // nil: not translated, an undefined instruction
	hint [decoder.NumOps]bool          // a NOP on processors without its feature
}

type groupKey struct {
	class decoder.Class
	group string
}

func buildTables(groups [][]groupRule, rules ...[][]rule) *dispatch {
	d := new(dispatch)
	index := map[groupKey]*groupRule{}
	for _, list := range groups {
		for n := range list {
			g := &list[n]
			index[groupKey{g.class, g.group}] = g
		}
	}
	// The encodings of a group, and those of a feature, are neighbours: the answer
	// for the last one mostly holds for the next.
	var key groupKey
	var g *groupRule
	found := map[*groupRule]bool{}
	for op := decoder.Op(1); op < decoder.NumOps; op++ {
		if k := (groupKey{op.Class(), op.Group()}); k != key {
			key, g = k, index[k]
			if g != nil {
				found[g] = true
			}
		}
		if g != nil {
			d.fn[op], d.hint[op] = g.fn, g.hint
		}
	}
	if len(found) < len(index) {
		panic("BUG: translate: a rule for an encoding group that does not exist")
	}
	for _, lists := range rules {
		for _, list := range lists {
			for _, r := range list {
				d.fn[r.op] = r.fn
			}
		}
	}
	names, has := "", true
	for op := decoder.Op(1); op < decoder.NumOps; op++ {
		if f := op.Features(); f != names {
			names, has = f, allFeatures.has(f)
		}
		if !has && !d.hint[op] {
			d.fn[op] = nil
		}
	}
	return d
}

// restrict is the table for a processor with some of the features only. Hints of
// the others execute as NOP; where only some words of an encoding need a feature,
// those are undefined.
func (d *dispatch) restrict(has featureSet) *dispatch {
	r := *d
	names, ok := "", true
	for op := decoder.Op(1); op < decoder.NumOps; op++ {
		if f := op.Features(); f != names {
			names, ok = f, has.has(f)
		}
		fn := d.fn[op]
		switch {
		case fn == nil:
		case !ok && d.hint[op]:
			r.fn[op] = hint
		case !ok:
			r.fn[op] = nil
		case len(decoder.RowOf(op).CondFeatures) > 0:
			r.fn[op] = func(t *Translator, i decoder.Inst) {
				if !has.has(i.Features()) {
					t.undefined()
					return
				}
				fn(t, i)
			}
		}
	}
	return &r
}

// Translated reports whether instructions of the encoding are translated, if the
// processor has their feature. The others raise an undefined instruction
// exception.
func Translated(op decoder.Op) bool { return sveTables().fn[op] != nil }
