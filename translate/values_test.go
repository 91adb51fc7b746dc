package translate_test

import (
	"encoding/binary"
	"testing"

	"emu/decoder"
	"emu/tests/diff"
)

// at is where the tests of this file access memory, with this offset in it.
const (
	offset = 256
	at     = diff.MemBase + offset
)

type regs map[int]uint64 // by number; 31 is SP

// enc is the word of an encoding with the register fields Rd/Rt, Rn and Rm/Rs.
func enc(op decoder.Op, d, n, m uint32) uint32 {
	return decoder.RowOf(op).Value | decoder.RowOf(op).ShouldValue | m<<16 | n<<5 | d
}

// Instructions that qemu-aarch64 7.2 lacks or does not do as an ordinary
// processor; the values are worked out from the Arm ARM.
func TestValues(t *testing.T) {
	const minimum = 1 << 63
	imm8 := func(v int8) uint32 { return uint32(uint8(v)) << 10 }
	tests := []struct {
		name     string
		words    []uint32
		nzcv     uint32
		x        regs
		mem      []uint64 // at offset
		want     regs
		wantMem  []uint64
		wantNZCV uint32
		sig      uint32 // 0 means the normal end
		pc       int64  // after CodeStart, if not the end
	}{
		{name: "ABS", words: []uint32{enc(decoder.ABS_64_dp_1src, 0, 1, 0), enc(decoder.ABS_32_dp_1src, 2, 3, 0), enc(decoder.ABS_64_dp_1src, 4, 5, 0)},
			x: regs{1: ^uint64(6), 3: 0xffff_ffff_8000_0000, 5: minimum}, want: regs{0: 7, 2: 0x8000_0000, 4: minimum}},
		{name: "CNT", words: []uint32{enc(decoder.CNT_64_dp_1src, 0, 1, 0), enc(decoder.CNT_32_dp_1src, 2, 1, 0)},
			x: regs{1: 0xff00_0000_0000_00f1}, want: regs{0: 13, 2: 5}},
		{name: "CTZ", words: []uint32{enc(decoder.CTZ_64_dp_1src, 0, 1, 0), enc(decoder.CTZ_32_dp_1src, 2, 1, 0), enc(decoder.CTZ_64_dp_1src, 3, 31, 0)},
			x: regs{1: 1 << 40}, want: regs{0: 40, 2: 32, 3: 64}},
		{name: "SMAX UMIN", words: []uint32{enc(decoder.SMAX_64_dp_2src, 0, 1, 2), enc(decoder.UMAX_64_dp_2src, 3, 1, 2), enc(decoder.SMIN_32_dp_2src, 4, 1, 2), enc(decoder.UMIN_32_dp_2src, 5, 1, 2)},
			x: regs{1: ^uint64(0), 2: 7}, want: regs{0: 7, 3: ^uint64(0), 4: 0xffff_ffff, 5: 7}},
		{name: "SMAX UMIN (immediate)", words: []uint32{enc(decoder.SMAX_64_minmax_imm, 0, 1, 0) | imm8(-1), enc(decoder.UMAX_64U_minmax_imm, 2, 1, 0) | imm8(-1), enc(decoder.SMIN_32_minmax_imm, 3, 1, 0) | imm8(-2), enc(decoder.UMIN_32U_minmax_imm, 4, 1, 0) | imm8(-2)},
			x: regs{1: ^uint64(4)}, want: regs{0: ^uint64(0), 2: ^uint64(4), 3: 0xffff_fffb, 4: 254}},
		{name: "BC.EQ taken", words: []uint32{decoder.RowOf(decoder.BC_only_condbranch).Value | 2<<5, 0xd2800020, 0xd2800041}, nzcv: 1 << 30, // mov x0,#1; mov x1,#2
			x: regs{0: 9}, want: regs{0: 9, 1: 2}, wantNZCV: 1 << 30},
		{name: "WFET", words: []uint32{enc(decoder.WFET_only_systeminstrswithreg, 1, 0, 0), 0xd2800020}, want: regs{0: 1}},
		{name: "RPRFM", words: []uint32{enc(decoder.RPRFM_R_ldst_regoff, 24, 1, 2) | 2<<13}, x: regs{1: 0}, want: regs{1: 0}},
		{name: "DSB nXS", words: []uint32{decoder.RowOf(decoder.DSB_BOn_barriers).Value}},

		{name: "LDAPR writeback", words: []uint32{enc(decoder.LDAPR_64L_ldapstl_writeback, 0, 1, 0), enc(decoder.LDAPR_32L_ldapstl_writeback, 2, 1, 0)},
			x: regs{1: at}, mem: []uint64{11, 0xffff_ffff_0000_0022}, want: regs{0: 11, 1: at + 12, 2: 0x22}},
		{name: "STLR writeback", words: []uint32{enc(decoder.STLR_64S_ldapstl_writeback, 0, 1, 0), enc(decoder.STLR_32S_ldapstl_writeback, 0, 1, 0)},
			x: regs{0: 0x1_0000_0005, 1: at + 16}, mem: []uint64{^uint64(0), 0}, want: regs{1: at + 4}, wantMem: []uint64{0x5_ffff_ffff, 0x1_0000_0005}},
		{name: "LDIAPP", words: []uint32{enc(decoder.LDIAPP_64LS_ldiappstilp, 0, 1, 2), enc(decoder.LDIAPP_32L_ldiappstilp, 3, 1, 4)},
			x: regs{1: at}, mem: []uint64{1, 2, 0x4_0000_0003}, want: regs{0: 1, 2: 2, 1: at + 16, 3: 3, 4: 4}},
		{name: "STILP", words: []uint32{enc(decoder.STILP_64SS_ldiappstilp, 0, 1, 2), enc(decoder.STILP_32S_ldiappstilp, 2, 1, 0)},
			x: regs{0: 1, 2: 2, 1: at + 24}, mem: []uint64{9, 9, 9}, want: regs{1: at + 8}, wantMem: []uint64{9, 0x1_0000_0002, 2}},
		{name: "STILP misaligned", words: []uint32{enc(decoder.STILP_64S_ldiappstilp, 0, 1, 2)}, x: regs{1: at + 4}, want: regs{1: at + 4}, sig: 7},

		{name: "SWPP", words: []uint32{enc(decoder.SWPPAL_128_memop_128, 0, 1, 2)}, x: regs{0: 5, 1: at, 2: 6}, mem: []uint64{7, 8},
			want: regs{0: 7, 2: 8}, wantMem: []uint64{5, 6}},
		{name: "LDCLRP", words: []uint32{enc(decoder.LDCLRP_128_memop_128, 0, 1, 2)}, x: regs{0: 0xf0, 1: at, 2: 0x0f}, mem: []uint64{0x1ff, 0x1ff},
			want: regs{0: 0x1ff, 2: 0x1ff}, wantMem: []uint64{0x10f, 0x1f0}},
		{name: "LDSETP", words: []uint32{enc(decoder.LDSETPA_128_memop_128, 0, 1, 2)}, x: regs{0: 0xf0, 1: at, 2: 0x0f}, mem: []uint64{1, 0x10},
			want: regs{0: 1, 2: 0x10}, wantMem: []uint64{0xf1, 0x1f}},
		{name: "LDSETP misaligned", words: []uint32{enc(decoder.LDSETPA_128_memop_128, 0, 1, 2)}, x: regs{1: at + 8}, want: regs{1: at + 8}, sig: 7},

		{name: "DC ZVA", words: []uint32{0xd50b7421}, x: regs{1: at + 70}, mem: []uint64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17},
			wantMem: []uint64{1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0, 0, 0, 0, 0, 0, 17}},
		{name: "DC CVAP", words: []uint32{0xd50b7c21}, x: regs{1: at}},
		{name: "DC CVAU of no memory", words: []uint32{0xd50b7b21}, x: regs{1: 0x3_0000_0000}, sig: 11},
		{name: "MRS DCZID_EL0, CTR_EL0", words: []uint32{0xd53b00e0, 0xd53b0021}, want: regs{0: 4, 1: 0x9444c004}},
		{name: "MRS CNTFRQ_EL0", words: []uint32{0xd53be000}, want: regs{0: 1e9}},
		{name: "MRS of a missing register", words: []uint32{0xd53b42e0}, x: regs{0: 3}, want: regs{0: 3}, sig: 4}, // TCO
		{name: "MSR DIT, SSBS and MRS", words: []uint32{0xd51b42a1, 0xd53b42a2, 0xd503413f, 0xd53b42c3, 0xd503405f, 0xd53b42a4},
			x: regs{1: ^uint64(0)}, want: regs{1: ^uint64(0), 2: 1 << 24, 3: 1 << 12, 4: 0}}, // MSR SSBS, #1; MSR DIT, #0
		{name: "MSR UAO, #1", words: []uint32{0xd500417f}, sig: 4},
		{name: "pointer authentication hints, keys off", words: []uint32{0xd503233f, 0xd50323bf, 0xd50320ff}, x: regs{30: 0x1234}, want: regs{30: 0x1234}},
		{name: "fetch from nowhere", words: []uint32{0xd61f0020}, x: regs{1: 0x3_0000_0000}, sig: 11, pc: 0x3_0000_0000 - diff.CodeStart},
		{name: "misaligned PC", words: []uint32{0xd61f0020}, x: regs{1: diff.CodeStart + 6}, sig: 7, pc: 6},
		{name: "BLR X30", words: []uint32{0xd63f03c0}, x: regs{30: diff.CodePage}, want: regs{30: diff.CodeStart + 4}, sig: 5, pc: diff.CodePage - diff.CodeStart},

		{name: "LDP leaves the base on a fault", words: []uint32{0xa9c10420}, x: regs{1: diff.MemBase + diff.MemPage - 24, 0: 5}, want: regs{1: diff.MemBase + diff.MemPage - 24, 0: 5}, sig: 11},
	}
	e := diff.NewInterp(t)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := diff.Case{Words: tt.words}
			c.In.NZCV, c.In.SP = tt.nzcv, diff.MemBase
			for n, v := range tt.x {
				c.In.X[n] = v
			}
			for n, v := range tt.mem {
				binary.LittleEndian.PutUint64(c.In.Mem[offset+8*n:], v)
			}
			got := e.Run(t, []diff.Case{c})[0]
			for n, v := range tt.want {
				if got.X[n] != v {
					t.Errorf("x%d = %#x, want %#x", n, got.X[n], v)
				}
			}
			for n, v := range tt.wantMem {
				if m := binary.LittleEndian.Uint64(got.Mem[offset+8*n:]); m != v {
					t.Errorf("memory +%d = %#x, want %#x", 8*n, m, v)
				}
			}
			sig, pc := tt.sig, tt.pc
			switch {
			case sig == 0:
				sig, pc = 5, int64(4*len(tt.words))
			case pc == 0:
				pc = int64(4 * (len(tt.words) - 1))
			}
			if got.Sig != sig || got.PC != uint64(diff.CodeStart+pc) {
				t.Errorf("signal %d at %#x, want %d at %#x", got.Sig, got.PC, sig, uint64(diff.CodeStart+pc))
			}
			if got.NZCV != tt.wantNZCV {
				t.Errorf("nzcv = %#x, want %#x", got.NZCV, tt.wantNZCV)
			}
		})
	}
}
