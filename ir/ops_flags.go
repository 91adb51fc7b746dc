package ir

// flagsOps: condition flags as values.
var flagsOps = []Row{
	{Op: OpAddF, Name: "addf", Args: "TT", Ret: "f", Flags: Pure | Commutes, Eval: evalAddF, Doc: "NZCV of an addition"},
	{Op: OpSubF, Name: "subf", Args: "TT", Ret: "f", Flags: Pure, Eval: evalSubF, Doc: "NZCV of a subtraction (C = no borrow)"},
	{Op: OpAdc, Name: "adc", Args: "TTf", Ret: "T", Flags: Pure, Eval: evalAdc, Doc: "first + second + C"},
	{Op: OpSbc, Name: "sbc", Args: "TTf", Ret: "T", Flags: Pure, Eval: evalSbc, Doc: "first + not second + C"},
	{Op: OpAdcF, Name: "adcf", Args: "TTf", Ret: "f", Flags: Pure, Eval: evalAdcF, Doc: "NZCV of ADC"},
	{Op: OpSbcF, Name: "sbcf", Args: "TTf", Ret: "f", Flags: Pure, Eval: evalSbcF, Doc: "NZCV of SBC"},
	{Op: OpNZ, Name: "nz", Args: "T", Ret: "f", Flags: Pure, Eval: evalNZ, Doc: "N and Z of a value, C = V = 0 (logical instructions)"},
	{Op: OpFCmpF, Name: "fcmpf", Args: "FF#", Ret: "f", Flags: FPStatus, Eval: evalFCmpF, Doc: "NZCV of a float compare; 1 = signal invalid for every NaN (FCMPE)"},
	{Op: OpFlagCond, Name: "cond", Args: "f#", Ret: "b", Flags: Pure, Eval: evalFlagCond, Doc: "A64 condition code n (0 EQ .. 13 LE, 14 and 15 always) of the flags"},
	{Op: OpPackF, Name: "packf", Args: "f", Ret: "i", Flags: Pure, Eval: evalPackF, Doc: "flags to N31 Z30 C29 V28 as MRS NZCV shows them"},
	{Op: OpUnpackF, Name: "unpackf", Args: "i", Ret: "f", Flags: Pure, Eval: evalUnpackF, Doc: "flags from bits 31:28"},
}
