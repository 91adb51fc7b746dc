package ir

// types checks the operands and the result of instruction n against its row.
func (v *verifier) types(n int) {
	i := v.Insts[n]
	op := i.Op()
	row := table[op]
	if op == OpNop {
		if v.Types[n] != Void {
			v.fail(n, "NOP with a result")
		}
		return
	}
	for k := range 3 {
		if a := i.Arg(k); a != None && v.TypeOf(a) == Void {
			v.fail(n, "operand %d is void", k+1)
			return
		}
	}
	if !v.operands(n, row) {
		return
	}
	want, ok := v.ResultType(op, i.A(), i.B(), i.C())
	have := v.Types[n]
	switch {
	case ok && have != want:
		v.fail(n, "%v has a result of type %v, not %v", op, want, have)
	case !ok && have == Void && op != OpMerge:
		v.fail(n, "%v without a result", op)
	case !ok && !givenType(op, have, v.TypeOf(i.A())):
		v.fail(n, "%v of %v cannot have a result of type %v", op, v.TypeOf(i.A()), have)
	case !v.fits(i, have):
		v.fail(n, "%v: an immediate is out of range or operands do not go together", op)
	}
}

// operands checks the operands of instruction n against the letters of Row.Args.
func (v *verifier) operands(n int, row *Row) bool {
	var poly, vec Type // what T, F and v stand for so far
	for k := range 3 {
		a := v.Insts[n].Arg(k)
		letter := byte('-')
		switch {
		case k < len(row.Args):
			letter = row.Args[k]
		case len(row.Args) > 0 && row.Args[len(row.Args)-1] == '*':
			letter = '*'
		}
		if letter == '*' {
			continue
		}
		if (letter == '-') != (a == None) {
			v.fail(n, "%v takes %d operands", row.Op, len(row.Args))
			return false
		}
		t := v.TypeOf(a)
		ok := true
		switch letter {
		case 'T':
			ok = (t == I32 || t == I64 || t.IsVecInt()) && (poly == Void || t == poly)
			poly = t
		case 'F':
			ok = (t.IsFloat() || t.IsVecFloat()) && (poly == Void || t == poly)
			poly = t
		case 'b':
			ok = t == I1
		case 'w':
			ok = t == I32
		case 'i':
			ok = t == I64
		case 'f':
			ok = t == Flags
		case 'v':
			ok = t.IsVec() && (vec == Void || t == vec)
			vec = t
		case '#':
			ok = a.IsConst() && t == I64
		}
		if !ok {
			v.fail(n, "operand %d of %v cannot be %s of type %v", k+1, row.Op, kindOf(a), t)
			return false
		}
	}
	return true
}

func kindOf(a Value) string {
	if a.IsConst() {
		return "a constant"
	}
	return "a value"
}

// givenType reports whether an operation whose row leaves the result to the
// builder may have one of type t for a first operand of type a.
func givenType(op Op, t, a Type) bool {
	lane := t.Lane()
	switch op.Loud() {
	case OpTrunc:
		return t.IsInt() && a.IsInt() && t.Bits() < a.Bits()
	case OpZext, OpSext:
		return t.IsInt() && a.IsInt() && t.Bits() > a.Bits()
	case OpBitcast:
		return t.Bits() == a.Bits() && t != Flags && t != I1
	case OpFCvt, OpFCvtIEEE:
		return t != a && (t.IsFloat() && a.IsFloat() || t.IsVecFloat() && a.IsVecFloat())
	case OpFCvtXN:
		return t == F32 && a == F64 || t == V4F32 && a == V2F64
	case OpFLogB:
		return t == a.IntOf()
	case OpFExpA:
		return (t.IsFloat() || t.IsVecFloat()) && a == t.IntOf()
	case OpFToSI, OpFToUI:
		return t == a.IntOf() || a.IsFloat() && (t == I32 || t == I64)
	case OpSIToF, OpUIToF:
		return t.IsFloat() && (a == I32 || a == I64 || a == t.IntOf()) || t.IsVecFloat() && a == t.IntOf()
	case OpBFCvt:
		return t == I16 && a == F32 || t == V8I16 && a == V4F32
	case OpVDup, OpVFrom:
		return t.IsVec() && !a.IsVec() && lane.Bits() == a.Bits()
	case OpVGet:
		return !t.IsVec() && t.Bits() == a.Lane().Bits()
	case OpVSext, OpVZext, OpSMulL, OpUMulL, OpSQDMulL, OpSAddLP, OpUAddLP:
		return a.IsVecInt() && t == a.Wider()
	case OpPMulL:
		return a == V16I8 && t == V8I16 || a == V2I64 && t == V2I64
	case OpVTrunc, OpSQXtN, OpUQXtN, OpSQXtUN:
		return a.IsVecInt() && t == a.Narrower()
	case OpAddV, OpSMaxV, OpSMinV, OpUMaxV, OpUMinV:
		return a.IsVecInt() && t == a.Lane()
	case OpLaneMask, OpLoadP, OpGetChunk:
		return t.IsVec()
	case OpGetV:
		return t.IsVec() || t.IsFloat() || t >= I8 && t <= I64
	case OpLoad:
		return t.IsVec() || t.IsFloat() || t >= I8 && t <= I64
	case OpLoadS:
		return t == I32 || t == I64
	case OpLoadA:
		return t >= I8 && t <= I64
	case OpLoadEx:
		return t >= I8 && t <= I64 || t == V2I64
	}
	return true // BLOCK_ARG, MERGE, DEF_EXT and HELPERV are of any type
}

