package amd64

import (
	"emu/cpu"
	"emu/decoder"
	"emu/jit/asm/x64"
)

// Templates of what compilers sign return addresses with (-mbranch-protection): most functions of programs that are built so
// begin and end with it. They are for addresses of user space without a top byte, and codes that are right; others are left
// to the engine (cpu.ExitTag). package translate has the algorithm.

// The bits of an address that are its code, and the bit that tells the kernel's from others.
const (
	pacBits  = 0x7f << pacShift
	pacShift = 48
	pacUpper = 55
)

// code leaves the code of the address in RAX for SP under a key in RAX, and where codes are in RDX, 0 if the key is off.
func (t *template) code(key uintptr) {
	t.b.RM(x64.XORQ, x64.RAX, state(offAPKeys+16*key))
	t.b.RR(x64.MOVQ, x64.RDX, t.xsp(cpu.SP))
	t.b.RM(x64.XORQ, x64.RDX, state(offAPKeys+16*key+8))
	t.b.R(x64.MULQ, x64.RDX)
	t.b.RR(x64.XORQ, x64.RAX, x64.RDX)
	t.b.MovImm(x64.RDX, pacBits)
	t.b.RM(x64.ANDQ, x64.RDX, state(offPACEnabled+8*key))
	t.b.RR(x64.ANDQ, x64.RAX, x64.RDX)
}

// unusual leaves for the engine if X30 has something from bit n on.
func (t *template) unusual(n int32) *coldCode {
	t.lose()
	t.packed = false
	p := t.side()
	p.exit, p.pc = cpu.ExitTag, t.pc
	t.b.RR(x64.MOVQ, x64.RAX, t.xsp(30))
	t.b.RI(x64.SHRQ, x64.RAX, n)
	t.b.JccNear(x64.NE, p.from)
	t.b.RR(x64.MOVQ, x64.RAX, t.xsp(30))
	return p
}

// PACIASP, PACIBSP
func templateSign(key uintptr) templateFn {
	return func(t *template, _ decoder.Inst) {
		if !t.c.opt.FastPAC {
			t.declined = true
			return
		}
		t.unusual(pacShift)
		t.code(key)
		t.b.RR(x64.XORQ, x64.RAX, t.xsp(30))
		t.b.RR(x64.MOVQ, t.def(30), x64.RAX)
		t.set(30)
	}
}

// AUTIASP, AUTIBSP
func templateAuthenticate(key uintptr) templateFn {
	return func(t *template, _ decoder.Inst) {
		if !t.c.opt.FastPAC {
			t.declined = true
			return
		}
		p := t.unusual(pacUpper)
		t.b.RI(x64.SHLQ, x64.RAX, 64-pacShift)
		t.b.RI(x64.SHRQ, x64.RAX, 64-pacShift)
		t.code(key)
		t.b.RR(x64.XORQ, x64.RAX, t.xsp(30))
		t.b.RR(x64.TESTQ, x64.RAX, x64.RDX)
		t.b.JccNear(x64.NE, p.from)
		t.b.RR(x64.MOVQ, t.def(30), x64.RAX)
		t.set(30)
	}
}
