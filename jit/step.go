package jit

import "emu/cpu"

// Step is cpu.Stepper's: the interpreter executes the instruction.
func (d *Dispatcher) Step(s *cpu.State) cpu.Exit {
	exit := d.stepper().Step(s)
	if exit.Kind == cpu.ExitSync {
		if line := exit.Arg[0]; line != 0 {
			d.engine.cache.Invalidate(line&^63, line&^63+64)
		}
		exit.Kind = cpu.ExitBranch
	}
	return exit
}

// stepper is the interpreter for single instructions.
func (d *Dispatcher) stepper() *interpreter {
	if d.single == nil {
		d.single = newInterpreter(d.engine)
	}
	return d.single
}

// Step is cpu.Stepper's.
func (r *interpreter) Step(s *cpu.State) cpu.Exit {
	for tries := 0; ; {
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
			if r.repeat(exit) {
				continue
			}
			const enough = 16 // what lies behind a file's end stays
			if mayBePast(exit) && tries < enough {
				tries++
				continue
			}
		}
		return exit
	}
}
