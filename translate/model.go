package translate

import (
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
	"sync"

	"emu/internal/a64crypto"
	"emu/internal/softfp"
)

// model is a processor that -cpu names.
type model struct {
	name     string
	midr     uint64 // MIDR_EL1
	features string // joined by "&"
	allBut   bool   // features are those that it has not
}

// Features by generation, as the Arm cores that are models here have them.
const (
	armv8 = "FP&ASIMD&EVTSTRM&CPUID&FEAT_AES&FEAT_PMULL&FEAT_SHA1&FEAT_SHA256&FEAT_CRC32"
	// Armv8.2 with the options of the first server cores.
	armv82 = armv8 + "&FEAT_LSE&FEAT_LOR&FEAT_RDM&FEAT_FP16&FEAT_DPB"
	dotRC  = armv82 + "&FEAT_DotProd&FEAT_LRCPC"
	// Armv8.4 with what Neoverse V1 takes from v8.5 and v8.6.
	armv84 = dotRC + "&FEAT_JSCVT&FEAT_FCMA&FEAT_LRCPC2&FEAT_SHA3&FEAT_SHA512&FEAT_SM3&FEAT_SM4&FEAT_FHM&FEAT_FlagM&" +
		"FEAT_PAuth&FEAT_PACIMP&FEAT_LSE2&FEAT_DIT&FEAT_SSBS&FEAT_SSBS2&FEAT_DPB2&FEAT_I8MM&FEAT_BF16&FEAT_DGH&FEAT_RNG&FEAT_SVE"
	// Armv9.0 as Neoverse N2 and V2 have it, with the options of cryptography and random numbers.
	// Systems that they are in mostly keep FEAT_MTE from programs, and it costs.
	armv90 = armv84 + "&FEAT_FPAC&FEAT_SB&FEAT_FRINTTS&FEAT_FlagM2&FEAT_BTI&" +
		"FEAT_SVE2&FEAT_SVE_AES&FEAT_SVE_PMULL128&FEAT_SVE_BitPerm&FEAT_SVE_SHA3&FEAT_SVE_SM4"
)

// notInMax are the features that max has, or that programs are told of, only if asked:
// FEAT_LSE2 makes LDP and STP dearer, FEAT_MTE all accesses of the programs that use it, and
// of the algorithms of pointer authentication there is one. FEAT_THE is of no use to
// programs; for SVE see unannounced.go.
const notInMax = "FEAT_LSE2&FEAT_PACQARMA3&FEAT_PACQARMA5&FEAT_MTE&FEAT_THE&" + sveOfMax

// sveOfMax are the features that max,sve=on brings.
const sveOfMax = "FEAT_SVE&FEAT_SVE2&FEAT_SVE_AES&FEAT_SVE_PMULL128&FEAT_SVE_BitPerm&FEAT_SVE_SHA3&FEAT_SVE_SM4&FEAT_F32MM"

// models are the processors. The vectors of SVE have 128 bits in all of them, as an operating
// system may make them. A64FX is without: programs that know it count on 512.
var models = []model{
	// Implementer 0 (reserved for software use), architecture 0xf (see the ID
	// registers), part 0x051: that of qemu's max.
	{"max", 0x000f0510, notInMax, true},
	{"cortex-a35", 0x411fd040, armv8, false},
	{"cortex-a53", 0x410fd034, armv8, false},
	{"cortex-a55", 0x412fd050, dotRC + "&FEAT_SSBS", false},
	{"cortex-a57", 0x411fd070, armv8, false},
	{"cortex-a72", 0x410fd083, armv8, false},
	{"cortex-a76", 0x414fd0b1, dotRC + "&FEAT_SSBS", false},
	{"neoverse-n1", 0x414fd0c1, dotRC + "&FEAT_SSBS&FEAT_SSBS2", false},
	{"neoverse-n2", 0x410fd493, armv90, false},
	{"neoverse-v1", 0x411fd402, armv84, false},
	{"neoverse-v2", 0x410fd4f1, armv90, false},
	{"a64fx", 0x461f0010, armv82 + "&FEAT_FCMA", false},
}

// CPU is a guest's processor. It does not change.
type CPU struct {
	model  *model
	has    featureSet
	silent featureSet // has, and what works without being announced: see unannounced.go
	tables func() *dispatch
	more   func() *dispatch // of silent, for words that tables has not

	// Features that many instructions ask for.
	lse2, fpac, bti, mte, the, gcs, sve bool
	fpcrMask                            uint64 // bits of FPCR that can be set
	auth                                a64crypto.PointerAuth
}

// String names the model and its features in a form that tells CPUs apart. No CPU is
// "none": package fmt would find out by a fault, which does not come when a guest has
// mapped page 0, as a privileged one can.
func (c *CPU) String() string {
	if c == nil {
		return "none"
	}
	return fmt.Sprintf("%s %x %x", c.model.name, c.has, c.silent)
}

