package translate

import (
	"emu/cpu"
	"emu/decoder"
	"emu/internal/softfp"
	"emu/ir"
)

// sysReg is a system register that EL0 can reach. id is op0:op1:CRn:CRm:op2 as in
// bits 20:5 of MRS and MSR.
type sysReg struct {
	id      uint32
	feature string // "" = always there
	read    func(t *Translator) ir.Value
	write   func(t *Translator, v ir.Value) // nil = read-only: UNDEFINED
}

func sysID(op0, op1, crn, crm, op2 uint32) uint32 {
	return op0<<14 | op1<<11 | crn<<7 | crm<<3 | op2
}

var fpsrID = sysID(3, 3, 4, 4, 1)

// sysRegs are the registers that Linux lets EL0 access, identification registers
// apart.
var sysRegs = []sysReg{
	{sysID(3, 3, 0, 0, 1), "", readConst(ctrEL0), nil},
	{sysID(3, 3, 0, 0, 7), "", readConst(dczidEL0), nil},
	{sysID(3, 3, 2, 4, 0), "FEAT_RNG", readRandom, nil}, // RNDR
	{sysID(3, 3, 2, 4, 1), "FEAT_RNG", readRandom, nil}, // RNDRRS
	{sysID(3, 3, 2, 5, 1), "FEAT_GCS", readSys(ir.SysGCSPR), nil},
	{sysID(3, 3, 4, 2, 0), "", (*Translator).packed, (*Translator).setPacked},
	{sysID(3, 3, 4, 2, 5), "FEAT_DIT", readMode(cpu.ModeDIT), writeMode(cpu.ModeDIT)},
	{sysID(3, 3, 4, 2, 6), "FEAT_SSBS2", readMode(cpu.ModeSSBS), writeMode(cpu.ModeSSBS)},
	{sysID(3, 3, 4, 2, 7), "FEAT_MTE", readMode(cpu.ModeTCO), writeMode(cpu.ModeTCO)},
	{sysID(3, 3, 4, 4, 0), "", readFPCR, writeFPCR},
	{fpsrID, "", readFPSR, writeFPSR},
	{sysID(3, 3, 9, 14, 0), "", readConst(0), nil}, // PMUSERENR_EL0: the counters are not for EL0
	{sysID(3, 3, 13, 0, 2), "", readSys(ir.SysTPIDR), writeSys(ir.SysTPIDR)},
	{sysID(3, 3, 13, 0, 3), "", readSys(ir.SysTPIDRRO), nil},
	{sysID(3, 3, 13, 0, 5), "FEAT_SME", readSys(ir.SysTPIDR2), writeSys(ir.SysTPIDR2)},
	{sysID(3, 3, 14, 0, 0), "", readFrequency, nil},
	{sysID(3, 3, 14, 0, 2), "", readCounter, nil},
	{sysID(3, 3, 14, 0, 6), "FEAT_ECV", readCounter, nil}, // CNTVCTSS_EL0
}

const (
	// ctrEL0: instruction and data cache lines of 64 bytes, physically tagged
	// instruction cache (L1Ip 3), data need not be cleaned to the point of
	// unification (IDC), instructions need to be invalidated (DIC 0).
	ctrEL0 = 1<<31 | 1<<28 | 4<<24 | 4<<20 | 4<<16 | 3<<14 | 4
	// dczidEL0: DC ZVA is permitted and zeroes 4 << 4 bytes.
	dczidEL0  = 4
	blockSize = 4 << dczidEL0

	// Bits that every processor can set: AHP, DN, FZ and RMode; QC and the
	// cumulative exception flags. Trapped exceptions are not supported, nor is AArch32.
	fpcrMask = 1<<26 | 1<<25 | 1<<24 | 3<<22
	fpsrMask = 1<<27 | 1<<7 | 0x1f
)

func readConst(v uint64) func(*Translator) ir.Value {
	return func(t *Translator) ir.Value { return t.I64(v) }
}

func readSys(r ir.SysReg) func(*Translator) ir.Value {
	return func(t *Translator) ir.Value { return t.Op1(ir.OpGetSys, ir.Imm(int(r))) }
}

func writeSys(r ir.SysReg) func(*Translator, ir.Value) {
	return func(t *Translator, v ir.Value) { t.Op2(ir.OpSetSys, ir.Imm(int(r)), v) }
}

func readFPCR(t *Translator) ir.Value {
	return t.AndI(readSys(ir.SysFPCR)(t), t.cpu.fpcrMask) // and not what the guest does not see
}

