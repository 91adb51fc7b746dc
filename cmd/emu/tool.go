package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"

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
	run             func(args []string, out io.Writer) error
}

var toolRows = []toolRow{
	{"word", "WORD...", "show instruction words at every stage: decoded, IR, host code", toolWord},
	{"ir", "FILE", "parse, verify and run an IR text file; prints what it returns", toolIR},
	{"coverage", "", "list the encodings of A64: translated, undefined (to programs under Linux) or missing, and their features", toolCoverage},
	{"binfmt", "[PATH]", "print the line that registers emu, or PATH, with binfmt_misc", toolBinfmt},
	{"syscalls", "", "print docs/syscalls.md", func(_ []string, w io.Writer) error { return syscalls.WriteDocs(w) }},
}

func tool(args []string, out, msg io.Writer) int {
	if len(args) > 0 {
		for _, r := range toolRows {
			if r.name != args[0] {
				continue
			}
			if err := r.run(args[1:], out); err != nil {
				fmt.Fprintf(msg, "emu tool %s: %v\n", r.name, err)
				return 1
			}
			return 0
		}
	}
	status := 0
	if len(args) == 0 || args[0] != "help" {
		out, status = msg, statusUsage
	}
	fmt.Fprintln(out, "usage: emu tool NAME [arguments]")
	for _, r := range toolRows {
		fmt.Fprintf(out, "  %-22s %s\n", r.name+" "+r.args, r.doc)
	}
	return status
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
	if len(args) == 0 {
		return errors.New("no instruction words")
	}
	words := make([]uint32, len(args))
	for i, a := range args {
		w, err := strconv.ParseUint(a, 16, 32)
		if err != nil {
			if w, err = strconv.ParseUint(a, 0, 32); err != nil {
				return fmt.Errorf("%q is not a 32-bit word", a)
			}
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
	if len(args) != 1 {
		return errors.New("want one file")
	}
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
