// Package x64 assembles x86-64 machine code for the JIT: table rows per
// instruction, labels, literals, relocations, CPU feature detection and a
// disassembler for dumps. It computes bytes only and runs on any host.
//
// # Naming
//
// An [Op] is an Intel mnemonic plus, for integer instructions, the operand
// width as a suffix: B (8), W (16), L (32), Q (64), as in ADDL, SHLQ, CMPXCHGW.
// Widening moves name source then destination: MOVZBL, MOVSLQ. Conversions
// between integers and floats end in the integer width: CVTSI2SDQ, CVTTSD2SIL.
// VEX and EVEX forms carry Intel's V prefix: ADDSD is the two-operand SSE form,
// VADDSD the three-operand AVX form. Vector moves that share a name with integer
// moves end in X: MOVDX is movd, MOVQX is movq between vector registers and
// memory, MOVQXR is movq between vector and general registers.
//
// An emit method is named after its operands in Intel order, destination first:
//
//	R general register   X vector register   K mask register
//	M memory             I immediate         C the CL register
//
//	b.RR(x64.ADDQ, x64.RAX, x64.RBX)             // add rax, rbx
//	b.RM(x64.MOVL, x64.RCX, x64.At(x64.RDI, 8))  // mov ecx, [rdi+8]
//	b.MR(x64.MOVQ, x64.At(x64.RDI, 8), x64.RCX)  // mov [rdi+8], rcx
//	b.RI(x64.SUBQ, x64.RSP, 24)                  // sub rsp, 24 (imm8 form chosen)
//	b.RC(x64.SHLQ, x64.RAX)                      // shl rax, cl
//	b.RRR(x64.SHLXQ, dst, src, count)            // shlx dst, src, count
//	b.Op(x64.CQO)                                // no operands
//	b.XX(x64.PADDD, dst, src)                    // paddd dst, src
//	b.XXX(x64.VPADDD, dst, s1, s2)               // vpaddd dst, s1, s2
//	b.XXMI(x64.VSHUFPS, dst, s1, mem, 0x1b)      // vshufps dst, s1, [mem], 0x1b
//	b.LockMR(x64.XADDQ, mem, src)                // lock xadd [mem], src
//	b.MovImm(x64.RAX, 0x123456789a)              // shortest move, flags kept
//	b.Jcc(x64.NE, label); b.Bind(label)
//	b.SetR(x64.LT, x64.RAX); b.CMovRR(x64.CMOVQ, x64.LT, dst, src)
//
// A method that the instruction has no form for panics with "BUG:"; so does a
// vector register above X15 in an instruction without an EVEX encoding.
//
// # Modifiers
//
// An Op value of the VEX and EVEX families can be refined before use:
// VPADDD.Mask(K1) merges under a mask, .MaskZ(K1) zeroes, .Y() and .Zmm() widen
// to 256 and 512 bits, VCVTSD2SIQ.Round(RoundDown) fixes the rounding mode of
// one scalar instruction regardless of MXCSR, and .SAE() suppresses exceptions.
// Registers X16..X31, masks and rounding select the EVEX encoding and need a
// CPU with [EVEX128]; everything else needs what [Op.Needs] says.
//
// # Labels and branches
//
// Backward branches take the short form when it reaches; forward branches are
// near unless the Short variant is asked for, which panics in Bind when the
// target is too far. JmpOpen and its kin align the displacement to four bytes
// so that another thread can be redirected by one atomic store; this needs the
// code to be installed at an address that is a multiple of four.
//
// # Adding an instruction
//
// Add a constant and its row to the rows_*.go file of the family; the operand
// letters are explained at enc. TestObjdump and TestX86asm pick the row up,
// emit it with many operands through the method that its shape asks for, and
// read it back. Families are numbered in families.go and hold at most 256 rows.
package x64
