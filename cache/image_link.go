package cache

// Edges of images, between their units. Where there is a Block for the pc of a unit that was retired, its heir, edges lead there:
// an image comes to have hundreds of regions that are newer, and threads would leave it at each.

func (i *Image) edges(u int) []ImageEdge { return i.Edges[i.Units[u].Edges:i.Units[u+1].Edges] }

// heir returns the Block that there is in place of u, nil if there is none. The chunk of u is loaded.
func (i *Image) heir(u int) *Block {
	if b := i.heirs[u]; b != nil && b.PC == i.Units[u].PC && b.Mode == i.Units[u].Mode {
		return b
	}
	return nil
}

// linkUnit leads the edges to u of the chunk from..to, which is being loaded, to where they belong. Those of the same chunk lead to u as
// they were laid out.
func (c *Cache) linkUnit(i *Image, u, from, to int) {
	heir := i.heir(u)
	i.gone[u] = i.gone[u] || heir != nil
	for _, e := range i.edges(u) {
		switch inside := int(e.From) >= from && int(e.From) < to; {
		case inside && i.gone[u]:
			i.unlinkEdge(e, u)
			c.linkEdge(i, e, u, heir)
		case !inside && i.Loaded(int(e.From)):
			c.linkEdge(i, e, u, heir)
		}
	}
}

// linkEdge leads an edge to u from its exit stub to u or its heir, if there is either and it does not lead anywhere else. Both units'
// chunks are loaded.
func (c *Cache) linkEdge(i *Image, e ImageEdge, u int, heir *Block) {
	at := i.Address(e.Patch)
	switch {
	case dispAt(at) != i.Address(e.Stub):
	case !i.gone[u]:
		setDisp(at, i.Address(i.Units[u].Off))
	case heir != nil:
		x := &Exit{Target: heir.PC, Patch: e.Patch, Stub: e.Stub, from: i.whole}
		x.lead(heir)
		setDisp(at, heir.Addr)
		c.stats.Links++
	}
}

// unlinkEdge leads an edge to u back to its exit stub, if it leads to u.
func (i *Image) unlinkEdge(e ImageEdge, u int) {
	if at := i.Address(e.Patch); dispAt(at) == i.Address(i.Units[u].Off) {
		setDisp(at, i.Address(e.Stub))
	}
}

// retire makes nothing lead to u any more. The cache's lock is held.
func (c *Cache) retire(i *Image, u int) {
	if i.gone[u] {
		return
	}
	i.gone[u] = true
	for t := range c.users {
		t.forget(i.Units[u].PC)
	}
	for _, e := range i.edges(u) {
		if i.Loaded(int(e.From)) {
			i.unlinkEdge(e, u)
		}
	}
}

// inherit retires what images have for the key of b, which is being installed, and leads there what led to that. The cache's lock
// is held.
func (c *Cache) inherit(b *Block) {
	for _, i := range c.allImages() {
		u, ok := i.Find(b.Key)
		if !ok {
			continue
		}
		i.heirs[u] = b
		if !i.Loaded(u) || i.heir(u) != b {
			continue // see linkUnit; or the table is damaged
		}
		c.retire(i, u)
		for _, e := range i.edges(u) {
			if i.Loaded(int(e.From)) {
				c.linkEdge(i, e, u, b)
			}
		}
	}
}

// disinherit forgets that b, which is being dropped, is an heir. The cache's lock is held.
func (c *Cache) disinherit(b *Block) {
	for _, i := range c.allImages() {
		if u, ok := i.Find(b.Key); ok && i.heirs[u] == b {
			delete(i.heirs, u)
		}
	}
}

// standsFor returns the unit of an image that b has the code of, or is the heir of. The cache's lock is held.
func (c *Cache) standsFor(b *Block) (i *Image, u int, ok bool) {
	if b.image != nil {
		return b.image, b.unit, true
	}
	for _, i := range c.allImages() {
		if u, ok := i.Find(b.Key); ok && i.Loaded(u) && i.heir(u) == b {
			return i, u, true
		}
	}
	return nil, 0, false
}
