package gdbserver

import (
	"encoding/hex"
	"fmt"
	"strings"

	"emu/syscalls"
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
)

// features describes the registers of a guest. Pointer authentication and memory tags are left out
// for CPUs without.
func features(pauth, tags bool) []feature {
	core := feature{name: "core", types: statusType()}
	for n := range 31 {
		core.registers = append(core.registers, register{fmt.Sprintf("x%d", n), 64, "int", syscalls.GeneralRegisters, n * regsBytes})
	}
	core.registers = append(core.registers,
		register{"sp", 64, "data_ptr", syscalls.GeneralRegisters, regSP * regsBytes},
		register{"pc", 64, "code_ptr", syscalls.GeneralRegisters, regPC * regsBytes},
		register{"cpsr", 32, "cpsr_flags", syscalls.GeneralRegisters, (regPC + 1) * regsBytes})
	fpu := feature{name: "fpu", types: vectorTypes() + floatTypes()}
	for n := range 32 {
		fpu.registers = append(fpu.registers, register{fmt.Sprintf("v%d", n), 128, vectorType, syscalls.VectorRegisters, n * vecBytes})
	}
	fpu.registers = append(fpu.registers,
		register{"fpsr", 32, "fpsr_flags", syscalls.VectorRegisters, fpsrAt},
		register{"fpcr", 32, "fpcr_flags", syscalls.VectorRegisters, fpsrAt + 4})
	all := []feature{core, fpu, {name: "tls", registers: []register{{"tpidr", 64, "data_ptr", syscalls.ThreadPointer, 0}}}}
	if pauth {
		all = append(all, feature{name: "pauth", registers: []register{
			{"pauth_dmask", 64, "int", syscalls.PointerAuthMasks, 0},
			{"pauth_cmask", 64, "int", syscalls.PointerAuthMasks, 8},
		}})
	}
	if tags {
		all = append(all, feature{name: "mte", registers: []register{{"tag_ctl", 64, "uint64", syscalls.TagControl, 0}}})
	}
	return all
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
	content, err := s.d.Registers(tid, r.set)
	if err != nil {
		return "", err
	}
	return hex.EncodeToString(content[r.at : r.at+r.bits/8]), nil
}

// setValue writes a register.
func (s *server) setValue(tid int, r register, b []byte) error {
	content, err := s.d.Registers(tid, r.set)
	if err != nil {
		return err
	}
	if copy(content[r.at:r.at+r.bits/8], b) != r.bits/8 {
		return errShort
	}
	return s.d.SetRegisters(tid, r.set, content)
}

// pc is the program counter of a stopped thread, 0 if it has none to show.
func (s *server) pc(tid int) uint64 {
	content, err := s.d.Registers(tid, syscalls.GeneralRegisters)
	if err != nil {
		return 0
	}
	return le.Uint64(content[regPC*regsBytes:])
}
