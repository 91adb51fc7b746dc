package diff

import (
	"math/rand/v2"
	"strings"

	"emu/decoder"
)

// Bit patterns at which floating-point operations change their behaviour, without
// the sign: zero, denormals, the smallest and largest normal numbers, infinity,
// signalling and quiet NaNs, small integers, halves, and the limits of integers.
var (
	corners16 = []uint16{
		0, 1, 2, 0x3ff, 0x400, 0x401, 0x3c00, 0x3c01, 0x3bff, 0x3e00, 0x3800, 0x4100, 0x4248, 0x5bff, 0x6400, 0x77ff,
		0x7800, 0x7bff, 0x7c00, 0x7c01, 0x7dff, 0x7e00, 0x7e01, 0x7fff, 0x0200, 0x1000,
	}
	corners32 = []uint32{
		0, 1, 2, 0x7fffff, 0x800000, 0x800001, 0x3f800000, 0x3f800001, 0x3f7fffff, 0x3fc00000, 0x3f000000, 0x40200000,
		0x40490fdb, 0x4effffff, 0x4f000000, 0x4f7fffff, 0x4f800000, 0x5effffff, 0x5f000000, 0x5f800000, 0x7f7fffff,
		0x7f800000, 0x7f800001, 0x7fbfffff, 0x7fc00000, 0x7fc00001, 0x7fffffff, 0x00400000, 0x477fe000, 0x477ff000,
		0x33800000, 0x387fc000, 0x38800000, 0x33000000, 0x0f000000, 0x5f7fffff, 0x4b000001, 0x7f7f8000, 0x01000000,
	}
	corners64 = []uint64{
		0, 1, 2, 0x000f_ffff_ffff_ffff, 0x0010_0000_0000_0000, 0x0010_0000_0000_0001, 0x3ff0_0000_0000_0000,
		0x3ff0_0000_0000_0001, 0x3fef_ffff_ffff_ffff, 0x3ff8_0000_0000_0000, 0x3fe0_0000_0000_0000, 0x4004_0000_0000_0000,
		0x4009_21fb_5444_2d18, 0x41df_ffff_ffc0_0000, 0x41e0_0000_0000_0000, 0x41ef_ffff_ffe0_0000, 0x41f0_0000_0000_0000,
		0x43df_ffff_ffff_ffff, 0x43e0_0000_0000_0000, 0x43ef_ffff_ffff_ffff, 0x43f0_0000_0000_0000, 0x47ef_ffff_e000_0000,
		0x47ef_ffff_f000_0000, 0x7fef_ffff_ffff_ffff, 0x7ff0_0000_0000_0000, 0x7ff0_0000_0000_0001, 0x7ff7_ffff_ffff_ffff,
		0x7ff8_0000_0000_0000, 0x7ff8_0000_0000_0001, 0x7fff_ffff_ffff_ffff, 0x0008_0000_0000_0000, 0x3810_0000_0000_0000,
		0x380f_ffff_ffff_ffff, 0x36a0_0000_0000_0000, 0x3690_0000_0000_0000, 0x40ef_fc00_0000_0000, 0x40ef_fe00_0000_0000,
		0x4330_0000_0000_0001, 0x1ff0_0000_0000_0000, 0x5fef_ffff_ffff_ffff,
	}
	corners8 = []uint8{0, 1, 2, 0x7e, 0x7f, 0x80, 0x81, 0xfe, 0xff, 0x0f, 0xf0, 0x40, 0xc0}
)

// lanes fills 64 bits with lanes of 8 to 64 bits that are corners or noise.
func lanes(r *rand.Rand, esize int) uint64 {
	var x uint64
	for at := 0; at < 64; at += esize {
		x |= lane(r, esize) << at
	}
	return x
}

