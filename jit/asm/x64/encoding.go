package x64

import "fmt"

// enc is one instruction form, packed. The operand letters are those of the
// opcode maps in the Intel SDM (volume 2, appendix A.2): G and V are the general
// and vector register in ModRM.reg, E and W the register or memory in ModRM.rm,
// R and U the same without memory, M memory only, B and H the register in
// VEX.vvvv, L the register in imm8[7:4].
//
//	 7..0  opcode            21..20 class of ModRM.reg   35..33 /digit
//	10..8  opcode map        23..22 its general width    37..36 immediate kind
//	12..11 mandatory prefix  25..24 class of ModRM.rm    38     imm8 alternative
//	13     W                 27..26 its general width    39     by-1 alternative
//	15..14 vector length     29..28 class of VEX.vvvv    40     register in opcode
//	17..16 encoding scheme   31..30 its general width    41     LOCK allowed
//	18     EVEX possible     32     memory allowed       42     vvvv is last operand
//	19     W under EVEX                                  43     L operand in imm8
//	51     no write mask under EVEX
//	50     operand size prefix besides the mandatory one
//	49     wider forms exist although bit 47 is clear
//	48     operand-free with ModRM digit and rm in 46..44
//	46..44 log2 of disp8 scale (EVEX); 47 that scale grows with vector length
type enc uint64

// Fields of enc.
const (
	mapShift, mapMask = 8, 7
	ppShift, ppMask   = 11, 3
	wShift            = 13
	lenShift, lenMask = 14, 3
	schemeMask        = enc(3) << 16
	digitShift        = 33
	scaleShift        = 44

	m0F = enc(1) << mapShift
	m38 = enc(2) << mapShift // 0F 38
	m3A = enc(3) << mapShift // 0F 3A
	m5  = enc(5) << mapShift // AVX512-FP16
	m6  = enc(6) << mapShift // AVX512-FP16

	p66 = enc(1) << ppShift
	pF3 = enc(2) << ppShift
	pF2 = enc(3) << ppShift
	w1  = enc(1) << wShift
	l1  = enc(1) << lenShift

	vex  = enc(1) << 16
	evex = enc(2) << 16
	ev0  = enc(1) << 18 // a VEX row whose EVEX form has W=0
	ev1  = enc(3) << 18 // a VEX row whose EVEX form has W=1

	isR, isX, isK = 1, 2, 3

	gb = enc(isR) << 20
	gw = enc(isR|1<<2) << 20
	gd = enc(isR|2<<2) << 20
	gq = enc(isR|3<<2) << 20
	vx = enc(isX) << 20
	gk = enc(isK) << 20

	rb = enc(isR) << 24
	rw = enc(isR|1<<2) << 24
	rd = enc(isR|2<<2) << 24
	rq = enc(isR|3<<2) << 24
	ux = enc(isX) << 24
	rk = enc(isK) << 24
	mm = enc(1) << 32
	eb = rb | mm
	ew = rw | mm
	ed = rd | mm
	eq = rq | mm
	wx = ux | mm
	ek = rk | mm

	bd = enc(isR|2<<2) << 28
	bq = enc(isR|3<<2) << 28
	hx = enc(isX) << 28
	hk = enc(isK) << 28

	d0 = enc(0) << digitShift
	d1 = enc(1) << digitShift
	d2 = enc(2) << digitShift
	d3 = enc(3) << digitShift
	d4 = enc(4) << digitShift
	d5 = enc(5) << digitShift
	d6 = enc(6) << digitShift
	d7 = enc(7) << digitShift

	ib      = enc(1) << 36 // imm8
	iz      = enc(2) << 36 // imm16 with a 66 prefix, else imm32
	cl      = enc(3) << 36 // the count is CL
	immMask = enc(3) << 36
	s8      = enc(1) << 38 // opcode|2 takes a sign-extended imm8 instead of iz
	s1      = enc(1) << 39 // opcode+0x10 shifts by one without an immediate
	plusR   = enc(1) << 40
	lk      = enc(1) << 41
	vlast   = enc(1) << 42
	is4     = enc(1) << 43
	fixed   = enc(1) << 48
	o16     = enc(1) << 50
	nok     = enc(1) << 51
	low1    = enc(1) << scaleShift // ModRM.rm of a fixed form
	low2    = enc(2) << scaleShift

	op00 = enc(0) // opcode 00

	// EVEX disp8 scale: bytes accessed, fixed (t) or at 128 bits (f = full
	// vector, h = half, q = quarter, o = eighth).
	t1  = enc(0) << scaleShift
	t2  = enc(1) << scaleShift
	t4  = enc(2) << scaleShift
	t8  = enc(3) << scaleShift
	t16 = enc(4) << scaleShift
	vl  = enc(1) << 47
	yy  = enc(1) << 49 // wider forms exist, with the same scale
	fv  = t16 | vl
	hv  = t8 | vl
	qv  = t4 | vl
	ov  = t2 | vl
)

