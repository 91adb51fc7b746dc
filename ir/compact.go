package ir

// Sparse reports whether more than a quarter of the instructions are NOPs, at
// which point a compaction pays (rule 4.1).
func (f *Func) Sparse() bool { return 4*f.nops > len(f.Insts) }

// Compact removes the NOPs and renames the values so that they are contiguous
// again (rule 4.1). Every Value that a caller holds is void afterwards.
func (f *Func) Compact() {
	if f.nops == 0 {
		return
	}
	name := make([]Value, len(f.Insts))
	next := 0
	for n, i := range f.Insts {
		if i.Op() == OpNop {
			continue
		}
		name[n] = Value(next)
		var args [3]Value
		for k := range args {
			v := i.Arg(k)
			if v.IsSSA() {
				v = name[v] // defined earlier, so it has its new name
			}
			args[k] = v
		}
		f.Insts[next], f.Types[next], f.Uses[next] = MakeInst(i.Op(), args[0], args[1], args[2]), f.Types[n], f.Uses[n]
		next++
	}
	f.Insts, f.Types, f.Uses = f.Insts[:next], f.Types[:next], f.Uses[:next]
	f.nops = 0
}