// fits checks the values of the immediate operands of i, whose result has type t,
// and the relations between operands that letters cannot express.
func (f *Func) fits(i Inst, t Type) bool {
	a := f.TypeOf(i.A())
	lanes, bits := uint64(a.Lanes()), uint64(a.Lane().Bits())
	imm := func(k int) uint64 {
		if c, ok := f.ConstOf(i.Arg(k)); ok {
			return c.Lo
		}
		return 0
	}
	ok := true
	switch op := i.Op().Loud(); op {
	case OpGetX, OpSetX, OpGetV, OpSetV:
		ok = imm(0) < 32
	case OpSetChunk, OpGetChunk:
		ok = imm(0) < 4
	case OpICmp:
		ok = imm(2) <= uint64(SGE)
	case OpFCmp:
		ok = imm(2) <= uint64(FTrue|FSignal)
	case OpFRound, OpFRound32, OpFRound64:
		ok = imm(1) <= uint64(RoundFPCR)
	case OpFToSI, OpFToUI:
		ok = imm(1) <= uint64(RoundFPCR) && imm(2) <= uint64(t.Lane().Bits())
	case OpSIToF, OpUIToF:
		ok = imm(1) <= bits
	case OpFlagCond:
		ok = imm(1) < 16
	case OpVDupL, OpVGet:
		ok = imm(1) < lanes
	case OpVSet:
		ok = imm(2) < lanes && f.TypeOf(i.B()).Bits() == int(bits)
	case OpVInsL:
		ok = imm(2)>>4 < lanes && imm(2)&15 < lanes
	case OpExt:
		ok = imm(2) < 16
	case OpRev:
		unit := bits
		if !a.IsVec() {
			unit = 8
		}
		ok = imm(1) == 16 || imm(1) == 32 || imm(1) == 64
		ok = ok && imm(1) >= unit && (a.IsVec() || imm(1) <= bits)
	case OpExtr:
		ok = imm(2) < bits
	case OpUbfx, OpSbfx:
		ok = imm(2) >= 1 && imm(1)+imm(2) <= bits
	case OpBfi:
		ok = imm(2)&0xff >= 1 && imm(2)>>8+imm(2)&0xff <= bits
	case OpSRShr, OpURShr:
		ok = imm(1) >= 1 && imm(1) <= bits
	case OpSQShlU:
		ok = imm(1) < bits
	case OpCrc32, OpCrc32C:
		ok = imm(2) == 8 || imm(2) == 16 || imm(2) == 32 || imm(2) == 64
	case OpLoadS:
		ok = (imm(2) == 8 || imm(2) == 16 || imm(2) == 32) && imm(2) < uint64(t.Bits())
	case OpLoadP:
		n := imm(2)
		ok = (n == 1 || n == 2 || n == 4 || n == 8 || n == 16) && n >= uint64(t.Lane().Bytes())
	case OpFScale:
		ok = f.TypeOf(i.B()) == a.IntOf()
	case OpCopy64, OpSet64:
		ok = imm(2) == uint64(int64(int16(imm(2))))
	case OpMonitor:
		t := f.TypeOf(i.B())
		ok = t >= I8 && t <= I64 || t == V2I64
	case OpSelect, OpCas:
		ok = f.TypeOf(i.B()) == f.TypeOf(i.C())
	}
	return ok
}