// writeFPCR ends the unit where more than the rounding mode changes: code is specialised
// for the other fields.
func writeFPCR(t *Translator, v ir.Value) {
	v = t.AndI(v, t.cpu.fpcrMask)
	others := t.AndI(t.Xor(v, readSys(ir.SysFPCR)(t)), t.cpu.fpcrMask&^softfp.RModeMask)
	t.If(t.ICmp(ir.NE, others, ir.Imm(0)))
	writeSys(ir.SysFPCR)(t, v)
	t.Exit(cpu.ExitMode, t.next())
	t.End()
	writeSys(ir.SysRMode)(t, v)
}

func readMode(bit uint64) func(*Translator) ir.Value {
	return func(t *Translator) ir.Value { return t.AndI(readSys(ir.SysModes)(t), bit) }
}

func writeMode(bit uint64) func(*Translator, ir.Value) {
	return func(t *Translator, v ir.Value) {
		others := t.AndI(readSys(ir.SysModes)(t), ^bit)
		writeSys(ir.SysModes)(t, t.Or(others, t.AndI(v, bit)))
	}
}

// MSR DIT, #imm, MSR SSBS, #imm and MSR TCO, #imm. The other fields are for EL1, or
// need FEAT_SME.
func msrImmediate(t *Translator, i decoder.Inst) {
	const dit, ssbs, tco = 3<<3 | 2, 3<<3 | 1, 3<<3 | 4 // op1:op2
	field := i.Bits(18, 16)<<3 | i.Bits(7, 5)
	var bit uint64
	switch {
	case field == dit && t.cpu.has.has("FEAT_DIT"):
		bit = cpu.ModeDIT
	case field == ssbs && t.cpu.has.has("FEAT_SSBS2"):
		bit = cpu.ModeSSBS
	case field == tco && t.cpu.mte:
		bit = cpu.ModeTCO
	default:
		t.undefined()
		return
	}
	writeMode(bit)(t, t.I64(uint64(i.Bit(8))*bit))
}

func readFPSR(t *Translator) ir.Value {
	return t.OpT(ir.OpGetFPSR, ir.I64, ir.None, ir.None, ir.None)
}

func writeFPSR(t *Translator, v ir.Value) {
	t.Op1(ir.OpSetFPSR, t.AndI(v, fpsrMask))
	t.watch(true)
}

// watch ends the unit where FPSR is looked at for the first time, and so
// cpu.State.CodeMode is another one from then on.
func (t *Translator) watch(written bool) {
	if t.fpcr&cpu.FPCRWatched == 0 && (written || t.fpcr&softfp.FZ == 0) {
		t.Exit(cpu.ExitMode, t.next())
	}
}

func readCounter(t *Translator) ir.Value {
	return t.OpT(ir.OpCounter, ir.I64, ir.None, ir.None, ir.None)
}

func readFrequency(t *Translator) ir.Value { return t.I64(t.opts.CounterHz) }

// readRandom succeeds always, which NZCV = 0000 says.
func readRandom(t *Translator) ir.Value {
	v := t.OpT(ir.OpRandom, ir.I64, ir.None, ir.None, ir.None)
	t.SetNZCV(t.Const(ir.Flags, 0))
	return v
}

// MRS <Xt>, <sysreg>; MSR <sysreg>, <Xt>
func systemMove(t *Translator, i decoder.Inst) {
	id, read := i.Bits(20, 5), i.Bit(21) == 1
	for n := range sysRegs {
		r := &sysRegs[n]
		if r.id != id || !t.cpu.has.has(r.feature) {
			continue
		}
		switch {
		case read:
			t.SetX(i.Rt(), r.read(t))
			if id == fpsrID {
				t.watch(false)
			}
		case r.write != nil:
			r.write(t, t.X(i.Rt()))
		default:
			t.undefined()
		}
		return
	}
	v, ok := t.identification(id)
	if !read || !ok {
		t.undefined()
		return
	}
	t.SetX(i.Rt(), t.I64(v))
}

// identification is the value of the identification registers that Linux emulates
// for EL0 (HWCAP_CPUID; arch/arm64/kernel/cpufeature.c): MIDR, MPIDR and REVIDR,
// and those with CRm 4 to 7, of which unknown ones read as zero.
func (t *Translator) identification(id uint32) (v uint64, ok bool) {
	if id&^0x7f != sysID(3, 0, 0, 0, 0) {
		return 0, false
	}
	switch id & 0x7f {
	case 0:
		return t.cpu.model.midr, true
	case 5:
		return 1 << 31, true // MPIDR_EL1: a uniprocessor system's affinity is not told
	case 6:
		return 0, true
	}
	if crm := id >> 3 & 15; crm < 4 || crm > 7 {
		return 0, false
	}
	return t.cpu.idRegister(idReg(id & 0x7f)), true
}
