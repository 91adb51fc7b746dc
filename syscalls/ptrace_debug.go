package syscalls

import (
	"encoding/binary"
	"math/bits"

	"emu/cpu"
	"emu/internal/hostsig"

	"golang.org/x/sys/unix"
)

// The debug registers of ptrace(2), NT_ARM_HW_BREAK and NT_ARM_HW_WATCH, as
// arch/arm64/kernel/ptrace.c and hw_breakpoint.c have them: each is a perf event that the
// first write makes, and what is read back is what the kernel has made of it. They belong
// to one thread, which inherits none, and end with execve.

const (
	debugV8 = 6 // ID_AA64DFR0_EL1.DebugVer: ARMv8 debug architecture

	// How many there are of each, as in most CPUs of Arm's.
	breakSlots = 6
	watchSlots = 4

	// struct user_hwdebug_state: dbg_info and a word nobody uses, then address, control and
	// such a word for each slot.
	debugHead = 8
	debugSlot = 16
	debugSize = debugHead + hostsig.MaxDebug*debugSlot
)

// Fields of a control register: E, PAC, LSC, BAS (asm/hw_breakpoint.h).
const (
	debugOn     = 1 << 0
	debugEL0    = 2 << 1
	debugLoad   = 1 << 3
	debugStore  = 2 << 3
	debugType   = debugLoad | debugStore
	debugBytes  = 5 // where BAS begins
	debugSelect = 0xff
)

// taskSize is TASK_SIZE with addresses of 48 bits.
const taskSize = 1 << 48

// debugRegs shows a set.
func debugRegs(b *hostsig.Trace, kind uint64) []byte {
	le := binary.LittleEndian
	slots, n := debugSet(b, kind)
	out := le.AppendUint64(make([]byte, 0, debugSize), debugV8<<8|uint64(n))
	for i := range slots {
		s := &slots[i]
		addr, control := uint64(0), uint32(0)
		if s.Made {
			addr, control = debugRegister(s, kind)
		}
		out = le.AppendUint64(out, addr)
		out = le.AppendUint64(out, uint64(control))
	}
	return out
}

// debugSet is the slots of a set, and how many of them there may be.
func debugSet(b *hostsig.Trace, kind uint64) (slots *[hostsig.MaxDebug]hostsig.DebugSlot, n int) {
	if kind == ntArmHwBreak {
		return &b.Debug.Break, breakSlots
	}
	return &b.Debug.Watch, watchSlots
}

// debugRegister is what the debug registers for a slot hold (hw_breakpoint_arch_parse).
func debugRegister(s *hostsig.DebugSlot, kind uint64) (addr uint64, control uint32) {
	control = debugEL0
	if s.On {
		control |= debugOn
	}
	size, align := uint64(s.Size), uint64(8)
	if kind == ntArmHwBreak {
		size, align = 4, 4
	}
	if s.Load {
		control |= debugLoad
	}
	if s.Store {
		control |= debugStore
	}
	selected := uint32(1<<size-1) << (s.Addr % align) & debugSelect
	return s.Addr &^ (align - 1), control | selected<<debugBytes
}

// storeDebugRegs writes the slots that content reaches, one after the other: those before
// one that is wrong stay written (hw_break_set).
func storeDebugRegs(b *hostsig.Trace, kind uint64, content []byte) unix.Errno {
	le := binary.LittleEndian
	slots, most := debugSet(b, kind)
	content = content[min(debugHead, len(content)):]
	for i := 0; len(content) > 0; i++ {
		if len(content) < 8 {
			return unix.EINVAL
		}
		s := &slots[i]
		b.Dirty |= hostsig.DirtyDebug
		if !s.Made {
			made := 0
			for k := range slots {
				if slots[k].Made {
					made++
				}
			}
			if made >= most {
				return unix.ENOSPC
			}
			*s = hostsig.DebugSlot{Made: true, Size: 4, Load: kind == ntArmHwWatch, Store: kind == ntArmHwWatch}
		}
		if e := setDebugSlot(s, le.Uint64(content), s.Size); e != 0 {
			return e
		}
		if content = content[8:]; len(content) == 0 {
			break
		}
		if e := controlDebugSlot(s, kind, le.Uint32(content)); e != 0 {
			return e
		}
		content = content[min(8, len(content)):]
	}
	return 0
}

// setDebugSlot changes a slot's place. The kernel's own memory cannot be watched.
func setDebugSlot(s *hostsig.DebugSlot, addr uint64, size uint32) unix.Errno {
	if addr >= taskSize && addr+uint64(size)-1 >= taskSize {
		return unix.EINVAL
	}
	s.Addr, s.Size = addr, size
	return 0
}

// controlDebugSlot writes a slot's control register. Nothing of one that disables is
// looked at.
func controlDebugSlot(s *hostsig.DebugSlot, kind uint64, control uint32) unix.Errno {
	if control&debugOn == 0 {
		s.On = false
		return 0
	}
	selected := control >> debugBytes & debugSelect
	offset := bits.TrailingZeros32(selected)
	switch run := selected >> offset; {
	case selected == 0 || run&(run+1) != 0: // not bytes in a row
		return unix.EINVAL
	case (kind == ntArmHwWatch) != (control&debugType != 0):
		return unix.EINVAL
	}
	if e := setDebugSlot(s, s.Addr+uint64(offset), uint32(bits.OnesCount32(selected))); e != 0 {
		return e
	}
	s.On, s.Load, s.Store = true, control&debugLoad != 0, control&debugStore != 0
	return 0
}

// takeDebugSlots makes what the thread looks for of what is enabled.
func (t *Task) takeDebugSlots(d *hostsig.DebugSlots) {
	w := &cpu.Watch{}
	for i := range d.Break {
		if s := &d.Break[i]; s.On && s.Addr%4 == 0 {
			w.Breaks = append(w.Breaks, s.Addr)
		}
	}
	for i := range d.Watch {
		s := &d.Watch[i]
		if !s.On {
			continue
		}
		end := s.Addr + uint64(s.Size)
		if !s.Whole {
			end = min(end, s.Addr&^7+8) // BAS selects bytes of one double word
		}
		w.Ranges = append(w.Ranges, cpu.WatchRange{Start: s.Addr, End: end, Load: s.Load, Store: s.Store})
	}
	if t.trace.watch = w; len(w.Breaks)+len(w.Ranges) == 0 {
		t.trace.watch = nil
	}
}
