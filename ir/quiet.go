package ir

// Quiet twins. SVE's saturating instructions do not set FPSR.QC, so what the
// operations with SetsQC compute is a pure function there: each has a twin that is
// Pure, with the same operands and evaluation.

// Quiet is the pure twin of an operation that sets FPSR.QC.
func (op Op) Quiet() Op {
	if !op.Has(SetsQC) {
		panic("BUG: ir: " + op.String() + " has no quiet twin")
	}
	return op - OpSQAdd + firstQuiet
}

// Loud is the operation that op is the quiet twin of, op itself if it is none.
func (op Op) Loud() Op {
	if op >= firstQuiet && op < NumOps {
		return op - firstQuiet + OpSQAdd
	}
	return op
}

var quietOps = buildQuiet()

func buildQuiet() (rows []Row) {
	for _, r := range vecOps {
		if r.Flags&SetsQC == 0 {
			continue
		}
		if r.Op != OpSQAdd+Op(len(rows)) {
			panic("BUG: ir: " + r.Name + " is not among OpSQAdd to OpSQXtUN")
		}
		rows = append(rows, Row{
			Op: firstQuiet + Op(len(rows)), Name: r.Name + "_q", Args: r.Args, Ret: r.Ret,
			Flags: Pure, Eval: quiet(r.Eval), Doc: "`" + r.Name + "` that leaves FPSR.QC alone",
		})
	}
	return rows
}

func quiet(eval EvalFunc) EvalFunc {
	return func(e *Env, t, at Type, a, b, c Val) Val {
		old := e.FPSR
		r := eval(e, t, at, a, b, c)
		e.FPSR = old
		return r
	}
}
