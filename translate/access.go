package translate

import (
	"strings"

	"emu/cpu"
	"emu/decoder"
	"emu/ir"
)

// Tags in addresses. EL0 ignores the top byte of an address (TBI), and with FEAT_MTE
// bits 59:56 are the logical tag that is compared with the memory's. By default
// nothing is emitted for either: an access through an address with a top byte faults
// on the host and is executed in another way. Threads that use such addresses run
// units of a mode of their own (cpu.State.CodeMode), in which every access removes
// the byte, and compares tags if the thread has asked for it:
//
//	logical tag ^ tag of the first byte's granule, or that of the last one's: leave
//
// The unit leaves with ExitTag where they differ. Whether that is a fault, or
// PSTATE.TCO is set, or the page has no tags at all, the engine finds out by executing
// the instruction once more (Single), with a check in all detail.

// tagMode is what units do about tags in addresses.
type tagMode uint8

const (
	tagsFault    tagMode = iota // nothing: an access with a top byte faults
	tagsStripped                // remove the byte
	tagsChecked                 // and compare tags
	tagsExact                   // and check them by cpu.State.CheckTags
)

// alwaysChecked are the groups of instructions that are checked whatever their base
// is: those with a register offset or with writeback.
var alwaysChecked = []string{"ldst_regoff", "ldst_immpre", "ldst_immpost", "ldstpair_pre", "ldstpair_post", "asisdlsep", "asisdlsop",
	"ldapstl_writeback", "memcms", "systeminstrs"}

// tagUnchecked reports whether the accesses of an instruction are Tag Unchecked: those
// of literals, and those relative to SP without writeback (Arm ARM D10.4.2).
func tagUnchecked(i decoder.Inst) bool {
	const sp = 31
	switch group := i.Op.Group(); group {
	case "loadlit":
		return true
	case "ldst_pac":
		return i.Rn() == sp && i.Bit(11) == 0
	case "ldiappstilp":
		return i.Rn() == sp && i.Bit(12) != 0
	default:
		if i.Rn() != sp {
			return false
		}
		if i.Op.Class() == decoder.ClassSVE { // where Rn may be a vector
			syntax := decoder.RowOf(i.Op).Syntax
			return strings.Contains(syntax, "[Xn|sp") && !strings.Contains(syntax, "[Xn|sp, Xm") && !strings.Contains(syntax, "[Xn|sp, Zm")
		}
		for _, g := range alwaysChecked {
			if strings.HasPrefix(group, g) {
				return false
			}
		}
		return true
	}
}

// tagShift is where the top byte of an address begins.
const tagShift = 56

// plain is an address without its top byte.
func (t *Translator) plain(addr ir.Value) ir.Value {
	return t.Op3(ir.OpUbfx, addr, ir.Imm(0), ir.Imm(tagShift))
}

// granule is the address of the tag of an address, without cpu.TagBase: bits 46:4, by
// two shifts, one less than a bit field takes.
func (t *Translator) granule(addr ir.Value) ir.Value {
	return t.LShrI(t.ShlI(addr, 17), 21)
}

// allocationTag loads the tag of an address's granule.
func (t *Translator) allocationTag(addr ir.Value) ir.Value {
	return t.Zext(ir.I64, t.Builder.Load(ir.I8, t.granule(addr), t.I64(cpu.TagBase)))
}

// logicalTag is the tag in an address.
func (t *Translator) logicalTag(addr ir.Value) ir.Value {
	return t.Op3(ir.OpUbfx, addr, ir.Imm(cpu.TagShift), ir.Imm(4))
}

// access is the address base + off for an access of n bytes, as base and offset,
// behind the checks that the mode asks for.
func (t *Translator) access(base, off ir.Value, n int, write bool) (ir.Value, ir.Value) {
	if t.tags == tagsFault {
		return base, off
	}
	addr := base
	if off != ir.Imm(0) {
		addr = t.Add(base, off)
	}
	if !t.unchecked {
		t.checkTags(addr, n, write)
	}
	return t.plain(addr), ir.Imm(0)
}

