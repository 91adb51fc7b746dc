package jit

import (
	"fmt"
	"io"

	"emu/ir"
	"emu/jit/host"
)

// Show prints the host code of f as this machine would run it, each exit and
// literal included.
func Show(f *ir.Func, w io.Writer) error {
	if !haveBackend {
		return nil
	}
	b := newBackend()
	var code host.Code
	if err := b.Compile(f, host.Options{Features: hostFeatures()}, &code); err != nil {
		return err
	}
	for _, line := range b.Disasm(code.Bytes, 0) {
		fmt.Fprintln(w, line)
	}
	return nil
}
