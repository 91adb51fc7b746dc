package ir

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"sync"
)

// Parse reads the text form that Func.String writes. Values may have any name
// that starts with a letter; what is read needs not be valid, see Verify. Text
// after ; is a comment. Errors are *ParseErrors.
func Parse(text string) (*Func, error) {
	f, _, err := ParseLines(text)
	return f, err
}

// ParseLines is Parse; lines gives for each instruction the number of its line.
func ParseLines(text string) (f *Func, lines []int, err error) {
	p := parser{f: NewFunc(64), names: make(map[string]Value)}
	for n, line := range strings.Split(text, "\n") {
		p.line = n + 1
		if err := p.parseLine(line); err != nil {
			return nil, nil, &ParseError{p.line, err.Error()}
		}
	}
	for _, u := range p.forward {
		v, ok := p.names[u.name]
		if !ok {
			return nil, nil, &ParseError{u.line, "unknown value " + u.name}
		}
		var args [3]Value
		for k := range args {
			args[k] = p.f.Insts[u.inst].Arg(k)
		}
		args[u.arg] = v
		p.f.Insts[u.inst] = MakeInst(p.f.Insts[u.inst].Op(), args[0], args[1], args[2])
		p.f.use(v)
	}
	return p.f, p.lines, nil
}

// ParseError is a mistake in the text form.
type ParseError struct {
	Line int
	Msg  string
}

func (e *ParseError) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.Msg) }

type parser struct {
	f       *Func
	names   map[string]Value
	forward []forwardUse
	missing []string // names of the operands of the line that are not defined yet
	line    int
	lines   []int // line of each instruction
}

// forwardUse is an operand that is defined further down: the verifier's matter.
type forwardUse struct {
	inst, arg, line int
	name            string
}

// opByName and typeByName are made when the first text is parsed: most processes
// never parse any.
var opByName = sync.OnceValue(func() map[string]Op {
	m := make(map[string]Op, NumOps)
	for op := range NumOps {
		m[table[op].Name] = op
	}
	return m
})

var typeByName = sync.OnceValue(func() map[string]Type {
	m := make(map[string]Type, NumTypes)
	for t := range NumTypes {
		m[t.String()] = t
	}
	return m
})

func (p *parser) parseLine(line string) error {
	line, _, _ = strings.Cut(line, ";")
	line = strings.TrimSpace(line)
	if line == "" {
		return nil
	}
	if rest, ok := strings.CutPrefix(line, "func "); ok {
		return p.header(rest)
	}
	var results []string
	if left, right, ok := strings.Cut(line, "="); ok {
		results = strings.Split(left, ",")
		line = strings.TrimSpace(right)
	}
	mnemonic, rest, _ := strings.Cut(line, " ")
	name, named, hasName := strings.Cut(mnemonic, ".")
	op, ok := opByName()[name]
	if !ok {
		return fmt.Errorf("unknown operation %q", name)
	}
	args, err := p.operands(rest)
	if err != nil {
		return err
	}
	if hasName {
		s := suffixes[op]
		k := s.number(named)
		if k < 0 || s.arg > len(args) {
			return fmt.Errorf("unknown operation %q", mnemonic)
		}
		args = append(args[:s.arg], append([]Value{Imm(k)}, args[s.arg:]...)...)
		p.missing = append(p.missing[:s.arg], append([]string{""}, p.missing[s.arg:]...)...)
	}
	if len(results) > 1 && op != OpMerge {
		return fmt.Errorf("%v has one result", op)
	}
	return p.emit(op, args, results)
}

func (p *parser) header(rest string) error {
	pc, size, _ := strings.Cut(rest, " size ")
	n, err := strconv.ParseUint(strings.TrimSpace(pc), 0, 64)
	if err != nil {
		return err
	}
	p.f.PC = n
	if size == "" {
		return nil
	}
	n, err = strconv.ParseUint(strings.TrimSpace(size), 0, 32)
	p.f.Size = uint32(n)
	return err
}

