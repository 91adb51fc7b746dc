package cpu

// The address space, from below:
//
//	0x0000_0000_0000  the guest's: programs linked to fixed addresses, hints, sanitizers' shadows
//	0x4000_0000_0000  mappings, upwards, if the layout is bottom-up
//	0x5500_0000_0000  a position-independent program, its heap behind it (package loader)
//	0x5800_0000_0000  shadow stacks and their view (shadow.go)
//	0x6000_0000_0000  tags of memory (tags.go, tags_shared.go)
//	0x6848_0000_0000  mappings, downwards from below the stack to here
//	0x7cfe_0000_0000  the end of the main stack
//	0x7cff_0000_0000  the dynamic linker
//	0x7d00_0000_0000  shared objects' homes (home.go)
//	0x7e00_0000_0000  emu, with its heap and code cache behind it (package place)
//	0x7e80_0000_0000  what the host places: the process's first stack, files
//
// The host looks for room downwards from some random place in the last TiB, and so its
// choices stay above emu. Where it looks elsewhere (a limit for stacks of TiBs, none, or
// ADDR_COMPAT_LAYOUT) what it has placed is found when it is in the way.
const (
	stackEnd = 0x7cfe_0000_0000
	// lowest is where the guest's memory may begin if it leaves the choice to the system
	// (vm.mmap_min_addr).
	lowest = 64 << 10
	// unmappedBase is TASK_UNMAPPED_BASE of an arm64 kernel with addresses of 48 bits.
	unmappedBase = 1 << 46
)

// Layout is where a process has its main stack and where room is looked for when the
// guest leaves an address to the system (arch_pick_mmap_layout in the kernel's mm/util.c).
type Layout struct {
	StackTop uint64 // the end of the main stack
	Base     uint64 // mappings go below it, or above if BottomUp
	BottomUp bool   // ADDR_COMPAT_LAYOUT, or no limit for the stack
}

// What a layout leaves to chance, in pages: STACK_RND_MASK of arm64 and the host's
// vm.mmap_rnd_bits.
const (
	stackRandom = 1 << 18
	mmapRandom  = 1 << 28
)

// NewLayout returns the layout of a process whose main stack has up to stack bytes. random
// chooses among the possible ones; it is 0 with ADDR_NO_RANDOMIZE.
func NewLayout(stack uint64, bottomUp bool, random uint64) Layout {
	const minGap, maxGap = 128 << 20, stackEnd / 6 * 5
	l := Layout{StackTop: stackEnd - random%stackRandom*PageSize, BottomUp: bottomUp}
	chosen := random / stackRandom % mmapRandom * PageSize
	if bottomUp {
		l.Base = unmappedBase + chosen
		return l
	}
	gap := min(stack, maxGap) + stackRandom*PageSize + stackGap
	l.Base = stackEnd - min(max(gap, minGap), maxGap) - chosen
	return l
}

// StackTop is the end of the main stack, as the layout has it.
func (m *Memory) StackTop() uint64 { return m.layout.StackTop }

// SetLayout says where memory goes from now on. It is called before the guest has any.
func (m *Memory) SetLayout(l Layout) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.layout = l
	for n := range m.holes {
		m.holes[n] = l.Base
	}
}
