package decoder

//go:generate go run ./gen

// candidate is one row at a leaf of the decision tree: it matches when the
// fixed bits agree and none of rejects[reject:reject+rejects] does.
type candidate struct {
	mask, value uint32
	op          Op
	reject      uint16
	rejects     uint8
	last        bool
}

// Decode finds the encoding of an instruction word. The Op of the result is
// UNALLOCATED for words that are unallocated or UNDEFINED by their operand
// values; should-be-zero and should-be-one bits are not looked at, as on most
// processors. Whether the feature is implemented, and whether the instruction is
// allowed at EL0, is for the caller to ask.
func Decode(word uint32) Inst {
	n := int(cells[1+word>>21])
	for n > 0 {
		c := uint32(cells[n])
		n = int(cells[n+1+int(word>>(c&31)&(1<<(c>>8)-1))])
	}
	if n == 0 {
		return Inst{Word: word}
	}
next:
	for i := -n - 1; ; i++ {
		c := &candidates[i]
		if word&c.mask == c.value {
			for _, p := range rejects[c.reject : c.reject+uint16(c.rejects)] {
				if word&p.Mask == p.Value {
					if c.last {
						break next
					}
					continue next
				}
			}
			return Inst{Op: c.op, Word: word}
		}
		if c.last {
			break
		}
	}
	return Inst{Word: word}
}