// Operand classes of a form, compared as one mask by the emit methods.
const (
	regClass = enc(3) << 20
	rmClass  = enc(3) << 24
	vClass   = enc(3) << 28

	regShape = regClass | rmClass | vClass | immMask | plusR // all operands in registers
	memShape = regClass | vClass | immMask | mm              // ModRM.rm in memory

	gR, gX, gK = enc(isR) << 20, enc(isX) << 20, enc(isK) << 20
	eR, eX, eK = enc(isR) << 24, enc(isX) << 24, enc(isK) << 24
	hR, hX, hK = enc(isR) << 28, enc(isX) << 28, enc(isK) << 28
)

// row is an instruction: the forms it has and the CPU features it needs.
// In rm, ModRM.reg is the destination or the form has one operand; in mr,
// ModRM.rm is the destination; mi is the form with an immediate and an opcode
// extension, or a second form of an unusual shape.
type row struct {
	name       string // Intel mnemonic
	rm, mr, mi enc
	needs      Features
}

// Op names an instruction: table index in the low bits, modifiers above.
type Op uint32

const (
	opMask    = 0xfff
	famShift  = 8
	maskShift = 12 // 3 bits, EVEX.aaa
	opZero    = Op(1) << 15
	opRound   = Op(1) << 16 // EVEX.b: static rounding or SAE
	modeShift = 17          // 2 bits, rounding mode
	opY       = Op(1) << 19
	opZ       = Op(1) << 20

	// opEVEX are the modifiers that exist only under EVEX.
	opEVEX = 7<<maskShift | opZero | opRound | opZ
)

func (op Op) row() *row {
	return &families[op>>famShift&15][op&0xff]
}

// Mask returns op writing only the elements selected by k and keeping the others.
func (op Op) Mask(k K) Op {
	if k == K0 {
		panic("BUG: x64: K0 is not a write mask")
	}
	return op&^(7<<maskShift|opZero) | Op(k&7)<<maskShift
}

// MaskZ returns op writing the elements selected by k and zeroing the others.
func (op Op) MaskZ(k K) Op { return op.Mask(k) | opZero }

// Round returns op, scalar or Zmm, with rounding mode r and all exceptions
// suppressed. It is for register operands only.
func (op Op) Round(r Round) Op {
	return op&^(3<<modeShift) | opRound | Op(r&3)<<modeShift
}

// SAE returns op with all floating-point exceptions suppressed (VCMPxx, VRNDSCALExx,
// VCVTTxx, ...), scalar or Zmm, for register operands only.
func (op Op) SAE() Op { return op | opRound }

// Y returns the packed op at 256 bits.
func (op Op) Y() Op { return op | opY }

// Zmm returns the packed op at 512 bits under EVEX.
func (op Op) Zmm() Op { return op | opZ }

// Needs returns the features a CPU must have to run op with registers X0..X15.
// At 256 bits it says AVX2, which only the integer instructions need.
func (op Op) Needs() Features {
	f := op.row().needs
	if op&opEVEX != 0 {
		f |= EVEX128
	}
	if op&opY != 0 {
		f |= AVX2
	}
	return f
}

// String returns the Intel mnemonic.
func (op Op) String() string { return op.row().name }

// noForm reports a lowering mistake: op cannot take the operands of method.
func (op Op) noForm(method string) {
	panic(fmt.Sprintf("BUG: x64: %s (op %#x) has no %s form", op, uint32(op), method))
}
