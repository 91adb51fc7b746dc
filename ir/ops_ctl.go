package ir

// ctlOps: control: structured scopes, block arguments, exits (seeds 000 and 003).
var ctlOps = []Row{
	{Op: OpNop, Name: "nop", Args: "", Ret: "-", Flags: 0, Doc: "no operation; what a deleted instruction becomes"},
	{Op: OpIf, Name: "if", Args: "b", Ret: "-", Flags: Scope, Doc: "opens the then arm; taken when the condition is true"},
	{Op: OpElse, Name: "else", Args: "", Ret: "-", Flags: Scope, Doc: "closes the then arm and opens the else arm"},
	{Op: OpLoop, Name: "loop", Args: "*", Ret: "-", Flags: Scope, Doc: "opens a loop; operands are the initial loop arguments"},
	{Op: OpBlock, Name: "block", Args: "", Ret: "-", Flags: Scope, Doc: "opens a scope that BREAK can leave"},
	{Op: OpBlockArg, Name: "blockarg", Args: "#", Ret: "X", Flags: Scope, Doc: "the nth argument of the enclosing loop; only first in its body"},
	{Op: OpYield, Name: "yield", Args: "*", Ret: "-", Flags: Terminator, Doc: "ends an arm of IF (or a BLOCK) and passes values to its MERGE"},
	{Op: OpBreak, Name: "break", Args: "#*", Ret: "-", Flags: Terminator, Doc: "leaves the nth enclosing LOOP or BLOCK (0 = innermost), passing values to its MERGE"},
	{Op: OpContinue, Name: "continue", Args: "#*", Ret: "-", Flags: Terminator, Doc: "goes to the header of the nth enclosing LOOP with new arguments"},
	{Op: OpMerge, Name: "merge", Args: "", Ret: "X", Flags: Scope, Doc: "closes a scope that is left normally and defines its first result (void if it has none)"},
	{Op: OpEndBlock, Name: "end_block", Args: "", Ret: "-", Flags: Scope, Doc: "closes a scope that nothing falls out of, and every LOOP body"},
	{Op: OpArgExt, Name: "arg_ext", Args: "*", Ret: "-", Flags: Extension, Doc: "three more operands for the next instruction"},
	{Op: OpDefExt, Name: "def_ext", Args: "V", Ret: "X", Flags: Extension, Doc: "one more result of the MERGE before it"},
	{Op: OpReturn, Name: "return", Args: "*", Ret: "-", Flags: Terminator, Doc: "leaves the function with a value (fixtures and inlining; guest code ends in exits)"},
	{Op: OpInsn, Name: "insn", Args: "#", Ret: "-", Flags: Effect, Doc: "guest instruction boundary: from here on faults belong to this pc; the safe point's guest state is that of the SETs so far"},
	{Op: OpJump, Name: "jump", Args: "#", Ret: "-", Flags: Terminator, Doc: "direct branch to a guest pc; linkable"},
	{Op: OpJumpIf, Name: "jump_if", Args: "b##", Ret: "-", Flags: Terminator, Doc: "branches to the first pc when true, else to the second; both linkable"},
	{Op: OpJumpInd, Name: "jump_ind", Args: "i", Ret: "-", Flags: Terminator, Doc: "branch to the guest pc in a register (BR)"},
	{Op: OpCall, Name: "call", Args: "##", Ret: "-", Flags: Terminator, Doc: "direct call: target pc, return pc (BL; the link register is set before)"},
	{Op: OpCallInd, Name: "call_ind", Args: "i#", Ret: "-", Flags: Terminator, Doc: "indirect call: target, return pc (BLR)"},
	{Op: OpRet, Name: "ret", Args: "i", Ret: "-", Flags: Terminator, Doc: "return to the guest pc (RET)"},
	{Op: OpExit, Name: "exit", Args: "##", Ret: "-", Flags: Terminator, Doc: "leaves to the dispatcher: cpu.ExitKind, pc of the state"},
	{Op: OpExitArg, Name: "exit_arg", Args: "##V", Ret: "-", Flags: Terminator, Doc: "the same with a value for Exit.Arg[0]"},
	{Op: OpPoll, Name: "poll", Args: "#", Ret: "-", Flags: Effect, Doc: "safe point: leaves with ExitPoll at this pc when State.Pending is set"},
}
