package x64

// XX emits op dst, src.
func (b *Buffer) XX(op Op, dst, src Xmm) {
	r := op.row()
	if c := r.rm; c&regShape == gX|eX {
		b.rr(op, c, uint8(dst), 0, uint8(src))
	} else if c := r.mr; c&regShape == gX|eX {
		b.rr(op, c, uint8(src), 0, uint8(dst))
	} else {
		op.noForm("XX")
	}
}

// XM emits op dst, [m].
func (b *Buffer) XM(op Op, dst Xmm, m Mem) {
	c := op.row().rm
	if c&memShape != gX|mm {
		op.noForm("XM")
	}
	b.rm(op, c, uint8(dst), 0, m, 0)
}

// MX emits op [m], src: stores and narrowing stores.
func (b *Buffer) MX(op Op, m Mem, src Xmm) {
	c := op.row().mr
	if c&memShape != gX|mm {
		op.noForm("MX")
	}
	b.rm(op, c, uint8(src), 0, m, 0)
}

// XI emits op dst, imm: the SSE shifts.
func (b *Buffer) XI(op Op, dst Xmm, imm uint8) {
	c := op.row().mi
	if c&regShape != eX|ib {
		op.noForm("XI")
	}
	b.rr(op, c, c.digit(), 0, uint8(dst))
	b.Byte(imm)
}

// XXI emits op dst, src, imm: PSHUFD, SHUFPS, ROUNDSD, VPSLLD, VPERMILPS, VCVTPS2PH.
func (b *Buffer) XXI(op Op, dst, src Xmm, imm uint8) {
	r := op.row()
	if c := r.rm; c&regShape == gX|eX|ib {
		b.rr(op, c, uint8(dst), 0, uint8(src))
	} else if c := r.mi; c&regShape == hX|eX|ib {
		b.rr(op, c, c.digit(), uint8(dst), uint8(src))
	} else if c&regShape == gX|eX|ib {
		b.rr(op, c, uint8(dst), 0, uint8(src))
	} else if c := r.mr; c&regShape == gX|eX|ib {
		b.rr(op, c, uint8(src), 0, uint8(dst))
	} else {
		op.noForm("XXI")
	}
	b.Byte(imm)
}

// XMI emits op dst, [m], imm.
func (b *Buffer) XMI(op Op, dst Xmm, m Mem, imm uint8) {
	r := op.row()
	if c := r.rm; c&memShape == gX|mm|ib {
		b.rm(op, c, uint8(dst), 0, m, 1)
	} else if c := r.mi; c&memShape == hX|mm|ib {
		b.rm(op, c, c.digit(), uint8(dst), m, 1)
	} else if c&memShape == gX|mm|ib {
		b.rm(op, c, uint8(dst), 0, m, 1)
	} else {
		op.noForm("XMI")
	}
	b.Byte(imm)
}

// MXI emits op [m], src, imm: PEXTRx, EXTRACTPS, VCVTPS2PH, VEXTRACTI128.
func (b *Buffer) MXI(op Op, m Mem, src Xmm, imm uint8) {
	c := op.row().mr
	if c&memShape != gX|mm|ib {
		op.noForm("MXI")
	}
	b.rm(op, c, uint8(src), 0, m, 1)
	b.Byte(imm)
}

// XR emits op dst, src from a general register: MOVDX, MOVQXR, CVTSI2SDQ, VPBROADCASTDR.
func (b *Buffer) XR(op Op, dst Xmm, src Reg) {
	c := op.row().rm
	if c&regShape != gX|eR {
		op.noForm("XR")
	}
	b.rr(op, c, uint8(dst), 0, uint8(src))
}

// RX emits op dst, src to a general register: MOVDX, MOVQXR, CVTTSD2SIQ, PMOVMSKB.
func (b *Buffer) RX(op Op, dst Reg, src Xmm) {
	r := op.row()
	if c := r.rm; c&regShape == gR|eX {
		b.rr(op, c, uint8(dst), 0, uint8(src))
	} else if c := r.mr; c&regShape == gX|eR {
		b.rr(op, c, uint8(src), 0, uint8(dst))
	} else {
		op.noForm("RX")
	}
}

