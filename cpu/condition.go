package cpu

// ConditionHolds is the function of that name in the Arm ARM: whether an instruction's
// condition, 0 (EQ) to 15, holds under the flags.
func ConditionHolds(cond uint32, n, z, c, v bool) bool {
	var holds bool
	switch cond >> 1 {
	case 0:
		holds = z
	case 1:
		holds = c
	case 2:
		holds = n
	case 3:
		holds = v
	case 4:
		holds = c && !z
	case 5:
		holds = n == v
	case 6:
		holds = n == v && !z
	default:
		return true // AL, and its twin 15
	}
	return holds != (cond&1 != 0)
}