// accessAll checks all n bytes that an instruction accesses, before the first of its
// several accesses: one that fails its tag check has no effect.
func (t *Translator) accessAll(a address, n int, write bool) {
	if t.tags >= tagsChecked && !t.unchecked {
		t.checkTags(t.sum(a), n, write)
		t.unchecked = true
	}
}

func (t *Translator) checkTags(addr ir.Value, n int, write bool) {
	switch t.tags {
	case tagsChecked:
		tag := t.logicalTag(addr)
		differ := t.Xor(t.allocationTag(addr), tag)
		for at := cpu.Granule; at < n; at += cpu.Granule {
			differ = t.Or(differ, t.Xor(t.allocationTag(t.AddI(addr, uint64(at))), tag))
		}
		if n > 1 {
			differ = t.Or(differ, t.Xor(t.allocationTag(t.AddI(addr, uint64(n-1))), tag))
		}
		t.If(t.ICmp(ir.NE, differ, ir.Imm(0)))
		t.ExitArg(cpu.ExitTag, t.pc, addr)
		t.End()
	case tagsExact:
		size := uint64(n)
		if write {
			size |= 1 << 63
		}
		fault := t.OpT(ir.OpHelper, ir.I64, ir.Imm(int(ir.HelperCheckTags)), addr, t.I64(size))
		t.If(t.ICmp(ir.NE, fault, ir.Imm(0)))
		t.ExitArg(cpu.ExitTagFault, t.pc, fault)
		t.End()
	}
}

// The Builder's memory operations, with access before them.

// Load reads a value of type ty at base + off.
func (t *Translator) Load(ty ir.Type, base, off ir.Value) ir.Value {
	base, off = t.access(base, off, ty.Bytes(), false)
	return t.Builder.Load(ty, base, off)
}

// LoadS reads n bits at base + off and sign-extends them to ty.
func (t *Translator) LoadS(ty ir.Type, n int, base, off ir.Value) ir.Value {
	base, off = t.access(base, off, n/8, false)
	return t.Builder.LoadS(ty, n, base, off)
}

// Store writes v at base + off.
func (t *Translator) Store(v, base, off ir.Value) {
	base, off = t.access(base, off, t.TypeOf(v).Bytes(), true)
	t.Builder.Store(v, base, off)
}

// Op2 emits an operation whose row gives the type of the result.
func (t *Translator) Op2(op ir.Op, x, y ir.Value) ir.Value {
	if t.tags != tagsFault && op.Has(ir.MemWrite) { // read-modify-write, OpStoreEx
		x, _ = t.access(x, ir.Imm(0), t.TypeOf(y).Bytes(), op == ir.OpStoreEx)
	}
	return t.Builder.Op2(op, x, y)
}

// Op3 is Op2 for three operands.
func (t *Translator) Op3(op ir.Op, x, y, z ir.Value) ir.Value {
	switch {
	case t.tags == tagsFault:
	case op == ir.OpStoreR:
		y, z = t.access(y, z, t.TypeOf(x).Bytes(), true)
	case op == ir.OpCas:
		x, _ = t.access(x, ir.Imm(0), t.TypeOf(y).Bytes(), false)
	case op == ir.OpSet64:
		x, z = t.access(x, z, blockSize, true)
	}
	return t.Builder.Op3(op, x, y, z)
}

// OpT emits an operation with a result of type ty.
func (t *Translator) OpT(op ir.Op, ty ir.Type, x, y, z ir.Value) ir.Value {
	switch {
	case t.tags == tagsFault:
	case op == ir.OpLoadA:
		x, y = t.access(x, y, ty.Bytes(), false)
	case op == ir.OpLoadEx:
		x, _ = t.access(x, ir.Imm(0), ty.Bytes(), false)
	case op == ir.OpStoreR:
		y, z = t.access(y, z, t.TypeOf(x).Bytes(), true)
	}
	return t.Builder.OpT(op, ty, x, y, z)
}
