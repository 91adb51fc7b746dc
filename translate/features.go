package translate

import (
	"strings"
)

// A feature is an architectural feature that a guest's processor can have, with
// the ways in which a program can learn of it: AT_HWCAP and AT_HWCAP2 (Linux
// Documentation/arch/arm64/elf_hwcaps.rst) and fields of the identification
// registers (Arm ARM D19.2; Linux lets EL0 read them, cpu-feature-registers.rst).
// A program is told of it only if all of its encodings are translated.
type feature struct {
	name          string // as in the decoder's table
	hwcap, hwcap2 uint64
	fields        []idField
	needs         string // features that it cannot be without, joined by "&"
}

// idField is a value of a 4-bit field of an identification register. Of several
// features that share a field the highest value counts.
type idField struct {
	reg   idReg
	lsb   uint8
	value uint64
}

// idReg numbers the identification registers by CRm<<3 | op2 (op0 3, op1 0, CRn 0).
type idReg uint8

const (
	idAA64PFR0  idReg = 4 << 3
	idAA64PFR1  idReg = 4<<3 | 1
	idAA64ISAR0 idReg = 6 << 3
	idAA64ISAR1 idReg = 6<<3 | 1
	idAA64ISAR2 idReg = 6<<3 | 2
	idAA64ZFR0  idReg = 4<<3 | 4
	idAA64DFR0  idReg = 5 << 3
	idAA64MMFR0 idReg = 7 << 3
	idAA64MMFR1 idReg = 7<<3 | 1
	idAA64MMFR2 idReg = 7<<3 | 2
)

