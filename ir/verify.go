package ir

import (
	"errors"
	"fmt"
)

// The law of the IR. Verify checks every line of it; rule numbers are those of
// seed 000, S stands for seed 003 and D for the design. Each rule has a fixture
// in testdata/verify that breaks it.
//
//	1.1  both arms of an IF yield the same number of values with the same types
//	1.1  an IF has an ELSE
//	1.2  BLOCK_ARGs stand first in a LOOP body, in ascending order, none twice
//	1.2  CONTINUE passes as many values of the same types as the LOOP takes
//	1.4  BLOCK_ARG n has the type of the LOOP's operand n
//	1.5  MERGE closes a scope that something leaves normally, END_BLOCK any other
//	1.5  a LOOP body is closed by END_BLOCK; a MERGE follows if BREAK leaves it
//	2.1  an instruction has a result exactly when its row says so, of that type
//	2.2  ARG_EXTs stand in front of an instruction with more than three operands
//	2.2  DEF_EXTs stand behind their MERGE and name it
//	2.3  immediates are I64 constants; conditions, lanes and sizes are in range
//	2.3  constants are in the pool and fit their types
//	2.4  opcodes are known and NOPs have no operands
//	3.1  operands have the types that the row asks for
//	3.2  a void instruction is nobody's operand
//	4.1  the number of NOPs is right
//	4.3  there are at most 131,072 instructions
//	S    use counts are right
//	S    BREAK and YIELD pass the same values to a MERGE as its DEF_EXTs define
//	D    scopes nest and are closed
//	D    an arm, a body and the unit end in a terminator; nothing follows one
//	D    BREAK and CONTINUE have a scope to go to
//	D    an operand is defined before its use in the same scope or one around it

// Verify reports every breach of the law, joined; nil if there is none.
func (f *Func) Verify() error {
	v := verifier{Func: f}
	if len(f.Insts) > int(constBit) {
		v.fail(0, "%d instructions are more than operands can name", len(f.Insts))
	}
	if len(f.Types) != len(f.Insts) || len(f.Uses) != len(f.Insts) {
		v.fail(0, "the parallel arrays differ in length")
		return errors.Join(v.errs...)
	}
	for n := range f.Insts {
		v.shape(n)
	}
	v.pool()
	if v.errs != nil {
		return errors.Join(v.errs...) // what follows looks operands up
	}
	v.counts()
	if err := f.Structure(&v.scopes); err != nil {
		v.errs = append(v.errs, err)
	} else {
		v.dominance()
		v.flow()
	}
	for n := range f.Insts {
		v.types(n)
	}
	return errors.Join(v.errs...)
}

type verifier struct {
	*Func
	scopes Structure
	errs   []error
}

// maxErrors bounds what Verify reports about a badly broken unit.
const maxErrors = 20

func (v *verifier) fail(n int, format string, args ...any) {
	if len(v.errs) < maxErrors {
		v.errs = append(v.errs, &Error{n, fmt.Sprintf(format, args...)})
	}
}

// shape checks what needs no other instruction but the neighbours.
func (v *verifier) shape(n int) {
	i := v.Insts[n]
	op := i.Op()
	if op >= NumOps || v.Types[n] >= NumTypes {
		v.fail(n, "unknown opcode or type")
		return
	}
	for k := range 3 {
		a := i.Arg(k)
		switch {
		case a.IsConst() && a.Pool() >= len(v.Consts):
			v.fail(n, "operand %d is not in the constant pool", k+1)
		case a.IsSSA() && int(a) >= len(v.Insts):
			v.fail(n, "operand %d is no instruction", k+1)
		case a != None && k > 0 && i.Arg(k-1) == None:
			v.fail(n, "operand %d is missing", k)
		}
	}
	switch op {
	case OpNop:
		if i != MakeInst(OpNop, None, None, None) {
			v.fail(n, "NOP with operands")
		}
	case OpArgExt:
		switch {
		case i.A() == None:
			v.fail(n, "ARG_EXT without operands")
		case n+1 == len(v.Insts) || v.Insts[n+1].Op() != OpArgExt && (!variadic[v.Insts[n+1].Op()] || v.Insts[n+1].C() == None):
			v.fail(n, "ARG_EXT does not stand in front of an instruction that takes more than three operands")
		case i.C() == None && v.Insts[n+1].Op() == OpArgExt:
			v.fail(n, "ARG_EXT with room left in front of another one")
		}
	case OpDefExt:
		if owner := i.A(); !owner.IsSSA() || !v.extends(n, int(owner)) {
			v.fail(n, "DEF_EXT does not stand behind its MERGE")
		}
	}
}

// extends reports whether only DEF_EXTs stand between the MERGE at owner and n.
func (v *verifier) extends(n, owner int) bool {
	for n--; n > owner && v.Insts[n].Op() == OpDefExt; n-- {
	}
	return n == owner && v.Insts[n].Op() == OpMerge
}

func (v *verifier) pool() {
	for n := NumImm; n < len(v.Consts); n++ {
		c := v.Consts[n]
		if c.Type == Void || c.Type >= NumTypes || !c.Type.IsVec() && (c.Hi != 0 || c.Lo&^maskOf(c.Type) != 0) {
			v.fail(0, "constant %d does not fit its type", n)
		}
	}
}

