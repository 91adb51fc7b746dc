package translate

import (
	"slices"

	"emu/decoder"
	"emu/ir"
)

// scan finds the basic blocks: it follows direct branches from the entry, nearest
// first, until the region is full.
func (r *region) scan() {
	r.insts = make(map[uint64]guestInst)
	targets := make(map[uint64]uint64) // of direct branches
	leaders := map[uint64]bool{r.entry: true}
	work := []uint64{r.entry}
	reach := func(pc uint64) {
		if !leaders[pc] && r.inside(pc) {
			leaders[pc] = true
			work = append(work, pc)
		}
	}
	for len(work) > 0 && len(r.insts) < r.limit {
		pc := work[0]
		work = work[1:]
		kind := flowNext
		for ; kind == flowNext && len(r.insts) < r.limit && r.inside(pc); pc += 4 {
			word, ok := r.fetch(pc)
			if _, seen := r.insts[pc]; seen || !ok {
				break
			}
			i := decoder.Decode(word)
			kind = flowKinds[i.Op]
			if kind == flowCond && i.Op.Group() == "condbranch" && i.Bits(3, 0) >= 14 {
				kind = flowJump // B.AL, B.NV
			}
			r.insts[pc] = guestInst{word, kind}
			if kind != flowJump && kind != flowCond {
				continue
			}
			target, _ := i.BranchTarget(pc)
			targets[pc] = target
			if kind == flowJump {
				reach(target)
				continue
			}
			for _, to := range [...]uint64{target, pc + 4} {
				if r.profile == nil || r.profile(to) {
					reach(to)
				}
			}
		}
	}
	r.split(leaders, targets)
}

// inside reports whether code at pc may be part of the region.
func (r *region) inside(pc uint64) bool { return pc-r.entry < maxRegionSpan }

// split makes blocks of the instructions that scan has seen.
func (r *region) split(leaders map[uint64]bool, targets map[uint64]uint64) {
	var starts []uint64
	for pc := range leaders {
		if _, seen := r.insts[pc]; seen {
			starts = append(starts, pc)
		}
	}
	slices.Sort(starts) // the entry is the lowest
	if len(starts) > maxRegionBlocks {
		starts = starts[:maxRegionBlocks]
	}
	at := make(map[uint64]int32, len(starts))
	for n, pc := range starts {
		at[pc] = int32(n)
	}
	to := func(pc uint64) edge {
		if n, ok := at[pc]; ok {
			return edge{pc, n}
		}
		return edge{pc, leaves}
	}
	r.blocks = make([]guestBlock, len(starts))
	for n, pc := range starts {
		b := &r.blocks[n]
		b.pc = pc
		for {
			kind := r.insts[pc].kind
			b.insts++
			next := pc + 4
			switch kind {
			case flowJump:
				b.succ, b.branch = []edge{to(targets[pc])}, true
			case flowCond:
				b.succ, b.branch = []edge{to(targets[pc]), to(next)}, true
			case flowNext:
				if _, seen := r.insts[next]; seen && !leaders[next] {
					pc = next
					continue
				}
				b.succ = []edge{to(next)}
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
	t.flow = flow{capture: true}
	t.pc, t.checked = b.pc, t.checked[:0]
	for done < b.insts && !t.Terminated() {
		t.instruction(r.insts[t.pc].word)
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
