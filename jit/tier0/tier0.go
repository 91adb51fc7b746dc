// Package tier0 executes A64 code without translating it. Most basic blocks of a
// program run a few times only, and to compile one costs as much as to execute it in
// here some twenty times.
//
// What it executes are the common instructions: integers, branches, and loads and
// stores of either register file. Every encoding group of them has one function,
// which does to cpu.State what the group's translation would, and its row in a table
// (integerRules, memoryRules, ...). A block with any other instruction is declined as
// a whole and has to be translated, and so is one in the middle of which an access
// faults: then State is what it was before that instruction, and the compiled code
// faults again, with all that is known there of how to serve it. Nothing is said
// twice about signals, tags, guards or undefined instructions.
package tier0

import (
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"emu/cpu"
	"emu/decoder"
)

// execFn executes one instruction, which does its accesses to memory before it changes
// any register.
type execFn func(m *Machine, s *cpu.State, i decoder.Inst)

// rule says which function executes the encodings of a group that the base of Armv8
// has: those of features are left out, as a processor model may lack them.
type rule struct {
	class decoder.Class
	group string
	fn    execFn
	ends  bool // the block
}

// row is what is known of an encoding; fn is nil if it is not executed here.
type row struct {
	fn   execFn
	ends bool
}

// opRule is a rule for one encoding, of a feature perhaps.
type opRule struct {
	op decoder.Op
	fn execFn
}

// rowTable finds the row of an encoding. The rules of all encodings are some ten times as
// many as a short program executes, and looking through the decoder's table takes longer
// than such a program's blocks do here: so each is looked up when it comes first.
type rowTable struct {
	groups map[groupKey]*row
	single map[decoder.Op]*row
	known  [decoder.NumOps]atomic.Pointer[row]
}

type groupKey struct {
	class decoder.Class
	group string
}

// declined is the row of what is not executed here.
var declined row

// table is made when the first block runs.
var table = sync.OnceValue(func() *rowTable {
	t := &rowTable{groups: make(map[groupKey]*row), single: make(map[decoder.Op]*row)}
	for _, list := range [][]rule{integerRules, branchRules, memoryRules, simdRules} {
		for _, r := range list {
			t.groups[groupKey{r.class, r.group}] = &row{r.fn, r.ends}
		}
	}
	for _, r := range opRules {
		t.single[r.op] = &row{fn: r.fn}
	}
	return t
})

// of returns op's row.
func (t *rowTable) of(op decoder.Op) *row {
	if r := t.known[op].Load(); r != nil {
		return r
	}
	r := t.single[op]
	if r == nil && op.Features() == "" {
		r = t.groups[groupKey{op.Class(), op.Group()}]
	}
	if r == nil {
		r = &declined
	}
	t.known[op].Store(r)
	return r
}

// maxInsts limits a block as translate.Options.MaxInsts does.
const maxInsts = 64

// Machine executes blocks of one thread.
type Machine struct {
	// Branch tells how the last block led on: by a branch to a lower address, a call, a
	// return or an indirect branch, and Kind by which type of the latter.
	Branch Branch
	Kind   cpu.BranchType

	// FastPAC says how pointers are signed, as host.Options has it.
	FastPAC bool
	// Targets knows of guarded pages (FEAT_BTI), nil: there are none.
	Targets Targets

	executable func(pc uint64) (start, end uint64, ok bool)
	start, end uint64 // what is known to be executable

	rows     *rowTable
	steps    [maxInsts]step
	n        int    // of steps
	pc       uint64 // of the current instruction
	next     uint64 // where the block leads
	declined bool   // by the current instruction
}

// Targets tells where indirect branches may lead.
type Targets interface {
	// Guarded reports whether pc is in a guarded page, which the type of branches there depends on.
	Guarded(pc uint64) bool
	// Lands reports whether a branch of type t may lead to target.
	Lands(target uint64, t cpu.BranchType) bool
}

// Branch is the way from one block to the next.
type Branch uint8

// The ways.
const (
	Forward  Branch = iota // a direct branch to a higher address, or none
	Backward               // a direct branch to a lower address
	Call
	Indirect // a return, or an indirect branch or call
)

type step struct {
	fn   execFn
	inst decoder.Inst
}

// New returns a Machine that asks executable for the bounds of the executable memory
// around a pc, if there is some.
func New(executable func(pc uint64) (start, end uint64, ok bool)) *Machine {
	return &Machine{executable: executable}
}

// Forget makes the machine ask again what is executable.
func (m *Machine) Forget() { m.start, m.end = 0, 0 }

// Run executes the block at s.PC, and those that follow as long as more says so, which
// is asked with s.PC at the next one. blocks is how many it has executed in full. done
// is false if the instruction that s.PC is at then has to be translated.
//
// It ends behind an instruction that makes SP misaligned, too, for then accesses relative
// to it fault.
//
// Preconditions: the thread's code mode checks and removes no tags, and SP is aligned.
func (m *Machine) Run(s *cpu.State, more func() bool) (blocks int, done bool) {
	if m.rows == nil {
		m.rows = table()
	}
	old := debug.SetPanicOnFault(true)
	defer func() {
		debug.SetPanicOnFault(old)
		if r := recover(); r != nil {
			if _, fault := r.(runtime.Error); !fault {
				panic(r)
			}
			s.PC, done = m.pc, false
		}
	}()
	for {
		m.pc = s.PC
		if !m.decode(s.PC) {
			return blocks, false
		}
		m.Branch, m.Kind, m.next = Forward, cpu.BranchNone, s.PC+4*uint64(m.n)
		for k := range m.steps[:m.n] {
			st := &m.steps[k]
			st.fn(m, s, st.inst)
			if m.declined {
				m.declined = false
				s.PC = m.pc
				return blocks, false
			}
			m.pc += 4
			if s.X[cpu.SP]%16 != 0 {
				s.PC = m.pc
				return blocks, true
			}
		}
		s.PC = m.next
		blocks++
		if !more() {
			return blocks, true
		}
	}
}

// decode reads the block at pc, as far as it is known to be executable. It returns
// false if there is something in it that is not executed here.
func (m *Machine) decode(pc uint64) bool {
	if pc&3 != 0 {
		return false
	}
	if pc < m.start || pc >= m.end {
		var ok bool
		if m.start, m.end, ok = m.executable(pc); !ok {
			m.Forget()
			return false
		}
	}
	most := min((m.end-pc)/4, maxInsts)
	for n := range m.steps[:most] {
		i := decoder.Decode(uint32(load(pc, 2)))
		r := m.rows.of(i.Op)
		if r.fn == nil {
			return false
		}
		m.steps[n] = step{r.fn, i}
		if r.ends {
			m.n = n + 1
			return true
		}
		pc += 4
	}
	m.n = int(most)
	return true
}
