package x64

// KXX emits op dst, s1, s2: VPCMPEQBK, VPTESTMD.
func (b *Buffer) KXX(op Op, dst K, s1, s2 Xmm) {
	c := op.row().rm
	if c&regShape != gK|hX|eX {
		op.noForm("KXX")
	}
	b.rr(op, c, uint8(dst), uint8(s1), uint8(s2))
}

// KXM is KXX with the second source in memory.
func (b *Buffer) KXM(op Op, dst K, s1 Xmm, m Mem) {
	c := op.row().rm
	if c&memShape != gK|hX|mm {
		op.noForm("KXM")
	}
	b.rm(op, c, uint8(dst), uint8(s1), m, 0)
}

// KXXI emits op dst, s1, s2, imm: VPCMPDK, VCMPPSK.
func (b *Buffer) KXXI(op Op, dst K, s1, s2 Xmm, imm uint8) {
	c := op.row().rm
	if c&regShape != gK|hX|eX|ib {
		op.noForm("KXXI")
	}
	b.rr(op, c, uint8(dst), uint8(s1), uint8(s2))
	b.Byte(imm)
}

// KXMI is KXXI with the second source in memory.
func (b *Buffer) KXMI(op Op, dst K, s1 Xmm, m Mem, imm uint8) {
	c := op.row().rm
	if c&memShape != gK|hX|mm|ib {
		op.noForm("KXMI")
	}
	b.rm(op, c, uint8(dst), uint8(s1), m, 1)
	b.Byte(imm)
}

// KXI emits op dst, src, imm: VFPCLASSx.
func (b *Buffer) KXI(op Op, dst K, src Xmm, imm uint8) {
	c := op.row().rm
	if c&regShape != gK|eX|ib {
		op.noForm("KXI")
	}
	b.rr(op, c, uint8(dst), 0, uint8(src))
	b.Byte(imm)
}

// KMI is KXI on memory.
func (b *Buffer) KMI(op Op, dst K, m Mem, imm uint8) {
	c := op.row().rm
	if c&memShape != gK|mm|ib {
		op.noForm("KMI")
	}
	b.rm(op, c, uint8(dst), 0, m, 1)
	b.Byte(imm)
}

// KX emits op dst, src: VPMOVB2M.
func (b *Buffer) KX(op Op, dst K, src Xmm) {
	c := op.row().rm
	if c&regShape != gK|eX {
		op.noForm("KX")
	}
	b.rr(op, c, uint8(dst), 0, uint8(src))
}

// XK emits op dst, src: VPMOVM2B.
func (b *Buffer) XK(op Op, dst Xmm, src K) {
	c := op.row().rm
	if c&regShape != gX|eK {
		op.noForm("XK")
	}
	b.rr(op, c, uint8(dst), 0, uint8(src))
}

// KK emits op dst, src: KMOVW, KNOTW, KORTESTW.
func (b *Buffer) KK(op Op, dst, src K) {
	c := op.row().rm
	if c&regShape != gK|eK {
		op.noForm("KK")
	}
	b.rr(op, c, uint8(dst), 0, uint8(src))
}

// KKK emits op dst, s1, s2: KANDW.
func (b *Buffer) KKK(op Op, dst, s1, s2 K) {
	c := op.row().rm
	if c&regShape != gK|hK|eK {
		op.noForm("KKK")
	}
	b.rr(op, c, uint8(dst), uint8(s1), uint8(s2))
}

// KKI emits op dst, src, imm: KSHIFTLW.
func (b *Buffer) KKI(op Op, dst, src K, imm uint8) {
	c := op.row().rm
	if c&regShape != gK|eK|ib {
		op.noForm("KKI")
	}
	b.rr(op, c, uint8(dst), 0, uint8(src))
	b.Byte(imm)
}

// KM emits op dst, [m]: KMOVW.
func (b *Buffer) KM(op Op, dst K, m Mem) {
	c := op.row().rm
	if c&memShape != gK|mm {
		op.noForm("KM")
	}
	b.rm(op, c, uint8(dst), 0, m, 0)
}

// MK emits op [m], src: KMOVW.
func (b *Buffer) MK(op Op, m Mem, src K) {
	c := op.row().mr
	if c&memShape != gK|mm {
		op.noForm("MK")
	}
	b.rm(op, c, uint8(src), 0, m, 0)
}

// KR emits op dst, src: KMOVWR from a general register.
func (b *Buffer) KR(op Op, dst K, src Reg) {
	c := op.row().rm
	if c&regShape != gK|eR {
		op.noForm("KR")
	}
	b.rr(op, c, uint8(dst), 0, uint8(src))
}

// RK emits op dst, src: KMOVWR to a general register.
func (b *Buffer) RK(op Op, dst Reg, src K) {
	c := op.row().mi
	if c&regShape != gR|eK {
		op.noForm("RK")
	}
	b.rr(op, c, uint8(dst), 0, uint8(src))
}