func newCPU(m *model, has, silent featureSet) *CPU {
	c := &CPU{model: m, has: has, silent: silent, tables: tables}
	c.lse2, c.fpac, c.bti = has.has("FEAT_LSE2"), has.has("FEAT_FPAC"), has.has("FEAT_BTI")
	c.fpcrMask = fpcrMask
	if has.has("FEAT_FP16") {
		c.fpcrMask |= softfp.FZ16
	}
	if has.has("FEAT_AFP") {
		c.fpcrMask |= softfp.AH | softfp.FIZ | softfp.NEP
	}
	if has.has("FEAT_EBF16") {
		c.fpcrMask |= softfp.EBF
	}
	c.mte, c.the, c.gcs = has.has("FEAT_MTE"), has.has("FEAT_THE"), has.has("FEAT_GCS")
	c.sve = has.has("FEAT_SVE")
	c.more = moreTables(silent)
	c.auth = a64crypto.PointerAuth{PAuth2: true, QARMA3: has.has("FEAT_PACQARMA3"), Fast: has.has("FEAT_PACIMP")}
	return c
}

// maxCPU is the default.
var maxCPU = newCPU(&models[0], models[0].set(), models[0].silentSet())

// MaxCPU is the model max: all that emu has and that costs other programs nothing.
func MaxCPU() *CPU { return maxCPU }

func (m *model) set() (s featureSet) {
	for name := range strings.SplitSeq(m.features, "&") {
		n, ok := indexOf(name)
		if !ok {
			panic("BUG: translate: model " + m.name + " has " + name + ", which has no row")
		}
		s = s.plus(n)
	}
	if m.allBut {
		for n := range s {
			s[n] = allFeatures[n] &^ s[n]
		}
	}
	return s
}

// Models returns the names of the processor models, the default first.
func Models() []string {
	names := make([]string, len(models))
	for n := range models {
		names[n] = models[n].name
	}
	return names
}

// DescribeCPUs writes the models and their features under the names that ParseCPU takes.
func DescribeCPUs(w io.Writer) {
	fmt.Fprint(w, "Models, the default first, with their features beyond Armv8.0:\n\n")
	var all []string
	for n := range features {
		if name, ok := featureName(n); ok {
			all = append(all, name)
		}
	}
	has := func(s featureSet) (names []string) {
		for n := range features {
			if name, ok := featureName(n); ok && s.contains(n) {
				names = append(names, name)
			}
		}
		return names
	}
	for n := range models {
		names := has(models[n].set())
		if n == 0 { // all but few
			names = slices.DeleteFunc(slices.Clone(all), func(name string) bool { return slices.Contains(names, name) })
			fmt.Fprintf(w, "  %-12s all but %s\n", models[n].name, strings.Join(names, " "))
			continue
		}
		fmt.Fprintf(w, "  %-12s %s\n", models[n].name, strings.Join(names, " "))
	}
	fmt.Fprintf(w, "\nFeatures that a model can be given or denied (max,lse2=on or cortex-a72,-aes):\n\n  %s\n\nqemu's names for some of them:", strings.Join(all, " "))
	for n, a := range aliases {
		if n > 0 {
			fmt.Fprint(w, ",")
		}
		fmt.Fprintf(w, " %s (%s)", a[0], a[1])
	}
	fmt.Fprintf(w, "\n\nmax,sve=on brings all of SVE and SVE2 that there is: %s. Vectors have %d bits. Without it\nmax executes their instructions, but does not tell programs; with sve=off they are undefined.\n",
		strings.ToLower(strings.NewReplacer("FEAT_", "", "&", " ").Replace(sveOfMax)), vectorBits)
}

// ParseCPU makes a processor of a model's name and changes to its features:
//
//	max
//	cortex-a72,+lse
//	max,pauth=off,+sve
//
// A feature's name is that of the architecture in lower case without FEAT_. What
// a feature needs comes and goes with it. Of max sve=on and sve2=on bring all that there
// is of SVE, as with qemu. The names that qemu has for features
// that no model has may be switched off.
func ParseCPU(spec string) (*CPU, error) {
	name, changes, _ := strings.Cut(spec, ",")
	m := findModel(name)
	if m == nil {
		return nil, fmt.Errorf("no CPU model %q: want one of %s", name, strings.Join(Models(), ", "))
	}
	has, silent := m.set(), m.silentSet()
	for change := range strings.SplitSeq(changes, ",") {
		if change == "" {
			continue
		}
		var err error
		if has, err = m.change(has, change); err != nil {
			return nil, err
		}
		if silent, err = m.change(silent, change); err != nil {
			return nil, err
		}
	}
	c := newCPU(m, has, silent)
	switch {
	case has.has("FEAT_SVE"):
		c.tables = sync.OnceValue(func() *dispatch { return sveTables().restrict(has) })
	case has != maxCPU.has:
		c.tables = sync.OnceValue(func() *dispatch { return tables().restrict(has) })
	}
	return c, nil
}