// XRI emits op dst, src, imm from a general register: PINSRx.
func (b *Buffer) XRI(op Op, dst Xmm, src Reg, imm uint8) {
	c := op.row().rm
	if c&regShape != gX|eR|ib {
		op.noForm("XRI")
	}
	b.rr(op, c, uint8(dst), 0, uint8(src))
	b.Byte(imm)
}

// RXI emits op dst, src, imm to a general register: PEXTRx, EXTRACTPS.
func (b *Buffer) RXI(op Op, dst Reg, src Xmm, imm uint8) {
	c := op.row().mr
	if c&regShape != gX|eR|ib {
		op.noForm("RXI")
	}
	b.rr(op, c, uint8(src), 0, uint8(dst))
	b.Byte(imm)
}

// XXX emits op dst, s1, s2.
func (b *Buffer) XXX(op Op, dst, s1, s2 Xmm) {
	r := op.row()
	c := r.rm
	if c&(regShape|is4) != gX|hX|eX {
		if c = r.mi; c&regShape != gX|hX|eX {
			op.noForm("XXX")
		}
	}
	b.rr(op, c, uint8(dst), uint8(s1), uint8(s2))
}

// XXM emits op dst, s1, [m].
func (b *Buffer) XXM(op Op, dst, s1 Xmm, m Mem) {
	c := op.row().rm
	if c&(memShape|is4) != gX|hX|mm {
		op.noForm("XXM")
	}
	b.rm(op, c, uint8(dst), uint8(s1), m, 0)
}

// XXXI emits op dst, s1, s2, imm.
func (b *Buffer) XXXI(op Op, dst, s1, s2 Xmm, imm uint8) {
	c := op.row().rm
	if c&regShape != gX|hX|eX|ib {
		op.noForm("XXXI")
	}
	b.rr(op, c, uint8(dst), uint8(s1), uint8(s2))
	b.Byte(imm)
}

// XXMI emits op dst, s1, [m], imm; VPINSRx included.
func (b *Buffer) XXMI(op Op, dst, s1 Xmm, m Mem, imm uint8) {
	c := op.row().rm
	if c&memShape != gX|hX|mm|ib {
		op.noForm("XXMI")
	}
	b.rm(op, c, uint8(dst), uint8(s1), m, 1)
	b.Byte(imm)
}

// XXR emits op dst, s1, src: VCVTSI2SDQ and its kin.
func (b *Buffer) XXR(op Op, dst, s1 Xmm, src Reg) {
	c := op.row().rm
	if c&regShape != gX|hX|eR {
		op.noForm("XXR")
	}
	b.rr(op, c, uint8(dst), uint8(s1), uint8(src))
}

// XXRI emits op dst, s1, src, imm: VPINSRx.
func (b *Buffer) XXRI(op Op, dst, s1 Xmm, src Reg, imm uint8) {
	c := op.row().rm
	if c&regShape != gX|hX|eR|ib {
		op.noForm("XXRI")
	}
	b.rr(op, c, uint8(dst), uint8(s1), uint8(src))
	b.Byte(imm)
}

// XXXX emits op dst, s1, s2, s3: VPBLENDVB, VBLENDVPS, VBLENDVPD (dst = s3 sign ? s2 : s1).
func (b *Buffer) XXXX(op Op, dst, s1, s2, s3 Xmm) {
	c := op.row().rm
	if c&(regShape|is4) != gX|hX|eX|is4 {
		op.noForm("XXXX")
	}
	b.rr(op, c, uint8(dst), uint8(s1), uint8(s2))
	b.is4(op, s3)
}

// XXMX is XXXX with s2 in memory.
func (b *Buffer) XXMX(op Op, dst, s1 Xmm, m Mem, s3 Xmm) {
	c := op.row().rm
	if c&(memShape|is4) != gX|hX|mm|is4 {
		op.noForm("XXMX")
	}
	b.rm(op, c, uint8(dst), uint8(s1), m, 1)
	b.is4(op, s3)
}

// is4 appends the register that an immediate names.
func (b *Buffer) is4(op Op, x Xmm) {
	if x > X15 {
		op.noForm("EVEX")
	}
	b.Byte(byte(x) << 4)
}
