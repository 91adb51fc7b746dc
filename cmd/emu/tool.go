package main

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"emu/cpu"
	"emu/decoder"
	"emu/ir"
	"emu/ir/interp"
	"emu/jit"
	"emu/syscalls"
	"emu/translate"
)

// toolRow is one of the developers' tools behind `emu tool`.
type toolRow struct {
	name, args, doc string
	least, most     int // of arguments
	run             func(args []string, out io.Writer) error
}

var toolRows = []toolRow{
	{"word", "WORD...", "show instruction words at every stage: decoded, IR, host code", 1, math.MaxInt, toolWord},
	{"ir", "FILE", "parse, verify and run an IR text file; prints what it returns", 1, 1, toolIR},
	{"coverage", "", "list the encodings of A64: translated, undefined (to programs under Linux) or missing, and their features", 0, 0, toolCoverage},
	{"binfmt", "[PATH]", "print the line that registers emu, or PATH, with binfmt_misc", 0, 1, toolBinfmt},
	{"syscalls", "", "print docs/syscalls.md", 0, 0, func(_ []string, w io.Writer) error { return syscalls.WriteDocs(w) }},
}

func tool(args []string, out, msg io.Writer) int {
	switch {
	case len(args) == 0:
		toolUsage(msg)
		return statusUsage
	case args[0] == "help":
		toolUsage(out)
		return 0
	}
	name, args := args[0], args[1:]
	n := slices.IndexFunc(toolRows, func(r toolRow) bool { return r.name == name })
	if n < 0 {
		fmt.Fprintf(msg, "emu tool: no tool %q (emu tool help lists them)\n", name)
		return statusUsage
	}
	r := &toolRows[n]
	if len(args) < r.least || len(args) > r.most {
		fmt.Fprintln(msg, strings.TrimSpace("usage: emu tool "+name+" "+r.args))
		return statusUsage
	}
	if err := r.run(args, out); err != nil {
		fmt.Fprintf(msg, "emu tool %s: %v\n", name, err)
		return 1
	}
	return 0
}

func toolUsage(w io.Writer) {
	fmt.Fprintln(w, "usage: emu tool NAME [arguments]")
	for _, r := range toolRows {
		fmt.Fprintf(w, "  %-22s %s\n", r.name+" "+r.args, r.doc)
	}
}

func toolCoverage(_ []string, out io.Writer) error {
	w := bufio.NewWriter(out)
	for op := decoder.Op(1); op < decoder.NumOps; op++ {
		state := "missing"
		switch {
		case translate.Translated(op):
			state = "translated"
		case op.UndefinedToPrograms():
			state = "undefined"
		}
		fmt.Fprintf(w, "%-44s %-10s %s\n", op, state, op.Features())
	}
	return w.Flush()
}

// wordPC is where `emu tool word` pretends that its instructions are.
const wordPC = 0x400000

func toolWord(args []string, out io.Writer) error {
	words := make([]uint32, len(args))
	for i, a := range args {
		w, err := strconv.ParseUint(strings.TrimPrefix(a, "0x"), 16, 32)
		if err != nil {
			return fmt.Errorf("%q is not a word of 32 bits in hexadecimal", a)
		}
		words[i] = uint32(w)
		in := decoder.Decode(words[i])
		fmt.Fprintf(out, "%08x  %-40s %v %s\n", words[i], in.Disasm(wordPC+uint64(4*i)), in.Op, in.Op.Features())
	}
	f := translate.New(translate.Options{}).Block(wordPC, func(pc uint64) (uint32, bool) {
		if n := (pc - wordPC) / 4; n < uint64(len(words)) {
			return words[n], true
		}
		return 0, false
	})
	fmt.Fprintf(out, "\n%s\n", f)
	return jit.Show(f, out)
}

func toolIR(args []string, out io.Writer) error {
	text, err := os.ReadFile(args[0])
	if err != nil {
		return err
	}
	f, err := ir.Parse(string(text))
	if err != nil {
		return fmt.Errorf("%s: %w", args[0], err)
	}
	if err := f.Verify(); err != nil {
		return fmt.Errorf("%s: %w", args[0], err)
	}
	s, err := cpu.NewState()
	if err != nil {
		return err
	}
	defer s.Free()
	var m interp.Machine
	exit := m.Exec(f, s)
	fmt.Fprintf(out, "%v pc=%#x %#x\n", exit.Kind, exit.PC, exit.Arg)
	return nil
}
