package x64

// families holds the instruction tables; the high bits of an Op's index choose
// one. A slice of arrays is laid out by the linker, so start-up does nothing.
var families = [16][]row{
	rowsInt[:],
	rowsMisc[:],
	rowsVecMove[:],
	rowsVecInt[:],
	rowsVecFP[:],
	rowsFMA[:],
	rowsEvexInt[:],
	rowsMask[:],
	rowsEvexFP[:],
	rowsVecShuffle[:],
}
