package cpu

// Forker is a Runner that wants to know when its process forks.
type Forker interface {
	Runner
	// BeforeFork is called in the parent, on the thread that is about to fork.
	BeforeFork()
}
