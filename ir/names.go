package ir

import "emu/cpu"

// suffix gives the immediate operand that stands by name behind the mnemonic in
// the text form: icmp.slt, exit.syscall.
type suffix struct {
	arg   int // which operand
	names []string
}

var (
	condNames  = []string{"eq", "ne", "ult", "ule", "ugt", "uge", "slt", "sle", "sgt", "sge"}
	fcondNames = signalling([]string{
		"false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord",
		"uno", "ueq", "ugt", "uge", "ult", "ule", "une", "true",
	})
	roundNames = []string{"even", "up", "down", "zero", "away", "fpcr"}
	a64Conds   = []string{"eq", "ne", "cs", "cc", "mi", "pl", "vs", "vc", "hi", "ls", "ge", "lt", "gt", "le", "al", "nv"}
	sysNames   = []string{SysTPIDR: "tpidr", SysTPIDRRO: "tpidrro", SysTPIDR2: "tpidr2", SysFPCR: "fpcr", SysModes: "modes",
		SysAPKeys: "apia_lo", "apia_hi", "apib_lo", "apib_hi", "apda_lo", "apda_hi", "apdb_lo", "apdb_hi", "apga_lo", "apga_hi",
		SysPACEnabled: "enia", "enib", "enda", "endb",
		SysGCSPR: "gcspr", SysGCSMode: "gcsmode", SysRMode: "rmode",
		SysP: "p0", "p1", "p2", "p3", "p4", "p5", "p6", "p7", "p8", "p9", "p10", "p11", "p12", "p13", "p14", "p15", SysFFR: "ffr"}
	exitNames = exitKinds()
)

func signalling(quiet []string) []string {
	names := quiet
	for _, n := range quiet {
		names = append(names, "s_"+n)
	}
	return names
}

func exitKinds() (names []string) {
	for k := range cpu.NumExitKinds {
		names = append(names, k.String())
	}
	return names
}

var suffixes = [NumOps]suffix{
	OpICmp:     {2, condNames},
	OpFCmp:     {2, fcondNames},
	OpFRound:   {1, roundNames},
	OpFRound32: {1, roundNames},
	OpFRound64: {1, roundNames},
	OpFToSI:    {1, roundNames},
	OpFToUI:    {1, roundNames},
	OpFlagCond: {1, a64Conds},
	OpGetSys:   {0, sysNames},
	OpSetSys:   {0, sysNames},
	OpExit:     {0, exitNames},
	OpExitArg:  {0, exitNames},
}

// number returns what name stands for, -1 if nothing.
func (s suffix) number(name string) int {
	for n, have := range s.names {
		if have == name {
			return n
		}
	}
	return -1
}

func (c Cond) String() string  { return nameOf(condNames, int(c)) }
func (c FCond) String() string { return nameOf(fcondNames, int(c)) }
func (r Round) String() string { return nameOf(roundNames, int(r)) }

func nameOf(names []string, n int) string {
	if n < len(names) {
		return names[n]
	}
	return "?"
}

// Swap returns the condition for exchanged operands.
func (c Cond) Swap() Cond { return [...]Cond{EQ, NE, UGT, UGE, ULT, ULE, SGT, SGE, SLT, SLE}[c] }

// Not returns the opposite condition.
func (c Cond) Not() Cond { return [...]Cond{NE, EQ, UGE, UGT, ULE, ULT, SGE, SGT, SLE, SLT}[c] }
