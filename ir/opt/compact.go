package opt

import "emu/ir"

// Compact removes the NOPs when they are more than a quarter (rule 4.1). It
// assumes nothing.
func Compact(_ *Work, f *ir.Func) {
	if f.Sparse() {
		f.Compact()
	}
}
