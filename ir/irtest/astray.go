package irtest

// Astray is an interp.Machine's Watch for tests that run random code in their own process:
// it stops at an access that is neither between start and end, which is the test's own
// memory, nor certain to fault. Engines are compared on what is left. Random addresses do
// hit what is mapped at low addresses, the data of the test's own program: once they
// changed the tables of Go's runtime, which died of it much later.
func Astray(start, end uint64) func(addr, size uint64, load, store bool) (hit uint64, ok bool) {
	const (
		lowest  = 1 << 16 // vm.mmap_min_addr: nothing is mapped below
		highest = 1 << 47 // nor from here on, for programs
	)
	return func(addr, size uint64, _, _ bool) (uint64, bool) {
		last := addr + size - 1
		own := start <= addr && addr <= last && last < end
		return addr, !own && last >= lowest && addr < highest
	}
}
