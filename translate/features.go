package translate

import "strings"

// A feature is an architectural feature that the guest's processor has, with
// the ways in which a program can learn of it: AT_HWCAP and AT_HWCAP2 (Linux
// Documentation/arch/arm64/elf_hwcaps.rst) and fields of the identification
// registers (Arm ARM D19.2; Linux lets EL0 read them, cpu-feature-registers.rst).
type feature struct {
	name          string // as in the decoder's table
	hwcap, hwcap2 uint64
	fields        []idField
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
	idAA64PFR0  idReg = 4<<3 | 0
	idAA64ISAR0 idReg = 6<<3 | 0
	idAA64ISAR1 idReg = 6<<3 | 1
	idAA64ISAR2 idReg = 6<<3 | 2
)

// features is the guest's processor. What has no row here does not exist: PAuth,
// BTI, MTE, SVE and SME are the ones that programs ask for most.
var features = []feature{
	{"FP", 1 << 0, 0, nil},
	{"ASIMD", 1 << 1, 0, nil},
	{"FEAT_AES", 1 << 3, 0, []idField{{idAA64ISAR0, 4, 1}}},
	{"FEAT_PMULL", 1 << 4, 0, []idField{{idAA64ISAR0, 4, 2}}},
	{"FEAT_SHA1", 1 << 5, 0, []idField{{idAA64ISAR0, 8, 1}}},
	{"FEAT_SHA256", 1 << 6, 0, []idField{{idAA64ISAR0, 12, 1}}},
	{"FEAT_CRC32", 1 << 7, 0, []idField{{idAA64ISAR0, 16, 1}}},
	{"FEAT_LSE", 1 << 8, 0, []idField{{idAA64ISAR0, 20, 2}}},
	{"FEAT_FP16", 1<<9 | 1<<10, 0, []idField{{idAA64PFR0, 16, 1}, {idAA64PFR0, 20, 1}}},
	{"CPUID", 1 << 11, 0, nil},
	{"FEAT_RDM", 1 << 12, 0, []idField{{idAA64ISAR0, 28, 1}}},
	{"FEAT_JSCVT", 1 << 13, 0, []idField{{idAA64ISAR1, 12, 1}}},
	{"FEAT_FCMA", 1 << 14, 0, []idField{{idAA64ISAR1, 16, 1}}},
	{"FEAT_LRCPC", 1 << 15, 0, []idField{{idAA64ISAR1, 20, 1}}},
	{"FEAT_DPB", 1 << 16, 0, []idField{{idAA64ISAR1, 0, 1}}},
	{"FEAT_SHA3", 1 << 17, 0, []idField{{idAA64ISAR0, 32, 1}}},
	{"FEAT_SM3", 1 << 18, 0, []idField{{idAA64ISAR0, 36, 1}}},
	{"FEAT_SM4", 1 << 19, 0, []idField{{idAA64ISAR0, 40, 1}}},
	{"FEAT_DotProd", 1 << 20, 0, []idField{{idAA64ISAR0, 44, 1}}},
	{"FEAT_SHA512", 1 << 21, 0, []idField{{idAA64ISAR0, 12, 2}}},
	{"FEAT_FHM", 1 << 23, 0, []idField{{idAA64ISAR0, 48, 1}}},
	{"FEAT_LRCPC2", 1 << 26, 0, []idField{{idAA64ISAR1, 20, 2}}},
	{"FEAT_FlagM", 1 << 27, 0, []idField{{idAA64ISAR0, 52, 1}}},
	{"FEAT_SB", 1 << 29, 0, []idField{{idAA64ISAR1, 36, 1}}},
	{"FEAT_DPB2", 0, 1 << 0, []idField{{idAA64ISAR1, 0, 2}}},
	{"FEAT_FlagM2", 0, 1 << 7, []idField{{idAA64ISAR0, 52, 2}}},
	{"FEAT_FRINTTS", 0, 1 << 8, []idField{{idAA64ISAR1, 32, 1}}},
	{"FEAT_I8MM", 0, 1 << 13, []idField{{idAA64ISAR1, 52, 1}}},
	{"FEAT_BF16", 0, 1 << 14, []idField{{idAA64ISAR1, 44, 1}}},
	{"FEAT_DGH", 0, 1 << 15, []idField{{idAA64ISAR1, 48, 1}}},
	{"FEAT_RNG", 0, 1 << 16, []idField{{idAA64ISAR0, 60, 1}}},
	{"FEAT_WFxT", 0, 1 << 31, []idField{{idAA64ISAR2, 0, 2}}},
	{"FEAT_CSSC", 0, 1 << 34, []idField{{idAA64ISAR2, 52, 1}}},
	{"FEAT_RPRFM", 0, 1 << 35, []idField{{idAA64ISAR2, 48, 1}}},
	{"FEAT_HBC", 0, 1 << 44, []idField{{idAA64ISAR2, 20, 1}}},
	{"FEAT_LRCPC3", 0, 1 << 46, []idField{{idAA64ISAR1, 20, 3}}},
	{"FEAT_LSE128", 0, 1 << 47, []idField{{idAA64ISAR0, 20, 3}}},
	// Translated but not announced: a C library that uses these instead of its
	// SIMD copy loops would be slower.
	{"FEAT_MOPS", 0, 0, nil},
	{"FEAT_LOR", 0, 0, nil},
	{"FEAT_XS", 0, 0, nil},
}

// implemented reports whether the guest's processor has all of the features
// joined by "&".
func implemented(names string) bool {
	if names == "" {
		return true
	}
	for name := range strings.SplitSeq(names, "&") {
		if !hasFeature(name) {
			return false
		}
	}
	return true
}

func hasFeature(name string) bool {
	for n := range features {
		if features[n].name == name {
			return true
		}
	}
	return false
}

// HWCAP returns the values of AT_HWCAP and AT_HWCAP2: the features all of whose
// encodings are translated.
func HWCAP() (hwcap, hwcap2 uint64) {
	for n := range features {
		if f := &features[n]; !tables.incomplete[f.name] {
			hwcap |= f.hwcap
			hwcap2 |= f.hwcap2
		}
	}
	return hwcap, hwcap2
}

// idRegister returns what Linux shows EL0 of an identification register.
func (d *dispatch) idRegister(reg idReg) uint64 {
	var v uint64
	if reg == idAA64PFR0 {
		v = 0x11 // EL0 and EL1 are AArch64 only
	}
	for n := range features {
		f := &features[n]
		if d.incomplete[f.name] {
			continue
		}
		for _, fl := range f.fields {
			if fl.reg == reg && v>>fl.lsb&15 < fl.value {
				v = v&^(15<<fl.lsb) | fl.value<<fl.lsb
			}
		}
	}
	return v
}
