package main

import (
	"bytes"
	"fmt"
	"sort"
	"strings"
)

// sysreg is a system register and its op0:op1:CRn:CRm:op2, 16 bits.
type sysreg struct {
	name string
	key  uint16
}

// sysop is an operation of the SYS instruction and its op1:CRn:CRm:op2, 14 bits.
type sysop struct {
	kind, name string
	key        uint16
	register   bool
}

func parseSysregs(text string) (regs []sysreg, ops []sysop, err error) {
	seen := map[string]int{}
	for n, line := range strings.Split(text, "\n") {
		var kind, name, xt string
		var op0, op1, crn, crm, op2 uint16
		line = strings.TrimSpace(line)
		switch {
		case line == "" || strings.HasPrefix(line, ";"):
			continue
		case strings.HasPrefix(line, "reg "):
			if _, err := fmt.Sscan(line, &kind, &name, &op0, &op1, &crn, &crm, &op2); err != nil {
				return nil, nil, fmt.Errorf("sysreg.tbl:%d: %w", n+1, err)
			}
			regs = append(regs, sysreg{name, op0<<14 | op1<<11 | crn<<7 | crm<<3 | op2})
		case strings.HasPrefix(line, "op "):
			var op string
			if _, err := fmt.Sscan(line, &op, &kind, &name, &op1, &crn, &crm, &op2, &xt); err != nil {
				return nil, nil, fmt.Errorf("sysreg.tbl:%d: %w", n+1, err)
			}
			ops = append(ops, sysop{kind, name, op1<<11 | crn<<7 | crm<<3 | op2, xt == "Xt"})
		default:
			return nil, nil, fmt.Errorf("sysreg.tbl:%d: bad line %q", n+1, line)
		}
		id := kind + " " + name
		if l, dup := seen[id]; dup {
			return nil, nil, fmt.Errorf("sysreg.tbl:%d: %s is also on line %d", n+1, name, l)
		}
		seen[id] = n + 1
	}
	sort.SliceStable(regs, func(i, j int) bool { return regs[i].key < regs[j].key })
	sort.SliceStable(ops, func(i, j int) bool { return ops[i].key < ops[j].key })
	for i := 1; i < len(regs); i++ {
		if regs[i].key == regs[i-1].key {
			return nil, nil, fmt.Errorf("sysreg.tbl: %s and %s are the same register", regs[i-1].name, regs[i].name)
		}
	}
	for i := 1; i < len(ops); i++ {
		if ops[i].key == ops[i-1].key {
			return nil, nil, fmt.Errorf("sysreg.tbl: %s and %s are the same operation", ops[i-1].name, ops[i].name)
		}
	}
	return regs, ops, nil
}

func writeSysregs(b *bytes.Buffer, regs []sysreg, ops []sysop) {
	b.WriteString("// System registers by op0:op1:CRn:CRm:op2.\nconst (\n")
	for _, r := range regs {
		fmt.Fprintf(b, "Sys%s SysReg = %#04x\n", r.name, r.key)
	}
	b.WriteString(")\n\n// sysregNames is sorted by register.\nvar sysregNames = [...]struct {\nreg SysReg\nname string\n}{\n")
	for _, r := range regs {
		fmt.Fprintf(b, "{Sys%s, %q},\n", r.name, strings.ToLower(r.name))
	}
	b.WriteString("}\n\n// sysops is sorted by op1:CRn:CRm:op2.\nvar sysops = [...]SysOp{\n")
	for _, o := range ops {
		fmt.Fprintf(b, "{%#04x, %q, %q, %t},\n", o.key, o.kind, strings.ToLower(o.name), o.register)
	}
	b.WriteString("}\n")
}
