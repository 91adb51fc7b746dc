package amd64

import "emu/ir"

// moveCheck replays the moves of a join symbolically (Options.Verify): whatever order
// and detours emitMoves has chosen, each place has to end up with what was in the
// source of the move that was planned for it.
type moveCheck struct {
	want map[home]content
	now  map[home]content // where it is not what was there at the start
}

// content is what is in a place: what was in place h at the start, or a constant, or
// garbage, which is wanted nowhere.
type content struct {
	h home
	v ir.Value
}

var garbage = content{noHome, ir.None}

func (m *move) content() content {
	if m.src == noHome {
		return content{noHome, m.v}
	}
	return content{m.src, ir.None}
}

// begin notes what the planned moves are.
func (k *moveCheck) begin(moves []move) {
	k.want, k.now = map[home]content{}, map[home]content{}
	for i := range moves {
		k.want[moves[i].dst] = moves[i].content()
	}
}

func (k *moveCheck) at(h home) content {
	if c, ok := k.now[h]; ok {
		return c
	}
	return content{h, ir.None}
}

// moved notes that m has been emitted.
func (k *moveCheck) moved(m *move) {
	switch {
	case k == nil:
	case m.src == noHome:
		k.now[m.dst] = m.content()
	default:
		k.now[m.dst] = k.at(m.src)
	}
}

// swapped notes that two places have been exchanged.
func (k *moveCheck) swapped(a, b home) {
	if k != nil {
		k.now[a], k.now[b] = k.at(b), k.at(a)
	}
}

// lost notes that a place has been used for something else.
func (k *moveCheck) lost(h home) {
	if k != nil {
		k.now[h] = garbage
	}
}

// end compares what is where with what was planned.
func (k *moveCheck) end(c *compiler) {
	for h, want := range k.want {
		if got := k.at(h); got != want {
			c.fail("place %d holds %v after the moves of a join, not %v", h, got, want)
		}
	}
}
