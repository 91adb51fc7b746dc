package main

import (
	"fmt"
	"strconv"
	"strings"
)

// pattern is a set of words: those with word&mask == value.
type pattern struct{ mask, value uint32 }

func (p pattern) overlaps(q pattern) bool { return (p.value^q.value)&p.mask&q.mask == 0 }

// covers reports whether every word of q is in p.
func (p pattern) covers(q pattern) bool { return p.mask&^q.mask == 0 && p.overlaps(q) }

// field is one named box of an encoding diagram, bits hi..lo.
type field struct {
	name   string
	hi, lo uint
}

// condFeature is a feature that only words within pattern need.
type condFeature struct {
	when    pattern
	feature string
}

// alias is a preferred spelling of some words of an encoding.
type alias struct {
	when   []pattern // any of; nil = always
	pred   string    // a relation between fields, evaluated by the disassembler
	syntax string
}

// row is one encoding of the table.
type row struct {
	file         string
	line         int
	name         string
	class, group string
	pattern                // fixed bits
	should       pattern   // should-be-zero/one bits: not decoded, but produced
	excluded     []pattern // words of this row that belong to another one
	undefined    []pattern // words of this row that are UNDEFINED
	marks        []string  // "el1", "debug": UNDEFINED where a user program runs
	features     []string  // all needed
	cond         []condFeature
	fields       []field
	syntax       string
	aliases      []alias
}

// at is where the row stands, for messages.
func (r *row) at() string { return fmt.Sprintf("%s:%d", r.file, r.line) }

// widths gives the width of a field named without one.
type widths map[string]uint

// parseTable reads the text of a table; doc comments in a64.tbl explain the
// notation. Widths are those of the same file.
func parseTable(name, text string) ([]*row, error) {
	var rows []*row
	var class, group string
	w := widths{}
	for n, line := range strings.Split(text, "\n") {
		fail := func(err error) error { return fmt.Errorf("%s:%d: %w", name, n+1, err) }
		line = strings.TrimSpace(line)
		switch {
		case line == "" || strings.HasPrefix(line, ";"):
		case strings.HasPrefix(line, "width "):
			if err := w.declare(strings.Fields(line)[1:]); err != nil {
				return nil, fail(err)
			}
		case strings.HasPrefix(line, "["):
			if _, err := fmt.Sscanf(strings.Trim(line, "[]"), "%s %s", &class, &group); err != nil {
				return nil, fail(err)
			}
		case strings.HasPrefix(line, "~"):
			if len(rows) == 0 {
				return nil, fail(fmt.Errorf("alias before the first row"))
			}
			if err := rows[len(rows)-1].addAlias(line[1:]); err != nil {
				return nil, fail(err)
			}
		default:
			r, err := parseRow(line, w)
			if err != nil {
				return nil, fail(err)
			}
			r.file, r.line, r.class, r.group = name, n+1, class, group
			rows = append(rows, r)
		}
	}
	return rows, nil
}

func (w widths) declare(items []string) error {
	for _, it := range items {
		name, num, _ := strings.Cut(it, ":")
		n, err := strconv.ParseUint(num, 10, 5)
		if err != nil || w[name] != 0 {
			return fmt.Errorf("bad width %q", it)
		}
		w[name] = uint(n)
	}
	return nil
}

func parseRow(line string, w widths) (*row, error) {
	cols := strings.Split(line, " | ")
	if len(cols) != 5 {
		return nil, fmt.Errorf("%d columns, want 5", len(cols))
	}
	for i := range cols {
		cols[i] = strings.TrimSpace(cols[i])
	}
	r := &row{name: cols[0], syntax: cols[4]}
	if err := r.parseBits(cols[1], w); err != nil {
		return nil, fmt.Errorf("%s: %w", r.name, err)
	}
	if err := r.parseUndefined(cols[2]); err != nil {
		return nil, fmt.Errorf("%s: %w", r.name, err)
	}
	if err := r.parseFeatures(cols[3]); err != nil {
		return nil, fmt.Errorf("%s: %w", r.name, err)
	}
	return r, nil
}

// parseBits reads the bit string, most significant bit first.
func (r *row) parseBits(s string, w widths) error {
	type exclusion struct{ name, pats string }
	var exclusions []exclusion
	bit := 32
	put := func(digits string, p *pattern) error {
		for _, d := range digits {
			bit--
			if bit < 0 {
				return fmt.Errorf("more than 32 bits")
			}
			switch d {
			case '0', '1':
				p.mask |= 1 << bit
				p.value |= uint32(d-'0') << bit
			case 'x':
			default:
				return fmt.Errorf("bad bit %q", d)
			}
		}
		return nil
	}
	for _, tok := range strings.Fields(s) {
		switch tok[0] {
		case '0', '1':
			if err := put(strings.ReplaceAll(tok, "_", ""), &r.pattern); err != nil {
				return err
			}
			continue
		case '(':
			if err := put(strings.Trim(tok, "()"), &r.should); err != nil {
				return err
			}
			continue
		}
		tok, excl, hasExcl := strings.Cut(tok, "!")
		name, fixed, hasFixed := strings.Cut(tok, "=")
		name, num, hasNum := strings.Cut(name, ":")
		width := w[name]
		if hasNum {
			n, err := strconv.ParseUint(num, 10, 5)
			if err != nil {
				return err
			}
			width = uint(n)
		}
		if hasFixed {
			width = uint(len(fixed))
		} else {
			fixed = strings.Repeat("x", int(width))
		}
		if width == 0 {
			return fmt.Errorf("field %q has no width", name)
		}
		hi := uint(bit - 1)
		if err := put(fixed, &r.pattern); err != nil {
			return err
		}
		r.fields = append(r.fields, field{name, hi, uint(bit)})
		if hasExcl {
			exclusions = append(exclusions, exclusion{name, excl})
		}
	}
	if bit != 0 {
		return fmt.Errorf("%d bits missing", bit)
	}
	for _, e := range exclusions {
		ps, err := r.term(e.name, e.pats)
		if err != nil {
			return err
		}
		r.excluded = append(r.excluded, ps...)
	}
	return nil
}

