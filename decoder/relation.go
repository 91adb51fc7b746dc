package decoder

// applies reports whether the alias is the preferred spelling of the instruction.
func (a *Alias) applies(i Inst) bool {
	if a.When != nil {
		any := false
		for _, p := range a.When {
			any = any || p.Matches(i.Word)
		}
		if !any {
			return false
		}
	}
	return a.Relation == "" || relation(a.Relation)(i)
}

// relation returns the test behind an @relation of an alias line.
func relation(name string) func(Inst) bool {
	switch name {
	case "Rn=Rm":
		return func(i Inst) bool { return i.Rn() == i.Rm() }
	case "Pn=Pm":
		return func(i Inst) bool { return i.box("Pn") == i.box("Pm") }
	case "Pm=Pg":
		return func(i Inst) bool { return i.box("Pm") == i.box("Pg") }
	case "Pn=Pm=Pg":
		return func(i Inst) bool { return i.box("Pn") == i.box("Pm") && i.box("Pm") == i.box("Pg") }
	case "Pd=Pm":
		return func(i Inst) bool { return i.box("Pd") == i.box("Pm") }
	case "Zd=Zm":
		return func(i Inst) bool { return i.box("Zd") == i.box("Zm") }
	case "index=0": // DUP of the first element
		return func(i Inst) bool { _, index := i.TszIndex(); return index == 0 }
	case "movemask": // a mask that DUP (immediate) cannot make
		return Inst.SVEMoveMaskPreferred
	case "imms<immr":
		return func(i Inst) bool { return i.Bits(15, 10) < i.Bits(21, 16) }
	case "imms+1=immr": // LSL
		return func(i Inst) bool { return i.Bits(15, 10)+1 == i.Bits(21, 16) }
	case "movz": // any MOVZ but one of a shifted zero
		return func(i Inst) bool { return i.Imm16() != 0 || i.Bits(22, 21) == 0 }
	case "movn": // and, with 32 bits, not one that MOVZ can make
		return func(i Inst) bool {
			if i.Imm16() == 0 && i.Bits(22, 21) != 0 {
				return false
			}
			return i.is64() || i.Imm16() != 0xffff
		}
	case "movimm": // a bitmask that no single MOVZ or MOVN makes, or to SP, which they cannot write
		return func(i Inst) bool {
			return i.Rd() == 31 || !MoveWidePreferred(i.is64(), i.Bit(22), i.Bits(15, 10), i.Bits(21, 16))
		}
	case "dc", "ic", "at", "tlbi": // a system operation of that kind
		return func(i Inst) bool {
			op, ok := i.SysOp()
			return ok && op.Kind == name
		}
	case "tlbip": // one of the TLBI operations that take an address, with a pair
		return func(i Inst) bool {
			op, ok := i.SysOp()
			return ok && op.Kind == "tlbi" && op.Register
		}
	}
	panic("BUG: unknown relation in the tables: " + name)
}
