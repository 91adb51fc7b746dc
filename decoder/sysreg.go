package decoder

import (
	"fmt"
	"sort"
)

// SysReg names a system register by op0:op1:CRn:CRm:op2 (2+3+4+4+3 bits), the
// operand of MRS, MSR (register), MRRS and MSRR. The known ones are the
// constants Sys<name>, such as SysTPIDR_EL0.
type SysReg uint16

// SysReg returns the system register operand of MRS, MSR (register), MRRS or MSRR.
func (i Inst) SysReg() SysReg { return SysReg(2<<14 | i.Bits(19, 5)) }

// String returns the name, such as tpidr_el0, or s3_3_c13_c0_2 where it has none here.
func (r SysReg) String() string {
	n := sort.Search(len(sysregNames), func(n int) bool { return sysregNames[n].reg >= r })
	if n < len(sysregNames) && sysregNames[n].reg == r {
		return sysregNames[n].name
	}
	return fmt.Sprintf("s%d_%d_c%d_c%d_%d", r>>14, r>>11&7, r>>7&15, r>>3&15, r&7)
}

// SysOp is a named operation of the SYS instruction.
type SysOp struct {
	Key      uint16 // op1:CRn:CRm:op2 (3+4+4+3 bits)
	Kind     string // dc, ic, at or tlbi
	Name     string // such as zva
	Register bool   // takes an Xt operand
}

// SysOp returns the named operation of a SYS instruction; ok is false where it
// has no name.
func (i Inst) SysOp() (op SysOp, ok bool) {
	key := uint16(i.Bits(18, 5))
	n := sort.Search(len(sysops), func(n int) bool { return sysops[n].Key >= key })
	if n == len(sysops) || sysops[n].Key != key {
		return SysOp{}, false
	}
	return sysops[n], true
}
