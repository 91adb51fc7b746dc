package translate

import (
	"math/rand/v2"
	"slices"

	"emu/decoder"
)

// guestProgram is random guest code at testPC. X28 counts down on every backward
// branch and leads out at zero, X27 points to memory, X26 to the tables of switches,
// X25 to where functions with a frame keep their X30, X24 counts down in a recursion.
type guestProgram struct {
	r        *rand.Rand
	words    []uint32
	thunks   []int // where functions choose another one to go on in
	switches []guestSwitch
}

// guestSwitch is a switch: by words of a table of distances.
type guestSwitch struct {
	branch  int // the index of BR
	targets [switchCases]int
}

// table emits a switch whose targets get their places later. It goes by some register's low bits.
func (p *guestProgram) table() {
	const off, base, at = 12, 13, 14
	p.emit(0x12000c00 | p.reg()<<5 | off)                                               // and w12, wN, #15
	p.emit(0x91000000 | uint32(4*switchCases*len(p.switches))<<10 | 26<<5 | at)         // add x14, x26, #table
	p.emit(0xb8a05800 | off<<16 | at<<5 | off)                                          // ldrsw x12, [x14, w12, uxtw #2]
	p.emit(0x10000000 | base)                                                           // adr x13, here
	p.emit([...]uint32{0x8b000000, 0x8b206000}[p.r.IntN(2)] | off<<16 | base<<5 | base) // add x13, x13, x12
	p.switches = append(p.switches, guestSwitch{branch: len(p.words)})
	p.emit(0xd61f0000 | base<<5) // br x13
}

// fill places the targets of the switches, some of them more than once, and returns the table.
func (p *guestProgram) fill(starts []int) (table [maxSwitches * switchCases]int32) {
	for n := range p.switches {
		s := &p.switches[n]
		few := 1 + p.r.IntN(switchCases)
		for k := range s.targets {
			s.targets[k] = starts[p.r.IntN(len(starts))]
			if k >= few {
				s.targets[k] = s.targets[p.r.IntN(few)]
			}
			table[switchCases*n+k] = int32(4 * (s.targets[k] - s.branch + 2))
		}
	}
	return table
}

func (p *guestProgram) reg() uint32 { return uint32(p.r.IntN(12)) }

func (p *guestProgram) emit(w uint32) { p.words = append(p.words, w) }

// exclusive emits a loop of a load-exclusive and a store-exclusive that changes memory
// in some way, or compares it and leaves.
func (p *guestProgram) exclusive() {
	size := uint32(p.r.IntN(4))
	order := uint32(p.r.IntN(2)) << 15
	old := p.reg()
	now, status, m, k := (old+1)%12, (old+2)%12, p.reg(), p.reg()
	forms := [...]uint32{
		0x8b000000 | m<<16 | old<<5 | now,         // add x
		0x8b000000 | old<<16 | m<<5 | now,         // add x, the other way around
		0x4b000000 | m<<16 | old<<5 | now,         // sub w
		0xcb000000 | old<<16 | m<<5 | now,         // sub x, the other way around
		0x8a000000 | m<<16 | old<<5 | now,         // and x
		0x0a200000 | m<<16 | old<<5 | now,         // bic w
		0xaa000000 | m<<16 | old<<5 | now,         // orr x
		0xaa200000 | m<<16 | old<<5 | now,         // orn x
		0xca000000 | m<<16 | old<<5 | now,         // eor x
		0x2a2003e0 | old<<16 | now,                // mvn w
		0x91000400 | old<<5 | now,                 // add x, #1
		0x9a800000 | m<<16 | k<<12 | old<<5 | now, // csel x
		0xaa0003e0 | m<<16 | now,                  // mov x
		0x9b007c00 | m<<16 | old<<5 | now,         // mul x
		0xf1000400 | old<<5 | now,                 // subs x, #1
	}
	load, store := 0x085f7c00|size<<30|order|27<<5|old, 0x08007c00|size<<30|status<<16|order|27<<5|now
	p.emit(load)
	if p.r.IntN(3) > 0 {
		p.emit(forms[p.r.IntN(len(forms))])
		p.emit(store)
		p.emit(0x35000000 | 0x7fffd<<5 | status) // cbnz w, to the load
		return
	}
	if p.r.IntN(2) == 0 {
		m = old // they are equal
	}
	p.emit(0x6b00001f | m<<16 | old<<5)              // cmp w
	p.emit(0x54000000 | 3<<5 | uint32(p.r.IntN(14))) // b.cond, behind the loop
	p.emit(store)                                    // of a value from before
	p.emit(0x35000000 | 0x7fffc<<5 | status)         // cbnz w, to the load
	if p.r.IntN(2) == 0 {                            // the monitor may still be open
		p.emit(0x08007c00 | size<<30 | status<<16 | 27<<5 | now)
	}
}

