package jit

import (
	"emu/cpu"

	"golang.org/x/sys/unix"
)

// shadowFault makes a fault of a GCS access that cannot be: one outside of the shadow
// stacks' part of the address space (ExitShadow), or one that has faulted in their
// view. Other exits it returns as they are.
func (e *Engine) shadowFault(exit cpu.Exit) cpu.Exit {
	switch {
	case exit.Kind == cpu.ExitShadow:
		exit = accessFault(exit.PC, exit.Arg[0]&^1, exit.Arg[0]&1 != 0)
	case exit.Kind != cpu.ExitFault || !e.mem.InShadowView(exit.Arg[0]):
		return exit
	}
	exit.Arg[0], exit.Arg[2] = e.mem.ShadowFault(exit.Arg[0])
	const writeNotRead = 1 << 6
	exit.Arg[3] = cpu.DataAbort(exit.Arg[2], exit.Arg[3]&writeNotRead != 0) | cpu.EsrGCS
	return exit
}

// accessFault is the fault of an access at pc that the address space does not allow.
func accessFault(pc, addr uint64, write bool) cpu.Exit {
	return cpu.Exit{Kind: cpu.ExitFault, PC: pc, Arg: [4]uint64{addr, uint64(unix.SIGSEGV), segvMapErr, cpu.DataAbort(segvMapErr, write)}}
}