func (p *parser) emit(op Op, args []Value, results []string) error {
	if len(p.f.Insts)+len(args)/3+len(results)+1 >= MaxInsts {
		return fmt.Errorf("more than %d instructions", MaxInsts)
	}
	if len(args) > 3 && !variadic[op] {
		return fmt.Errorf("%v has at most three operands", op)
	}
	for n := 3; n < len(args); n += 3 {
		p.put(OpArgExt, Void, args, n)
	}
	if len(results) == 0 {
		p.put(op, Void, args, 0)
		return nil
	}
	first := Value(len(p.f.Insts))
	for n, r := range results {
		name, typ, ok := strings.Cut(strings.TrimSpace(r), ":")
		t, known := typeByName()[typ]
		if !ok || !known || !isName(name) {
			return fmt.Errorf("bad result %q, want name:type", r)
		}
		if _, dup := p.names[name]; dup {
			return fmt.Errorf("%s is defined twice", name)
		}
		p.names[name] = Value(len(p.f.Insts))
		if n == 0 {
			p.put(op, t, args, 0)
		} else {
			p.missing = p.missing[:0]
			p.put(OpDefExt, t, []Value{first}, 0)
		}
	}
	return nil
}

// put emits an instruction with the operands from n on.
func (p *parser) put(op Op, t Type, args []Value, n int) {
	inst := len(p.f.Insts)
	for k := n; k < min(n+3, len(p.missing)); k++ {
		if name := p.missing[k]; name != "" {
			p.forward = append(p.forward, forwardUse{inst, k - n, p.line, name})
		}
	}
	p.lines = append(p.lines, p.line)
	p.f.Emit(op, t, arg(args, n), arg(args, n+1), arg(args, n+2))
}

func (p *parser) operands(text string) ([]Value, error) {
	p.missing = p.missing[:0]
	if strings.TrimSpace(text) == "" {
		return nil, nil
	}
	var args []Value
	for _, s := range strings.Split(text, ",") {
		v, missing, err := p.operand(strings.TrimSpace(s))
		if err != nil {
			return nil, err
		}
		args = append(args, v)
		p.missing = append(p.missing, missing)
	}
	return args, nil
}

// operand reads one operand. missing is its name if it is not defined yet.
func (p *parser) operand(s string) (v Value, missing string, err error) {
	if s == "_" {
		return None, "", nil
	}
	if typ, lit, ok := strings.Cut(s, ":"); ok {
		t, known := typeByName()[typ]
		if !known || t == Void {
			return None, "", fmt.Errorf("unknown type %q", typ)
		}
		v, err := p.constant(t, lit)
		return v, "", err
	}
	if isName(s) {
		if v, ok := p.names[s]; ok {
			return v, "", nil
		}
		return None, s, nil
	}
	v, err = p.constant(I64, strings.TrimPrefix(s, "#"))
	return v, "", err
}

func (p *parser) constant(t Type, lit string) (Value, error) {
	if len(p.f.Consts) >= MaxInsts {
		return None, fmt.Errorf("too many constants")
	}
	if hex, ok := strings.CutPrefix(lit, "0x"); ok && t.IsVec() && len(hex) > 16 && len(hex) <= 32 {
		hi, err := strconv.ParseUint(hex[:len(hex)-16], 16, 64)
		if err != nil {
			return None, err
		}
		lo, err := strconv.ParseUint(hex[len(hex)-16:], 16, 64)
		return p.f.Const128(t, lo, hi), err
	}
	if t.IsFloat() && strings.ContainsAny(lit, ".enN") && !strings.HasPrefix(lit, "0x") {
		return p.float(t, lit)
	}
	if strings.HasPrefix(lit, "-") {
		n, err := strconv.ParseInt(lit, 0, 64)
		if t.IsVec() {
			return None, fmt.Errorf("bad constant %s", lit)
		}
		return p.f.Const(t, uint64(n)&maskOf(t)), err
	}
	n, err := strconv.ParseUint(lit, 0, 64)
	if err == nil && !t.IsVec() && n&^maskOf(t) != 0 {
		return None, fmt.Errorf("%s does not fit %v", lit, t)
	}
	return p.f.Const(t, n), err
}

func (p *parser) float(t Type, lit string) (Value, error) {
	switch x, err := strconv.ParseFloat(lit, t.Bits()); t {
	case F64:
		return p.f.Const(t, math.Float64bits(x)), err
	case F32:
		return p.f.Const(t, uint64(math.Float32bits(float32(x)))), err
	}
	return None, fmt.Errorf("%v constants are written as bits", t)
}

func isName(s string) bool {
	for k, c := range s {
		letter := c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
		if !letter && (k == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return s != "" && s != "_"
}
