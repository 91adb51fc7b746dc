package syscalls

import (
	"encoding/binary"

	"emu/cpu"
	"emu/internal/hostsig"

	"golang.org/x/sys/unix"
)

// The signal frame, as arch/arm64/kernel/signal.c lays it out. From the stack
// pointer up:
//
//	siginfo           128 bytes
//	struct ucontext   uc_flags, uc_link, uc_stack, uc_sigmask (1024 bits), then
//	                  aligned to 16: struct sigcontext (fault_address, x0..x30,
//	                  sp, pc, pstate, aligned to 16: 4096 bytes of records)
//	frame record      x29, x30 of the interrupted code, for unwinders
const (
	frUC       = 128
	frStack    = frUC + 16
	frSigmask  = frUC + 40
	frMcontext = frUC + 176
	frRegs     = frMcontext + 8
	frSP       = frRegs + 31*8
	frPC       = frSP + 8
	frPstate   = frPC + 8
	frRecords  = frMcontext + 288
	frSize     = frRecords + 4096
	frRecord   = 16 // the frame record above
	// frUsed is what of it most frames fill, with the record that ends the others, and frMost
	// what one can: the kernel leaves the rest of the frame as it finds it, too.
	frUsed = frRecords + fpsimdSize + esrSize + frEnd
	frMost = frUsed + gcsSize + sveSize
	frEnd  = 8

	fpsimdMagic = 0x46508001
	fpsimdSize  = 528
	esrMagic    = 0x45535201
	esrSize     = 16
	extraMagic  = 0x45585401
)

// pstateNZCV is the condition flags in PSTATE; mode bits and DAIF must
// be clear in what it restores.
const (
	pstateNZCV = 0xf << 28
	pstateBad  = 0x1f | 0x3c0
)

// pushFrame builds a frame for a handler and makes the thread continue there. It
// reports whether the stack could take it.
func (t *Task) pushFrame(sig int, info *hostsig.Info, act *sigaction) bool {
	s := t.State
	sp := s.X[cpu.SP]
	if act.Flags&saOnstack != 0 && t.alt.state(sp) == 0 {
		sp = t.alt.SP + t.alt.Size
	}
	record := (sp - frRecord) &^ 15
	frame := record - frSize
	mask := t.blocked
	if t.restoreMask {
		mask = t.saved
	}
	if act.Flags&saExposeTag == 0 {
		hideTag(sig, info)
	}
	b := t.buildFrame(info, mask)
	if t.p.copyOut(frame, b) != 0 || save(t.p, record, [2]uint64{s.X[29], s.X[30]}) != 0 {
		return false
	}
	if t.alt.Flags&ssAutodisarm != 0 {
		t.alt = altstack{Flags: ssDisable}
	}
	sigreturn := t.p.SigReturn
	if act.Flags&saRestorer != 0 {
		sigreturn = act.Restorer
	}
	if !t.gcsEnter(sigreturn) {
		return false
	}
	s.X[0] = uint64(sig)
	if act.Flags&saSiginfo != 0 {
		s.X[1] = frame
		s.X[2] = frame + frUC
	}
	s.X[cpu.SP] = frame
	s.X[29] = record
	s.X[30] = sigreturn
	s.Modes &^= cpu.ModeTCO
	s.PC = t.handlerPC(act.Handler)
	return true
}

// buildFrame returns the bytes of the frame, up to the end of its records, for the
// current state.
func (t *Task) buildFrame(info *hostsig.Info, mask uint64) []byte {
	if t.frame == nil {
		t.frame = make([]byte, frSize)
	}
	s, b, le := t.State, t.frame[:frMost], binary.LittleEndian
	vectors := t.p.sve || s.P != predicates{}
	if !vectors {
		b = b[:frUsed+gcsSize]
	}
	clear(b)
	copy(b, info[:])
	le.PutUint64(b[frStack:], t.alt.SP)
	le.PutUint32(b[frStack+8:], uint32(t.alt.state(s.X[cpu.SP])|t.alt.Flags&ssAutodisarm))
	le.PutUint64(b[frStack+16:], t.alt.Size)
	le.PutUint64(b[frSigmask:], mask)
	le.PutUint64(b[frMcontext:], t.fault.addr)
	for i := range 31 {
		le.PutUint64(b[frRegs+8*i:], s.X[i])
	}
	le.PutUint64(b[frSP:], s.X[cpu.SP])
	pc, pstate := t.where()
	le.PutUint64(b[frPC:], pc)
	le.PutUint64(b[frPstate:], pstate)

	r := b[frRecords:]
	le.PutUint32(r[0:], fpsimdMagic)
	le.PutUint32(r[4:], fpsimdSize)
	le.PutUint32(r[8:], s.FPStatus())
	le.PutUint32(r[12:], s.FPMode())
	for i, v := range s.V {
		le.PutUint64(r[16+16*i:], v[0])
		le.PutUint64(r[24+16*i:], v[1])
	}
	r = r[fpsimdSize:]
	if t.fault.esr != 0 {
		le.PutUint32(r[0:], esrMagic)
		le.PutUint32(r[4:], esrSize)
		le.PutUint64(r[8:], t.fault.esr)
		r = r[esrSize:]
	}
	if s.GCSPR != 0 {
		t.gcsRecord(r)
		r = r[gcsSize:]
	}
	if vectors {
		r = r[t.sveRecord(r):]
	}
	return b[:len(b)-len(r)+frEnd] // the terminator is the zeroes that follow
}

