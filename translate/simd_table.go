package translate

import "slices"

// simdRules lists the rules of floating point and Advanced SIMD; see table.go.
func simdRules() [][]rule {
	return slices.Concat(
		fpArith(), fpMulAdd(), fpRound(), fpMove(), fpCompare(), fpConvert(),
		simdThreeSame(), simdThreeSameFP(), simdThreeSameExtra(), simdComplex(), simdThreeDifferent(),
		simdTwoRegMisc(), simdTwoRegMiscFP(), simdAcrossLanes(), simdByElement(), simdShiftImm(),
		simdModifiedImm(), simdCopy(), simdPermute(),
		simdScalarThreeSame(), simdScalarMisc(), simdScalarShift(), simdScalarByElement(),
		crypto(),
	)
}

// simdGroups lists the encoding groups of loads and stores of SIMD&FP registers.
var simdGroups = [][]groupRule{ldstSIMDGroups, ldstStructureGroups}
