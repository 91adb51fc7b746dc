package translate

import "emu/ir"

// upperDepth bounds the search of upperZero.
const upperDepth = 4

// upperZero reports whether a vector is known to have a zero upper half. It looks
// at no more than depth operations in a chain.
func (t *Translator) upperZero(v ir.Value, depth int) bool {
	return t.UpperZero(v, func(x ir.Value) bool { return (depth > 1 || x.IsConst()) && t.upperZero(x, depth-1) })
}
