package translate

// simdRules lists the rules of floating point and Advanced SIMD; see table.go.
var simdRules = [][]rule{}
