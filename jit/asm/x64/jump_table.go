package x64

// JumpTable places a table of 4-byte entries here and binds l to it: how far each of targets, which are
// bound, is from the table's start. An entry, sign-extended, and the table's address make an
// address to jump to. Control flow must not reach this position.
func (b *Buffer) JumpTable(l Label, targets []Label) {
	b.alignData(4)
	start := len(b.B)
	b.Bind(l)
	for _, t := range targets {
		at, bound := b.Offset(t)
		if !bound {
			panic("BUG: x64: unbound label in a jump table")
		}
		b.Long(uint32(at - start))
	}
}
