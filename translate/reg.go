package translate

import (
	"emu/cpu"
	"emu/ir"
)

// Register operands. Number 31 is the zero register in X, W, SetX and SetW and
// the stack pointer in the forms with SP.

// X is general register n as I64, 31 = zero.
func (t *Translator) X(n uint32) ir.Value {
	if n == 31 {
		return ir.Imm(0)
	}
	return t.GetX(int(n))
}

// W is the low half of general register n as I32, 31 = zero.
func (t *Translator) W(n uint32) ir.Value {
	if n == 31 {
		return t.I32(0)
	}
	return t.GetW(int(n))
}

// R is X for is64 and W otherwise.
func (t *Translator) R(is64 bool, n uint32) ir.Value {
	if is64 {
		return t.X(n)
	}
	return t.W(n)
}

// XSP is general register n as I64, 31 = SP.
func (t *Translator) XSP(n uint32) ir.Value { return t.GetX(int(n)) }

// RSP is R with 31 = SP.
func (t *Translator) RSP(is64 bool, n uint32) ir.Value {
	if is64 {
		return t.GetX(int(n))
	}
	return t.GetW(int(n))
}

// SetX sets general register n to an I64; 31 discards it.
func (t *Translator) SetX(n uint32, v ir.Value) {
	if n != 31 {
		t.Builder.SetX(int(n), v)
	}
}

// SetW sets general register n to an I32, zero-extended; 31 discards it.
func (t *Translator) SetW(n uint32, v ir.Value) {
	if n != 31 {
		t.Builder.SetW(int(n), v)
	}
}

// SetR sets general register n to an integer of any type, zero-extended; 31
// discards it.
func (t *Translator) SetR(n uint32, v ir.Value) {
	if n != 31 {
		t.Builder.SetX(int(n), t.Zext(ir.I64, v))
	}
}

// SetXSP is SetX with 31 = SP.
func (t *Translator) SetXSP(n uint32, v ir.Value) {
	if n == 31 {
		t.setSP(v)
		return
	}
	t.Builder.SetX(int(n), v)
}

// SetRSP is SetR with 31 = SP.
func (t *Translator) SetRSP(n uint32, v ir.Value) { t.SetXSP(n, t.Zext(ir.I64, v)) }

// V is SIMD&FP register n as ty: a vector, or the low lane of scalar type.
func (t *Translator) V(n uint32, ty ir.Type) ir.Value { return t.GetV(ty, int(n)) }

// SetV sets SIMD&FP register n. A scalar clears the rest of the register.
func (t *Translator) SetV(n uint32, v ir.Value) { t.Builder.SetV(int(n), v) }

// address is the base and the offset of a memory access, both I64. Top byte
// ignore is not applied here: an access with a tag faults on the host, and the
// fault is where it is served; or else the access removes it (access.go).
type address struct{ base, off ir.Value }

// at is the address base + off for an access with an immediate offset; register
// 31 is SP.
func (t *Translator) at(rn uint32, off int64) address {
	return address{t.XSP(rn), t.I64(uint64(off))}
}

// atReg is the address of the register-offset forms: Rn plus Rm extended and
// shifted left by shift.
func (t *Translator) atReg(rn, rm, option uint32, shift uint) address {
	return address{t.XSP(rn), t.extend(rm, option, shift)}
}

// sum is the address as one value.
func (t *Translator) sum(a address) ir.Value { return t.Add(a.base, a.off) }

// extend is ExtendReg of the Arm ARM: Rm extended as option says, shifted left.
func (t *Translator) extend(rm, option uint32, shift uint) ir.Value {
	v := t.X(rm)
	bits, signed := uint(8)<<(option&3), option&4 != 0
	switch {
	case bits == 64:
	case bits == 32 && signed:
		v = t.Sext(ir.I64, t.Trunc(ir.I32, v))
	case bits == 32:
		v = t.Zext(ir.I64, t.Trunc(ir.I32, v))
	case signed:
		v = t.Op3(ir.OpSbfx, v, ir.Imm(0), ir.Imm(int(bits)))
	default:
		v = t.Op3(ir.OpUbfx, v, ir.Imm(0), ir.Imm(int(bits)))
	}
	return t.ShlI(v, int(shift))
}

// checkAlign leaves with ExitAlign unless the address is a multiple of n. An
// address that was checked earlier in the unit is not checked again: a
// load-exclusive and its store-exclusive share the check.
// Precondition: no scope is open, so that the check dominates what follows.
func (t *Translator) checkAlign(addr ir.Value, n int) {
	for _, c := range t.checked {
		if c.addr == addr && c.n >= n {
			return
		}
	}
	if n == 1 {
		return
	}
	t.checked = append(t.checked, alignment{addr, n})
	t.If(t.ICmp(ir.NE, t.AndI(addr, uint64(n-1)), ir.Imm(0)))
	t.ExitArg(cpu.ExitAlign, t.pc, addr)
	t.End()
}

// checkAtomic leaves with ExitAlign where an access of n bytes that has to be
// single-copy atomic is misaligned; with FEAT_LSE2, where it crosses a 16-byte
// boundary (Arm ARM B2.2.1.1).
// Precondition: as for checkAlign.
func (t *Translator) checkAtomic(addr ir.Value, n int) {
	if n == 1 || n == 16 || !t.cpu.lse2 {
		t.checkAlign(addr, n)
		return
	}
	t.If(t.ICmp(ir.UGT, t.AndI(addr, 15), t.I64(uint64(16-n))))
	t.ExitArg(cpu.ExitAlign, t.pc, addr)
	t.End()
}

// alignment is an address known to be a multiple of n.
type alignment struct {
	addr ir.Value
	n    int
}
