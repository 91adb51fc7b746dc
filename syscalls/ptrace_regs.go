package syscalls

import (
	"encoding/binary"

	"emu/cpu"
	"emu/internal/hostsig"

	"golang.org/x/sys/unix"
)

// Register sets of PTRACE_GETREGSET (linux/elf.h).
const (
	ntPrstatus      = 1
	ntPrfpreg       = 2
	ntArmTLS        = 0x401
	ntArmHwBreak    = 0x402
	ntArmHwWatch    = 0x403
	ntArmSystemCall = 0x404
	ntArmSVE        = 0x405
	ntArmPACMask    = 0x406
	ntArmPACAKeys   = 0x407
	ntArmPACGKeys   = 0x408
	ntArmTaggedAddr = 0x409
	ntArmGCS        = 0x410
)

// Indices of Trace.Regs, struct user_pt_regs.
const (
	regSP     = 31
	regPC     = 32
	regPstate = 33
)

// showRegisters describes the thread's registers.
func (t *Task) showRegisters(b *hostsig.Trace) {
	s, le := t.State, binary.LittleEndian
	copy(b.Regs[:31], s.X[:31])
	b.Regs[regSP] = s.X[cpu.SP]
	b.Regs[regPC], b.Regs[regPstate] = t.where()
	for i, v := range s.V {
		le.PutUint64(b.FP[16*i:], v[0])
		le.PutUint64(b.FP[16*i+8:], v[1])
	}
	le.PutUint32(b.FP[512:], s.FPStatus())
	le.PutUint32(b.FP[516:], s.FPMode())
	b.TLS = [2]uint64{s.TPIDR, s.TPIDR2}
	for n, p := range s.P {
		b.P[n] = uint16(p)
	}
	b.InheritVL = t.inheritVL
	b.Keys = s.APKeys
	b.Tagged = t.taggedAddrControl()
	b.GCS = [3]uint64{s.GCSMode, t.gcs.locked, s.GCSPR}
	b.Debug = t.th.Trace.Debug
}

// takeRegisters takes over what the tracer has changed.
func (t *Task) takeRegisters(b *hostsig.Trace) {
	s, le := t.State, binary.LittleEndian
	if b.Dirty&hostsig.DirtyRegs != 0 {
		copy(s.X[:31], b.Regs[:31])
		s.X[cpu.SP] = b.Regs[regSP]
		t.goTo(b.Regs[regPC], b.Regs[regPstate])
	}
	if b.Dirty&hostsig.DirtyFP != 0 {
		for i := range s.V {
			s.V[i] = [2]uint64{le.Uint64(b.FP[16*i:]), le.Uint64(b.FP[16*i+8:])}
		}
		s.SetFPStatus(le.Uint32(b.FP[512:]))
		t.setFPCR(le.Uint32(b.FP[516:]))
	}
	if b.Dirty&hostsig.DirtySVE != 0 {
		for n, p := range b.P {
			s.P[n] = uint64(p)
		}
		t.inheritVL = b.InheritVL
	}
	if b.Dirty&hostsig.DirtyTLS != 0 {
		s.TPIDR, s.TPIDR2 = b.TLS[0], b.TLS[1]
	}
	if b.Dirty&hostsig.DirtyKeys != 0 {
		s.APKeys = b.Keys
	}
	if b.Dirty&hostsig.DirtyTagged != 0 {
		t.applyTaggedAddr(b.Tagged) // checked by storeRegset
	}
	if b.Dirty&hostsig.DirtyGCS != 0 {
		s.GCSMode, t.gcs.locked, s.GCSPR = b.GCS[0], b.GCS[1], b.GCS[2]&^7
	}
	if b.Dirty&hostsig.DirtyDebug != 0 {
		t.takeDebugSlots(&b.Debug)
	}
}

// regset is PTRACE_GETREGSET and PTRACE_SETREGSET: addr is the set, data an iovec
// whose length becomes what was copied.
func (t *Task) regset(tr *tracee, set bool, kind, data uint64) int64 {
	iov, e := load[[2]uint64](t.p, data)
	if e != 0 {
		return fail(e)
	}
	if kind == ntArmSVE {
		return fail(t.regsetSVE(tr.trace, set, iov, data))
	}
	content, dirty, e := t.regsetContent(tr.trace, kind)
	if e != 0 {
		return fail(e)
	}
	unit := 8
	if kind == ntPrfpreg || kind == ntArmSystemCall || kind == ntArmHwBreak || kind == ntArmHwWatch {
		unit = 4
	}
	if iov[1]%uint64(unit) != 0 {
		return fail(unix.EINVAL)
	}
	n := min(iov[1], uint64(len(content)))
	switch {
	case !set:
		e = t.p.copyOut(iov[0], content[:n])
	case dirty == 0:
		e = unix.EINVAL
	default:
		e = t.p.copyIn(content[:n], iov[0])
		switch {
		case e != 0:
		case dirty == hostsig.DirtyDebug:
			e = storeDebugRegs(tr.trace, kind, content[:n])
		default:
			e = t.storeRegset(tr.trace, kind, content, dirty)
		}
	}
	if e != 0 {
		return fail(e)
	}
	return fail(save(t.p, data+8, n))
}

