package tier0

import (
	"math/bits"

	"emu/cpu"
	"emu/decoder"
)

// Data processing of integers, in the order of the Arm ARM's index.
var integerRules = []rule{
	{decoder.ClassGeneral, "pcreladdr", pcRel, false},
	{decoder.ClassGeneral, "addsub_imm", addSubImm, false},
	{decoder.ClassGeneral, "log_imm", logicalImm, false},
	{decoder.ClassGeneral, "movewide", moveWide, false},
	{decoder.ClassGeneral, "bitfield", bitfield, false},
	{decoder.ClassGeneral, "extract", extract, false},
	{decoder.ClassGeneral, "dp_2src", dp2, false},
	{decoder.ClassGeneral, "dp_1src", dp1, false},
	{decoder.ClassGeneral, "log_shift", logicalShift, false},
	{decoder.ClassGeneral, "addsub_shift", addSubShift, false},
	{decoder.ClassGeneral, "addsub_ext", addSubExt, false},
	{decoder.ClassGeneral, "addsub_carry", addSubCarry, false},
	{decoder.ClassGeneral, "condcmp_reg", condCompare, false},
	{decoder.ClassGeneral, "condcmp_imm", condCompare, false},
	{decoder.ClassGeneral, "condsel", condSelect, false},
	{decoder.ClassGeneral, "dp_3src", dp3, false},
}

// x is general register n, 31 = zero.
func x(s *cpu.State, n uint32) uint64 {
	if n == 31 {
		return 0
	}
	return s.X[n&31]
}

func setX(s *cpu.State, n uint32, v uint64) {
	if n != 31 {
		s.X[n&31] = v
	}
}

func is64(i decoder.Inst) bool { return i.Word>>31 != 0 }

// sized is v in the width of the instruction's registers.
func sized(i decoder.Inst, v uint64) uint64 {
	if i.Word>>31 == 0 {
		return uint64(uint32(v))
	}
	return v
}

func width(i decoder.Inst) uint32 { return 32 << (i.Word >> 31) }

func ones(n uint32) uint64 { return 1<<n - 1 } // n = 64 gives all ones

// ADR <Xd>, <label>; ADRP <Xd>, <label>
func pcRel(m *Machine, s *cpu.State, i decoder.Inst) {
	setX(s, i.Rd(), i.AdrTarget(m.pc))
}

// addSub is n + m or n - m as bit 30 says, with flags if bit 29 is set. With toSP
// register 31 of the destination is SP.
func addSub(s *cpu.State, i decoder.Inst, n, m uint64, toSP bool) {
	carry := uint64(0)
	if i.Bit(30) == 1 {
		m, carry = ^m, 1
	}
	sum := n + m + carry
	if i.Bit(29) == 1 {
		sum, s.NZCV = addWithCarry(i, n, m, carry)
		toSP = false
	}
	if sum = sized(i, sum); toSP {
		s.X[i.Rd()] = sum
	} else {
		setX(s, i.Rd(), sum)
	}
}

// Flags in the form of State.NZCV, see cpu.PackNZCV.
const (
	flagN = 1 << 15
	flagZ = 1 << 14
	flagC = 1 << 8
	flagV = 1 << 0
)

// addWithCarry is AddWithCarry() of the Arm ARM.
func addWithCarry(i decoder.Inst, x, y, carry uint64) (sum uint64, flags uint16) {
	var out, v uint64
	if is64(i) {
		sum, out = bits.Add64(x, y, carry)
		v = (x ^ sum) & (y ^ sum) >> 63
		flags = uint16(sum>>63) * flagN
	} else {
		full := uint64(uint32(x)) + uint64(uint32(y)) + carry
		sum, out = uint64(uint32(full)), full>>32
		v = (x ^ sum) & (y ^ sum) >> 31 & 1
		flags = uint16(sum>>31) * flagN
	}
	if sum == 0 {
		flags |= flagZ
	}
	return sum, flags | uint16(out)*flagC | uint16(v)*flagV
}

// holds reports whether a condition holds under State.NZCV.
func holds(f uint16, cond uint32) bool {
	return cpu.ConditionHolds(cond, f&flagN != 0, f&flagZ != 0, f&flagC != 0, f&flagV != 0)
}

// ADD{S}, SUB{S} <Rd|SP>, <Rn|SP>, #imm{, LSL #12}
func addSubImm(_ *Machine, s *cpu.State, i decoder.Inst) {
	addSub(s, i, s.X[i.Rn()], uint64(i.Imm12())<<(12*i.Bit(22)), true)
}

// ADD{S}, SUB{S} <Rd>, <Rn>, <Rm>{, LSL|LSR|ASR #amount}
func addSubShift(_ *Machine, s *cpu.State, i decoder.Inst) {
	addSub(s, i, x(s, i.Rn()), shifted(s, i), false)
}