func findModel(name string) *model {
	for n := range models {
		if models[n].name == name {
			return &models[n]
		}
	}
	return nil
}

// aliases are qemu's names of features that are called otherwise here.
var aliases = [][2]string{{"pauth-impdef", "pacimp"}, {"pauth-qarma3", "pacqarma3"}, {"pauth-qarma5", "pacqarma5"}}

// absent are qemu's names of features that do not exist here.
const absent = ",sme,sme2,sme_fa64,lpa2,aarch64,"

// change is the set after +feature, -feature, feature=on or feature=off.
func (m *model) change(s featureSet, text string) (featureSet, error) {
	name, value, assigned := strings.Cut(text, "=")
	if assigned && ofVectorLength(name) {
		return s.vectorLength(name, value)
	}
	on := true
	switch {
	case assigned && (value == "on" || value == "off"):
		on = value == "on"
	case !assigned && strings.HasPrefix(text, "+"):
		name = text[1:]
	case !assigned && strings.HasPrefix(text, "-"):
		name, on = text[1:], false
	default:
		return s, fmt.Errorf("%q: want +FEATURE, -FEATURE, FEATURE=on or FEATURE=off", text)
	}
	for _, a := range aliases {
		if name == a[0] {
			name = a[1]
		}
	}
	n, ok := findFeature(name)
	switch missing := strings.Contains(absent, ","+name+","); {
	case !ok && !on && missing:
		return s, nil
	case !ok && missing:
		return s, fmt.Errorf("CPU feature %q is not implemented", name)
	case !ok:
		return s, fmt.Errorf("no CPU feature %q (-cpu help lists them)", name)
	case on && m.allBut && (name == "sve" || name == "sve2"):
		return s.with(n).withSVE(), nil
	case on:
		return s.with(n), nil
	case isAlgorithm(n) && s.contains(n):
		return s, fmt.Errorf("%q: name another algorithm with =on, or pauth=off", text)
	}
	return s.without(n), nil
}

// withSVE is a set that has some of SVE with the rest of it, but for what would need other
// features that the set lacks.
func (s featureSet) withSVE() featureSet {
	for name := range strings.SplitSeq(sveOfMax, "&") {
		if n, _ := indexOf(name); s.satisfied(n) {
			s = s.plus(n)
		}
	}
	return s
}

// findFeature finds a feature by its name in lower case. The base of Armv8 has
// none: it cannot be changed.
func findFeature(name string) (n int, ok bool) {
	for n := range features {
		if its, ok := featureName(n); ok && its == name {
			return n, true
		}
	}
	return 0, false
}

// featureName is what the flag -cpu calls a feature.
func featureName(n int) (name string, ok bool) {
	full, ok := strings.CutPrefix(features[n].name, "FEAT_")
	return strings.ToLower(full), ok
}

// MIDR is MIDR_EL1.
func (c *CPU) MIDR() uint64 { return c.model.midr }

// FPCRMask are the bits of FPCR that a program can set.
func (c *CPU) FPCRMask() uint32 { return uint32(c.fpcrMask) }

// BTI reports whether the processor has FEAT_BTI.
func (c *CPU) BTI() bool { return c.bti }

// MTE reports whether the processor has FEAT_MTE.
func (c *CPU) MTE() bool { return c.mte }

// SVE reports whether the model, nil for max, has FEAT_SVE.
func (c *CPU) SVE() bool { return c != nil && c.sve }

// LSE2 reports whether the model, nil for max, has FEAT_LSE2.
func (c *CPU) LSE2() bool { return c != nil && c.lse2 }

// FastPAC reports whether the model, nil for max, signs pointers by the algorithm of FEAT_PACIMP here, and
// faults where a code is wrong (FEAT_FPAC).
func (c *CPU) FastPAC() bool {
	if c == nil {
		c = maxCPU
	}
	return c.auth.Fast && c.fpac
}

// GCS reports whether the processor has FEAT_GCS.
func (c *CPU) GCS() bool { return c.gcs }

// announced are the features that programs are told of: those that the processor has.
// All encodings of a feature that has a row are translated (TestHWCAPIsTrue).
func (c *CPU) announced() iter.Seq[*feature] {
	return func(yield func(*feature) bool) {
		for n := range features {
			if c.has.contains(n) && !yield(&features[n]) {
				return
			}
		}
		for n := range combinations {
			if c.has.has(combinations[n].name) && !yield(&combinations[n]) {
				return
			}
		}
	}
}

// HWCAP returns the values of AT_HWCAP, AT_HWCAP2 and AT_HWCAP3.
func (c *CPU) HWCAP() (hwcap, hwcap2, hwcap3 uint64) {
	for f := range c.announced() {
		hwcap |= f.hwcap
		hwcap2 |= f.hwcap2
	}
	return hwcap, hwcap2, 0
}
