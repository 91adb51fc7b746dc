package cpu

import "golang.org/x/sys/unix"

// RefuseExecGain sets what PR_SET_MDWE asks for: no mapping becomes executable that was not from the start, and
// none is made that is writable as well. It cannot be taken back.
func (m *Memory) RefuseExecGain(bits uint32) unix.Errno {
	const refuse, noInherit = unix.PR_MDWE_REFUSE_EXEC_GAIN, unix.PR_MDWE_NO_INHERIT
	if bits&^(refuse|noInherit) != 0 || bits == noInherit {
		return unix.EINVAL
	}
	if !m.execGain.CompareAndSwap(0, bits) && m.execGain.Load() != bits {
		return unix.EPERM
	}
	return 0
}

// ExecGain is what RefuseExecGain has set.
func (m *Memory) ExecGain() uint32 { return m.execGain.Load() }

// InheritedExecGain is what a copy of the address space, or that of the next program, has of it.
func (m *Memory) InheritedExecGain() uint32 {
	if bits := m.execGain.Load(); bits&unix.PR_MDWE_NO_INHERIT == 0 {
		return bits
	}
	return 0
}

// ForkedExecGain makes the address space one of a child that has its own.
func (m *Memory) ForkedExecGain() { m.execGain.Store(m.InheritedExecGain()) }

// deniesExec reports whether pages may not become what is to be, or be made so if is is the same as was
// (map_deny_write_exec in the kernel).
func (m *Memory) deniesExec(was, is int) bool {
	return is&unix.PROT_EXEC != 0 && m.execGain.Load()&unix.PR_MDWE_REFUSE_EXEC_GAIN != 0 &&
		(is&unix.PROT_WRITE != 0 || was&unix.PROT_EXEC == 0)
}