func lane(r *rand.Rand, esize int) uint64 {
	if r.IntN(4) == 0 {
		return r.Uint64() >> (64 - esize)
	}
	var x uint64
	switch esize {
	case 8:
		return uint64(corners8[r.IntN(len(corners8))])
	case 16:
		x = uint64(corners16[r.IntN(len(corners16))])
	case 32:
		x = uint64(corners32[r.IntN(len(corners32))])
	default:
		x = corners64[r.IntN(len(corners64))]
	}
	if r.IntN(4) == 0 { // a neighbour
		x += uint64(r.IntN(3)) - 1
	}
	return (x ^ r.Uint64()&1<<(esize-1)) << (64 - esize) >> (64 - esize)
}

// fpcrBits are those of FPCR that change results: AHP, DN, FZ, RMode, FZ16.
var fpcrBits = []uint32{1 << 26, 1 << 25, 1 << 24, 1 << 23, 1 << 22, 1 << 19}

// SIMDCorners overwrites the V registers with corner values, and FPCR and FPSR with
// random ones in half of the cases each.
func SIMDCorners(s *State, r *rand.Rand) {
	esize := 8 << r.IntN(4)
	mixed := r.IntN(8) == 0
	for n := range s.V {
		for h := range 2 {
			if mixed {
				esize = 8 << r.IntN(4)
			}
			s.V[n][h] = lanes(r, esize)
		}
	}
	if r.IntN(2) == 0 {
		for _, bit := range fpcrBits {
			if r.IntN(3) == 0 {
				s.FPCR |= bit
			}
		}
	}
	if r.IntN(2) == 0 {
		s.FPSR = r.Uint32() & 0x0800009f // QC and the cumulative flags
	}
}

// notInQemu are features that a version of qemu-aarch64 lacks.
var notInQemu = []struct {
	feature string
	until   int // the last major version without, 0 = all
}{
	{"FEAT_GCS", 10}, {"FEAT_CSSC", 10}, {"FEAT_LSE128", 10}, {"FEAT_HBC", 8}, {"FEAT_WFxT", 8}, {"FEAT_RPRFM", 8}, {"FEAT_XS", 8}, {"FEAT_MOPS", 8},
	{"FEAT_LRCPC3", 0}, {"FEAT_THE", 0},
}

// LikeQemu is the processor of emu that is the model max of a version of
// qemu-aarch64, as far as behaviour and not encodings is concerned. It has FEAT_THE
// besides, which only the engines are compared about.
func LikeQemu(version int) string {
	switch {
	case version > 10:
		return "max,lse2=on,mte=on,the=on"
	case version > 8:
		return "max,lse2=on,mte=on,the=on,gcs=off"
	}
	return "max,mte=on,the=on,gcs=off"
}

// InQemu reports whether a version of qemu-aarch64 has the encoding.
func InQemu(op decoder.Op, version int) bool {
	features := op.Features()
	for _, f := range notInQemu {
		if strings.Contains(features, f.feature) && (f.until == 0 || version <= f.until) {
			return false
		}
	}
	return true
}

// QemuDiffers reports instructions whose results in a version of qemu-aarch64
// are not those of the Arm ARM.
func QemuDiffers(i decoder.Inst, in *State, version int) bool {
	if version < 10 && in.FPCR&afpBits != 0 { // lacks FEAT_AFP and FEAT_EBF16
		return true
	}
	switch i.Op {
	case decoder.FABS_asimdmisc_R, decoder.FNEG_asimdmisc_R, decoder.FABS_asimdmiscfp16_R, decoder.FNEG_asimdmiscfp16_R:
		return in.FPCR&(1<<1) != 0 // FPCR.AH: qemu changes the signs of NaNs all the same
	case decoder.FCMLA_Z_ZZZI_H, decoder.FCMLA_Z_ZZZI_S: // the same, of factors whose signs the rotation changes
		return in.FPCR&(1<<1) != 0
	}
	if signsWrong(i, in) || faultsWrong(i, in) {
		return true
	}
	if version > 7 {
		return false
	}
	switch i.Op {
	case decoder.FCVTZS_asisdshf_C: // half precision: the sign reaches into bits 31:16
		return i.Bits(22, 20) == 1
	case decoder.FJCVTZS_32D_float2int: // a denormal that is flushed counts as exact
		return in.FPCR&(1<<24) != 0
	}
	return false
}
