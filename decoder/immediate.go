package decoder

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// An immediate in the syntax column is # and a value:
//
//	#imm6 #a:b         the box, or the joined boxes, as an unsigned decimal number
//	#x.imm16           in hexadecimal
//	#s.imm9            as a signed decimal number
//	#imm12*8           times 8; #rot*90+180 and #64-scale likewise
//	#16<<Q             16 shifted left by the box
//	#x.CRm?15          nothing if the box has that value
//	?#imm12*8          nothing if the value is 0
//	#bitmask #fpimm    a value that immediateValue computes
//	#0 #0.0 #-8        literally

// immediate renders one immediate operand.
func (i Inst) immediate(word string) string {
	spec, optional := strings.CutPrefix(word, "?")
	spec = spec[1:]
	switch spec {
	case "fpimm":
		return fmt.Sprintf("#%.18e", i.fpImmediate())
	case "bitmask", "movwide", "modimm":
		return fmt.Sprintf("#%#x", i.wideImmediate(spec))
	case "lshift":
		return fmt.Sprintf("#%d", i.LeftShift())
	case "rshift":
		return fmt.Sprintf("#%d", i.RightShift())
	case "lsb", "width", "xwidth":
		return fmt.Sprintf("#%d", i.bitfieldOperand(spec))
	}
	if text, ok := i.sveImmediate(spec); ok {
		return text
	}
	if strings.Trim(spec, "-.0123456789") == "" {
		return "#" + spec
	}
	spec, hex := strings.CutPrefix(spec, "x.")
	spec, signed := strings.CutPrefix(spec, "s.")
	v, skip := i.arithmetic(spec, signed)
	switch {
	case skip || optional && v == 0:
		return ""
	case hex:
		return fmt.Sprintf("#%#x", v)
	}
	return fmt.Sprintf("#%d", v)
}

// arithmetic evaluates the boxes of spec and what is applied to them.
func (i Inst) arithmetic(spec string, signed bool) (v int64, skip bool) {
	if n, box, ok := strings.Cut(spec, "<<"); ok {
		s, _ := i.field(box)
		return constant(n) << s, false
	}
	if n, box, ok := strings.Cut(spec, "-"); ok {
		s, _ := i.field(box)
		return constant(n) - int64(s), false
	}
	spec, dflt, hasDefault := strings.Cut(spec, "?")
	spec, add, hasAdd := strings.Cut(spec, "+")
	spec, mul, hasMul := strings.Cut(spec, "*")
	u, width := i.field(spec)
	v = int64(u)
	if signed {
		v = SignExtend(u, width)
	}
	if hasMul {
		v *= constant(mul)
	}
	if hasAdd {
		v += constant(add)
	}
	return v, hasDefault && v == constant(dflt)
}

func constant(s string) int64 {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		panic("BUG: bad constant in the syntax column: " + s)
	}
	return n
}

// is64 reads sf, bit 31 of the integer instructions.
func (i Inst) is64() bool { return i.Word>>31 != 0 }

// wideImmediate computes the immediates that expand to a whole register.
func (i Inst) wideImmediate(kind string) uint64 {
	switch kind {
	case "bitmask":
		mask, _ := DecodeBitMasks(i.Bit(22), i.Bits(15, 10), i.Bits(21, 16), i.is64())
		return mask
	case "modimm":
		return AdvSIMDExpandImm(i.Bit(29), i.Bits(15, 12), i.ModImm8())
	}
	v := uint64(i.Imm16()) << (16 * i.Bits(22, 21))
	if i.Bits(30, 29) == 0 { // MOVN
		v = ^v
		if !i.is64() {
			v = uint64(uint32(v))
		}
	}
	return v
}

// bitfieldOperand gives the operands of the bitfield aliases: lsb and width of
// BFI, UBFIZ, SBFIZ and LSL; xwidth of BFXIL, UBFX and SBFX.
func (i Inst) bitfieldOperand(name string) uint32 {
	immr, imms := i.Bits(21, 16), i.Bits(15, 10)
	size := uint32(32)
	if i.is64() {
		size = 64
	}
	switch name {
	case "lsb":
		return -immr & (size - 1)
	case "width":
		return imms + 1
	}
	return imms - immr + 1
}

// fpImmediate is the number FMOV (immediate) writes.
func (i Inst) fpImmediate() float64 {
	imm8, ok := i.Field("imm8")
	if !ok {
		imm8 = i.ModImm8()
	}
	return math.Float64frombits(VFPExpandImm(imm8, 64))
}

// BitmaskImm is the immediate of AND, ORR, EOR and ANDS (immediate); 32-bit
// forms have zeros in the upper half.
func (i Inst) BitmaskImm() uint64 { return i.wideImmediate("bitmask") }
