package translate

import (
	"cmp"
	"slices"

	"emu/decoder"
	"emu/ir"
)

// scan finds the basic blocks: it follows direct branches from the entry, nearest
// first, until the region is full.
func (r *region) scan() {
	r.places.reset()
	r.known, r.switches, r.work, r.stays = r.known[:0], r.switches[:0], r.work[:0], r.stays[:0]
	r.t.leftOut, r.t.kept, r.t.guesses = r.t.leftOut[:0], r.t.kept[:0], r.t.guesses[:0]
	r.t.early = r.profile != nil && r.profile.Early != nil && r.function(r.entry).returns
	r.reach(place{r.entry, 0})
	for n := 0; n < len(r.work) && r.seen < r.limit; n++ {
		r.straight(r.work[n])
	}
	r.split()
}

// reach makes p the start of a block, if it may be part of the region.
func (r *region) reach(p place) {
	if p.ret == 0 && !r.inside(p.pc) {
		return
	}
	if i := r.places.at(p); !i.leader {
		i.leader = true
		r.work = append(r.work, p)
	}
}

// reachIf is reach for a way that a conditional branch may take.
func (r *region) reachIf(p place) {
	if slices.Contains(r.stays, p) {
		return
	}
	if r.runs(p.pc) {
		r.reach(p)
		return
	}
	r.t.leftOut = append(r.t.leftOut, p.pc)
}

// runs asks the profile about a branch target.
func (r *region) runs(pc uint64) bool {
	if r.profile == nil {
		return true
	}
	if slices.Contains(r.t.kept, pc) {
		return true
	}
	if !r.profile.Runs(pc) {
		return false
	}
	r.t.kept = append(r.t.kept, pc)
	return true
}

// straight reads instructions from p on until one branches.
func (r *region) straight(p place) {
	for r.seen < r.limit && (p.ret != 0 || r.inside(p.pc)) {
		i := r.places.at(p)
		if i.seen {
			return
		}
		g, ok := r.decode(p)
		if !ok {
			return
		}
		if g.kind == flowCall && p.ret == 0 && r.inlines(g.target.pc, p.pc+4) {
			g.kind, g.target.ret = flowJump, p.pc+4
		}
		if g.kind == flowInd || g.kind == flowIndCall {
			r.guess(p, &g)
		}
		if g.kind == flowJump || g.kind == flowCond {
			g.target = r.tail(g.target)
		}
		i.guestInst, i.seen = g, true
		r.seen++
		last := p
		p.pc += 4
		switch {
		case g.kind == flowNext:
			continue
		case g.kind == flowInd || g.kind == flowIndCall:
			for _, to := range g.goes {
				r.reach(to)
			}
		case p.inTail() && (g.kind == flowJump || g.kind == flowCond):
			r.reachTail(last, g)
		case g.kind == flowJump:
			r.reach(g.target)
		case g.kind == flowCond:
			r.reachIf(g.target)
			r.reachIf(p)
		}
		return
	}
}

// decode reads the instruction at p.
func (r *region) decode(p place) (g guestInst, ok bool) {
	word, ok := r.fetch(p.pc)
	if !ok {
		return g, false
	}
	i := decoder.Decode(word)
	g = guestInst{word: word, kind: flowKinds()[i.Op]}
	switch g.kind {
	case flowCond, flowJump, flowCall:
		target, _ := i.BranchTarget(p.pc)
		g.target = place{target, p.ret}
		if i.Op.Group() == "condbranch" && i.Bits(3, 0) >= 14 {
			g.kind = flowJump // B.AL, B.NV
		}
	case flowRet:
		if p.inlined() {
			g.kind, g.target = flowJump, place{p.ret, 0}
		}
	}
	return g, true
}

// inside reports whether code at pc may be part of the region.
func (r *region) inside(pc uint64) bool { return pc-r.entry < maxRegionSpan }