// ADD{S}, SUB{S} <Rd|SP>, <Rn|SP>, <Rm>{, extend {#amount}}
func addSubExt(m *Machine, s *cpu.State, i decoder.Inst) {
	amount := i.Bits(12, 10)
	if amount > 4 {
		m.declined = true // undefined
		return
	}
	addSub(s, i, s.X[i.Rn()], extend(x(s, i.Rm()), i.Bits(15, 13))<<amount, true)
}

// extend is ExtendReg of the Arm ARM without its shift.
func extend(v uint64, option uint32) uint64 {
	switch option {
	case 0:
		return uint64(uint8(v))
	case 1:
		return uint64(uint16(v))
	case 2:
		return uint64(uint32(v))
	case 4:
		return uint64(int8(v))
	case 5:
		return uint64(int16(v))
	case 6:
		return uint64(int32(v))
	}
	return v
}

// shifted is ShiftReg of the Arm ARM: Rm as bits 23:22 and imm6 say.
func shifted(s *cpu.State, i decoder.Inst) uint64 {
	return shift(i, x(s, i.Rm()), i.Bits(23, 22), i.Bits(15, 10))
}

// shift is v shifted by less than its width: LSL, LSR, ASR or ROR.
func shift(i decoder.Inst, v uint64, kind, by uint32) uint64 {
	if is64(i) {
		switch kind {
		case 0:
			return v << by
		case 1:
			return v >> by
		case 2:
			return uint64(int64(v) >> by)
		}
		return bits.RotateLeft64(v, -int(by))
	}
	w := uint32(v)
	switch kind {
	case 0:
		w <<= by
	case 1:
		w >>= by
	case 2:
		w = uint32(int32(w) >> by)
	default:
		w = bits.RotateLeft32(w, -int(by))
	}
	return uint64(w)
}

// ADC{S}, SBC{S} <Rd>, <Rn>, <Rm>
func addSubCarry(_ *Machine, s *cpu.State, i decoder.Inst) {
	n, m := x(s, i.Rn()), x(s, i.Rm())
	if i.Bit(30) == 1 {
		m = ^m
	}
	sum, flags := addWithCarry(i, n, m, uint64(s.NZCV/flagC&1))
	if i.Bit(29) == 1 {
		s.NZCV = flags
	}
	setX(s, i.Rd(), sum)
}

// AND, ORR, EOR, ANDS <Rd|SP>, <Rn>, #imm
func logicalImm(m *Machine, s *cpu.State, i decoder.Inst) {
	imm, ok := decoder.DecodeBitMasks(i.Bit(22), i.Bits(15, 10), i.Bits(21, 16), is64(i))
	if !ok {
		m.declined = true // undefined
		return
	}
	v := sized(i, logical(i, x(s, i.Rn()), imm))
	if i.Bits(30, 29) == 3 {
		s.NZCV = flagsNZ(i, v)
		setX(s, i.Rd(), v)
		return
	}
	s.X[i.Rd()] = v
}

// AND, BIC, ORR, ORN, EOR, EON, ANDS, BICS <Rd>, <Rn>, <Rm>{, shift #amount}
func logicalShift(_ *Machine, s *cpu.State, i decoder.Inst) {
	m := shifted(s, i)
	if i.Bit(21) == 1 {
		m = ^m
	}
	v := sized(i, logical(i, x(s, i.Rn()), m))
	if i.Bits(30, 29) == 3 {
		s.NZCV = flagsNZ(i, v)
	}
	setX(s, i.Rd(), v)
}

// logical is the operation of opc, bits 30:29.
func logical(i decoder.Inst, n, m uint64) uint64 {
	switch i.Bits(30, 29) {
	case 1:
		return n | m
	case 2:
		return n ^ m
	}
	return n & m
}

func flagsNZ(i decoder.Inst, v uint64) (flags uint16) {
	flags = uint16(v>>(width(i)-1)) * flagN
	if v == 0 {
		flags |= flagZ
	}
	return flags
}

// MOVN, MOVZ, MOVK <Rd>, #imm{, LSL #shift}
func moveWide(_ *Machine, s *cpu.State, i decoder.Inst) {
	by := 16 * i.Bits(22, 21)
	imm := uint64(i.Imm16()) << by
	switch i.Bits(30, 29) {
	case 0: // MOVN
		imm = ^imm
	case 3: // MOVK
		imm |= x(s, i.Rd()) &^ (0xffff << by)
	}
	setX(s, i.Rd(), sized(i, imm))
}

// SBFM, BFM, UBFM <Rd>, <Rn>, #immr, #imms. With imms >= immr the field imms:immr
// moves to bit 0, otherwise the low imms+1 bits move up to bit width-immr.
func bitfield(_ *Machine, s *cpu.State, i decoder.Inst) {
	immr, imms := i.Bits(21, 16), i.Bits(15, 10)
	lsb, to, size := immr, uint32(0), imms-immr+1
	if imms < immr {
		lsb, to, size = 0, width(i)-immr, imms+1
	}
	v := x(s, i.Rn()) >> lsb & ones(size)
	switch i.Bits(30, 29) {
	case 0: // SBFM
		v = uint64(int64(v<<(64-size))>>(64-size)) << to
	case 1: // BFM
		v = v<<to | x(s, i.Rd())&^(ones(size)<<to)
	default:
		v <<= to
	}
	setX(s, i.Rd(), sized(i, v))
}

