package jit

import "emu/cpu"

// Step is cpu.Stepper's: the interpreter executes the instruction.
func (d *Dispatcher) Step(s *cpu.State) cpu.Exit {
	if d.single == nil {
		d.single = newInterpreter(d.engine)
	}
	exit := d.single.Step(s)
	if exit.Kind == cpu.ExitSync {
		if line := exit.Arg[0]; line != 0 {
			d.engine.cache.Invalidate(line&^63, line&^63+64)
		}
		exit.Kind = cpu.ExitBranch
	}
	return exit
}

// Step is cpu.Stepper's.
func (r *interpreter) Step(s *cpu.State) cpu.Exit {
	for {
		exit := r.step(s)
		switch exit.Kind {
		case cpu.ExitMode, cpu.ExitHot:
			exit.Kind = cpu.ExitBranch
		case cpu.ExitSync:
			if r.engine.programs == nil {
				return exit // the compiler's cache is concerned
			}
			if line := exit.Arg[0]; line != 0 {
				r.engine.programs.invalidate(line&^63, line&^63+64)
			}
			exit.Kind = cpu.ExitBranch
		case cpu.ExitFault:
			if exit.Arg[1] != 0 && r.engine.mem.Unguard(exit.Arg[0], exit.Arg[0]+1) {
				continue
			}
		}
		return exit
	}
}
