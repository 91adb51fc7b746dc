package translate

import (
	"math/rand/v2"
	"strings"
	"testing"

	"emu/cpu"
	"emu/decoder"
	"emu/ir"
)

// What a model announces it executes, and what it lacks is undefined or, in the
// hint space, a NOP.
func TestModels(t *testing.T) {
	r := rand.New(rand.NewPCG(41, 1))
	for _, name := range Models() {
		c, err := ParseCPU(name)
		if err != nil {
			t.Fatal(err)
		}
		hwcap, hwcap2, _ := c.HWCAP()
		tr := New(Options{CPU: c, MaxInsts: 1})
		for op := decoder.Op(1); op < decoder.NumOps; op++ {
			if op.Features() == "" || !Translated(op) {
				continue
			}
			word := decoder.RandomWord(op, r.Uint32)
			needs := decoder.Decode(word).Features()
			f := tr.Block(0x4000, func(pc uint64) (uint32, bool) { return word, pc == 0x4000 })
			if has := c.silent.has(needs); !has && !undefinedUnit(f) && !tables().hint[op] {
				t.Errorf("%s executes %v (%08x), which needs %s", name, op, word, needs)
			}
		}
		for n, f := range features {
			if f.hwcap|f.hwcap2 == 0 {
				continue
			}
			if announced := hwcap&f.hwcap == f.hwcap && hwcap2&f.hwcap2 == f.hwcap2; announced != c.has.contains(n) {
				t.Errorf("%s: %s announced: %t, has it: %t", name, f.name, announced, !announced)
			}
			if c.has.contains(n) && !c.has.has(f.needs) && !strings.Contains(f.needs, "FEAT_PAC") {
				t.Errorf("%s has %s without %s", name, f.name, f.needs)
			}
		}
	}
}

// undefinedUnit reports whether a unit raises the undefined instruction exception.
func undefinedUnit(f *ir.Func) bool {
	for _, in := range f.Insts {
		if in.Op() == ir.OpExitArg && cpu.ExitKind(f.ImmOf(in.A())) == cpu.ExitUndefined {
			return true
		}
	}
	return false
}