// features are what processors can be made of (model.go). What has no row here
// does not exist: SME is what programs ask for most.
var features = [...]feature{
	{"FP", 1 << 0, 0, nil, ""},
	{"ASIMD", 1 << 1, 0, nil, ""},
	// The event stream wakes WFE up some 10,000 times a second; here it does not sleep.
	{"EVTSTRM", 1 << 2, 0, nil, ""},
	{"FEAT_AES", 1 << 3, 0, []idField{{idAA64ISAR0, 4, 1}}, ""},
	{"FEAT_PMULL", 1 << 4, 0, []idField{{idAA64ISAR0, 4, 2}}, "FEAT_AES"},
	{"FEAT_SHA1", 1 << 5, 0, []idField{{idAA64ISAR0, 8, 1}}, ""},
	{"FEAT_SHA256", 1 << 6, 0, []idField{{idAA64ISAR0, 12, 1}}, "FEAT_SHA1"},
	{"FEAT_CRC32", 1 << 7, 0, []idField{{idAA64ISAR0, 16, 1}}, ""},
	{"FEAT_LSE", 1 << 8, 0, []idField{{idAA64ISAR0, 20, 2}}, ""},
	{"FEAT_FP16", 1<<9 | 1<<10, 0, []idField{{idAA64PFR0, 16, 1}, {idAA64PFR0, 20, 1}}, ""},
	{"CPUID", 1 << 11, 0, nil, ""},
	{"FEAT_RDM", 1 << 12, 0, []idField{{idAA64ISAR0, 28, 1}}, ""},
	{"FEAT_JSCVT", 1 << 13, 0, []idField{{idAA64ISAR1, 12, 1}}, ""},
	{"FEAT_FCMA", 1 << 14, 0, []idField{{idAA64ISAR1, 16, 1}}, ""},
	{"FEAT_LRCPC", 1 << 15, 0, []idField{{idAA64ISAR1, 20, 1}}, ""},
	{"FEAT_DPB", 1 << 16, 0, []idField{{idAA64ISAR1, 0, 1}}, ""},
	{"FEAT_SHA3", 1 << 17, 0, []idField{{idAA64ISAR0, 32, 1}}, "FEAT_SHA512"},
	{"FEAT_SM3", 1 << 18, 0, []idField{{idAA64ISAR0, 36, 1}}, "FEAT_SM4"},
	{"FEAT_SM4", 1 << 19, 0, []idField{{idAA64ISAR0, 40, 1}}, "FEAT_SM3"},
	{"FEAT_DotProd", 1 << 20, 0, []idField{{idAA64ISAR0, 44, 1}}, ""},
	{"FEAT_SHA512", 1 << 21, 0, []idField{{idAA64ISAR0, 12, 2}}, "FEAT_SHA256&FEAT_SHA3"},
	{"FEAT_FHM", 1 << 23, 0, []idField{{idAA64ISAR0, 48, 1}}, "FEAT_FP16"},
	{"FEAT_LRCPC2", 1 << 26, 0, []idField{{idAA64ISAR1, 20, 2}}, "FEAT_LRCPC"},
	{"FEAT_FlagM", 1 << 27, 0, []idField{{idAA64ISAR0, 52, 1}}, ""},
	{"FEAT_SB", 1 << 29, 0, []idField{{idAA64ISAR1, 36, 1}}, ""},
	{"FEAT_PAuth", 1<<30 | 1<<31, 0, nil, "FEAT_PACIMP"}, // fields: pauthFields
	{"FEAT_DPB2", 0, 1 << 0, []idField{{idAA64ISAR1, 0, 2}}, "FEAT_DPB"},
	{"FEAT_FlagM2", 0, 1 << 7, []idField{{idAA64ISAR0, 52, 2}}, "FEAT_FlagM"},
	{"FEAT_FRINTTS", 0, 1 << 8, []idField{{idAA64ISAR1, 32, 1}}, ""},
	{"FEAT_I8MM", 0, 1 << 13, []idField{{idAA64ISAR1, 52, 1}}, ""},
	{"FEAT_BF16", 0, 1 << 14, []idField{{idAA64ISAR1, 44, 1}}, ""},
	{"FEAT_BTI", 0, 1 << 17, []idField{{idAA64PFR1, 0, 1}}, ""},
	{"FEAT_DGH", 0, 1 << 15, []idField{{idAA64ISAR1, 48, 1}}, ""},
	{"FEAT_RNG", 0, 1 << 16, []idField{{idAA64ISAR0, 60, 1}}, ""},
	// The estimates are more precise where FPCR.AH asks for it: one does not exist
	// without the other here.
	{"FEAT_AFP", 0, 1 << 20, []idField{{idAA64MMFR1, 44, 1}}, "FEAT_RPRES"},
	{"FEAT_RPRES", 0, 1 << 21, []idField{{idAA64ISAR2, 4, 1}}, "FEAT_AFP"},
	{"FEAT_WFxT", 0, 1 << 31, []idField{{idAA64ISAR2, 0, 2}}, ""},
	{"FEAT_EBF16", 0, 1 << 32, []idField{{idAA64ISAR1, 44, 2}}, "FEAT_BF16"},
	{"FEAT_CSSC", 0, 1 << 34, []idField{{idAA64ISAR2, 52, 1}}, ""},
	{"FEAT_RPRFM", 0, 1 << 35, []idField{{idAA64ISAR2, 48, 1}}, ""},
	{"FEAT_HBC", 0, 1 << 44, []idField{{idAA64ISAR2, 20, 1}}, ""},
	{"FEAT_LRCPC3", 0, 1 << 46, []idField{{idAA64ISAR1, 20, 3}}, "FEAT_LRCPC2"},
	{"FEAT_LSE128", 0, 1 << 47, []idField{{idAA64ISAR0, 20, 3}}, "FEAT_LSE"},
	// How FEAT_PAuth works, told by its fields: the algorithm, of which a processor
	// has one, and what a wrong code does.
	{"FEAT_PACIMP", 0, 0, nil, ""},
	{"FEAT_PACQARMA3", 0, 0, nil, ""},
	{"FEAT_PACQARMA5", 0, 0, nil, ""},
	{"FEAT_FPAC", 0, 0, nil, "FEAT_PAuth"},
	// Misaligned atomics within 16 bytes, single-copy atomic LDP and STP.
	{"FEAT_LSE2", 1 << 25, 0, []idField{{idAA64MMFR2, 32, 1}}, ""},
	{"FEAT_DIT", 1 << 24, 0, []idField{{idAA64PFR0, 48, 1}}, ""},
	{"FEAT_SSBS", 0, 0, []idField{{idAA64PFR1, 4, 1}}, ""},
	{"FEAT_SSBS2", 1 << 28, 0, []idField{{idAA64PFR1, 4, 2}}, "FEAT_SSBS"}, // with MRS and MSR
	{"FEAT_ECV", 0, 1 << 19, []idField{{idAA64MMFR0, 60, 1}}, ""},
	// With FEAT_MTE2 and FEAT_MTE3, without which programs see nothing of it.
	{"FEAT_MTE", 0, 1<<18 | 1<<22, []idField{{idAA64PFR1, 8, 3}}, ""},
	// Calls and returns use it once a thread asks for that: others run the same code
	// with and without.
	{"FEAT_GCS", 1 << 32, 0, []idField{{idAA64PFR1, 44, 1}}, "FEAT_CHK"},
	{"FEAT_CHK", 0, 0, nil, ""},
	// Linux tells programs nothing of it (ID_AA64PFR1_EL1.THE reads as zero).
	{"FEAT_THE", 0, 0, nil, ""},
	{"FEAT_MOPS", 0, 1 << 43, []idField{{idAA64ISAR2, 16, 1}}, ""},
	{"FEAT_LOR", 0, 0, nil, ""},
	{"FEAT_XS", 0, 0, nil, ""},
	// Vectors have 128 bits, which is why there is no FEAT_F64MM: it needs 256.
	{"FEAT_SVE", 1 << 22, 0, []idField{{idAA64PFR0, 32, 1}}, "FEAT_FP16&FEAT_FCMA"},
	{"FEAT_SVE2", 0, 1 << 1, []idField{{idAA64ZFR0, 0, 1}}, "FEAT_SVE"},
	{"FEAT_SVE_AES", 0, 1 << 2, []idField{{idAA64ZFR0, 4, 1}}, "FEAT_SVE2&FEAT_AES"},
	{"FEAT_SVE_PMULL128", 0, 1 << 3, []idField{{idAA64ZFR0, 4, 2}}, "FEAT_SVE_AES&FEAT_PMULL"},
	{"FEAT_SVE_BitPerm", 0, 1 << 4, []idField{{idAA64ZFR0, 16, 1}}, "FEAT_SVE2"},
	{"FEAT_SVE_SHA3", 0, 1 << 5, []idField{{idAA64ZFR0, 32, 1}}, "FEAT_SVE2&FEAT_SHA3"},
	{"FEAT_SVE_SM4", 0, 1 << 6, []idField{{idAA64ZFR0, 40, 1}}, "FEAT_SVE2&FEAT_SM4"},
	{"FEAT_F32MM", 0, 1 << 10, []idField{{idAA64ZFR0, 52, 1}}, "FEAT_SVE"},
}

