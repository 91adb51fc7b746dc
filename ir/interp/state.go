package interp

import (
	"math/rand/v2"

	"emu/cpu"
	"emu/internal/softfp"
	"emu/ir"

	"golang.org/x/sys/unix"
)

// state evaluates the operations on guest state besides X and V.
func (m *Machine) state(st *step, s *cpu.State) {
	dst := &m.vals[st.dst]
	switch st.op {
	case ir.OpGetNZCV:
		*dst = ir.Val{Lo: uint64(s.PSTATE() >> 28)}
	case ir.OpSetNZCV:
		s.SetPSTATE(uint32(m.vals[st.a].Lo) << 28)
	case ir.OpGetSys:
		*dst = ir.Val{Lo: getSys(s, ir.SysReg(st.imm))}
	case ir.OpSetSys:
		setSys(s, ir.SysReg(st.imm), m.vals[st.b].Lo)
		m.env.FPCR = s.FPCR
	case ir.OpGetFPSR:
		*dst = ir.Val{Lo: uint64(s.FPStatus() | m.env.FPSR)}
	case ir.OpSetFPSR:
		s.SetFPStatus(uint32(m.vals[st.a].Lo))
		m.env.FPSR = s.FPSR
	case ir.OpCounter:
		*dst = ir.Val{Lo: m.counter()}
	case ir.OpRandom:
		*dst = ir.Val{Lo: rand.Uint64()}
	case ir.OpHelper:
		helper := m.Helper
		if helper == nil {
			helper = Helper
		}
		*dst = ir.Val{Lo: helper(s, ir.HelperID(st.imm), m.vals[st.b].Lo, m.vals[st.c].Lo)}
	case ir.OpSetChunk:
		v := m.vals[st.b]
		s.Chunk[st.imm] = [2]uint64{v.Lo, v.Hi}
	case ir.OpGetChunk:
		*dst = ir.Val{Lo: s.Chunk[st.imm][0], Hi: s.Chunk[st.imm][1]}
	case ir.OpCopyUp, ir.OpCopyDown:
		*dst = ir.Val{} // what it likes is nothing: a loop follows that copies
	case ir.OpHelperV:
		if m.HelperV == nil {
			panic("BUG: interp: a unit calls a vector helper, but there is none")
		}
		*dst = m.HelperV(&m.env, ir.HelperID(st.imm), st.t, m.vals[st.b], m.vals[st.c])
	default:
		panic("BUG: interp: no evaluation of " + st.op.String())
	}
}

func (m *Machine) counter() uint64 {
	if m.Counter != nil {
		return m.Counter()
	}
	return Counter()
}

// Counter is the virtual counter of engines that are given no other: CLOCK_MONOTONIC in
// nanoseconds, the same in all processes, as a machine's counter is.
func Counter() uint64 {
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &now); err != nil {
		panic("BUG: interp: clock_gettime: " + err.Error())
	}
	return uint64(now.Nano())
}

func getSys(s *cpu.State, r ir.SysReg) uint64 {
	switch r {
	case ir.SysTPIDR:
		return s.TPIDR
	case ir.SysTPIDRRO:
		return s.TPIDRRO
	case ir.SysTPIDR2:
		return s.TPIDR2
	case ir.SysModes:
		return s.Modes
	case ir.SysGCSPR:
		return s.GCSPR
	case ir.SysGCSMode:
		return s.GCSMode
	case ir.SysFPCR:
		return uint64(s.FPMode())
	}
	switch {
	case r >= ir.SysPACEnabled && int(r-ir.SysPACEnabled) < len(s.PACEnabled):
		return s.PACEnabled[r-ir.SysPACEnabled]
	case r >= ir.SysAPKeys && r < ir.SysPACEnabled:
		return s.APKeys[(r-ir.SysAPKeys)/2][(r-ir.SysAPKeys)%2]
	case r >= ir.SysP && r <= ir.SysFFR:
		return s.P[r-ir.SysP]
	}
	panic("BUG: interp: unknown system register")
}

func setSys(s *cpu.State, r ir.SysReg, v uint64) {
	switch r {
	case ir.SysTPIDR:
		s.TPIDR = v
	case ir.SysTPIDRRO:
		s.TPIDRRO = v
	case ir.SysTPIDR2:
		s.TPIDR2 = v
	case ir.SysModes:
		s.Modes = v
	case ir.SysGCSPR:
		s.GCSPR = v
	case ir.SysFPCR:
		s.SetFPCR(uint32(v))
	case ir.SysRMode:
		s.SetFPCR(s.FPMode()&^softfp.RModeMask | uint32(v)&softfp.RModeMask)
	default:
		if r < ir.SysP || r > ir.SysFFR {
			panic("BUG: interp: unknown system register")
		}
		s.P[r-ir.SysP] = v
	}
}