// regsetContent is a register set as the kernel lays it out, and what to mark when
// it is written: nothing for sets that cannot be.
func (t *Task) regsetContent(b *hostsig.Trace, kind uint64) (content []byte, dirty uint32, e unix.Errno) {
	le := binary.LittleEndian
	switch kind {
	case ntPrstatus:
		regs := b.Regs
		return bytesOf(&regs), hostsig.DirtyRegs, 0
	case ntPrfpreg:
		fp := b.FP
		return fp[:], hostsig.DirtyFP, 0
	case ntArmTLS:
		tls := b.TLS
		return bytesOf(&tls)[:8], hostsig.DirtyTLS, 0 // TPIDR2 comes with SME
	case ntArmSystemCall:
		return le.AppendUint32(nil, uint32(b.Call)), hostsig.DirtyCall, 0
	case ntArmSVE:
		if !t.p.haveSVE() {
			return nil, 0, unix.EINVAL
		}
		return sveSet(b), hostsig.DirtySVE, 0
	case ntArmHwBreak, ntArmHwWatch:
		return debugRegs(b, kind), hostsig.DirtyDebug, 0
	case ntArmTaggedAddr:
		return le.AppendUint64(nil, b.Tagged), hostsig.DirtyTagged, 0
	case ntArmGCS:
		if !t.haveGCS() {
			return nil, 0, unix.EINVAL
		}
		gcs := b.GCS
		return bytesOf(&gcs), hostsig.DirtyGCS, 0
	}
	if !t.havePAC() {
		return nil, 0, unix.EINVAL
	}
	switch kind {
	case ntArmPACMask:
		const mask = (1<<55 - 1) &^ (1<<pacVABits - 1) // bits 54 to the size of addresses
		return le.AppendUint64(le.AppendUint64(nil, mask), mask), 0, 0
	case ntArmPACAKeys:
		keys := b.Keys
		return bytesOf(&keys)[:64], hostsig.DirtyKeys, 0
	case ntArmPACGKeys:
		key := b.Keys[4]
		return bytesOf(&key), hostsig.DirtyKeys, 0
	}
	return nil, 0, unix.EINVAL
}

// pacVABits is the size of virtual addresses that pointer authentication assumes.
const pacVABits = 48

// storeRegset writes a register set; the tracee takes it over when it goes on.
func (t *Task) storeRegset(b *hostsig.Trace, kind uint64, content []byte, dirty uint32) unix.Errno {
	switch kind {
	case ntPrstatus:
		var regs [34]uint64
		copy(bytesOf(&regs), content)
		if regs[regPstate]&pstateBad != 0 {
			return unix.EINVAL
		}
		b.Regs = regs
	case ntPrfpreg:
		copy(b.FP[:], content)
		if t.p.haveSVE() { // sve_sync_from_fpsimd_zeropad in the kernel
			b.P = [len(b.P)]uint16{}
			b.Dirty |= hostsig.DirtySVE
		}
	case ntArmSVE:
		return storeSVE(b, content)
	case ntArmTLS:
		copy(bytesOf(&b.TLS), content)
	case ntArmSystemCall:
		b.Call = int32(binary.LittleEndian.Uint32(content))
	case ntArmTaggedAddr:
		control := binary.LittleEndian.Uint64(content)
		if control&^t.p.validTagged() != 0 {
			return unix.EINVAL
		}
		b.Tagged = control
	case ntArmGCS:
		var gcs [3]uint64
		copy(bytesOf(&gcs), content)
		if gcs[0]&^cpu.GCSModes != 0 {
			return unix.EINVAL
		}
		b.GCS = gcs
	case ntArmPACAKeys:
		copy(bytesOf(&b.Keys), content)
	case ntArmPACGKeys:
		copy(bytesOf(&b.Keys[4]), content)
	}
	b.Dirty |= dirty
	return 0
}

// Values of op in struct ptrace_syscall_info, and AUDIT_ARCH_AARCH64.
const (
	opNone    = 0
	opEntry   = 1
	opExit    = 2
	opSeccomp = 3

	auditArch = 0xc00000b7
)

// syscallInfo is PTRACE_GET_SYSCALL_INFO.
func (t *Task) syscallInfo(tr *tracee, size, data uint64) int64 {
	b, le := tr.trace, binary.LittleEndian
	out := le.AppendUint32(nil, b.Op)
	out = le.AppendUint32(out, auditArch)
	out = le.AppendUint64(out, b.Regs[regPC])
	out = le.AppendUint64(out, b.Regs[regSP])
	switch b.Op {
	case opEntry, opSeccomp:
		out = le.AppendUint64(out, b.Nr)
		for _, v := range b.Args {
			out = le.AppendUint64(out, v)
		}
		if b.Op == opSeccomp {
			out = le.AppendUint32(out, uint32(b.Result))
		}
	case opExit:
		out = le.AppendUint64(out, uint64(b.Result))
		failed := byte(0)
		if b.Result < 0 && b.Result >= -maxErrno {
			failed = 1
		}
		out = append(out, failed)
	}
	if e := t.p.copyOut(data, out[:min(size, uint64(len(out)))]); e != 0 {
		return fail(e)
	}
	return int64(len(out))
}

// maxErrno is MAX_ERRNO.
const maxErrno = 4095
