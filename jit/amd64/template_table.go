package amd64

import (
	"sync"

	"emu/decoder"
)

// templateFn emits an instruction, or declines the block. It does its accesses to memory
// before it changes any guest register.
type templateFn func(t *template, i decoder.Inst)

// templateRule says which function emits the encodings of a group that the base of
// Armv8 has.
type templateRule struct {
	class decoder.Class
	group string
	fn    templateFn
	flags templateFlags
}

// templateFlags are the properties of a group.
type templateFlags uint8

const (
	templateEnds    templateFlags = 1 << iota // the block ends with it
	templateCond                              // unless it goes on behind it
	templateMemory                            // it may fault, or leave in front of it: State has to be right
	templateSets                              // it sets NZCV
	templateSetsS                             // it sets NZCV if bit 29 is set
	templateSetsAnd                           // it sets NZCV if bits 30:29 are
	templateReads                             // it reads NZCV
	templateStack                             // it may leave behind itself if Rd is SP
)

type templateRow struct {
	fn    templateFn
	flags templateFlags
}

var templateTable = sync.OnceValue(func() *[decoder.NumOps]templateRow {
	t := new([decoder.NumOps]templateRow)
	type key struct {
		class decoder.Class
		group string
	}
	rules := make(map[key]templateRule)
	for _, list := range [][]templateRule{templateIntRules, templateFlagRules, templateMemoryRules, templateBranchRules} {
		for _, r := range list {
			rules[key{r.class, r.group}] = r
		}
	}
	var last key // the encodings of a group are neighbours
	var r templateRule
	for op := decoder.Op(1); op < decoder.NumOps; op++ {
		if k := (key{op.Class(), op.Group()}); k != last {
			last, r = k, rules[k]
		}
		if r.fn != nil && op.Features() == "" {
			t[op] = templateRow{r.fn, r.flags}
		}
	}
	for op, row := range templateOps {
		t[op] = row
	}
	return t
})
