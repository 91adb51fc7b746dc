package host

import "emu/cpu"

// Pin is a guest register that lives in a host register wherever control goes from
// one unit to another, and in the engine's stubs.
type Pin struct {
	Guest Guest
	Reg   uint8 // general or vector register by number
}

// Pins are those registers: arguments and results of calls, what interpreters keep
// across them, and what calls and returns themselves change.
var Pins = [...]Pin{
	{GuestX + 0, 6},
	{GuestX + 1, 7},
	{GuestX + 2, 8},
	{GuestX + 3, 9},
	{GuestX + 19, 10},
	{GuestX + 20, 11},
	{GuestX + 30, 12},
	{GuestX + 31, 13},
}

// storePins stores the pins of set from the registers that a fault left.
func storePins(s *cpu.State, set uint64) {
	for n, p := range Pins {
		if set>>n&1 != 0 {
			s.X[p.Guest-GuestX] = s.FaultGPR[p.Reg]
		}
	}
}