// choose emits room for two ADR, and a CSEL of X13.
func (p *guestProgram) choose() (at int) {
	at = len(p.words)
	p.emit(0)
	p.emit(0)
	p.emit(0x9a800000 | 14<<16 | uint32(p.r.IntN(16))<<12 | 13<<5 | 13)
	return at
}

// functions adds functions with a conditional branch in the middle and returns
// where they start. Two are not for inlining as they are: one returns by
// another register, one changes X30, and calls.
func (p *guestProgram) functions() (starts []int) {
	const x30, x12 = 30, 12
	for n := range 6 {
		starts = append(starts, len(p.words))
		if n == 2 || n == 3 {
			p.emit(0xaa0003e0 | x30<<16 | x12) // mov x12, x30
		}
		if n == 3 {
			p.emit(0x94000000 | uint32(starts[0]-len(p.words))&0x3ffffff) // bl
		}
		if n == 5 {
			p.thunks = append(p.thunks, p.choose())
			p.emit(0xd61f0000 | 13<<5) // br x13
			break
		}
		skip := uint32(p.r.IntN(3))
		p.emit(0x36000000 | (skip+1)<<5 | uint32(p.r.IntN(32))<<19 | p.reg()) // tbz
		for range skip + uint32(p.r.IntN(4)) {
			p.operation()
		}
		switch n {
		case 0, 1:
			p.emit(0xd65f03c0) // ret
		case 2:
			p.emit(0xd65f0000 | x12<<5) // ret x12
		case 4:
			p.thunks = append(p.thunks, p.choose())
			p.emit(0xd61f0000 | 13<<5) // br x13
		case 3:
			p.emit(0xaa0003e0 | x12<<16 | x30) // mov x30, x12
			p.emit(0xd65f03c0)
		}
	}
	return append(starts, p.recursion(), p.framed(starts[0]))
}

const (
	pushX30 = 0xf8008400 | 25<<5 | 30 // str x30, [x25], #8
	popX30  = 0xf85f8c00 | 25<<5 | 30 // ldr x30, [x25, #-8]!
)

// recursion adds a function that returns early, or calls itself once or twice.
func (p *guestProgram) recursion() (start int) {
	start = len(p.words)
	p.operation()
	body := uint32(5 + p.r.IntN(4))
	p.emit(0xb4000000 | (body+2)<<5 | 24)                                 // cbz x24, out
	p.emit(0x36000000 | (body+1)<<5 | uint32(p.r.IntN(32))<<19 | p.reg()) // tbz, out
	calls := 0
	for end := len(p.words) + int(body); len(p.words) < end; {
		switch left := end - len(p.words); {
		case left == int(body):
			p.emit(pushX30)
		case left == int(body)-1:
			p.emit(0xd1000400 | 24<<5 | 24) // sub x24, x24, #1
		case left == 1:
			p.emit(popX30)
		case left == 2 || calls == 0:
			p.emit(0x94000000 | uint32(start-len(p.words))&0x3ffffff) // bl
			calls++
		default:
			p.emit(0x91000400 | p.reg()<<5 | p.reg()) // add x, x, #1
		}
	}
	p.emit(0xd65f03c0) // out: ret
	return start
}

// framed adds a function that has X30 in memory while it calls another one, or does not.
func (p *guestProgram) framed(other int) (start int) {
	start = len(p.words)
	p.emit(pushX30)
	p.emit(0x36000000 | 2<<5 | uint32(p.r.IntN(32))<<19 | p.reg()) // tbz, behind the call
	p.emit(0x94000000 | uint32(other-len(p.words))&0x3ffffff)      // bl
	p.emit(popX30)
	p.emit(0xd65f03c0) // ret
	return start
}

// program is what there is to run.
type program struct {
	words    []uint32
	table    [maxSwitches * switchCases]int32
	switches []guestSwitch
}

