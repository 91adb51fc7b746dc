package gdbserver

import (
	"encoding/hex"
	"fmt"
	"strings"

	"emu/syscalls"

	"golang.org/x/sys/unix"
)

// register is one of the target description's, at a place in a register set.
type register struct {
	name string
	bits int
	kind string // gdb's type
	set  syscalls.RegisterSet
	at   int // byte in the set
}

// feature is a feature of gdb's for AArch64 (gdb manual, appendix G.5.1): its
// registers have numbers in their order here.
type feature struct {
	name      string
	types     string // definitions of its own types
	registers []register
}

const (
	regSP     = 31
	regPC     = 32
	regsBytes = 8
	vecBytes  = 16
	fpsrAt    = 32 * vecBytes

	// Places in ScalableRegisters.
	zAt            = 16
	pAt            = zAt + 32*vecBytes
	predicateBytes = vecBytes / 8
	zFpsrAt        = pAt + 48 // behind FFR, 16-byte aligned

	// noSet is where vg is, the length of vectors in units of 64 bits.
	noSet  syscalls.RegisterSet = 0
	length                      = vecBytes / 8
)

// has is what a guest's CPU has that not all have.
type has struct{ pauth, tags, vectors bool }

// features describes the registers of a guest.
func features(cpu has) []feature {
	core := feature{name: "core", types: statusType()}
	for n := range 31 {
		core.registers = append(core.registers, register{fmt.Sprintf("x%d", n), 64, "int", syscalls.GeneralRegisters, n * regsBytes})
	}
	core.registers = append(core.registers,
		register{"sp", 64, "data_ptr", syscalls.GeneralRegisters, regSP * regsBytes},
		register{"pc", 64, "code_ptr", syscalls.GeneralRegisters, regPC * regsBytes},
		register{"cpsr", 32, "cpsr_flags", syscalls.GeneralRegisters, (regPC + 1) * regsBytes})
	vectors := fpu()
	if cpu.vectors {
		vectors = sve()
	}
	all := []feature{core, vectors, {name: "tls", registers: []register{{"tpidr", 64, "data_ptr", syscalls.ThreadPointer, 0}}}}
	if cpu.pauth {
		all = append(all, feature{name: "pauth", registers: []register{
			{"pauth_dmask", 64, "int", syscalls.PointerAuthMasks, 0},
			{"pauth_cmask", 64, "int", syscalls.PointerAuthMasks, 8},
		}})
	}
	if cpu.tags {
		all = append(all, feature{name: "mte", registers: []register{{"tag_ctl", 64, "uint64", syscalls.TagControl, 0}}})
	}
	return all
}

// fpu are the V registers.
func fpu() feature {
	f := feature{name: "fpu", types: vectorTypes() + floatTypes()}
	for n := range 32 {
		f.registers = append(f.registers, register{fmt.Sprintf("v%d", n), 128, vectorType, syscalls.VectorRegisters, n * vecBytes})
	}
	f.registers = append(f.registers,
		register{"fpsr", 32, "fpsr_flags", syscalls.VectorRegisters, fpsrAt},
		register{"fpcr", 32, "fpcr_flags", syscalls.VectorRegisters, fpsrAt + 4})
	return f
}

// sve are the Z registers, of which gdb makes the V registers itself, and the predicates. gdb
// tells the length of vectors by the size of Z0.
func sve() feature {
	f := feature{name: "sve", types: scalableTypes() + floatTypes()}
	for n := range 32 {
		f.registers = append(f.registers, register{fmt.Sprintf("z%d", n), 128, scalableType, syscalls.ScalableRegisters, zAt + n*vecBytes})
	}
	f.registers = append(f.registers,
		register{"fpsr", 32, "fpsr_flags", syscalls.ScalableRegisters, zFpsrAt},
		register{"fpcr", 32, "fpcr_flags", syscalls.ScalableRegisters, zFpsrAt + 4})
	for n := range 16 {
		f.registers = append(f.registers, register{fmt.Sprintf("p%d", n), 8 * predicateBytes, predicateType, syscalls.ScalableRegisters, pAt + n*predicateBytes})
	}
	f.registers = append(f.registers,
		register{"ffr", 8 * predicateBytes, predicateType, syscalls.ScalableRegisters, pAt + 16*predicateBytes},
		register{"vg", 64, "int", noSet, 0})
	return f
}

// description is target.xml.
func description(all []feature) string {
	var b strings.Builder
	b.WriteString(`<?xml version="1.0"?><!DOCTYPE target SYSTEM "gdb-target.dtd"><target version="1.0"><architecture>aarch64</architecture><osabi>GNU/Linux</osabi>`)
	for _, f := range all {
		fmt.Fprintf(&b, `<feature name="org.gnu.gdb.aarch64.%s">%s`, f.name, f.types)
		for _, r := range f.registers {
			fmt.Fprintf(&b, `<reg name="%s" bitsize="%d" type="%s"/>`, r.name, r.bits, r.kind)
		}
		b.WriteString(`</feature>`)
	}
	b.WriteString(`</target>`)
	return b.String()
}

// registers are those of all features, by number.
func registers(all []feature) (out []register) {
	for _, f := range all {
		out = append(out, f.registers...)
	}
	return out
}

// value reads a register as gdb writes it: its bytes in hex.
func (s *server) value(tid int, r register) (string, error) {
	content, err := s.registerSet(tid, r)
	if err != nil {
		return "", err
	}
	return hex.EncodeToString(content[r.at : r.at+r.bits/8]), nil
}

// setValue writes a register.
func (s *server) setValue(tid int, r register, b []byte) error {
	content, err := s.registerSet(tid, r)
	if err != nil {
		return err
	}
	switch {
	case copy(content[r.at:r.at+r.bits/8], b) != r.bits/8:
		return errShort
	case r.set != noSet:
		return s.d.SetRegisters(tid, r.set, content)
	case le.Uint64(content) != length:
		return unix.EINVAL
	}
	return nil // as gdb does after it has called a function of the program's
}

// registerSet reads what a register is part of.
func (s *server) registerSet(tid int, r register) ([]byte, error) {
	if r.set == noSet {
		return le.AppendUint64(nil, length), nil
	}
	return s.d.Registers(tid, r.set)
}

// pc is the program counter of a stopped thread, 0 if it has none to show.
func (s *server) pc(tid int) uint64 {
	content, err := s.d.Registers(tid, syscalls.GeneralRegisters)
	if err != nil {
		return 0
	}
	return le.Uint64(content[regPC*regsBytes:])
}