// split makes blocks of the instructions that scan has seen.
func (r *region) split() {
	starts := r.work[:0]
	for k := range r.places.list {
		if i := &r.places.list[k]; i.leader && i.seen {
			starts = append(starts, i.place)
		}
	}
	// The entry is the lowest.
	slices.SortFunc(starts, func(a, b place) int {
		return cmp.Or(cmp.Compare(a.ret, b.ret), cmp.Compare(a.pc, b.pc))
	})
	if len(starts) > maxRegionBlocks {
		starts = starts[:maxRegionBlocks]
	}
	for n, p := range starts {
		r.places.at(p).block = int32(n)
	}
	r.t.leftOut = slices.DeleteFunc(r.t.leftOut, func(pc uint64) bool {
		i := r.places.find(place{pc, 0})
		return i != nil && i.block >= 0
	})
	to := func(p place) edge {
		if i := r.places.find(p); i != nil {
			return edge{p, i.block}
		}
		return edge{p, leaves}
	}
	r.blocks = make([]guestBlock, len(starts))
	for n, p := range starts {
		b := &r.blocks[n]
		b.place = p
		for {
			i := r.places.find(p)
			b.insts++
			p.pc += 4
			switch i.kind {
			case flowJump:
				b.succ, b.branch = []edge{to(i.target)}, true
			case flowCond:
				b.succ, b.branch = []edge{to(i.target), to(p)}, true
			case flowInd, flowIndCall:
				b.ind, b.call, b.kind = len(i.goes) > 0, i.kind == flowIndCall, r.t.branchType(p.pc-4, decoder.Decode(i.word))
				for _, p := range i.goes {
					b.succ = append(b.succ, to(p))
				}
			case flowNext:
				if next := r.places.find(p); next != nil && next.seen && !next.leader {
					continue
				}
				b.succ = []edge{to(p)}
			}
			break
		}
	}
}

// probe translates each block by itself to learn which registers it reads before
// it writes them, which it writes, and whether it leaves earlier than its
// encodings tell. Nothing is shared or forwarded meanwhile, so that no access is
// missed.
func (r *region) probe() {
	t := r.t
	t.Plain = true
	for n := range r.blocks {
		b := &r.blocks[n]
		t.Reset(b.pc)
		if done := r.guestBlock(b); done < b.insts || t.Terminated() {
			b.insts, b.succ, b.branch, b.ind, b.call = done, nil, false, false, false
		}
		b.reads, b.writes = t.accesses()
		if b.ind && b.call {
			b.writes.X |= 1 << 30
		}
	}
	t.Plain = false
}

// guestBlock translates b's instructions and returns how many there were before
// one left.
func (r *region) guestBlock(b *guestBlock) (done int) {
	t := r.t
	t.flow = flow{capture: true}
	if b.inlined() {
		t.flow.ret = b.ret
	}
	t.pc = b.pc
	t.startStraight()
	for done < b.insts && !t.Terminated() {
		i := r.places.find(place{t.pc, b.ret})
		t.flow.inlined, t.flow.guess = i.kind == flowJump, len(i.goes) > 0
		t.instruction(i.word)
		t.pc += 4
		done++
	}
	t.flow.capture = false
	return done
}

// accesses lists the registers that the unit reads before it has certainly
// written them, and those that it writes.
func (t *Translator) accesses() (reads, writes ir.RegSet) {
	var set ir.RegSet // written on every way
	depth := 0
	for _, i := range t.Insts {
		switch op := i.Op(); op {
		case ir.OpIf, ir.OpLoop, ir.OpBlock:
			depth++
		case ir.OpEndBlock:
			depth--
		case ir.OpGetX, ir.OpGetV, ir.OpGetNZCV:
			reads = reads.Union(t.register(i).Minus(set))
		case ir.OpSetX, ir.OpSetV, ir.OpSetNZCV:
			writes = writes.Union(t.register(i))
			if depth == 0 {
				set = set.Union(t.register(i))
			}
		}
	}
	return reads, writes
}

// register is the register that a GET or SET names.
func (t *Translator) register(i ir.Inst) ir.RegSet {
	switch i.Op() {
	case ir.OpGetX, ir.OpSetX:
		return ir.RegSet{X: 1 << (t.ImmOf(i.A()) & 31)}
	case ir.OpGetV, ir.OpSetV:
		return ir.RegSet{V: 1 << (t.ImmOf(i.A()) & 31)}
	}
	return ir.RegSet{NZCV: true}
}
