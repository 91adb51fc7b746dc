package amd64

import (
	"math/bits"

	"emu/ir"
	"emu/jit/asm/x64"
	"emu/jit/host"
)

// Scopes. What is pending for a register that is SET nowhere inside of a scope
// stays so across it; what is pending for one that is SET behind the join anyway
// is kept while it lasts and never stored; the rest is stored before (scan_scopes.go
// tells them apart). snapshot.go says how values keep their places.

// scope is an open IF, LOOP or BLOCK.
type scope struct {
	op     ir.Op
	id     int32      // in compiler.scoped
	cond   x64.Label  // IF: the other arm
	end    x64.Label  // behind the scope
	head   x64.Label  // LOOP: its first instruction
	table  *caseTable // LOOP: the jump by a table that this is, if it is one
	poll   pollAtTop  // LOOP
	entry  snapshot
	across regSet    // registers whose pending SETs stay across
	held   int       // start of its values in compiler.held
	pins   int       // LOOP: start of those that are not pinned registers'
	homes  int       // start of its arguments in compiler.homes
	wanted [2]uint32 // LOOP: compiler.wanted outside
	short  bool      // LOOP: it begins at a multiple of host.LoopAlign
	fixed  uint32    // LOOP: compiler.fixed outside
	nargs  int       // LOOP
	res    int       // start of the results in compiler.homes, -1 = not known yet
	nres   int
	order  armOrder
	away   armAway  // IF
	second bool     // IF: the arm that is lowered last has begun
	others int      // IF: start of its part of compiler.others
	fused  ir.Value // IF: the CONTINUE, BREAK or YIELD that its branch does
}

func (c *compiler) info(s *scope) *ir.ScopeInfo { return &c.scoped.tree.Scopes[s.id] }

func (c *compiler) top() *scope { return &c.scopes[len(c.scopes)-1] }

// open opens the scope that instruction v starts.
func (c *compiler) open(v ir.Value, op ir.Op) *scope {
	n := len(c.scopes)
	if n < cap(c.scopes) {
		c.scopes = c.scopes[:n+1]
	} else {
		c.scopes = append(c.scopes, scope{})
	}
	s := &c.scopes[n]
	s.op, s.id = op, c.scoped.tree.Of[v]
	s.cond, s.end, s.head, s.table, s.poll = 0, c.b.NewLabel(), 0, nil, pollAtTop{}
	s.others = len(c.others)
	s.held, s.homes, s.nargs, s.res, s.nres = len(c.held), len(c.homes), 0, -1, 0
	s.order, s.away, s.second, s.fused = thenFirst, noArm, false, ir.None
	return s
}

// openAcross stores what cannot stay pending across the scope that v starts, and
// packs flags that are needed behind it. It returns which registers can.
func (c *compiler) openAcross(v ir.Value) (across regSet) {
	id := c.scoped.tree.Of[v]
	info, sc := &c.scoped.info[id], &c.scoped.tree.Scopes[id]
	if sc.Merge < 0 {
		return regSet{}
	}
	for w := range across {
		across[w] = ^(info.sets[w] | info.join[w])
	}
	c.storeSets(regSet{info.sets[0] &^ info.join[0], info.sets[1] &^ info.join[1]})
	if f := c.fl.v; c.flagsLive() {
		p := &c.vals[f]
		waits := false
		if w, ok := c.pending(int(host.GuestNZCV)); ok && w == f {
			waits = across[1]&1 != 0
		}
		if waits || p.holds > 0 || p.user != ir.None && int32(p.user) > sc.Merge {
			c.pack()
		}
	}
	return across
}

// capturePending takes the snapshot of a scope and holds what is pending for the
// registers of set: other ways through the scope still need it.
func (c *compiler) capturePending(s *scope, set regSet) {
	c.capture(&s.entry)
	for w := range set {
		for m := c.pendM[w] & set[w]; m != 0; m &= m - 1 {
			if v := c.pend[w<<6+bits.TrailingZeros64(m)]; v.IsSSA() {
				c.hold(v)
				c.held = append(c.held, v)
			}
		}
	}
}

// letGoAll releases what the scope holds.
func (c *compiler) letGoAll(s *scope) {
	for _, w := range c.held[s.held:] {
		if s.op == ir.OpLoop {
			c.letGoOne(w)
		} else {
			c.letGo(w)
		}
	}
	c.held = c.held[:s.held]
}

func lowerBlock(c *compiler, v ir.Value, in ir.Inst) {
	across := c.openAcross(v)
	s := c.open(v, ir.OpBlock)
	s.across = across
	c.capturePending(s, across)
}

func lowerYield(c *compiler, v ir.Value, in ir.Inst) {
	c.args = c.f.Operands(int(v), c.args[:0])
	c.arrive(v, len(c.scopes)-1, c.args)
}

func lowerBreak(c *compiler, v ir.Value, in ir.Inst) {
	c.args = c.f.Operands(int(v), c.args[:0])
	c.arrive(v, c.enclosingAt(int(c.f.ImmOf(in.A())), true), c.args[1:])
}

// enclosingAt finds the nth enclosing LOOP, or BLOCK as well if blocks is set.
func (c *compiler) enclosingAt(n int, blocks bool) int {
	for k := len(c.scopes) - 1; k >= 0; k-- {
		s := &c.scopes[k]
		if s.op != ir.OpLoop && !(blocks && s.op == ir.OpBlock) {
			continue
		}
		if n == 0 {
			return k
		}
		n--
	}
	panic("BUG: amd64: branch out of no scope")
}

func (c *compiler) enclosing(n int, blocks bool) *scope { return &c.scopes[c.enclosingAt(n, blocks)] }

func regHome(r int8, inX bool) home {
	if inX {
		return homeX + home(r)
	}
	return home(r)
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// lowerEndBlock closes a scope that nothing falls out of, and every loop's body;
// the MERGE after a loop's belongs to the loop if something breaks out of it.
func lowerEndBlock(c *compiler, v ir.Value, in ir.Inst) {
	s := c.top()
	if c.turn(s) {
		return
	}
	c.endAway(s)
	if s.op == ir.OpLoop {
		c.closePoll(s)
		c.wanted, c.fixed = s.wanted, s.fixed
		if c.info(s).Merge >= 0 {
			for _, w := range c.held[s.pins:] {
				c.letGoOne(w)
			}
			c.held = c.held[:s.pins]
			return
		}
	}
	c.letGoAll(s)
	c.unsetAll()
	c.close(s)
}

// close pops the scope.
func (c *compiler) close(s *scope) {
	c.b.Bind(s.end)
	c.places = c.places[:s.entry.from]
	c.scopes = c.scopes[:len(c.scopes)-1]
	if len(c.scopes) == 0 {
		c.homes = c.homes[:0] // an outer scope's results may stand behind an inner one's
	}
}
