package cpu

// Renewer is a Runner that can go on with another program.
type Renewer interface {
	Runner
	// CanRenew reports whether Renew may be called: nothing of what runs is shown to anybody, and
	// nobody but the calling thread works on it.
	CanRenew() bool
	// Renew forgets the program. The address space is empty then, and s is about to begin another one.
	// The thread is the process's only one.
	Renew(s *State)
}
