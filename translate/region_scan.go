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
	r.insts = make(map[place]guestInst)
	entry := place{r.entry, 0}
	leaders := map[place]bool{entry: true}
	work := []place{entry}
	reach := func(p place) {
		if !leaders[p] && (p.ret != 0 || r.inside(p.pc)) {
			leaders[p] = true
			work = append(work, p)
		}
	}
	for len(work) > 0 && len(r.insts) < r.limit {
		p := work[0]
		work = work[1:]
		for len(r.insts) < r.limit && (p.ret != 0 || r.inside(p.pc)) {
			if _, seen := r.insts[p]; seen {
				break
			}
			i, ok := r.decode(p)
			if !ok {
				break
			}
			if i.kind == flowCall && p.ret == 0 && r.leaf(i.target.pc) {
				i.kind, i.target.ret = flowJump, p.pc+4
			}
			r.insts[p] = i
			p.pc += 4
			if i.kind == flowNext {
				continue
			}
			switch i.kind {
			case flowJump:
				reach(i.target)
			case flowCond:
				for _, to := range [...]place{i.target, p} {
					if r.profile == nil || r.profile(to.pc) {
						reach(to)
					}
				}
			}
			break
		}
	}
	r.split(leaders)
}

// decode reads the instruction at p.
func (r *region) decode(p place) (g guestInst, ok bool) {
	word, ok := r.fetch(p.pc)
	if !ok {
		return g, false
	}
	i := decoder.Decode(word)
	g = guestInst{word: word, kind: flowKinds[i.Op]}
	switch g.kind {
	case flowCond, flowJump, flowCall:
		target, _ := i.BranchTarget(p.pc)
		g.target = place{target, p.ret}
		if i.Op.Group() == "condbranch" && i.Bits(3, 0) >= 14 {
			g.kind = flowJump // B.AL, B.NV
		}
	case flowRet:
		if p.ret != 0 {
			g.kind, g.target = flowJump, place{p.ret, 0}
		}
	}
	return g, true
}

// leaf reports whether the function at pc is worth inlining: few instructions in
// front of its returns, and none that leaves otherwise.
func (r *region) leaf(pc uint64) bool {
	seen := make(map[uint64]bool)
	work := []uint64{pc}
	returns := false
	for len(work) > 0 {
		pc := work[len(work)-1]
		work = work[:len(work)-1]
		if seen[pc] {
			continue
		}
		if seen[pc] = true; len(seen) > maxInlinedInsts || int64(int32(pc-r.entry)) != int64(pc-r.entry) {
			return false
		}
		i, ok := r.decode(place{pc, 0})
		switch {
		case !ok || i.kind == flowEnd || i.kind == flowCall:
			return false
		case i.kind == flowRet:
			returns = true
			continue
		case i.kind == flowJump:
			work = append(work, i.target.pc)
			continue
		case i.kind == flowCond:
			work = append(work, i.target.pc)
		}
		work = append(work, pc+4)
	}
	return returns
}

// inside reports whether code at pc may be part of the region.
func (r *region) inside(pc uint64) bool { return pc-r.entry < maxRegionSpan }

// split makes blocks of the instructions that scan has seen.
func (r *region) split(leaders map[place]bool) {
	var starts []place
	for p := range leaders {
		if _, seen := r.insts[p]; seen {
			starts = append(starts, p)
		}
	}
	// The entry is the lowest.
	slices.SortFunc(starts, func(a, b place) int {
		return cmp.Or(cmp.Compare(a.ret, b.ret), cmp.Compare(a.pc, b.pc))
	})
	if len(starts) > maxRegionBlocks {
		starts = starts[:maxRegionBlocks]
	}
	at := make(map[place]int32, len(starts))
	for n, p := range starts {
		at[p] = int32(n)
	}
	to := func(p place) edge {
		if n, ok := at[p]; ok {
			return edge{p, n}
		}
		return edge{p, leaves}
	}
	r.blocks = make([]guestBlock, len(starts))
	for n, p := range starts {
		b := &r.blocks[n]
		b.place = p
		for {
			i := r.insts[p]
			b.insts++
			p.pc += 4
			switch i.kind {
			case flowJump:
				b.succ, b.branch = []edge{to(i.target)}, true
			case flowCond:
				b.succ, b.branch = []edge{to(i.target), to(p)}, true
			case flowNext:
				if _, seen := r.insts[p]; seen && !leaders[p] {
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
			b.insts, b.succ, b.branch = done, nil, false
		}
		b.reads, b.writes = t.accesses()
	}
	t.Plain = false
}

// guestBlock translates b's instructions and returns how many there were before
// one left.
func (r *region) guestBlock(b *guestBlock) (done int) {
	t := r.t
	t.flow = flow{capture: true, ret: b.ret}
	t.pc, t.checked = b.pc, t.checked[:0]
	for done < b.insts && !t.Terminated() {
		i := r.insts[place{t.pc, b.ret}]
		t.flow.inlined = i.kind == flowJump
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
