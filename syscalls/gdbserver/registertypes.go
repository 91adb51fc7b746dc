package gdbserver

import (
	"fmt"
	"strings"
)

// The types of registers in the target description (gdb manual, G.3): what gdb prints of a
// register's parts. Those of a user's program have the names that gdb's own description of
// AArch64 gives them, so that expressions such as $v0.d.u[0] are the same with every server. They are
// made when gdb asks: most processes have none that does.

// bit or bits of a register, named as in the Arm ARM.
type bitField struct {
	name      string
	low, high int
}

// flag is a field of one bit.
func flag(name string, bit int) bitField { return bitField{name, bit, bit} }

// flagsType is a type of 32 bits of which gdb prints the fields that are not zero.
func flagsType(id string, fields ...bitField) string {
	var b strings.Builder
	fmt.Fprintf(&b, `<flags id="%s" size="4">`, id)
	for _, f := range fields {
		kind := "bool"
		if f.high > f.low {
			kind = "uint32"
		}
		fmt.Fprintf(&b, `<field name="%s" start="%d" end="%d" type="%s"/>`, f.name, f.low, f.high, kind)
	}
	b.WriteString(`</flags>`)
	return b.String()
}

// statusType is PSTATE as SPSR_EL1 lays it out (Arm ARM, C5.2.19).
func statusType() string {
	return flagsType("cpsr_flags",
		flag("SP", 0), bitField{"EL", 2, 3}, flag("nRW", 4), flag("F", 6), flag("I", 7), flag("A", 8), flag("D", 9),
		bitField{"BTYPE", 10, 11}, flag("SSBS", 12), flag("IL", 20), flag("SS", 21), flag("PAN", 22), flag("UAO", 23), flag("DIT", 24), flag("TCO", 25),
		flag("V", 28), flag("C", 29), flag("Z", 30), flag("N", 31))
}

// floatTypes are FPSR and FPCR (C5.2.10, C5.2.9).
func floatTypes() string {
	return flagsType("fpsr_flags",
		flag("IOC", 0), flag("DZC", 1), flag("OFC", 2), flag("UFC", 3), flag("IXC", 4), flag("IDC", 7), flag("QC", 27),
		flag("V", 28), flag("C", 29), flag("Z", 30), flag("N", 31)) +
		flagsType("fpcr_flags",
			flag("FIZ", 0), flag("AH", 1), flag("NEP", 2), flag("IOE", 8), flag("DZE", 9), flag("OFE", 10), flag("UFE", 11), flag("IXE", 12), flag("EBF", 13), flag("IDE", 15),
			bitField{"Len", 16, 18}, flag("FZ16", 19), bitField{"Stride", 20, 21}, bitField{"RMode", 22, 23}, flag("FZ", 24), flag("DN", 25), flag("AHP", 26))
}

// What types of vectors are called: a V register, and a Z register and a predicate of SVE.
const (
	vectorType    = "aarch64v"
	scalableType  = "svev"
	predicateType = "svep"
)

// vectorTypes make a V register a union of vectors by the size of their elements, each a union
// again of what the elements may be, floating point (f, bf), unsigned (u) or signed (s).
func vectorTypes() string { return vectorUnion(vectorType, "v") }

// scalableTypes are the same for a Z register, and a predicate as bytes.
func scalableTypes() string {
	return vectorUnion(scalableType, "svev") + fmt.Sprintf(`<vector id="%s" type="uint8" count="%d"/>`, predicateType, predicateBytes)
}

// vectorUnion is the union id, of parts whose names begin with a prefix.
func vectorUnion(id, prefix string) string {
	var elements, whole strings.Builder
	for _, e := range []struct {
		name  string
		bits  int
		kinds map[string]string // of elements: gdb's types
	}{
		{"d", 64, map[string]string{"f": "ieee_double", "u": "uint64", "s": "int64"}},
		{"s", 32, map[string]string{"f": "ieee_single", "u": "uint32", "s": "int32"}},
		{"h", 16, map[string]string{"bf": "bfloat16", "f": "ieee_half", "u": "uint16", "s": "int16"}},
		{"b", 8, map[string]string{"u": "uint8", "s": "int8"}},
		{"q", 128, map[string]string{"u": "uint128", "s": "int128"}},
	} {
		var views strings.Builder
		for _, kind := range []string{"bf", "f", "u", "s"} {
			if of := e.kinds[kind]; of != "" {
				fmt.Fprintf(&elements, `<vector id="%s%s%s" type="%s" count="%d"/>`, prefix, e.name, kind, of, 8*vecBytes/e.bits)
				fmt.Fprintf(&views, `<field name="%s" type="%s%s%[1]s"/>`, kind, prefix, e.name)
			}
		}
		fmt.Fprintf(&elements, `<union id="%sn%s">%s</union>`, prefix, e.name, &views)
		fmt.Fprintf(&whole, `<field name="%s" type="%sn%[1]s"/>`, e.name, prefix)
	}
	return fmt.Sprintf(`%s<union id="%s">%s</union>`, &elements, id, &whole)
}
