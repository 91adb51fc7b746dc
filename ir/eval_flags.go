package ir

import (
	"math/bits"

	"emu/cpu"
)

// Flags as a Val: N is bit 3, Z bit 2, C bit 1, V bit 0 of Lo.
const (
	flagN = 8
	flagZ = 4
	flagC = 2
	flagV = 1
)

// addWithCarry is AddWithCarry() of the Arm ARM on w bits.
func addWithCarry(w uint, x, y, carry uint64) (sum, nzcv uint64) {
	full, out := bits.Add64(x, y, carry)
	sum = full & ones(w)
	if w < 64 {
		out = full >> w & 1
	}
	if sum>>(w-1) != 0 {
		nzcv |= flagN
	}
	if sum == 0 {
		nzcv |= flagZ
	}
	nzcv |= out << 1
	nzcv |= (x ^ sum) & (y ^ sum) >> (w - 1) & flagV
	return sum, nzcv
}

func carryOf(v Val) uint64 { return v.Lo >> 1 & 1 }

func evalAddF(_ *Env, _, at Type, a, b, _ Val) Val {
	_, f := addWithCarry(uint(at.Bits()), a.Lo, b.Lo, 0)
	return Val{Lo: f}
}

func evalSubF(_ *Env, _, at Type, a, b, _ Val) Val {
	_, f := addWithCarry(uint(at.Bits()), a.Lo, ^b.Lo&maskOf(at), 1)
	return Val{Lo: f}
}

func evalAdc(_ *Env, t, _ Type, a, b, c Val) Val {
	r, _ := addWithCarry(uint(t.Bits()), a.Lo, b.Lo, carryOf(c))
	return Val{Lo: r}
}

func evalSbc(_ *Env, t, _ Type, a, b, c Val) Val {
	r, _ := addWithCarry(uint(t.Bits()), a.Lo, ^b.Lo&maskOf(t), carryOf(c))
	return Val{Lo: r}
}

func evalAdcF(_ *Env, _, at Type, a, b, c Val) Val {
	_, f := addWithCarry(uint(at.Bits()), a.Lo, b.Lo, carryOf(c))
	return Val{Lo: f}
}

func evalSbcF(_ *Env, _, at Type, a, b, c Val) Val {
	_, f := addWithCarry(uint(at.Bits()), a.Lo, ^b.Lo&maskOf(at), carryOf(c))
	return Val{Lo: f}
}

func evalNZ(_ *Env, _, at Type, a, _, _ Val) (r Val) {
	x := a.Lo & maskOf(at)
	if x>>(at.Bits()-1) != 0 {
		r.Lo |= flagN
	}
	if x == 0 {
		r.Lo |= flagZ
	}
	return r
}

func evalFlagCond(_ *Env, _, _ Type, a, b, _ Val) Val {
	f := a.Lo
	if cpu.ConditionHolds(uint32(b.Lo), f&flagN != 0, f&flagZ != 0, f&flagC != 0, f&flagV != 0) {
		return Val{Lo: 1}
	}
	return Val{}
}

func evalPackF(_ *Env, _, _ Type, a, _, _ Val) Val   { return Val{Lo: a.Lo << 28} }
func evalUnpackF(_ *Env, _, _ Type, a, _, _ Val) Val { return Val{Lo: a.Lo >> 28 & 15} }
