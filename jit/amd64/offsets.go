package amd64

import (
	"unsafe"

	"emu/cpu"
	"emu/jit/asm/x64"
)

// Offsets of State fields.
const (
	offX          = unsafe.Offsetof(cpu.State{}.X)
	offPC         = unsafe.Offsetof(cpu.State{}.PC)
	offNZCV       = unsafe.Offsetof(cpu.State{}.NZCV)
	offPending    = unsafe.Offsetof(cpu.State{}.Pending)
	offTPIDR      = unsafe.Offsetof(cpu.State{}.TPIDR)
	offTPIDRRO    = unsafe.Offsetof(cpu.State{}.TPIDRRO)
	offTPIDR2     = unsafe.Offsetof(cpu.State{}.TPIDR2)
	offGCSPR      = unsafe.Offsetof(cpu.State{}.GCSPR)
	offGCSMode    = unsafe.Offsetof(cpu.State{}.GCSMode)
	offModes      = unsafe.Offsetof(cpu.State{}.Modes)
	offFPCR       = unsafe.Offsetof(cpu.State{}.FPCR)
	offExclAddr   = unsafe.Offsetof(cpu.State{}.ExclAddr)
	offExclVal    = unsafe.Offsetof(cpu.State{}.ExclVal)
	offExclSize   = unsafe.Offsetof(cpu.State{}.ExclSize)
	offPauses     = unsafe.Offsetof(cpu.State{}.Pauses)
	offJumpCache  = unsafe.Offsetof(cpu.State{}.JumpCache)
	offExit       = unsafe.Offsetof(cpu.State{}.Exit)
	offExitArg    = unsafe.Offsetof(cpu.State{}.ExitArg)
	offExitFrom   = unsafe.Offsetof(cpu.State{}.ExitFrom)
	offHelperOp   = unsafe.Offsetof(cpu.State{}.HelperOp)
	offHelperArg  = unsafe.Offsetof(cpu.State{}.HelperArg)
	offHelperRet  = unsafe.Offsetof(cpu.State{}.HelperRet)
	offAPKeys     = unsafe.Offsetof(cpu.State{}.APKeys)
	offPACEnabled = unsafe.Offsetof(cpu.State{}.PACEnabled)
	offP          = unsafe.Offsetof(cpu.State{}.P)
	offV          = unsafe.Offsetof(cpu.State{}.V)
	offSpill      = unsafe.Offsetof(cpu.State{}.Spill)
	offChunk      = unsafe.Offsetof(cpu.State{}.Chunk)
)

// state is the operand for the State's byte at offset off.
func state(off uintptr) x64.Mem {
	return x64.At(rState, int32(off)-cpu.StateBias)
}

func slotMem(n int16) x64.Mem { return state(offSpill + 16*uintptr(n)) }
