package cpu

// Stepper is a Runner that can execute one instruction, for debuggers.
type Stepper interface {
	Runner
	// Step executes the instruction at s.PC. An instruction that needs nothing from
	// the kernel returns ExitBranch, with the next instruction's address.
	Step(s *State) Exit
}

// CodeChanged tells the engines that somebody else wrote to [start, end), a
// debugger for instance: code translated from there is dropped.
func (m *Memory) CodeChanged(start, end uint64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.changed(start, end)
}
