package decoder

import (
	"fmt"
	"strings"
)

// The operand words that only the tables of SVE have:
//
//	Zd.size Zn.b Zt        a vector register, the number in the box of that name
//	Zm.h[e]                one of its elements, see ElementIndex; [imm2] and the like
//	Zt*4.b                 a list of four registers from Zt
//	Pd.size Pn.b Pg        a predicate register
//	Pg/m Pg/z Pg/M         merging, zeroing, or what the box M says
//	PNg/z PNn.size         a predicate as counter; boxes of three bits mean pn8 to pn15
//	Pd*2.size              a pair of predicates
//	Pm.itsz[Wv]            the element of PSEL
//	Pattern, Pattern*imm4  the elements counted, with a multiplier; nothing for "all"
//	MulVl.imm4*3            a signed offset in vectors, nothing if it is 0
//	Mod                    uxtw or sxtw, by the box xs
//	AdrExt.sxtw            the extension of ADR
//	SvePrfop, Vlx          the prefetch operation; vlx2 or vlx4
//
// Lane sizes besides those of format.go: tsz is the highest set bit of tszh:tszl, itsz the
// lowest of the box tsz (of tszh:tszl in PSEL), imm13 that of a mask; size/2 and size/4 are
// narrower. The immediates are in sveImmediate.

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
	if strings.HasPrefix(word, "MulVl.") {
		return func(i Inst, _ uint64) string {
			if v := i.VLOffset(); v != 0 {
				return fmt.Sprintf("#%d, mul vl", v)
			}
			return ""
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
		name = fmt.Sprintf("#%d", pattern)
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
	if op := i.box("prfop"); op>>1&3 == 3 {
		return fmt.Sprintf("#%d", op)
	}
	return prefetchName(i.SVEPrefetch())
}

// sveRegister renders a vector or predicate register.
func (i Inst) sveRegister(word string) string {
	word, index, isElement := strings.Cut(strings.TrimSuffix(word, "]"), "[")
	register, spec, hasLanes := strings.Cut(word, ".")
	register, qualifier, isQualified := strings.Cut(register, "/")
	register, count, isList := strings.Cut(register, "*")
	letter := strings.ToLower(register[:1])
	if strings.HasPrefix(register, "PN") {
		letter = "pn"
	}
	n := i.registerBox(register)
	lanes := ""
	if hasLanes {
		lanes = "." + laneNames[i.lane(spec):][:1]
	}
	switch {
	case isList:
		return sveList(letter, n, uint32(count[0]-'0'), lanes)
	case isElement:
		return fmt.Sprintf("%s%d%s[%s]", letter, n, lanes, i.sveIndex(index))
	case qualifier == "M":
		qualifier = [2]string{"z", "m"}[i.box("M")]
	}
	if isQualified {
		qualifier = "/" + qualifier
	}
	return fmt.Sprintf("%s%d%s%s", letter, n, lanes, qualifier)
}

func (i Inst) sveIndex(index string) string {
	switch index {
	case "e":
		return fmt.Sprint(i.ElementIndex())
	case "itsz":
		_, v := i.TszIndex()
		return fmt.Sprint(v)
	case "Wv":
		_, v := i.TszIndex()
		return fmt.Sprintf("w%d, %d", 12+i.box("Rv"), v)
	}
	return fmt.Sprint(i.box(index))
}

// sveList renders count registers, consecutive modulo 32 or, of predicates, 16.
func sveList(letter string, first, count uint32, lanes string) string {
	highest := uint32(31)
	if letter == "p" {
		highest = 15
	}
	last := (first + count - 1) & highest
	if count > 2 && last > first {
		return fmt.Sprintf("{%s%d%s-%s%d%s}", letter, first, lanes, letter, last, lanes)
	}
	var names []string
	for k := range count {
		names = append(names, fmt.Sprintf("%s%d%s", letter, (first+k)&highest, lanes))
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
	case "bitmask13": // one element
		beyond := 64 - 8<<i.tszLane("imm13")
		return fmt.Sprintf("#%#x", i.Imm13()<<beyond>>beyond), true
	case "imm8sh":
		return i.shiftedImm8(int64(i.UnsignedImm8())), true
	case "s.imm8sh":
		return i.shiftedImm8(i.SignedImm8()), true
	case "fpconst":
		return fmt.Sprintf("#%.1f", i.FPConst()), true
	case "rotation":
		return fmt.Sprintf("#%d", i.Rotation()), true
	}
	return "", false
}

// shiftedImm8 writes an immediate that may be shifted; only a shifted 0 shows it.
func (i Inst) shiftedImm8(v int64) string {
	if v == 0 && i.box("sh") != 0 {
		return "#0, lsl #8"
	}
	return fmt.Sprintf("#%d", v)
}
