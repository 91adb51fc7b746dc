package ir

// stateOps: guest state: GETs and SETs of registers; SETs may be kept back by the backend until an exit or a fault.
var stateOps = []Row{
	{Op: OpGetX, Name: "getx", Args: "#", Ret: "i", Flags: StateRead, Doc: "X register n, 31 = SP"},
	{Op: OpSetX, Name: "setx", Args: "#i", Ret: "-", Flags: StateWrite, Doc: "sets X register n, 31 = SP"},
	{Op: OpGetV, Name: "getv", Args: "#", Ret: "X", Flags: StateRead, Doc: "V register n; of scalar type: its low lane"},
	{Op: OpSetV, Name: "setv", Args: "#v", Ret: "-", Flags: StateWrite, Doc: "sets all 128 bits of V register n"},
	{Op: OpGetNZCV, Name: "getnzcv", Args: "", Ret: "f", Flags: StateRead, Doc: "the condition flags"},
	{Op: OpSetNZCV, Name: "setnzcv", Args: "f", Ret: "-", Flags: StateWrite, Doc: "sets the condition flags"},
	{Op: OpGetSys, Name: "getsys", Args: "#", Ret: "i", Flags: StateRead, Doc: "system register (ir.SysReg) kept in the state"},
	{Op: OpSetSys, Name: "setsys", Args: "#i", Ret: "-", Flags: StateWrite, Doc: "sets a system register; FPCR writes are followed by an ExitMode"},
	{Op: OpGetFPSR, Name: "getfpsr", Args: "", Ret: "i", Flags: StateRead | FPStatus, Doc: "FPSR, with the flags that the host still holds"},
	{Op: OpSetFPSR, Name: "setfpsr", Args: "i", Ret: "-", Flags: StateWrite | FPStatus, Doc: "sets FPSR and clears what the host holds"},
	{Op: OpCounter, Name: "counter", Args: "", Ret: "i", Flags: Effect, Doc: "CNTVCT_EL0, the virtual counter"},
	{Op: OpRandom, Name: "random", Args: "", Ret: "i", Flags: Effect, Doc: "a random number from the host (RNDR)"},
	{Op: OpHelper, Name: "helper", Args: "#ii", Ret: "i", Flags: Effect, Doc: "Go helper n (ir.HelperID) of two values, out of generated code; for what is rare"},
	{Op: OpHelperV, Name: "helperv", Args: "#VV", Ret: "X", Flags: FPStatus, Doc: "the same for vectors and floats"},
	{Op: OpSetChunk, Name: "setchunk", Args: "#v", Ret: "-", Flags: StateWrite, Doc: "piece n of 4 of the chunk, 64 bytes that COPYUP and COPYDOWN have loaded and not stored yet"},
	{Op: OpGetChunk, Name: "getchunk", Args: "#", Ret: "X", Flags: StateRead, Doc: "piece n of 4 of the chunk"},
	{Op: OpCopyUp, Name: "copyup", Args: "iii", Ret: "i", Flags: Effect, Doc: "stores the chunk where first points and loads the next one from second, then the same 64 bytes further up, for as many of third bytes, signed, as it likes; gives how many. Never faults: what would is left out, as are safe points, and chunks that overlap"},
	{Op: OpCopyDown, Name: "copydown", Args: "iii", Ret: "i", Flags: Effect, Doc: "the same, each time 64 bytes further down"},
}