func TestParseCPU(t *testing.T) {
	for _, tt := range []struct {
		spec, has, lacks string
	}{
		{"max", "FEAT_PAuth&FEAT_PACIMP&FEAT_FPAC&FEAT_LSE", "FEAT_LSE2"},
		{"max,pauth=off", "FEAT_LSE", "FEAT_PAuth,FEAT_FPAC"},
		{"max,pauth-qarma5=on", "FEAT_PAuth&FEAT_PACQARMA5&FEAT_FPAC", "FEAT_PACIMP,FEAT_PACQARMA3"},
		{"max,+pacqarma3", "FEAT_PAuth&FEAT_PACQARMA3", "FEAT_PACIMP,FEAT_PACQARMA5"},
		{"max,-lse", "FEAT_LRCPC", "FEAT_LSE,FEAT_LSE128"},
		{"max,sha256=off", "FEAT_SHA1", "FEAT_SHA256,FEAT_SHA512,FEAT_SHA3"},
		{"max,sve=off,-mte", "FEAT_LSE", "FEAT_LSE2,FEAT_MTE"},
		{"max", "FEAT_LSE", "FEAT_MTE,FEAT_SVE,FEAT_F32MM"},
		{"max,sve=on", sveOfMax, "FEAT_LSE2,FEAT_F64MM,FEAT_SVE2p1"},
		{"max,sve2=on", sveOfMax, "FEAT_MTE"},
		{"max,+sve,sve2=off", "FEAT_SVE&FEAT_F32MM", "FEAT_SVE2,FEAT_SVE_AES,FEAT_SVE_PMULL128,FEAT_SVE_BitPerm,FEAT_SVE_SHA3,FEAT_SVE_SM4"},
		{"max,sve2=on,sve=off", "FEAT_FCMA", "FEAT_SVE,FEAT_SVE2,FEAT_SVE_AES,FEAT_F32MM"},
		{"max,sve=on,sve128=off", "FEAT_FCMA", "FEAT_SVE,FEAT_SVE2,FEAT_F32MM"},
		{"max,aes=off,sm4=off,sve=on", "FEAT_SVE2&FEAT_SVE_SHA3", "FEAT_AES,FEAT_SVE_AES,FEAT_SVE_PMULL128,FEAT_SM3,FEAT_SVE_SM4"},
		{"max,sve=on,sha3=off", "FEAT_SVE2&FEAT_SVE_AES", "FEAT_SHA3,FEAT_SVE_SHA3"},
		{"max,sve=on,fp16=off", "FEAT_FCMA", "FEAT_SVE,FEAT_SVE2"},
		{"max,sve=on,sve128=on,sve256=off,sve-max-vq=1,sve-default-vector-length=16", "FEAT_SVE2", "FEAT_MTE"},
		{"max,sve-max-vq=1,sve-default-vector-length=-1", "FEAT_LSE", "FEAT_SVE"},
		{"max,sve_bitperm=on", "FEAT_SVE&FEAT_SVE2&FEAT_SVE_BitPerm", "FEAT_SVE_AES"},
		{"cortex-a72,+sve", "FEAT_SVE&FEAT_FP16&FEAT_FCMA", "FEAT_SVE2,FEAT_F32MM"},
		{"cortex-a76,sve2=on", "FEAT_SVE&FEAT_SVE2", "FEAT_SVE_AES"},
		{"max,mte=on", "FEAT_LSE&FEAT_MTE", "FEAT_LSE2"},
		{"cortex-a72,+mte", "FEAT_MTE", "FEAT_LSE"},
		{"cortex-a72", "FEAT_CRC32&FEAT_AES", "FEAT_LSE,FEAT_PAuth,FEAT_FP16"},
		{"cortex-a72,+sha512", "FEAT_SHA512&FEAT_SHA3&FEAT_SHA256", "FEAT_LSE"},
		{"cortex-a53,+pauth", "FEAT_PAuth&FEAT_PACIMP", "FEAT_FPAC"},
		{"cortex-a53,pauth-qarma3=on,+pauth", "FEAT_PAuth&FEAT_PACQARMA3", "FEAT_PACIMP"},
		{"cortex-a76", "EVTSTRM&FEAT_SSBS", "FEAT_SSBS2"},
		{"neoverse-n1,-ssbs", "EVTSTRM", "FEAT_SSBS,FEAT_SSBS2"},
		{"neoverse-v1", "FEAT_LSE2&FEAT_BF16&FEAT_PAuth&FEAT_SVE", "FEAT_FPAC,FEAT_CSSC,FEAT_SVE2,FEAT_F32MM"},
		{"neoverse-v1,sve=off", "FEAT_LSE2&FEAT_FCMA", "FEAT_SVE"},
		{"neoverse-v1,sve2=on", "FEAT_SVE2", "FEAT_SVE_AES"},
		{"neoverse-n2", "FEAT_SVE2&FEAT_SVE_PMULL128&FEAT_SVE_SM4&FEAT_FPAC&FEAT_BTI", "FEAT_F32MM,FEAT_MTE,FEAT_AFP,FEAT_ECV"},
		{"neoverse-v2,sve2=off", "FEAT_SVE&FEAT_RNG", "FEAT_SVE2,FEAT_SVE_BitPerm"},
		{"a64fx", "FEAT_FCMA", "FEAT_SVE"},
	} {
		c, err := ParseCPU(tt.spec)
		if err != nil {
			t.Errorf("%s: %v", tt.spec, err)
			continue
		}
		if !c.has.has(tt.has) {
			t.Errorf("%s lacks one of %s", tt.spec, tt.has)
		}
		for name := range strings.SplitSeq(tt.lacks, ",") {
			if c.has.has(name) {
				t.Errorf("%s has %s", tt.spec, name)
			}
		}
	}
	for _, spec := range []string{"", "cortex", "max,lse", "max,lse=yes", "max,+sme", "max,+nonsense", "max,-nonsense", "max,pauth-impdef=off", "max,+fp",
		"max,sve256=on", "max,sve128=yes", "max,sve-max-vq=2", "max,sve-max-vq=on", "max,sve-default-vector-length=8", "max,sve100=off", "max,sve4096=off", "max,f64mm=on"} {
		if c, err := ParseCPU(spec); err == nil {
			t.Errorf("%q gives %v", spec, c)
		}
	}
	for spec, why := range map[string]string{
		"max,sme=on": "not implemented", "max,+nonsense": "-cpu help", "max,sve=on,sve256=on": "only vectors of 128 bits", "max,sve-max-vq=4": "only vectors of 128 bits",
	} {
		if _, err := ParseCPU(spec); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%q: %v, want %q", spec, err, why)
		}
	}
}

