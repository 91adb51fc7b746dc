package decoder

import (
	"math/bits"
	"strings"
)

// The functions here read the operands of SVE. Boxes of the same name sit at different
// places in different encodings, so they go by the names in the encoding diagram; an
// encoding without the box makes them panic. Zd, Zda, Zdn, Zt and Vd are all bits 4:0.

// box returns the value of a box that the encoding must have.
func (i Inst) box(name string) uint32 {
	v, _ := i.field(name)
	return v
}

// Zd is the destination register, and the register to load or store: Zd, Zda, Zdn or Zt,
// bits 4:0. (The lists of SVE2.1 that start at a multiple of 2 or 4 have zeros there.)
func (i Inst) Zd() uint32 { return i.Word & 31 }

// Zn is the first source register, or the first of the list from it.
func (i Inst) Zn() uint32 { return i.registerBox("Zn") }

// Zm is the second source register, bits 20:16 or, of destructive operations, 9:5; those by
// element have 3 or 4 bits.
func (i Inst) Zm() uint32 { return i.box("Zm") }

// Za is the addend of multiplications that overwrite a factor.
func (i Inst) Za() uint32 { return i.box("Za") }

// Pg is the governing predicate, 3 or 4 bits. Some encodings call it Pv.
func (i Inst) Pg() uint32 {
	if pv, ok := i.Field("Pv"); ok {
		return pv
	}
	return i.box("Pg")
}

// Pd is the destination predicate, or the first of a pair.
func (i Inst) Pd() uint32 { return i.registerBox("Pd") }

// Pn is the first source predicate.
func (i Inst) Pn() uint32 { return i.box("Pn") }

// Pm is the second source predicate.
func (i Inst) Pm() uint32 { return i.box("Pm") }

// registerBox returns the register number in a box. Lists that start at an even number lack
// the lowest bit, and predicates as counters mostly the highest.
func (i Inst) registerBox(name string) uint32 {
	n, width := i.field(name)
	switch name {
	case "Zn", "Zt":
		n <<= 5 - width
	case "Pd":
		n <<= 4 - width
	case "PNn", "PNd", "PNg":
		if width == 3 {
			n += 8
		}
	}
	return n
}

// syntaxWord returns the first word of the syntax column that accept holds for.
func (i Inst) syntaxWord(accept func(word string) bool) (word string, ok bool) {
	for word := range strings.FieldsFuncSeq(rows[i.Op].Syntax, func(r rune) bool { return strings.ContainsRune(", []{}", r) }) {
		if accept(word) {
			return word, true
		}
	}
	return "", false
}

// ElementSize returns the bits of an element of the register in the named box, as the
// assembler syntax has it: those of UADDLB Z0.H, Z1.B, Z2.B are 16 for Zd and 8 for Zn. It
// is 0 where the syntax has no element.
func (i Inst) ElementSize(box string) uint {
	word, _ := i.syntaxWord(func(word string) bool {
		register, _, _ := strings.Cut(word, ".")
		register, _, _ = strings.Cut(register, "*")
		return register == box
	})
	_, spec, ok := strings.Cut(word, ".")
	if !ok {
		return 0
	}
	return 8 << i.lane(spec)
}

// Registers returns how many registers the list from Zt or Zn has; 1 if there is no list.
func (i Inst) Registers() int {
	word, ok := i.syntaxWord(func(word string) bool { return word[0] == 'Z' && strings.Contains(word, "*") })
	if !ok {
		return 1
	}
	_, count, _ := strings.Cut(word, "*")
	return int(count[0] - '0')
}

// VLOffset is the offset of a memory operand in vectors ("mul vl"). That of LDR and STR of a
// predicate is in predicates.
func (i Inst) VLOffset() int64 {
	word, ok := i.syntaxWord(func(word string) bool { return strings.HasPrefix(word, "MulVl.") })
	if !ok {
		panic("BUG: " + i.Op.String() + " has no offset in vectors")
	}
	v, _ := i.arithmetic(word[len("MulVl."):], true)
	return v
}

// ByteOffset is the immediate offset of a memory operand in bytes.
func (i Inst) ByteOffset() int64 {
	word, ok := i.syntaxWord(func(word string) bool { return strings.HasPrefix(word, "?#") })
	if !ok {
		panic("BUG: " + i.Op.String() + " has no offset in bytes")
	}
	spec, signed := strings.CutPrefix(word[len("?#"):], "s.")
	v, _ := i.arithmetic(spec, signed)
	return v
}

// ElementIndex is the number of the element of "by element" operations and PMOV: the boxes
// i1, i2, i2h:i2l or i3h:i3l.
func (i Inst) ElementIndex() uint {
	v := uint32(0)
	for _, f := range rows[i.Op].Fields() {
		if f.Name[0] == 'i' && f.Name[1] >= '1' && f.Name[1] <= '3' {
			v = v<<(f.Hi-f.Lo+1) | i.Bits(uint(f.Hi), uint(f.Lo))
		}
	}
	return uint(v)
}

// tszLane returns log2 of the bytes of an element whose size is the highest bit of
// tszh:tszl ("tsz"), the lowest bit of tsz ("itsz"), or that of the pattern of a mask
// ("imm13"), where the smallest ones count as bytes.
func (i Inst) tszLane(spec string) uint {
	switch spec {
	case "tsz":
		v, _ := i.field("tszh:tszl")
		return uint(bits.Len32(v)) - 1
	case "imm13":
		v := i.box("imm13")
		return uint(max(bits.Len32(v>>12<<6|^v&63), 4)) - 4
	}
	esize, _ := i.TszIndex()
	return uint(bits.Len(esize)) - 4
}

// TszIndex splits the size and index of DUP (indexed), DUPQ and PSEL into the element size
// in bits, which is the lowest set bit, and the element number above it.
func (i Inst) TszIndex() (esize, index uint) {
	names := "i1:tszh:tszl"
	if _, ok := i.Field("imm2"); ok {
		names = "imm2:tsz"
	} else if _, ok := i.Field("tsz"); ok {
		names = "i1:tsz"
	}
	v, _ := i.field(names)
	n := uint(bits.TrailingZeros32(v))
	return 8 << n, uint(v) >> (n + 1)
}

// TszEsize is the element size in bits that the highest set bit of tszh:tszl tells: the
// narrower one of shifts that widen or narrow.
func (i Inst) TszEsize() uint { return 8 << i.tszLane("tsz") }

// TszLeftShift is the amount of a left shift by immediate, 0..esize-1.
func (i Inst) TszLeftShift() uint {
	v, _ := i.field("tszh:tszl:imm3")
	return uint(v) - i.TszEsize()
}

// TszRightShift is the amount of a right shift by immediate, 1..esize.
func (i Inst) TszRightShift() uint {
	v, _ := i.field("tszh:tszl:imm3")
	return 2*i.TszEsize() - uint(v)
}