// randomProgram makes a program block by block: bodies, then branches between the
// starts of blocks. It ends in a system call; functions that it calls follow.
func randomProgram(seed uint64, blocks int) program {
	p := &guestProgram{r: rand.New(rand.NewPCG(seed, 11))}
	type branch struct{ at, kind, to int }
	var starts []int
	var branches []branch
	var calls, indirect []int
	adr := func(at, d, to int) {
		off := uint32(4 * (to - at))
		p.words[at] = 0x10000000 | off&3<<29 | off>>2&0x7ffff<<5 | uint32(d)
	}
	for b := range blocks {
		starts = append(starts, len(p.words))
		for range p.r.IntN(6) {
			p.operation()
		}
		if p.r.IntN(4) == 0 {
			calls = append(calls, len(p.words))
			p.emit(0)
		}
		if p.r.IntN(8) == 0 {
			indirect = append(indirect, p.choose())
			p.emit(0xd63f0000 | 13<<5) // blr x13
		}
		to := b + 1 + p.r.IntN(4)
		if p.r.IntN(3) == 0 {
			to = b - p.r.IntN(min(b+1, 6))
		}
		kind := p.r.IntN(6)
		if to <= b {
			p.emit(0xd1000400 | 28<<5 | 28) // sub x28, x28, #1
			branches = append(branches, branch{len(p.words), 4, blocks})
			p.emit(0)
		}
		if kind < 2 && p.r.IntN(3) == 0 && len(p.switches) < maxSwitches {
			if to > b { // it may go back as well
				p.emit(0xd1000400 | 28<<5 | 28) // sub x28, x28, #1
				branches = append(branches, branch{len(p.words), 4, blocks})
				p.emit(0)
			}
			p.table()
			continue
		}
		if kind == 5 && p.r.IntN(2) == 0 {
			branches = append(branches, branch{p.choose(), kind, min(to, blocks)})
			p.emit(0xd61f0000 | 13<<5) // br x13
		}
		if kind < 5 {
			branches = append(branches, branch{len(p.words), kind, min(to, blocks)})
			p.emit(0)
		}
	}
	starts = append(starts, len(p.words))
	p.emit(0xd4000001) // svc #0
	functions := p.functions()
	for _, at := range calls {
		p.words[at] = 0x94000000 | uint32(functions[p.r.IntN(len(functions))]-at)&0x3ffffff // bl
	}
	for _, at := range indirect {
		adr(at, 13, functions[p.r.IntN(len(functions))])
		adr(at+1, 14, functions[p.r.IntN(len(functions))])
	}
	for _, at := range p.thunks { // not to each other
		adr(at, 13, functions[p.r.IntN(4)])
		adr(at+1, 14, functions[p.r.IntN(4)])
	}
	for _, b := range branches {
		off := uint32(starts[b.to] - b.at)
		r := p.reg()
		switch b.kind {
		case 0, 1: // b.cond
			p.words[b.at] = 0x54000000 | off&0x7ffff<<5 | uint32(p.r.IntN(16))
		case 2: // b
			p.words[b.at] = 0x14000000 | off&0x3ffffff
		case 3: // tbz, tbnz
			p.words[b.at] = 0x36000000 | uint32(p.r.IntN(2))<<24 | uint32(p.r.IntN(32))<<19 | off&0x3fff<<5 | r
		case 4: // cbz x28; cbnz w
			p.words[b.at] = 0x35000000 | off&0x7ffff<<5 | r
			if b.to == blocks {
				p.words[b.at] = 0xb4000000 | off&0x7ffff<<5 | 28
			}
		case 5: // br; one of its targets is further on
			adr(b.at, 13, starts[b.to])
			adr(b.at+1, 14, starts[min(max(b.to, slices.IndexFunc(starts, func(s int) bool { return s > b.at }))+p.r.IntN(3), blocks)])
		}
	}
	return program{p.words, p.fill(starts), p.switches}
}

// expectAll is where switches go, if regions expect all that they have.
func expectAll(p program) func(site uint64) (to []uint64, ok bool) {
	return func(site uint64) (to []uint64, ok bool) {
		for _, s := range p.switches {
			if testPC+4*uint64(s.branch) == site {
				for _, target := range s.targets {
					if at := testPC + 4*uint64(target); !slices.Contains(to, at) {
						to = append(to, at)
					}
				}
			}
		}
		return to, len(to) > 0
	}
}

// guessSome is a profile of indirect branches: where some ADR leads to is where they
// go, or not. Switches have some of their targets, or some that are not theirs.
func guessSome(p program, seed uint64) func(site uint64) ([]Target, int) {
	pc := func(word int) uint64 { return testPC + 4*uint64(word) }
	var list []uint64
	for k, w := range p.words {
		if w>>24&0x9f == 0x10 {
			list = append(list, pc(k)+uint64(decoder.Decode(w).AdrOffset()))
		}
	}
	return func(site uint64) (to []Target, of int) {
		r := rand.New(rand.NewPCG(seed, site))
		for _, s := range p.switches {
			if pc(s.branch) != site {
				continue
			}
			seen := make(map[uint64]bool)
			for _, target := range s.targets[:1+r.IntN(switchCases)] {
				if at := pc(target); !seen[at] {
					seen[at] = true
					to = append(to, Target{at, 1})
				}
			}
			if at := list[r.IntN(len(list))]; r.IntN(4) == 0 && !seen[at] {
				to = append(to, Target{at, 1})
			}
			return to, len(to)
		}
		own := func(at uint64) Target {
			return Target{testPC + 4*at + uint64(decoder.Decode(p.words[at]).AdrOffset()), 1}
		}
		switch first := (site-testPC)/4 - 3; r.IntN(4) {
		case 0:
			return []Target{own(first + r.Uint64N(2))}, 1
		case 1, 2:
			to = []Target{own(first), own(first + 1)}
			return slices.Compact(to), len(slices.Compact(to))
		}
		return []Target{{list[r.IntN(len(list))], 1 + r.IntN(2)}}, 2
	}
}
