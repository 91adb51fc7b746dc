package opt

import "emu/ir"

// ConstFold evaluates pure operations on constants, propagates the results,
// removes arms that are never taken and shares values that are computed twice.
// It assumes nothing.
func ConstFold(w *Work, f *ir.Func) { w.again(f) }
