package translate_test

import (
	"encoding/binary"
	"math/rand/v2"
	"strings"
	"testing"

	"emu/decoder"
	"emu/tests/diff"
)

// An access that crosses into a page that is not there faults where it does in
// qemu-aarch64 and changes no register: the base of the post-index forms stays,
// and the registers of a structure or pair stay (qemu has loaded some of them by
// then; the Arm ARM leaves them UNKNOWN).
func TestSIMDFaultInTheMiddle(t *testing.T) {
	q, e := diff.NewQemu(t), diff.NewInterp(t)
	r := rand.New(rand.NewPCG(6, 1))
	var cases []diff.Case
	for _, op := range simdOps() {
		if g := op.Group(); !strings.HasPrefix(g, "asisdls") && g != "ldstpair_post" && g != "ldst_immpost" {
			continue
		}
		for range simdCases() {
			c := diff.RandomCase(op, r)
			diff.SIMDCorners(&c.In, r)
			target := diff.MemBase + diff.MemPage - uint64(1+r.IntN(32))
			if rn := decoder.Decode(c.Words[0]).Rn(); rn == 31 {
				c.In.SP = target &^ 15
			} else {
				c.In.X[rn] = target
			}
			cases = append(cases, c)
		}
	}
	want := q.Run(t, cases)
	got := e.Run(t, cases)
	faults := 0
	for n := range cases {
		in, w, g := &cases[n].In, &want[n], &got[n]
		if w.Sig != g.Sig {
			t.Errorf("%08x: signal %d, want %d", cases[n].Words, g.Sig, w.Sig)
		}
		if w.Sig != 11 {
			continue
		}
		faults++
		if page := uint64(diff.MemBase + diff.MemPage); w.Addr != page || g.Addr&^15 != page { // some byte of the access
			t.Errorf("%08x: fault at %#x, qemu's at %#x", cases[n].Words, g.Addr, w.Addr)
		}
		if g.X != in.X || g.SP != in.SP || g.V != in.V || g.PC != diff.CodeStart {
			t.Errorf("%08x: registers changed", cases[n].Words)
		}
	}
	if faults < len(cases)/8 {
		t.Errorf("only %d of %d cases fault", faults, len(cases))
	}
}

// The ordered loads and stores of FEAT_LRCPC3, which qemu-aarch64 7.2 lacks,
// transfer what their plain counterparts do.
func TestOrderedSIMD(t *testing.T) {
	plain := map[decoder.Op]decoder.Op{
		decoder.LDAPUR_B_ldapstl_simd: decoder.LDUR_B_ldst_unscaled, decoder.STLUR_B_ldapstl_simd: decoder.STUR_B_ldst_unscaled,
		decoder.LDAPUR_H_ldapstl_simd: decoder.LDUR_H_ldst_unscaled, decoder.STLUR_H_ldapstl_simd: decoder.STUR_H_ldst_unscaled,
		decoder.LDAPUR_S_ldapstl_simd: decoder.LDUR_S_ldst_unscaled, decoder.STLUR_S_ldapstl_simd: decoder.STUR_S_ldst_unscaled,
		decoder.LDAPUR_D_ldapstl_simd: decoder.LDUR_D_ldst_unscaled, decoder.STLUR_D_ldapstl_simd: decoder.STUR_D_ldst_unscaled,
		decoder.LDAPUR_Q_ldapstl_simd: decoder.LDUR_Q_ldst_unscaled, decoder.STLUR_Q_ldapstl_simd: decoder.STUR_Q_ldst_unscaled,
		decoder.LDAP1_asisdlso_D1: decoder.LD1_asisdlso_D1_1d, decoder.STL1_asisdlso_D1: decoder.ST1_asisdlso_D1_1d,
	}
	e := diff.NewInterp(t)
	r := rand.New(rand.NewPCG(7, 1))
	var ordered, counterpart []diff.Case
	for op, other := range plain {
		for range 50 {
			c := diff.RandomCase(op, r)
			i := decoder.Decode(c.Words[0])
			base := diff.MemBase + 256 + 16*uint64(r.IntN(16))
			if op.Group() == "ldapstl_simd" { // aligned to 16 bytes
				base -= uint64(i.Imm9())
			}
			if i.Rn() == 31 {
				c.In.SP = base
			} else {
				c.In.X[i.Rn()] = base
			}
			diff.SIMDCorners(&c.In, r)
			ordered = append(ordered, c)
			c.Words = []uint32{c.Words[0]&^decoder.RowOf(op).Mask | decoder.RowOf(other).Value}
			if got := decoder.Decode(c.Words[0]).Op; got != other {
				t.Fatalf("%v became %v, not %v", op, got, other)
			}
			counterpart = append(counterpart, c)
		}
	}
	diff.Compare(t, ordered, e.Run(t, counterpart), e.Run(t, ordered))
}

// A misaligned ordered access is an alignment fault.
func TestOrderedSIMDAligned(t *testing.T) {
	in := diff.RandomState(rand.New(rand.NewPCG(8, 1)))
	in.X[1] = diff.MemBase + 257
	c := []diff.Case{{Words: []uint32{enc(decoder.LDAPUR_D_ldapstl_simd, 0, 1, 0)}, In: in}}
	if got := diff.NewInterp(t).Run(t, c)[0]; got.Sig != 7 || got.Addr != diff.MemBase+257 || got.V != in.V {
		t.Errorf("signal %d at address %#x", got.Sig, got.Addr)
	}
}

// LD2 to LD4 take structures apart and ST2 to ST4 put them together: with the
// numbers 0, 1, 2 ... in memory element k of structure j is n*j + k.
func TestStructureOrder(t *testing.T) {
	e := diff.NewInterp(t)
	loads := map[uint64]decoder.Op{2: decoder.LD2_asisdlse_R2, 3: decoder.LD3_asisdlse_R3, 4: decoder.LD4_asisdlse_R4}
	stores := map[uint64]decoder.Op{2: decoder.ST2_asisdlse_R2, 3: decoder.ST3_asisdlse_R3, 4: decoder.ST4_asisdlse_R4}
	for n := range loads {
		for size := range uint32(4) {
			for q := range uint32(2) {
				if size == 3 && q == 0 {
					continue
				}
				shape := q<<30 | size<<10
				in := diff.RandomState(rand.New(rand.NewPCG(9, 1)))
				in.X[1], in.X[2] = diff.MemBase, diff.MemBase+512
				elems := n * (8 << q >> size)
				clear(in.Mem[:])
				for k := range elems {
					binary.LittleEndian.PutUint16(in.Mem[k<<size:], uint16(k)) // at most 64
				}
				c := []diff.Case{{In: in, Words: []uint32{enc(loads[n], 30, 1, 0) | shape, enc(stores[n], 30, 2, 0) | shape}}}
				got := e.Run(t, c)[0]
				for k := range elems {
					reg, at := (30+k%n)%32, k/n<<size
					var b [16]byte
					binary.LittleEndian.PutUint64(b[:], got.V[reg][0])
					binary.LittleEndian.PutUint64(b[8:], got.V[reg][1])
					if b[at] != byte(k) {
						t.Fatalf("LD%d size %d Q %d: element %d is %d", n, size, q, k, b[at])
					}
				}
				if bytes := elems << size; [512]byte(got.Mem[512:]) != [512]byte(append(in.Mem[:bytes:bytes], in.Mem[512+bytes:]...)) {
					t.Errorf("ST%d size %d Q %d stores %x", n, size, q, got.Mem[512:512+bytes])
				}
			}
		}
	}
}