// EXTR <Rd>, <Rn>, <Rm>, #lsb
func extract(_ *Machine, s *cpu.State, i decoder.Inst) {
	n, m, lsb := sized(i, x(s, i.Rn())), sized(i, x(s, i.Rm())), i.Bits(15, 10)
	setX(s, i.Rd(), sized(i, m>>lsb|n<<(width(i)-lsb)))
}

// UDIV, SDIV, LSLV, LSRV, ASRV, RORV <Rd>, <Rn>, <Rm>
func dp2(m *Machine, s *cpu.State, i decoder.Inst) {
	a, b := sized(i, x(s, i.Rn())), sized(i, x(s, i.Rm()))
	var v uint64
	switch op := i.Bits(15, 10); op {
	case 2, 3:
		switch {
		case b == 0:
		case op == 2:
			v = a / b
		case is64(i):
			v = uint64(int64(a) / int64(b)) // -1<<63 / -1 is -1<<63 in Go, too
		default:
			v = uint64(int64(int32(a)) / int64(int32(b)))
		}
	case 8, 9, 10, 11:
		v = shift(i, a, op-8, uint32(b)&(width(i)-1))
	default:
		m.declined = true
		return
	}
	setX(s, i.Rd(), sized(i, v))
}

// RBIT, REV16, REV32, REV, CLZ, CLS <Rd>, <Rn>
func dp1(m *Machine, s *cpu.State, i decoder.Inst) {
	v := sized(i, x(s, i.Rn()))
	unused := int(64 - width(i))
	switch i.Bits(15, 10) {
	case 0:
		v = bits.Reverse64(v) >> unused
	case 1:
		v = v>>8&0x00ff00ff00ff00ff | v&0x00ff00ff00ff00ff<<8
	case 2:
		v = bits.RotateLeft64(bits.ReverseBytes64(v), 32)
	case 3:
		v = bits.ReverseBytes64(v)
	case 4:
		v = uint64(bits.LeadingZeros64(v) - unused)
	case 5:
		w := int64(v) << unused >> unused
		v = uint64(bits.LeadingZeros64(uint64(w^w>>63)) - unused - 1)
	default:
		m.declined = true
		return
	}
	setX(s, i.Rd(), sized(i, v))
}

// CCMN, CCMP <Rn>, <Rm>|#imm5, #nzcv, <cond>
func condCompare(_ *Machine, s *cpu.State, i decoder.Inst) {
	if !holds(s.NZCV, i.Bits(15, 12)) {
		s.NZCV = cpu.PackNZCV(i.Bits(3, 0) << 28)
		return
	}
	m, carry := uint64(i.Bits(20, 16)), uint64(0)
	if i.Bit(11) == 0 {
		m = x(s, i.Rm())
	}
	if i.Bit(30) == 1 {
		m, carry = ^m, 1
	}
	_, s.NZCV = addWithCarry(i, x(s, i.Rn()), m, carry)
}

// CSEL, CSINC, CSINV, CSNEG <Rd>, <Rn>, <Rm>, <cond>
func condSelect(_ *Machine, s *cpu.State, i decoder.Inst) {
	v := x(s, i.Rn())
	if !holds(s.NZCV, i.Bits(15, 12)) {
		v = x(s, i.Rm())
		if i.Bit(30) == 1 {
			v = ^v
		}
		v += uint64(i.Bit(10))
	}
	setX(s, i.Rd(), sized(i, v))
}

// MADD, MSUB, SMADDL, SMSUBL, UMADDL, UMSUBL <Rd>, <Rn>, <Rm>, <Ra>;
// SMULH, UMULH <Xd>, <Xn>, <Xm>
func dp3(m *Machine, s *cpu.State, i decoder.Inst) {
	a, b := x(s, i.Rn()), x(s, i.Rm())
	switch i.Bits(23, 21) {
	case 0:
	case 1:
		a, b = uint64(int32(a)), uint64(int32(b))
	case 5:
		a, b = uint64(uint32(a)), uint64(uint32(b))
	case 2, 6:
		hi, _ := bits.Mul64(a, b)
		if i.Bit(23) == 0 { // SMULH
			hi -= uint64(int64(a)>>63)&b + uint64(int64(b)>>63)&a
		}
		setX(s, i.Rd(), hi)
		return
	default:
		m.declined = true
		return
	}
	v := a * b
	if i.Bit(15) == 1 {
		v = -v
	}
	setX(s, i.Rd(), sized(i, x(s, i.Ra())+v))
}
