package amd64

import (
	"math/bits"
	"slices"

	"emu/ir"
	"emu/jit/asm/x64"
)

// Cases. IFs that each stand in the ELSE arm of the one before and compare one value with constants, as
// regions have them where the guest has a switch, are one jump by a table. It stands in front of the first
// IF; the others emit nothing. So all their arms start from the same allocation, and the table leads to what an
// arm that does nothing but CONTINUE or BREAK goes to. Where a loop begins with such a jump, its CONTINUEs do it
// themselves: each has a branch of its own then, which is predicted by itself.

const (
	minCases     = 9    // fewer are compared: that is predicted better
	maxTableSize = 4096 // entries
	maxFullTable = 256  // entries of one for all values that there may be, which an offset of 8 bits in a table of them leads to
)

// caseTable is the jump of a row of IFs.
type caseTable struct {
	value ir.Value // what is compared
	shift uint8    // all constants are the same in this many low bits, at most 2
	low   uint64   // the least of the constants
	size  uint64   // entries
	first ir.Value // the first IF
	cases [2]int   // in compiler.cases
	zeros int      // how many lower bits of the value are zero
	full  bool     // there is an entry for each value that there may be
	// Once the jump was emitted:
	label   x64.Label
	others  x64.Label // where other values go
	in      x64.Reg   // where the value is
	scratch [2]x64.Reg
}

// tableCase is one of its IFs.
type tableCase struct {
	at    ir.Value // the IF
	table int      // in compiler.tables
	value uint64
	label x64.Label // where the THEN arm is
}

// findCases finds the rows of IFs and makes their conditions those of tables.
func (c *compiler) findCases() {
	if !c.scoped.some {
		return
	}
	for n, in := range c.f.Insts {
		if in.Op() == ir.OpIf && c.caseAt(ir.Value(n)) == nil {
			c.findRow(ir.Value(n))
		}
	}
}

// caseAt returns the case that the IF v is, nil if it is none.
func (c *compiler) caseAt(v ir.Value) *tableCase {
	for k := range c.cases {
		if c.cases[k].at == v {
			return &c.cases[k]
		}
	}
	return nil
}

// findRow makes a table of the row that begins with the IF v if it is long enough and its constants lie close together.
func (c *compiler) findRow(v ir.Value) {
	from := len(c.cases)
	t := caseTable{value: ir.None, first: v}
	differ, high := uint64(0), uint64(0)
	for {
		value, k, ok := c.comparison(v)
		if !ok || t.value != ir.None && value != t.value || c.hasCase(from, k) {
			break
		}
		if t.value == ir.None {
			t.value, t.low, high = value, k, k
		}
		differ |= k ^ t.low
		low, top := min(t.low, k), max(high, k)
		if (top-low)>>min(bits.TrailingZeros64(differ), 2) >= maxTableSize {
			break
		}
		t.low, high = low, top
		c.cases = append(c.cases, tableCase{at: v, table: len(c.tables), value: k})
		if v, ok = c.nextInRow(v); !ok {
			break
		}
	}
	if len(c.cases)-from < minCases {
		c.cases = c.cases[:from]
		return
	}
	differ = 0
	for _, p := range c.cases[from:] {
		differ |= p.value ^ t.low
		cond := &c.vals[c.f.Insts[p.at].A()]
		cond.form, cond.early = formLater, true
	}
	t.shift = uint8(min(bits.TrailingZeros64(differ), 2))
	t.cases = [2]int{from, len(c.cases)}
	t.fill(c.spanOf(t.value), high)
	c.tables = append(c.tables, t)
}

// fill chooses what t has entries for, as s is known of its value: from the least constant to high, the greatest, or for all
// values that there may be.
func (t *caseTable) fill(s span, high uint64) {
	t.zeros = min(s.zeros, bits.TrailingZeros64(t.low))
	t.size = (high-t.low)>>t.shift + 1
	low, top := uint64(s.low), uint64(s.high)
	if t.zeros >= int(t.shift) && (t.low-low)&(1<<t.shift-1) == 0 && t.low-low <= top-low && high-low <= top-low &&
		(top-low)>>t.shift < maxFullTable {
		t.low, t.size, t.full = low, (top-low)>>t.shift+1, true
	}
}

// comparison returns what the IF v compares and with which constant, if nothing else needs
// to know how that ends, and the IF is left by nothing that goes on behind it.
func (c *compiler) comparison(v ir.Value) (value ir.Value, k uint64, ok bool) {
	cond := c.f.Insts[v].A()
	if !cond.IsSSA() || c.vals[cond].uses != 1 || c.scoped.tree.Scopes[c.scoped.tree.Of[v]].Merge >= 0 {
		return 0, 0, false
	}
	in := c.f.Insts[cond]
	if in.Op() != ir.OpICmp || ir.Cond(c.f.ImmOf(in.C())) != ir.EQ || c.f.TypeOf(in.A()) != ir.I64 {
		return 0, 0, false
	}
	value, other := in.A(), in.B()
	if value.IsConst() {
		value, other = other, value
	}
	return value, c.constBits(other), value.IsSSA() && other.IsConst()
}

