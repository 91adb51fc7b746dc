package tests

import "testing"

// TestFloatEnvironment runs programs that change the rounding mode and read and write
// exception flags in loops, which is done by generated code alone once FPSR is watched.
func TestFloatEnvironment(t *testing.T) {
	likeHost(t, "guest/float", nil, "interp", "1", "2")
}
