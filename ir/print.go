package ir

import (
	"fmt"
	"strconv"
	"strings"
)

// String is the text form of f, which Parse reads:
//
//	func 0x1000 size 8
//	v0:i64 = getx #1
//	v1:i1 = icmp.slt v0, 10
//	if v1
//	  v3:i32 = add v0, i32:7
//
// There is a line for each instruction, indented by scope. Constants stand in
// their places: plain numbers are I64, others carry their type; # marks an
// immediate, _ an absent operand in front of others. The ARG_EXTs and DEF_EXTs
// of an instruction are part of its line.
func (f *Func) String() string {
	var w strings.Builder
	fmt.Fprintf(&w, "func %#x size %d\n", f.PC, f.Size)
	depth := 0
	closes := f.closingMerges()
	for n := 0; n < len(f.Insts); n++ {
		op := f.Insts[n].Op()
		switch op {
		case OpElse, OpEndBlock:
			depth--
		case OpMerge:
			if closes(n) {
				depth--
			}
		case OpArgExt:
			if f.folds(n) {
				continue
			}
		}
		depth = max(depth, 0)
		w.WriteString(strings.Repeat("  ", depth))
		end := f.printInst(&w, n)
		w.WriteByte('\n')
		n = end - 1
		switch op {
		case OpIf, OpElse, OpLoop, OpBlock:
			depth++
		}
	}
	return w.String()
}

// closingMerges returns a function that tells the MERGEs that close a scope from
// those of LOOPs that an END_BLOCK has closed before. In a Func whose scopes do
// not nest it goes by the END_BLOCK in front.
func (f *Func) closingMerges() func(n int) bool {
	var s Structure
	if f.Structure(&s) == nil {
		return func(n int) bool { return s.Scopes[s.Of[n]].Op != OpLoop }
	}
	return func(n int) bool {
		for n--; n >= 0 && f.Insts[n].Op() == OpNop; n-- {
		}
		return n < 0 || f.Insts[n].Op() != OpEndBlock
	}
}

// folds reports whether the run of ARG_EXTs that n is part of, or that stands in
// front of n, is printed with the instruction behind it: it is what a builder
// makes.
func (f *Func) folds(n int) bool {
	for n > 0 && f.Insts[n-1].Op() == OpArgExt {
		n--
	}
	for ; n < len(f.Insts) && f.Insts[n].Op() == OpArgExt; n++ {
		if i := f.Insts[n]; i.A() == None || i.B() == None && i.C() != None {
			return false
		} else if i.C() == None && n+1 < len(f.Insts) && f.Insts[n+1].Op() == OpArgExt {
			return false
		}
	}
	return n < len(f.Insts) && variadic[f.Insts[n].Op()] && f.Insts[n].C() != None
}

// printInst prints instruction n and returns the index of the one after it.
func (f *Func) printInst(w *strings.Builder, n int) int {
	i := f.Insts[n]
	op := i.Op()
	end := n + 1
	if f.Types[n] != Void || f.Uses[n] != 0 { // an operand has to have a name
		fmt.Fprintf(w, "v%d:%v", n, f.Types[n])
		if op == OpMerge {
			for ; end < len(f.Insts) && f.Insts[end] == MakeInst(OpDefExt, Value(n), None, None) && f.Types[end] != Void; end++ {
				fmt.Fprintf(w, ", v%d:%v", end, f.Types[end])
			}
		}
		w.WriteString(" = ")
	}
	w.WriteString(op.String())
	args := []Value{i.A(), i.B(), i.C()}
	if n > 0 && f.Insts[n-1].Op() == OpArgExt && f.folds(n) {
		args = f.Operands(n, args[:0])
	}
	for len(args) > 0 && args[len(args)-1] == None {
		args = args[:len(args)-1]
	}
	named := -1
	if op < NumOps {
		if s := suffixes[op]; s.names != nil && s.arg < len(args) {
			if c, ok := f.ConstOf(args[s.arg]); ok && c.Type == I64 && c.Lo < uint64(len(s.names)) {
				w.WriteString("." + s.names[c.Lo])
				named = s.arg
			}
		}
	}
	sep := " "
	for k, v := range args {
		if k == named {
			continue
		}
		w.WriteString(sep)
		sep = ", "
		w.WriteString(f.operandText(v, isImm(op, k)))
	}
	return end
}

// isImm reports whether operand k of op is an immediate.
func isImm(op Op, k int) bool {
	if op >= NumOps {
		return false
	}
	args := table[op].Args
	return k < len(args) && args[k] == '#'
}

func (f *Func) operandText(v Value, imm bool) string {
	switch {
	case v == None:
		return "_"
	case v.IsSSA():
		return "v" + strconv.Itoa(int(v))
	case v.Pool() >= len(f.Consts):
		return "const" + strconv.Itoa(v.Pool())
	}
	c := f.Consts[v.Pool()]
	if c.Type != I64 {
		return c.String()
	}
	if imm {
		return "#" + number(c.Lo)
	}
	return number(c.Lo)
}

func number(n uint64) string {
	if n < NumImm {
		return strconv.FormatUint(n, 10)
	}
	return "0x" + strconv.FormatUint(n, 16)
}

// String is the constant as an operand in the text form.
func (c Const) String() string {
	switch {
	case c.Type == I64:
		return number(c.Lo)
	case c.Hi != 0:
		return fmt.Sprintf("%v:0x%x%016x", c.Type, c.Hi, c.Lo)
	}
	return c.Type.String() + ":" + number(c.Lo)
}