// nextInRow returns the IF that the ELSE arm of the IF v begins with.
func (c *compiler) nextInRow(v ir.Value) (next ir.Value, ok bool) {
	for n := ir.Value(c.scoped.tree.Scopes[c.scoped.tree.Of[v]].Else) + 1; ; n++ {
		switch c.f.Insts[n].Op() {
		case ir.OpNop, ir.OpInsn, ir.OpICmp:
		case ir.OpIf:
			return n, true
		default:
			return 0, false
		}
	}
}

func (c *compiler) hasCase(from int, k uint64) bool {
	return slices.ContainsFunc(c.cases[from:], func(p tableCase) bool { return p.value == k })
}

// lowerCase is lowerIf for an IF of a row.
func (c *compiler) lowerCase(v ir.Value, k *tableCase) {
	t := &c.tables[k.table]
	if v == t.first {
		c.jumpByTable(t)
	}
	s := c.open(v, ir.OpIf)
	s.across = regSet{}
	c.capturePending(s, regSet{^uint64(0), ^uint64(0)})
	c.flOf.v = ir.None
	if v == c.cases[t.cases[1]-1].at {
		s.cond = t.others
		if c.goesAway(s) == elseArm {
			s.away = elseArm
		}
	} else {
		s.cond = c.b.NewLabel()
	}
	for _, op := range [...]ir.Op{ir.OpContinue, ir.OpBreak} {
		if to, ok := c.fuseArm(s, c.info(s).Start, op); ok {
			k.label = to
			c.unsetDead(v)
			return
		}
	}
	c.b.Bind(k.label)
	c.unsetDead(v)
	c.leaveToOther(s)
}

// jumpByTable goes to the arm of t for its value. If that is the first that a loop does, so do its CONTINUEs, instead of
// going to its header.
func (c *compiler) jumpByTable(t *caseTable) {
	t.label, t.others = c.b.NewLabel(), c.b.NewLabel()
	for k := t.cases[0]; k < t.cases[1]; k++ {
		c.cases[k].label = c.b.NewLabel()
	}
	c.clobber()
	v := c.useR(t.value)
	t.scratch = [2]x64.Reg{c.tempR(), c.tempR()}
	t.in = v
	if s := c.loopBegun(); s != nil {
		s.table = t
	}
	t.jump(c)
}

// loopBegun is the loop that has no code yet, nil if the innermost one has. BLOCKs may be open in it.
func (c *compiler) loopBegun() *scope {
	k := len(c.scopes) - 1
	for k >= 0 && c.scopes[k].op == ir.OpBlock {
		k--
	}
	if k < 0 || c.scopes[k].op != ir.OpLoop {
		return nil
	}
	s := &c.scopes[k]
	if at, _ := c.b.Offset(s.head); at != c.b.Pos() {
		return nil
	}
	return s
}

// jump emits the jump of t.
func (t *caseTable) jump(c *compiler) {
	d, table := t.scratch[0], t.scratch[1]
	entry := x64.AtIndex(table, d, 4>>t.shift, 0)
	const near = 1 << 29 // four times that is an offset
	switch less := -int64(t.low); {
	case t.full && -near <= less && less < near:
		entry.Index, entry.Disp = t.in, int32(less)<<(2-t.shift)
	case t.full:
		c.b.RM(x64.LEAL, d, x64.At(t.in, int32(less))) // the upper half of the difference is zero
	case less == int64(int32(less)):
		c.b.RM(x64.LEAQ, d, x64.At(t.in, int32(less)))
	default:
		c.b.RR(x64.MOVQ, d, t.in)
		c.b.RM(x64.SUBQ, d, c.b.Lit64(t.low))
	}
	if !t.full {
		if t.zeros < int(t.shift) {
			c.b.RI(x64.TESTB, d, 1<<t.shift-1)
			c.b.JccNear(x64.NE, t.others)
		}
		c.b.RI(x64.CMPQ, d, int32(t.size<<t.shift))
		c.b.JccNear(x64.AE, t.others)
	}
	c.b.RM(x64.LEAQ, table, x64.AtLabel(t.label))
	c.b.RM(x64.MOVSLQ, d, entry)
	c.b.RR(x64.ADDQ, d, table)
	c.b.R(x64.JMP, d)
}

// emitTables puts the tables here.
func (c *compiler) emitTables() {
	for k := range c.tables {
		t := &c.tables[k]
		entries := slices.Repeat([]x64.Label{t.others}, int(t.size))
		for _, p := range c.cases {
			if p.table == k {
				entries[(p.value-t.low)>>t.shift] = p.label
			}
		}
		c.b.JumpTable(t.label, entries)
	}
}
