package ir

// What FENCE orders, its number: accesses of these kinds before it stay before those behind it.
const (
	FenceLoads  = 1 // loads before all accesses
	FenceStores = 2 // stores before stores
	FenceAll    = 3
)

// memOps: guest memory; addresses are host addresses.
var memOps = []Row{
	{Op: OpLoad, Name: "load", Args: "ii", Ret: "X", Flags: MemRead, Doc: "loads at base + offset"},
	{Op: OpLoadS, Name: "loads", Args: "ii#", Ret: "X", Flags: MemRead, Doc: "loads n bits at base + offset and sign-extends to I32 or I64"},
	{Op: OpLoadA, Name: "loada", Args: "ii", Ret: "X", Flags: MemRead | Acquire, Doc: "load-acquire (sequentially consistent with STORER, as LDAR)"},
	{Op: OpStore, Name: "store", Args: "Vii", Ret: "-", Flags: MemWrite, Doc: "stores the first operand at second + third"},
	{Op: OpStoreR, Name: "storer", Args: "Vii", Ret: "-", Flags: MemWrite | Release, Doc: "store-release, ordered before later LOADA (STLR)"},
	{Op: OpFence, Name: "fence", Args: "#", Ret: "-", Flags: Effect, Doc: "data memory barrier: 1 loads, 2 stores, 3 all"},
	{Op: OpPrefetch, Name: "prefetch", Args: "ii#", Ret: "-", Flags: Effect, Doc: "asks for the cache line at base + offset and never faults: 0 for all caches, 1 from the second on, 2 from the third, 3 to be used once"},
	{Op: OpRmwAdd, Name: "rmw_add", Args: "iV", Ret: "=2", Flags: MemRead | MemWrite | Acquire | Release, Doc: "atomic add at the address, I8 to I64; gives the old value"},
	{Op: OpRmwClr, Name: "rmw_clr", Args: "iV", Ret: "=2", Flags: MemRead | MemWrite | Acquire | Release, Doc: "atomic and-not"},
	{Op: OpRmwEor, Name: "rmw_eor", Args: "iV", Ret: "=2", Flags: MemRead | MemWrite | Acquire | Release, Doc: "atomic xor"},
	{Op: OpRmwSet, Name: "rmw_set", Args: "iV", Ret: "=2", Flags: MemRead | MemWrite | Acquire | Release, Doc: "atomic or"},
	{Op: OpRmwSMax, Name: "rmw_smax", Args: "iV", Ret: "=2", Flags: MemRead | MemWrite | Acquire | Release, Doc: "atomic signed maximum"},
	{Op: OpRmwSMin, Name: "rmw_smin", Args: "iV", Ret: "=2", Flags: MemRead | MemWrite | Acquire | Release, Doc: "atomic signed minimum"},
	{Op: OpRmwUMax, Name: "rmw_umax", Args: "iV", Ret: "=2", Flags: MemRead | MemWrite | Acquire | Release, Doc: "atomic unsigned maximum"},
	{Op: OpRmwUMin, Name: "rmw_umin", Args: "iV", Ret: "=2", Flags: MemRead | MemWrite | Acquire | Release, Doc: "atomic unsigned minimum"},
	{Op: OpRmwSwp, Name: "rmw_swp", Args: "iV", Ret: "=2", Flags: MemRead | MemWrite | Acquire | Release, Doc: "atomic exchange; V2I64 for SWPP"},
	{Op: OpCas, Name: "cas", Args: "iVV", Ret: "=2", Flags: MemRead | MemWrite | Acquire | Release, Doc: "if memory equals second, stores third; gives the old value. I8 to I64, V2I64 (16-byte aligned)"},
	{Op: OpLoadEx, Name: "loadex", Args: "i", Ret: "X", Flags: MemRead | Acquire, Doc: "load-exclusive: opens the local monitor; I8 to I64, V2I64 for 128 bits"},
	{Op: OpStoreEx, Name: "storeex", Args: "iV", Ret: "w", Flags: MemRead | MemWrite | Acquire | Release, Doc: "store-exclusive: 0 if it happened, 1 if not; closes the monitor"},
	{Op: OpClrEx, Name: "clrex", Args: "", Ret: "-", Flags: Effect, Doc: "closes the local monitor"},
	{Op: OpMonitor, Name: "monitor", Args: "iV", Ret: "-", Flags: Effect, Doc: "opens the local monitor on an address for what was read there: all of LOADEX but the load"},
	{Op: OpSet64, Name: "set64", Args: "ii#", Ret: "-", Flags: MemWrite, Doc: "stores the second operand eight times, the first of them at first plus third"},
	{Op: OpCopy, Name: "copy", Args: "iii", Ret: "-", Flags: MemRead | MemWrite, Doc: "copies third bytes, a multiple of 64, from second on to where first points; the two do not overlap, and a fault leaves some copied"},
	{Op: OpCopy64, Name: "copy64", Args: "ii#", Ret: "-", Flags: MemRead | MemWrite, Doc: "copies 64 bytes from second to where first points, both plus third; all are read before one is written"},
	{Op: OpLoadP, Name: "loadp", Args: "ii#", Ret: "X", Flags: MemRead, Doc: "loads those of n (1 to 16) bytes from first on whose bit of second is set; the others are zero, and neither read nor cause a fault. The lanes of the result are elements, whose bits are equal; bits from n on do not count"},
	{Op: OpStoreP, Name: "storep", Args: "vii", Ret: "-", Flags: MemWrite, Doc: "stores those bytes of the first operand, from second on, whose bit of third is set; the others are neither written nor cause a fault. Its lanes are elements, whose bits are equal; bits from 16 on do not count"},
}