// parseUndefined reads the conditions under which a word of the row is UNDEFINED.
func (r *row) parseUndefined(s string) error {
	if s == "-" {
		return nil
	}
	for _, c := range strings.Split(s, ", ") {
		if mark, ok := strings.CutPrefix(c, "@"); ok {
			if mark != "el1" && mark != "debug" {
				return fmt.Errorf("unknown mark %q", c)
			}
			r.marks = append(r.marks, mark)
			continue
		}
		ps, pred, err := r.conjunction(c)
		if err != nil {
			return err
		}
		if pred != "" {
			return fmt.Errorf("relation %q cannot decide decoding", pred)
		}
		r.undefined = append(r.undefined, ps...)
	}
	return nil
}

func (r *row) parseFeatures(s string) error {
	if s == "-" {
		return nil
	}
	for _, c := range strings.Split(s, ",") {
		cond, name, ok := strings.Cut(c, "?")
		if !ok {
			for _, f := range strings.Split(c, "+") {
				r.features = append(r.features, "FEAT_"+f)
			}
			continue
		}
		ps, _, err := r.conjunction(cond)
		if err != nil {
			return err
		}
		for _, p := range ps {
			r.cond = append(r.cond, condFeature{p, "FEAT_" + name})
		}
	}
	return nil
}

func (r *row) addAlias(s string) error {
	cond, syntax, ok := strings.Cut(s, " | ")
	if !ok {
		return fmt.Errorf("%s: alias without syntax", r.name)
	}
	a := alias{syntax: strings.TrimSpace(syntax)}
	if cond = strings.TrimSpace(cond); cond != "-" {
		var err error
		if a.when, a.pred, err = r.conjunction(cond); err != nil {
			return fmt.Errorf("%s: alias: %w", r.name, err)
		}
	}
	r.aliases = append(r.aliases, a)
	return nil
}

// conjunction turns "f=pat|pat & g!=pat & @relation" into the sum of products
// of its patterns, and the relation.
func (r *row) conjunction(s string) (ps []pattern, pred string, err error) {
	ps = []pattern{{}}
	only := true
	for _, t := range strings.Split(s, " & ") {
		if p, ok := strings.CutPrefix(t, "@"); ok {
			if pred != "" {
				return nil, "", fmt.Errorf("two relations in %q", s)
			}
			pred = p
			continue
		}
		only = false
		name, pats, ok := strings.Cut(t, "=")
		if !ok {
			return nil, "", fmt.Errorf("bad term %q", t)
		}
		neg := strings.HasSuffix(name, "!")
		qs, err := r.term(strings.TrimSuffix(name, "!"), pats)
		if err != nil {
			return nil, "", err
		}
		if neg {
			qs = complement(qs)
		}
		ps = product(ps, qs)
	}
	if only {
		return nil, pred, nil
	}
	return ps, pred, nil
}

// term resolves "a:b=01x|110": the concatenated fields match any pattern.
func (r *row) term(names, pats string) ([]pattern, error) {
	var bits []uint
	for _, n := range strings.Split(names, ":") {
		f, ok := r.field(n)
		if !ok {
			return nil, fmt.Errorf("no field %q", n)
		}
		for b := int(f.hi); b >= int(f.lo); b-- {
			bits = append(bits, uint(b))
		}
	}
	var out []pattern
	for _, s := range strings.Split(pats, "|") {
		if len(s) != len(bits) {
			return nil, fmt.Errorf("%s=%s: %d bits, want %d", names, s, len(s), len(bits))
		}
		var p pattern
		for i, d := range s {
			switch d {
			case '0', '1':
				p.mask |= 1 << bits[i]
				p.value |= uint32(d-'0') << bits[i]
			case 'x':
			default:
				return nil, fmt.Errorf("bad pattern %q", s)
			}
		}
		out = append(out, p)
	}
	return out, nil
}

func (r *row) field(name string) (field, bool) {
	for _, f := range r.fields {
		if f.name == name {
			return f, true
		}
	}
	return field{}, false
}

func product(a, b []pattern) (out []pattern) {
	for _, p := range a {
		for _, q := range b {
			if p.overlaps(q) {
				out = append(out, pattern{p.mask | q.mask, p.value | q.value})
			}
		}
	}
	return out
}

// complement returns disjoint patterns for the words in none of ps
// (De Morgan, one literal at a time so that the products stay disjoint).
func complement(ps []pattern) []pattern {
	out := []pattern{{}}
	for _, p := range ps {
		var not []pattern
		var fixed pattern
		for b := uint32(1); b != 0; b <<= 1 {
			if p.mask&b == 0 {
				continue
			}
			not = append(not, pattern{fixed.mask | b, fixed.value | (^p.value & b)})
			fixed.mask |= b
			fixed.value |= p.value & b
		}
		out = product(out, not)
	}
	return out
}
