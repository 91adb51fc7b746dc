package translate

import "emu/ir"

// Structures of three elements (LD3 and ST3). Memory chunk r holds in lane s the
// element n = r*L + s of the stream, L lanes to a chunk: element n%3 of structure
// n/3. As 3 and L have no common factor, the elements with the same n%3 stand in
// different lanes in all chunks. So one merge by bit masks collects them in one
// vector and one byte shuffle brings them in order, and the other way round for
// stores.

// chunkMask has ones in the lanes of chunk r that hold element k of a structure.
func (s *structures) chunkMask(r, k int) ir.Value {
	size := s.ty.Lane().Bytes()
	var b [16]byte
	for p := range b {
		if (16*r+p)/size%3 == k {
			b[p] = 0xff
		}
	}
	return s.bytesConst(b)
}

// bytesConst is a constant vector of bytes in memory order.
func (s *structures) bytesConst(b [16]byte) ir.Value {
	var half [2]uint64
	for p, x := range b {
		half[p/8] |= uint64(x) << (p % 8 * 8)
	}
	return s.Const128(ir.V16I8, half[0], half[1])
}

// none is an index that gives zero in a byte shuffle.
const none = 0xff

// gatherIndex shuffles the merged elements k into order.
func (s *structures) gatherIndex(k int) ir.Value {
	size := s.ty.Lane().Bytes()
	var b [16]byte
	for p := range b {
		b[p] = none
		if p < s.bytes {
			b[p] = byte((p/size*3+k)*size+p%size) % 16
		}
	}
	return s.bytesConst(b)
}

// spreadIndex is the inverse of gatherIndex.
func (s *structures) spreadIndex(k int) ir.Value {
	size := s.ty.Lane().Bytes()
	var b [16]byte
	for p := range b {
		b[p] = none
	}
	for p := range s.bytes {
		b[((p/size*3+k)*size+p%size)%16] = byte(p)
	}
	return s.bytesConst(b)
}

func (s *structures) load3() (v [4]ir.Value) {
	m := s.chunks()
	for r := range (3*s.bytes + 15) / 16 {
		m[r] = s.Bitcast(ir.V16I8, m[r])
	}
	for k := range 3 {
		x := m[1]
		if s.bytes == 16 {
			x = s.op3(ir.OpBsl, ir.V16I8, s.chunkMask(1, k), x, m[2])
		}
		x = s.op3(ir.OpBsl, ir.V16I8, s.chunkMask(0, k), m[0], x)
		v[k] = s.op2(ir.OpTbl, ir.V16I8, x, s.gatherIndex(k))
	}
	return v
}

func (s *structures) store3(v [4]ir.Value) {
	for k := range 3 {
		v[k] = s.op2(ir.OpTbl, ir.V16I8, s.Bitcast(ir.V16I8, v[k]), s.spreadIndex(k))
	}
	total := 3 * s.bytes
	for off := 0; off < total; off += 16 {
		x := s.op3(ir.OpBsl, ir.V16I8, s.chunkMask(off/16, 1), v[1], v[2])
		x = s.op3(ir.OpBsl, ir.V16I8, s.chunkMask(off/16, 0), v[0], x)
		s.put(x, off, min(16, total-off))
	}
}

// lane1 replaces lane 1 of a by that of b.
func (s *structures) lane1(a, b ir.Value) ir.Value {
	return s.op3(ir.OpVInsL, s.ty, a, b, ir.Imm(1<<4+1))
}

// load3Doubles reads a0 b0, c0 a1, b1 c1.
func (s *structures) load3Doubles() (v [4]ir.Value) {
	m := s.chunks()
	v[0] = s.lane1(m[0], m[1])
	v[1] = s.op3(ir.OpExt, s.ty, m[0], m[2], ir.Imm(8))
	v[2] = s.lane1(m[1], m[2])
	return v
}

func (s *structures) store3Doubles(v [4]ir.Value) {
	s.put(s.op2(ir.OpZip1, s.ty, v[0], v[1]), 0, 16)
	s.put(s.lane1(v[2], v[0]), 16, 16)
	s.put(s.op2(ir.OpZip2, s.ty, v[1], v[2]), 32, 16)
}