// sysRtSigreturn implements rt_sigreturn(2): the frame is at the stack pointer.
func sysRtSigreturn(t *Task, a *Args) int64 {
	sp := t.State.X[cpu.SP]
	if sp&15 == 0 && t.popFrame(sp) {
		return 0
	}
	// arm64_notify_segfault: the kernel looks for a mapping that ends behind the address,
	// so that the usual bad frame is one of no permission. SP may be the frame's by now.
	sp = t.State.X[cpu.SP]
	code := int32(segvMaperr)
	if t.p.Mem.EndsAfter(cpu.Untagged(sp)) {
		code = segvAccerr
	}
	t.raise(int(unix.SIGSEGV), code, sp)
	return 0
}

// frameMask is the signal mask in the frame that rt_sigreturn is about to use.
func (t *Task) frameMask() uint64 {
	mask, _ := load[uint64](t.p, t.State.X[cpu.SP]+frSigmask)
	return mask
}

// popFrame restores the state from the frame at sp. It does so in the order of
// restore_sigframe in arch/arm64/kernel/signal.c: of a frame that turns out to be bad
// the mask and the general registers are restored.
func (t *Task) popFrame(sp uint64) bool {
	if t.frame == nil {
		t.frame = make([]byte, frSize)
	}
	b, s, le := t.frame, t.State, binary.LittleEndian
	if t.p.copyIn(b[:frUsed], sp) != 0 {
		return false
	}
	t.blocked = le.Uint64(b[frSigmask:]) &^ unblockable
	if !t.th.SetMask(t.blocked) {
		t.th.Interrupt()
	}
	for i := range 31 {
		s.X[i] = le.Uint64(b[frRegs+8*i:])
	}
	s.X[cpu.SP] = le.Uint64(b[frSP:])
	s.ExclSize = 0 // the exception return clears the monitor
	pc, pstate := le.Uint64(b[frPC:]), le.Uint64(b[frPstate:])
	if pstate&pstateBad != 0 {
		t.goTo(pc, pstate&pstateNZCV)
		return false
	}
	t.goTo(pc, pstate)
	r, ok := findRecords(b[frRecords:frUsed])
	if !ok { // it may be longer than most
		if t.p.copyIn(b[frUsed:], sp+frUsed) != 0 {
			return false
		}
		r, ok = findRecords(b[frRecords:])
	}
	if !ok || !t.sveLeave(r.sve) {
		return false
	}
	s.SetFPStatus(le.Uint32(r.fp[8:]))
	t.setFPCR(le.Uint32(r.fp[12:]))
	for i := range s.V {
		s.V[i] = [2]uint64{le.Uint64(r.fp[16+16*i:]), le.Uint64(r.fp[24+16*i:])}
	}
	if !t.gcsLeave(r.gcs) {
		return false
	}
	ss := altstack{SP: le.Uint64(b[frStack:]), Flags: int32(le.Uint32(b[frStack+8:])), Size: le.Uint64(b[frStack+16:])}
	t.setAltstack(ss, s.X[cpu.SP]) // errors are ignored, as by the kernel
	return true
}

// records are those of a sigcontext that there is something to restore from.
type records struct {
	fp       []byte // the vector registers
	gcs, sve []byte // nil if there is none
}

// findRecords walks the records of a sigcontext, as parse_user_sigframe does.
func findRecords(r []byte) (found records, ok bool) {
	le := binary.LittleEndian
	for off := 0; off+8 <= len(r); {
		magic, size := le.Uint32(r[off:]), int(le.Uint32(r[off+4:]))
		if magic == 0 {
			return found, size == 0 && found.fp != nil
		}
		if size < 8 || size%16 != 0 || size > len(r)-off {
			return records{}, false
		}
		var of *[]byte
		switch magic {
		case fpsimdMagic:
			if size != fpsimdSize {
				return records{}, false
			}
			of = &found.fp
		case gcsMagic:
			of = &found.gcs
		case sveMagic:
			of = &found.sve
		case esrMagic, extraMagic:
		default:
			return records{}, false
		}
		if of != nil {
			if *of != nil { // the second of its kind
				return records{}, false
			}
			*of = r[off : off+size]
		}
		off += size
	}
	return records{}, false
}

// setFPCR sets FPCR to a value from the guest: bits that its processor lacks stay zero.
func (t *Task) setFPCR(v uint32) {
	const known = 1<<26 | 1<<25 | 1<<24 | 3<<22 | 1<<19 | 1<<13 | 7 // AHP, DN, FZ, RMode, FZ16, EBF, NEP, AH, FIZ
	mask := t.p.FPCRMask
	if mask == 0 {
		mask = known
	}
	t.State.SetFPCR(v & mask)
}