func (v *verifier) counts() {
	uses := make([]uint32, len(v.Insts))
	nops := 0
	for _, i := range v.Insts {
		for k := range 3 {
			if a := i.Arg(k); a.IsSSA() {
				uses[a]++
			}
		}
		if i.Op() == OpNop {
			nops++
		}
	}
	for n := range uses {
		if uses[n] != v.Uses[n] {
			v.fail(n, "use count is %d, but there are %d uses", v.Uses[n], uses[n])
		}
	}
	if nops != v.nops {
		v.fail(0, "%d NOPs are counted, but there are %d", v.nops, nops)
	}
}

// dominance checks that operands are defined earlier, in a scope around the use.
// An arm of an IF is a scope of its own.
func (v *verifier) dominance() {
	type place struct {
		scope  int32
		inElse bool
	}
	def := make([]place, len(v.Insts)) // where each value is visible
	var open []place
	cur := place{-1, false}
	for n, i := range v.Insts {
		for k := range 3 {
			a := i.Arg(k)
			if !a.IsSSA() {
				continue
			}
			if int(a) >= n {
				v.fail(n, "operand v%d is defined later", a)
				continue
			}
			if p := def[a]; p != cur && !contains(open, p) {
				v.fail(n, "operand v%d is defined in a scope that is closed", a)
			}
		}
		switch i.Op() {
		case OpIf, OpLoop, OpBlock:
			open = append(open, cur)
			cur = place{v.scopes.Of[n], false}
		case OpElse:
			cur.inElse = true
		case OpEndBlock, OpMerge:
			if v.scopes.Scopes[v.scopes.Of[n]].End == int32(n) || i.Op() == OpEndBlock {
				cur, open = open[len(open)-1], open[:len(open)-1]
			}
		}
		def[n] = cur
	}
}

func contains[T comparable](s []T, x T) bool {
	for k := len(s) - 1; k >= 0; k-- {
		if s[k] == x {
			return true
		}
	}
	return false
}

// flow checks what YIELD, BREAK and CONTINUE pass along.
func (v *verifier) flow() {
	var args []Value
	for n, i := range v.Insts {
		switch i.Op() {
		case OpYield, OpBreak:
			args = v.Operands(n, args[:0])
			what := "a scope"
			if i.Op() == OpBreak {
				args = args[1:]
			}
			sc := v.scopes.Scopes[v.scopes.Of[n]]
			if sc.Op == OpIf {
				what = "the arms of an IF"
			}
			v.passes(n, args, v.results(int(sc.Merge)), what)
		case OpContinue:
			args = v.Operands(n, args[:0])[1:]
			loop := int(v.scopes.Scopes[v.scopes.Of[n]].Start)
			want := v.operandTypes(loop)
			v.passes(n, args, want, "a LOOP and its CONTINUE")
		case OpLoop:
			v.blockArgs(n)
		}
	}
}

func (v *verifier) passes(n int, args []Value, want []Type, what string) {
	if len(args) != len(want) {
		v.fail(n, "%s differ in the number of values: %d and %d", what, len(args), len(want))
		return
	}
	for k, a := range args {
		if have := v.TypeOf(a); have != want[k] {
			v.fail(n, "%s differ in the type of value %d: %v and %v", what, k, have, want[k])
		}
	}
}

// results are the types that the MERGE at n and its DEF_EXTs define.
func (v *verifier) results(n int) (types []Type) {
	if v.Types[n] == Void {
		return nil
	}
	types = append(types, v.Types[n])
	for n++; n < len(v.Insts) && v.Insts[n].Op() == OpDefExt; n++ {
		types = append(types, v.Types[n])
	}
	return types
}

func (v *verifier) operandTypes(n int) (types []Type) {
	for _, a := range v.Operands(n, nil) {
		types = append(types, v.TypeOf(a))
	}
	return types
}

// blockArgs checks the head of the LOOP at n. That no BLOCK_ARG stands anywhere
// else in the body is checked from there.
func (v *verifier) blockArgs(n int) {
	want := v.operandTypes(n)
	next := 0
	k := n + 1
	for ; k < len(v.Insts) && (v.Insts[k].Op() == OpBlockArg || v.Insts[k].Op() == OpNop); k++ {
		if v.Insts[k].Op() == OpNop {
			continue
		}
		c, ok := v.ConstOf(v.Insts[k].A())
		switch {
		case !ok || c.Lo >= uint64(len(want)):
			v.fail(k, "the LOOP has no such argument")
			return
		case int(c.Lo) < next:
			v.fail(k, "BLOCK_ARGs are not in ascending order")
		case v.Types[k] != want[c.Lo]:
			v.fail(k, "BLOCK_ARG of type %v for an operand of type %v", v.Types[k], want[c.Lo])
		}
		next = int(c.Lo) + 1
	}
	scope := v.scopes.Of[n]
	for ; k < int(v.scopes.Scopes[scope].End); k++ {
		if v.Insts[k].Op() == OpBlockArg && v.scopes.Of[k] == scope {
			v.fail(k, "BLOCK_ARG is not first in the LOOP body")
		}
	}
}
