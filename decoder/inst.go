// Package decoder turns A64 instruction words into Inst values and prints them.
//
// Everything here derives from one table, in a64.tbl and sve*.tbl, with one row an
// encoding (named as in Arm's machine-readable architecture specification): the
// decision tree, the Op constants, the operand accessors, the disassembler, the
// generator of random instructions and the coverage page.
package decoder

// Op identifies one encoding of the A64 instruction set, for example
// ADD_64_addsub_imm. The zero value, UNALLOCATED, stands for every word that
// no row of the table matches or whose operand values are UNDEFINED.
type Op uint16

// Inst is one decoded instruction. It is a small value: operands stay in the
// word and are read by the accessors below (a field has the same name as in the
// Arm ARM's encoding diagrams).
type Inst struct {
	Op   Op
	Word uint32
}

// Bits returns bits hi..lo of the word, right-aligned.
func (i Inst) Bits(hi, lo uint) uint32 { return i.Word >> lo & (1<<(hi-lo+1) - 1) }

// Bit returns bit n of the word as 0 or 1.
func (i Inst) Bit(n uint) uint32 { return i.Word >> n & 1 }

// The register fields sit at the same place in every A64 encoding that has them.

// Rd is the destination register field, bits 4:0.
func (i Inst) Rd() uint32 { return i.Word & 31 }

// Rt is the transfer register field of loads, stores and compare-and-branch, bits 4:0.
func (i Inst) Rt() uint32 { return i.Word & 31 }

// Rn is the first source or base register field, bits 9:5.
func (i Inst) Rn() uint32 { return i.Word >> 5 & 31 }

// Rm is the second source or index register field, bits 20:16.
func (i Inst) Rm() uint32 { return i.Word >> 16 & 31 }

// Rs is the status or compare register field of exclusives and atomics, bits 20:16.
func (i Inst) Rs() uint32 { return i.Word >> 16 & 31 }

// Ra is the addend register field, bits 14:10.
func (i Inst) Ra() uint32 { return i.Word >> 10 & 31 }

// Rt2 is the second transfer register field of pairs, bits 14:10.
func (i Inst) Rt2() uint32 { return i.Word >> 10 & 31 }

// Imm12 is the unsigned 12-bit immediate of ADD/SUB and scaled loads, bits 21:10.
func (i Inst) Imm12() uint32 { return i.Word >> 10 & 0xfff }

// Imm9 is the signed 9-bit offset of unscaled loads and stores, bits 20:12.
func (i Inst) Imm9() int64 { return int64(int32(i.Word<<11) >> 23) }

// Imm7 is the signed, unscaled 7-bit offset of pairs, bits 21:15.
func (i Inst) Imm7() int64 { return int64(int32(i.Word<<10) >> 25) }

// Imm16 is the 16-bit immediate of MOVZ/MOVK/MOVN and exception generation, bits 20:5.
func (i Inst) Imm16() uint32 { return i.Word >> 5 & 0xffff }

// Imm26 is the branch offset of B and BL in bytes, bits 25:0 times 4, signed.
func (i Inst) Imm26() int64 { return int64(int32(i.Word<<6)>>6) * 4 }

// Imm19 is the branch or literal offset in bytes, bits 23:5 times 4, signed.
func (i Inst) Imm19() int64 { return int64(int32(i.Word<<8)>>13) * 4 }

// Imm14 is the offset of TBZ and TBNZ in bytes, bits 18:5 times 4, signed.
func (i Inst) Imm14() int64 { return int64(int32(i.Word<<13)>>18) * 4 }