// Only some words of PMULL and of the conversions with vectors of half precision
// need a feature.
func TestConditionalFeatures(t *testing.T) {
	for _, tt := range []struct {
		spec      string
		word      uint32
		undefined bool
	}{
		{"max", 0x0ee2e020, false},               // pmull v0.1q, v1.1d, v2.1d
		{"cortex-a72,-pmull", 0x0ee2e020, true},  //
		{"cortex-a72,-pmull", 0x0e22e020, false}, // pmull v0.8h, v1.8b, v2.8b
		{"cortex-a72", 0x0f1fe420, true},         // scvtf v0.4h, v1.4h, #1
		{"cortex-a76", 0x0f1fe420, false},        //
		{"cortex-a72", 0x0f3fe420, false},        // scvtf v0.2s, v1.2s, #1
		{"cortex-a72", 0xb8210040, true},         // ldadd w1, w0, [x2]
		{"cortex-a76", 0xb8210040, false},        //
		{"cortex-a76", 0xdac10020, true},         // pacia x0, x1
		{"cortex-a76", 0xd503233f, false},        // paciasp
		{"cortex-a72", 0xd53b2400, true},         // mrs x0, rndr
		{"neoverse-v1", 0xd53b2400, false},       //
		{"max,-fp16", 0x1ee22820, true},          // fadd h0, h1, h2
		{"max", 0x04a0e3ec, false},               // cntw x12, without being announced
		{"max,-lse", 0x04a0e3ec, false},          //
		{"max,-sve", 0x04a0e3ec, true},           //
		{"max,sve128=off", 0x04a0e3ec, true},     //
		{"max,-fcma", 0x04a0e3ec, true},          // which SVE needs
		{"cortex-a76", 0x04a0e3ec, true},         //
		{"max,-sve2", 0x04a0e3ec, false},         //
		{"max,-sve2", 0x4522e020, true},          // aese z0.b, z0.b, z1.b
		{"max,-aes", 0x4522e020, true},           //
		{"max", 0x4522e020, false},               //
		{"max", 0xc0900000, true},                // SME's: addha za0.s, p0/m, p0/m, z0.s
	} {
		c, err := ParseCPU(tt.spec)
		if err != nil {
			t.Fatal(err)
		}
		f := New(Options{CPU: c, MaxInsts: 1}).Block(0x4000, func(uint64) (uint32, bool) { return tt.word, true })
		if got := undefinedUnit(f); got != tt.undefined {
			t.Errorf("%s: %08x is undefined: %t", tt.spec, tt.word, got)
		}
	}
}

// With page 0 mapped, as by a program that is linked to address 0, fmt finds no fault that
// would tell it about a nil CPU.
func TestNoCPUString(t *testing.T) {
	if got := (*CPU)(nil).String(); got != "none" {
		t.Errorf("%q", got)
	}
}

// What of two features comes with both of them is announced then, and the identification registers say the
// same: ID_AA64PFR0_EL1.SVE and ID_AA64ZFR0_EL1.
func TestSVEIsAnnounced(t *testing.T) {
	const (
		sve                                   = 1 << 22
		sve2, aes, pmull, bitperm, sha3, sm4  = 1 << 1, 1 << 2, 1 << 3, 1 << 4, 1 << 5, 1 << 6
		i8mm, f32mm, f64mm, bf16, ebf16, both = 1 << 9, 1 << 10, 1 << 11, 1 << 12, 1 << 33, 1<<9 | 1<<12
		all                                   = sve2 | aes | pmull | bitperm | sha3 | sm4 | i8mm | f32mm | f64mm | bf16 | ebf16
	)
	for _, tt := range []struct {
		spec          string
		hwcap, hwcap2 uint64
		zfr0          uint64
	}{
		{"max", 0, 0, 0},
		{"max,sve=on", sve, all &^ f64mm, 0x0010_1101_0021_0021},
		{"max,sve=on,sve2=off", sve, both | f32mm | ebf16, 0x0010_1000_0020_0000},
		{"max,sve=on,ebf16=off", sve, all &^ f64mm &^ ebf16, 0x0010_1101_0011_0021},
		{"max,sve=on,bf16=off,i8mm=off", sve, all &^ (f64mm | both | ebf16), 0x0010_0101_0001_0021},
		{"max,sve=on,pmull=off", sve, all &^ f64mm &^ pmull, 0x0010_1101_0021_0011},
		{"cortex-a72,+sve", sve, 0, 0},
	} {
		c, err := ParseCPU(tt.spec)
		if err != nil {
			t.Fatal(err)
		}
		hwcap, hwcap2, _ := c.HWCAP()
		if hwcap&sve != tt.hwcap || hwcap2&all != tt.hwcap2 || c.SVE() != (tt.hwcap != 0) {
			t.Errorf("%s: HWCAP %#x HWCAP2 %#x, want %#x and %#x", tt.spec, hwcap&sve, hwcap2&all, tt.hwcap, tt.hwcap2)
		}
		if v := c.idRegister(idAA64ZFR0); v != tt.zfr0 {
			t.Errorf("%s: ID_AA64ZFR0_EL1 = %#x, want %#x", tt.spec, v, tt.zfr0)
		}
		if v := c.idRegister(idAA64PFR0) >> 32 & 15; v != tt.hwcap>>22 {
			t.Errorf("%s: ID_AA64PFR0_EL1.SVE = %d", tt.spec, v)
		}
	}
}
