package cache

import "testing"

// Branches of an image lead to the blocks that its retired units were replaced by, whatever comes first: the block, the chunk that
// has the branch or the one that has the unit. A thread left the image at each of them, in the fifteenth run of cc1 300,000 times.
func TestImageHeirs(t *testing.T) {
	const inside, across = 10, ImageChunkUnits + 5
	orders := map[string][3]int{ // when the heirs are installed, the first and the second chunk loaded
		"first": {0, 1, 2}, "in between": {1, 0, 2}, "in between, the other chunk first": {1, 2, 0}, "last": {2, 0, 1},
	}
	for name, order := range orders {
		t.Run(name, func(t *testing.T) {
			c, th, _ := newTestCache(t, 1<<20)
			next := func(u int) int { // two units of each chunk lead to each of the two
				switch u {
				case 1, ImageChunkUnits + 1:
					return inside
				case 2, ImageChunkUnits + 2:
					return across
				}
				return (u + 1) % testImageUnits
			}
			from := map[int][]int{inside: {1, inside - 1, ImageChunkUnits + 1}, across: {2, across - 1, ImageChunkUnits + 2}}
			i, code, outs := testImage(t, c, next)
			i.Retire(inside)
			i.Retire(across)
			key := func(u int) Key { return Key{PC: testImagePC + 8*uint64(u)} }
			leads := func(when string, want func(u, to int) uintptr) {
				t.Helper()
				for to, list := range from {
					for _, u := range list {
						unit := i.base + uintptr(ImageCode+u*testImageBytes)
						if i.Loaded(u) && dispAt(unit+4) != want(u, to) {
							t.Errorf("%s: unit %d, which branches to unit %d, leads to %#x, want %#x", when, u, to, dispAt(unit+4), want(u, to))
						}
					}
				}
			}
			heirs := make(map[int]*Block)
			toHeir := func(_, to int) uintptr { return heirs[to].Addr }
			toStub := func(u, _ int) uintptr { return i.base + uintptr(ImageCode+u*testImageBytes) + 16 }
			install := func() {
				for to := range from {
					heirs[to] = install(t, c, th, key(to).PC, 0, 32)
				}
			}
			for step := range order {
				if order[0] == step {
					install()
				}
				for n := range 2 {
					if order[1+n] != step {
						continue
					}
					first, end := i.Chunk(n)
					piece := code[first*testImageBytes : end*testImageBytes]
					if !c.LoadImage(i, n, piece, nil, make([]uint32, end-first), make([]byte, end-first), outs[n], key(first).PC, key(end).PC, c.Generation()) {
						t.Fatalf("chunk %d is not loaded", n)
					}
				}
			}
			leads("at first", toHeir)
			c.Invalidate(key(inside).PC, key(inside).PC+4)
			c.Invalidate(key(across).PC, key(across).PC+4)
			leads("heirs removed", toStub)
			install()
			leads("others in their place", toHeir)
			for u := range heirs {
				newer := &Block{Key: key(u), Size: 8}
				if !c.Replace(newer, make([]byte, 32), nil, c.Generation()) {
					t.Fatal("not replaced")
				}
				heirs[u] = newer
			}
			leads("replaced", toHeir)
			links := 0
			for e := heirs[inside].in; e != nil; e = e.next {
				links++
			}
			if links != len(from[inside]) {
				t.Errorf("%d branches are known to lead to an heir, want %d", links, len(from[inside]))
			}
		})
	}
}
