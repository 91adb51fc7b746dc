package decoder

import (
	"fmt"
	"strings"
)

// The operand words that only the SVE tables have:
//
//	Zd.size Zn.b Zt        a vector register, the number in the box of that name
//	Zm.h[i3h:i3l]          one of its elements
//	Zt*4.b                 a list of four registers from Zt
//	Pd.size Pn.b Pg        a predicate register
//	Pg/m Pg/z Pg/M         merging, zeroing, or what the box M says
//	PNg/z PNn.size         a predicate as counter; boxes of three bits mean pn8 to pn15
//	Pd*2.size              a pair of predicates
//	Pm.itsz[Wv]            the element of PSEL
//	Pattern, Pattern*imm4  the elements counted, with a multiplier; nothing for "all"
//	Vl.imm4*3              an offset in vectors, nothing if it is 0
//	Mod                    uxtw or sxtw, by the box xs
//	AdrExt.sxtw            the extension of ADR
//	SvePrfop, Vlx          the prefetch operation; vlx2 or vlx4
//
// More lane sizes: tsz is the highest set bit of tszh:tszl, itsz the lowest of the box
// tsz (of tszh:tszl in PSEL); size/2 and size/4 are narrower.

// sveOperand returns the renderer of an operand of SVE that is no register, or nil.
func sveOperand(word string) func(Inst, uint64) string {
	switch word {
	case "Pattern":
		return func(i Inst, _ uint64) string { return patternText(i.box("pattern"), 1) }
	case "Pattern*imm4":
		return func(i Inst, _ uint64) string { return patternText(i.box("pattern"), i.box("imm4")+1) }
	case "Mod":
		return func(i Inst, _ uint64) string { return [2]string{"uxtw", "sxtw"}[i.box("xs")] }
	case "Vlx":
		return func(i Inst, _ uint64) string { return [2]string{"vlx2", "vlx4"}[i.box("vl")] }
	case "SvePrfop":
		return Inst.svePrefetchOperand
	}
	if name, ok := strings.CutPrefix(word, "AdrExt."); ok {
		return func(i Inst, _ uint64) string { return adrExtend(name, i.box("msz")) }
	}
	if spec, ok := strings.CutPrefix(word, "Vl."); ok {
		return func(i Inst, _ uint64) string {
			v, _ := i.arithmetic(spec, true)
			if v == 0 {
				return ""
			}
			return fmt.Sprintf("#%d, mul vl", v)
		}
	}
	return nil
}

var patternNames = [32]string{
	0: "pow2", 1: "vl1", 2: "vl2", 3: "vl3", 4: "vl4", 5: "vl5", 6: "vl6", 7: "vl7", 8: "vl8",
	9: "vl16", 10: "vl32", 11: "vl64", 12: "vl128", 13: "vl256", 29: "mul4", 30: "mul3", 31: "all",
}

func patternText(pattern, multiplier uint32) string {
	name := patternNames[pattern]
	switch {
	case multiplier == 1 && name == "all":
		return ""
	case name == "":
		name = fmt.Sprintf("#%#x", pattern)
	}
	if multiplier == 1 {
		return name
	}
	return fmt.Sprintf("%s, mul #%d", name, multiplier)
}

func adrExtend(name string, amount uint32) string {
	switch {
	case amount != 0:
		return fmt.Sprintf("%s #%d", name, amount)
	case name == "lsl":
		return ""
	}
	return name
}

func (i Inst) svePrefetchOperand(uint64) string {
	op := i.box("prfop")
	if op>>1&3 == 3 {
		return fmt.Sprintf("#%#x", op)
	}
	policy := [2]string{"keep", "strm"}[op&1]
	return [2]string{"pld", "pst"}[op>>3] + fmt.Sprintf("l%d", op>>1&3+1) + policy
}

// sveRegister renders a vector or predicate register.
func (i Inst) sveRegister(word string) string {
	reg, spec, _ := strings.Cut(word, ".")
	reg, qualifier, _ := strings.Cut(reg, "/")
	reg, index, isElement := strings.Cut(strings.TrimSuffix(reg, "]"), "[")
	reg, count, isList := strings.Cut(reg, "*")
	if !isElement {
		spec, index, isElement = strings.Cut(strings.TrimSuffix(spec, "]"), "[")
	}
	letter := strings.ToLower(reg[:1])
	n, width := i.field(reg)
	if strings.HasPrefix(reg, "PN") {
		letter = "pn"
		if width == 3 {
			n += 8
		}
	}
	var lanes string
	if spec != "" {
		lanes = "." + laneNames[i.lane(spec):][:1]
	}
	switch {
	case isList:
		return i.sveList(letter, n, width, uint32(count[0]-'0'), lanes)
	case isElement:
		return fmt.Sprintf("%s%d%s[%s]", letter, n, lanes, i.sveIndex(index))
	case qualifier == "M":
		qualifier = [2]string{"z", "m"}[i.box("M")]
	}
	if qualifier != "" {
		qualifier = "/" + qualifier
	}
	return fmt.Sprintf("%s%d%s%s", letter, n, lanes, qualifier)
}

func (i Inst) sveIndex(index string) string {
	switch index {
	case "itsz":
		_, v := i.TszIndex()
		return fmt.Sprint(v)
	case "Wv":
		_, v := i.TszIndex()
		return fmt.Sprintf("w%d, %d", 12+i.box("Rv"), v)
	}
	v, _ := i.field(index)
	return fmt.Sprint(v)
}

// sveList renders count registers from number n, which is scaled if its box is
// narrower than a register number.
func (i Inst) sveList(letter string, n uint32, width uint, count uint32, lanes string) string {
	registers := uint(5)
	if letter == "p" {
		registers = 4
	}
	n <<= registers - width
	last := (n + count - 1) & (1<<registers - 1)
	if last > n {
		return fmt.Sprintf("{%s%d%s-%s%d%s}", letter, n, lanes, letter, last, lanes)
	}
	var names []string
	for k := range count {
		names = append(names, fmt.Sprintf("%s%d%s", letter, (n+k)&(1<<registers-1), lanes))
	}
	return "{" + strings.Join(names, ", ") + "}"
}

// sveImmediate renders the immediates that only SVE has.
func (i Inst) sveImmediate(spec string) (text string, ok bool) {
	switch spec {
	case "lshiftz":
		return fmt.Sprintf("#%d", i.TszLeftShift()), true
	case "rshiftz":
		return fmt.Sprintf("#%d", i.TszRightShift()), true
	case "bitmask13":
		return fmt.Sprintf("#%#x", i.Imm13()), true
	case "imm8sh":
		return fmt.Sprintf("#%d", i.UnsignedImm8()), true
	case "s.imm8sh":
		return fmt.Sprintf("#%d", i.SignedImm8()), true
	case "half_one":
		return "#" + [2]string{"0.5", "1.0"}[i.box("i1")], true
	case "half_two":
		return "#" + [2]string{"0.5", "2.0"}[i.box("i1")], true
	case "zero_one":
		return "#" + [2]string{"0.0", "1.0"}[i.box("i1")], true
	}
	return "", false
}