// combinations are what programs are told of a processor that has two features: the
// instructions that each of them is without the other.
var combinations = [...]feature{
	{"FEAT_SVE&FEAT_I8MM", 0, 1 << 9, []idField{{idAA64ZFR0, 44, 1}}, ""},
	{"FEAT_SVE&FEAT_BF16", 0, 1 << 12, []idField{{idAA64ZFR0, 20, 1}}, ""},
	{"FEAT_SVE&FEAT_EBF16", 0, 1 << 33, []idField{{idAA64ZFR0, 20, 2}}, ""},
}

// indexOf is the row of a feature.
func indexOf(name string) (n int, ok bool) {
	for n := range features {
		if features[n].name == name {
			return n, true
		}
	}
	return 0, false
}

// featureSet is a set of features: bit n of it is features[n].
type featureSet [(len(features) + 63) / 64]uint64

// allFeatures are those that have a row.
var allFeatures = func() (s featureSet) {
	for n := range features {
		s = s.plus(n)
	}
	return s
}()

func (s featureSet) contains(n int) bool { return s[n/64]>>(n%64)&1 != 0 }

func (s featureSet) plus(n int) featureSet {
	s[n/64] |= 1 << (n % 64)
	return s
}

func (s featureSet) minus(n int) featureSet {
	s[n/64] &^= 1 << (n % 64)
	return s
}

// has reports whether the set has all of the features joined by "&".
func (s featureSet) has(names string) bool {
	if names == "" {
		return true
	}
	for name := range strings.SplitSeq(names, "&") {
		n, ok := indexOf(name)
		if !ok || !s.contains(n) {
			return false
		}
	}
	return true
}

// with is the set with a feature and what it needs.
func (s featureSet) with(n int) featureSet {
	if s.contains(n) {
		return s
	}
	if isAlgorithm(n) {
		s = s.withoutAlgorithm()
	}
	s = s.plus(n)
	if features[n].needs == "" {
		return s
	}
	for name := range strings.SplitSeq(features[n].needs, "&") {
		need, ok := indexOf(name)
		if !ok {
			panic("BUG: translate: a feature needs " + name + ", which has no row")
		}
		if !(isAlgorithm(need) && s.hasAlgorithm()) {
			s = s.with(need)
		}
	}
	return s
}

// without is the set without a feature and what needs it.
func (s featureSet) without(n int) featureSet {
	s = s.minus(n)
	for again := true; again; {
		again = false
		for m := range features {
			if s.contains(m) && !isAlgorithm(m) && !s.satisfied(m) {
				s = s.minus(m)
				again = true
			}
		}
	}
	return s
}

// satisfied reports whether the set has what a feature needs. One algorithm of
// pointer authentication is as good as another.
func (s featureSet) satisfied(n int) bool {
	if features[n].name == "FEAT_PAuth" {
		return s.hasAlgorithm()
	}
	return s.has(features[n].needs)
}

func isAlgorithm(n int) bool { return strings.HasPrefix(features[n].name, "FEAT_PAC") }

// hasAlgorithm reports whether the set has one of pointer authentication.
func (s featureSet) hasAlgorithm() bool { return s != s.withoutAlgorithm() }

func (s featureSet) withoutAlgorithm() featureSet {
	for n := range features {
		if isAlgorithm(n) {
			s = s.minus(n)
		}
	}
	return s
}

// idRegister returns what Linux shows EL0 of an identification register.
func (c *CPU) idRegister(reg idReg) uint64 {
	var v uint64
	switch reg { // what fields say that Linux hides
	case idAA64PFR0:
		v = 0x11 // EL0 and EL1 are AArch64 only
	case idAA64DFR0:
		v = 6 // the debug architecture of Armv8.0
	case idAA64MMFR0:
		v = 0xff << 24 // no granules of 4 KiB and 64 KiB
	}
	for f := range c.announced() {
		fields := f.fields
		if f.name == "FEAT_PAuth" {
			fields = c.pauthFields()
		}
		for _, fl := range fields {
			if fl.reg == reg && v>>fl.lsb&15 < fl.value {
				v = v&^(15<<fl.lsb) | fl.value<<fl.lsb
			}
		}
	}
	return v
}
