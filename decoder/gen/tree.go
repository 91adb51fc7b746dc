package main

import (
	"fmt"
	"math/bits"
	"sort"
)

// checkAmbiguity refuses two rows that claim the same word, unless an exclusion
// of one of them separates them or one is a specialisation of the other (all of
// its words lie within the other's pattern and it fixes more bits, as NOP does
// within HINT).
func checkAmbiguity(rows []*row) error {
	for i, a := range rows {
		for _, b := range rows[i+1:] {
			if !a.overlaps(b.pattern) || excludes(a, b) || excludes(b, a) {
				continue
			}
			if a.mask != b.mask && (a.covers(b.pattern) || b.covers(a.pattern)) {
				continue
			}
			both := pattern{a.mask | b.mask, a.value | b.value}
			return fmt.Errorf("%s, %s: %s and %s both match %#08x", a.at(), b.at(), a.name, b.name, both.value)
		}
	}
	return nil
}

// excludes reports whether an exclusion of a gives all common words to b.
func excludes(a, b *row) bool {
	both := pattern{a.mask | b.mask, a.value | b.value}
	for _, x := range a.excluded {
		if x.covers(both) {
			return true
		}
	}
	return false
}

// checkRow refuses contradictions within one row.
func checkRow(r *row) error {
	var boxes uint32
	for _, f := range r.fields {
		m := uint32(1)<<(f.hi-f.lo+1) - 1
		boxes |= m << f.lo
	}
	if got := boxes | r.mask | r.should.mask; got != ^uint32(0) {
		return fmt.Errorf("%s: %s: bits %#08x unaccounted for", r.at(), r.name, ^got)
	}
	for _, p := range append(append([]pattern{}, r.excluded...), r.undefined...) {
		if !r.overlaps(p) {
			return fmt.Errorf("%s: %s: condition %#08x/%#08x never holds", r.at(), r.name, p.mask, p.value)
		}
	}
	for _, u := range r.undefined {
		for _, x := range r.excluded {
			if x.covers(u) {
				return fmt.Errorf("%s: %s: words both UNDEFINED and excluded", r.at(), r.name)
			}
		}
	}
	return nil
}

// node is an inner node of the decision tree: index its children by
// word>>shift & (1<<width-1). A child is a node (>0), or a list of candidate
// rows (<0), or nothing (0).
type node struct {
	shift, width uint
	children     []int
}

// tree is the decision tree: nodes[0] is the root; lists hold row indices, most
// specific first.
type tree struct {
	nodes []node
	lists [][]int
	known map[string]int // list contents -> index, so that equal leaves are shared
}

const (
	leafSize = 2  // a list this short is searched linearly
	maxWidth = 11 // widest table a node may have
)

func buildTree(rows []*row) *tree {
	t := &tree{known: map[string]int{}}
	t.lists = append(t.lists, nil)
	all := make([]int, len(rows))
	for i := range all {
		all[i] = i
	}
	t.build(rows, all, 0)
	return t
}

// build returns the child reference for the rows in set, all of which agree
// with the bits already tested.
func (t *tree) build(rows []*row, set []int, tested uint32) int {
	if len(set) == 0 {
		return 0
	}
	if len(set) > leafSize {
		if shift, width, ok := bestWindow(rows, set, tested, len(t.nodes) == 0); ok {
			n := len(t.nodes)
			t.nodes = append(t.nodes, node{shift: shift, width: width, children: make([]int, 1<<width)})
			window := uint32(1)<<width - 1
			for i := range 1 << width {
				p := pattern{window << shift, uint32(i) << shift}
				var sub []int
				for _, r := range set {
					if rows[r].overlaps(p) {
						sub = append(sub, r)
					}
				}
				t.nodes[n].children[i] = t.build(rows, sub, tested|p.mask)
			}
			return n
		}
	}
	sort.SliceStable(set, func(i, j int) bool {
		return bits.OnesCount32(rows[set[i]].mask) > bits.OnesCount32(rows[set[j]].mask)
	})
	key := fmt.Sprint(set)
	if n, ok := t.known[key]; ok {
		return n
	}
	t.lists = append(t.lists, set)
	t.known[key] = -(len(t.lists) - 1)
	return t.known[key]
}

// bestWindow picks the bits to test next: those that leave the shortest lists,
// with a price for big tables.
func bestWindow(rows []*row, set []int, tested uint32, root bool) (shift, width uint, ok bool) {
	if root {
		// Bits 31:21 hold the top-level groups of the A64 encoding index.
		return 21, maxWidth, true
	}
	best := float64(len(set))
	for w := uint(1); w <= 8; w++ {
		for s := uint(0); s+w <= 32; s++ {
			window := (uint32(1)<<w - 1) << s
			if window&tested != 0 {
				continue
			}
			sum := 0.0
			for i := range 1 << w {
				n := 0
				p := pattern{window, uint32(i) << s}
				for _, r := range set {
					if rows[r].overlaps(p) {
						n++
					}
				}
				sum += float64(n)
			}
			// Mean list length after the test, plus table cells per row.
			cost := sum/float64(uint(1)<<w) + float64(uint(1)<<w)/float64(4*len(set))
			if cost < best*0.95 {
				best, shift, width, ok = cost, s, w, true
			}
		}
	}
	return shift, width, ok
}
