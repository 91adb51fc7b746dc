package translate

// operation emits an instruction that does not branch.
func (p *guestProgram) operation() {
	switch p.r.IntN(12) {
	case 0:
		p.exclusive()
	case 1, 2, 3:
		p.choice(p.integers)
	case 4, 5:
		p.choice(p.memory)
	case 6, 7:
		p.choice(func(d, n, m uint32) []uint32 { return p.floats(d&1, n&3, m&3) }) // ways meet with different ones
	case 8:
		p.choice(p.vectors)
	default:
		p.choice(p.common)
	}
}

// choice emits one of the instructions of a table that is made for random registers d, n and m.
func (p *guestProgram) choice(table func(d, n, m uint32) []uint32) {
	forms := table(p.reg(), p.reg(), p.reg())
	p.emit(forms[p.r.IntN(len(forms))])
}

func (p *guestProgram) bits(n int) uint32 { return uint32(p.r.IntN(1 << n)) }

// common are instructions of loops and conditions.
func (p *guestProgram) common(d, n, m uint32) []uint32 {
	imm, slot := p.bits(12), p.bits(2)
	return []uint32{
		0x8b000000 | m<<16 | n<<5 | d,                      // add x
		0x4b000000 | m<<16 | n<<5 | d,                      // sub w
		0xeb000000 | m<<16 | n<<5 | d,                      // subs x
		0x2b000000 | m<<16 | n<<5 | d,                      // adds w
		0xf1000000 | imm<<10 | n<<5 | 31,                   // cmp x, #imm
		0xea000000 | m<<16 | n<<5 | d,                      // ands x
		0xca000000 | m<<16 | n<<5 | d,                      // eor x
		0x9a800000 | m<<16 | imm&15<<12 | n<<5 | d,         // csel x
		0x9a1f0000 | n<<5 | d,                              // adc x
		0xd2800000 | imm<<5 | d,                            // movz x
		0xfa400000 | m<<16 | imm&15<<12 | n<<5 | imm>>8&15, // ccmp x
		0xf9400000 | slot<<10 | 27<<5 | d,                  // ldr x
		0xf9000000 | slot<<10 | 27<<5 | d,                  // str x
		0x3dc00000 | slot>>1<<10 | 27<<5 | d,               // ldr q
		0x3d800000 | slot>>1<<10 | 27<<5 | d,               // str q
		0x4ea08400 | m<<16 | n<<5 | d,                      // add v.4s
		0x6e201c00 | m<<16 | n<<5 | d,                      // eor v.16b
		0x9e670000 | n<<5 | d,                              // fmov d, x
		0x9e660000 | n<<5 | d,                              // fmov x, d
		0x1e602800 | m<<16 | n<<5 | d,                      // fadd d
		0x4ea01c00 | n<<16 | n<<5 | d,                      // mov v.16b
		0x1e602000 | m<<16 | n<<5,                          // fcmp d
		0xd53b4200 | d,                                     // mrs nzcv
	}
}

// integers are other integer instructions.
func (p *guestProgram) integers(d, n, m uint32) []uint32 {
	imm, a, cond, low, high := p.bits(12), p.reg(), p.bits(4), p.bits(5), p.bits(6)
	return []uint32{
		0x11000000 | imm<<10 | n<<5 | d,                      // add w, #imm
		0xd1000000 | imm<<10 | n<<5 | d,                      // sub x, #imm
		0x31000000 | imm<<10 | n<<5 | d,                      // adds w, #imm
		0x71000000 | imm<<10 | n<<5 | d,                      // subs w, #imm
		0x8b000000 | m<<16 | high<<10 | n<<5 | d,             // add x, lsl
		0x0b400000 | m<<16 | low<<10 | n<<5 | d,              // add w, lsr
		0xcb800000 | m<<16 | high<<10 | n<<5 | d,             // sub x, asr
		0xaac00000 | m<<16 | high<<10 | n<<5 | d,             // orr x, ror
		0x8b204800 | m<<16 | n<<5 | d,                        // add x, w, uxtw #2
		0x8b20c000 | m<<16 | low%5<<10 | n<<5 | d,            // add x, w, sxtw
		0xeb200000 | m<<16 | n<<5 | d,                        // subs x, w, uxtb
		0x53000000 | low<<16 | p.bits(5)<<10 | n<<5 | d,      // ubfm w
		0xd3400000 | high<<16 | p.bits(6)<<10 | n<<5 | d,     // ubfm x
		0x13000000 | low<<16 | p.bits(5)<<10 | n<<5 | d,      // sbfm w
		0x93400000 | high<<16 | p.bits(6)<<10 | n<<5 | d,     // sbfm x
		0x33000000 | low<<16 | p.bits(5)<<10 | n<<5 | d,      // bfm w
		0xb3400000 | high<<16 | p.bits(6)<<10 | n<<5 | d,     // bfm x
		0x93c00000 | m<<16 | high<<10 | n<<5 | d,             // extr x
		0x13800000 | m<<16 | low<<10 | n<<5 | d,              // extr w
		0x1a800400 | m<<16 | cond<<12 | n<<5 | d,             // csinc w
		0xda800000 | m<<16 | cond<<12 | n<<5 | d,             // csinv x
		0x5a800400 | m<<16 | cond<<12 | n<<5 | d,             // csneg w
		0x1b007c00 | m<<16 | n<<5 | d,                        // mul w
		0x9b000000 | m<<16 | a<<10 | n<<5 | d,                // madd x
		0x1b008000 | m<<16 | a<<10 | n<<5 | d,                // msub w
		0x9ba07c00 | m<<16 | n<<5 | d,                        // umull
		0x9b200000 | m<<16 | a<<10 | n<<5 | d,                // smaddl
		0x9bc07c00 | m<<16 | n<<5 | d,                        // umulh
		0x9b407c00 | m<<16 | n<<5 | d,                        // smulh
		0x1ac00c00 | m<<16 | n<<5 | d,                        // sdiv w
		0x9ac00800 | m<<16 | n<<5 | d,                        // udiv x
		0x1ac02000 | m<<16 | n<<5 | d,                        // lslv w
		0x9ac02400 | m<<16 | n<<5 | d,                        // lsrv x
		0x1ac02800 | m<<16 | n<<5 | d,                        // asrv w
		0x9ac02c00 | m<<16 | n<<5 | d,                        // rorv x
		0x5ac01000 | n<<5 | d,                                // clz w
		0xdac00000 | n<<5 | d,                                // rbit x
		0x5ac00800 | n<<5 | d,                                // rev w
		0xdac01400 | n<<5 | d,                                // cls x
		0x12000000 | low<<16 | (low*7+imm)%31<<10 | n<<5 | d, // and w, #imm
		0xf2400000 | high<<16 | imm%63<<10 | n<<5 | d,        // ands x, #imm
		0x32000000 | low<<16 | imm%31<<10 | n<<5 | d,         // orr w, #imm
		0xd2400000 | high<<16 | imm%63<<10 | n<<5 | d,        // eor x, #imm
		0x12800000 | imm<<5 | d,                              // movn w
		0xf2800000 | cond&3<<21 | imm<<5 | d,                 // movk x
		0x5a000000 | m<<16 | n<<5 | d,                        // sbc w
		0xba000000 | m<<16 | n<<5 | d,                        // adcs x
		0x7a000000 | m<<16 | n<<5 | d,                        // sbcs w
		0x3a400000 | m<<16 | cond<<12 | n<<5 | imm&15,        // ccmn w
		0xfa400800 | low<<16 | cond<<12 | n<<5 | imm&15,      // ccmp x, #imm
		0xea200000 | m<<16 | n<<5 | d,                        // bics x
		0x0a200000 | m<<16 | n<<5 | d,                        // bic w
		0xaa2003e0 | m<<16 | d,                               // mvn x
		0x93407c00 | n<<5 | d,                                // sxtw
	}
}

// memory are loads and stores of the 32 bytes at X27.
func (p *guestProgram) memory(d, n, _ uint32) []uint32 {
	const at = 27 << 5
	off, e := p.bits(5), (d+1+n%11)%12 // e is another register than d
	forms := []uint32{
		0x39400000 | off<<10 | at | d,    // ldrb w
		0x39800000 | off<<10 | at | d,    // ldrsb x
		0x39c00000 | off<<10 | at | d,    // ldrsb w
		0x79400000 | off>>1<<10 | at | d, // ldrh w
		0x79800000 | off>>1<<10 | at | d, // ldrsh x
		0xb9400000 | off>>2<<10 | at | d, // ldr w
		0xb9800000 | off>>2<<10 | at | d, // ldrsw
		0x39000000 | off<<10 | at | d,    // strb
		0x79000000 | off>>1<<10 | at | d, // strh
		0xb9000000 | off>>2<<10 | at | d, // str w
		0x3d400000 | off<<10 | at | d,    // ldr b
		0x7d400000 | off>>1<<10 | at | d, // ldr h
		0xbd400000 | off>>2<<10 | at | d, // ldr s
		0xfd400000 | off>>3<<10 | at | d, // ldr d
		0x3d000000 | off<<10 | at | d,    // str b
		0xbd000000 | off>>2<<10 | at | d, // str s
		0xfd000000 | off>>3<<10 | at | d, // str d
		0xa9000000 | off>>4<<16 | e<<10 | at | d,
		0xa9400000 | off>>4<<16 | e<<10 | at | d, // stp, ldp x
		0x29000000 | off>>3<<15 | e<<10 | at | d, // stp w
		0x29400000 | off>>3<<16 | e<<10 | at | d, // ldp w
		0x69400000 | off>>3<<16 | e<<10 | at | d, // ldpsw
		0x6d000000 | off>>4<<16 | e<<10 | at | d, // stp d
		0x6d400000 | off>>4<<16 | e<<10 | at | d, // ldp d
		0x2d400000 | off>>3<<16 | e<<10 | at | d, // ldp s
		0xad000000 | e<<10 | at | d,              // stp q
		0xad400000 | e<<10 | at | d,              // ldp q
		0xf8400000 | off%25<<12 | at | d,         // ldur x
		0x3c800000 | off%17<<12 | at | d,         // stur q
		0x0d408000 | at | d,                      // ld1 v.s[0]
		0x4d40c000 | at | d,                      // ld1r v.8b or .16b
		0x4c408800 | at | d,                      // ld2 v.4s
	}
	return forms
}

// floats are scalars in V registers, and what goes between these and X registers.
func (p *guestProgram) floats(d, n, m uint32) []uint32 {
	cond, imm, a := p.bits(4), p.bits(8), p.reg()
	return []uint32{
		0x1e270000 | n<<5 | d,                         // fmov s, w
		0x1e260000 | n<<5 | d,                         // fmov w, s
		0x9e670000 | n<<5 | d,                         // fmov d, x
		0x9e660000 | n<<5 | d,                         // fmov x, d
		0x1e204000 | n<<5 | d,                         // fmov s, s
		0x1e604000 | n<<5 | d,                         // fmov d, d
		0x1e601000 | imm<<13 | d,                      // fmov d, #imm
		0x1e201000 | imm<<13 | d,                      // fmov s, #imm
		0x1e202800 | m<<16 | n<<5 | d,                 // fadd s
		0x1e603800 | m<<16 | n<<5 | d,                 // fsub d
		0x1e200800 | m<<16 | n<<5 | d,                 // fmul s
		0x1e600800 | m<<16 | n<<5 | d,                 // fmul d
		0x1e201800 | m<<16 | n<<5 | d,                 // fdiv s
		0x1e608800 | m<<16 | n<<5 | d,                 // fnmul d
		0x1f400000 | m<<16 | a<<10 | n<<5 | d,         // fmadd d
		0x1f008000 | m<<16 | a<<10 | n<<5 | d,         // fmsub s
		0x1e60c000 | n<<5 | d,                         // fabs d
		0x1e214000 | n<<5 | d,                         // fneg s
		0x1e61c000 | n<<5 | d,                         // fsqrt d
		0x1e22c000 | n<<5 | d,                         // fcvt d, s
		0x1e624000 | n<<5 | d,                         // fcvt s, d
		0x1e220000 | n<<5 | d,                         // scvtf s, w
		0x9e630000 | n<<5 | d,                         // ucvtf d, x
		0x5e61d800 | n<<5 | d,                         // scvtf d, d
		0x1e380000 | n<<5 | d,                         // fcvtzs w, s
		0x9e790000 | n<<5 | d,                         // fcvtzu x, d
		0x5ea1b800 | n<<5 | d,                         // fcvtzs s, s
		0x5ee1b800 | n<<5 | d,                         // fcvtzs d, d
		0x1e654000 | n<<5 | d,                         // frintm d
		0x1e200c00 | m<<16 | cond<<12 | n<<5 | d,      // fcsel s
		0x1e600c00 | m<<16 | cond<<12 | n<<5 | d,      // fcsel d
		0x1e202000 | m<<16 | n<<5,                     // fcmp s
		0x1e602018 | n<<5,                             // fcmpe d, #0
		0x1e600400 | m<<16 | cond<<12 | n<<5 | imm&15, // fccmp d
		0x1e204800 | m<<16 | n<<5 | d,                 // fmax s
		0x1e607800 | m<<16 | n<<5 | d,                 // fminnm d
		0x5ee08400 | m<<16 | n<<5 | d,                 // add d
		0x7ee08400 | m<<16 | n<<5 | d,                 // sub d
		0x5f405400 | imm&63<<16 | n<<5 | d,            // shl d
		0x5ef1b800 | n<<5 | d,                         // addp d
		0x7e30d800 | n<<5 | d,                         // faddp s
	}
}

// vectors are lanes and vectors.
func (p *guestProgram) vectors(d, n, m uint32) []uint32 {
	imm := p.bits(6)
	return []uint32{
		0x0e043c00 | imm&3<<19 | n<<5 | d,          // umov w, v.s
		0x4e083c00 | imm&1<<20 | n<<5 | d,          // umov x, v.d
		0x4e022c00 | imm&7<<18 | n<<5 | d,          // smov x, v.h
		0x4e041c00 | imm&3<<19 | n<<5 | d,          // ins v.s, w
		0x4e081c00 | imm&1<<20 | n<<5 | d,          // ins v.d, x
		0x6e080400 | imm&1<<20 | n<<5 | d,          // ins v.d, v.d[0]
		0x6e044400 | imm&3<<19 | n<<5 | d,          // ins v.s, v.s[2]
		0x4e040c00 | n<<5 | d,                      // dup v.4s, w
		0x4e080c00 | n<<5 | d,                      // dup v.2d, x
		0x0e010c00 | n<<5 | d,                      // dup v.8b, w
		0x5e080400 | imm&1<<20 | n<<5 | d,          // dup d, v.d
		0x5e040400 | imm&3<<19 | n<<5 | d,          // dup s, v.s
		0x4f000400 | imm&31<<5 | d,                 // movi v.4s
		0x2f00e400 | d,                             // movi d, #0
		0x6f00e400 | imm&31<<5 | d,                 // movi v.2d
		0x0ea08400 | m<<16 | n<<5 | d,              // add v.2s
		0x6e608400 | m<<16 | n<<5 | d,              // sub v.8h
		0x0e201c00 | m<<16 | n<<5 | d,              // and v.8b
		0x6e601c00 | m<<16 | n<<5 | d,              // bsl v.16b
		0x6ea08c00 | m<<16 | n<<5 | d,              // cmeq v.4s
		0x4e20d400 | m<<16 | n<<5 | d,              // fadd v.4s
		0x6e60dc00 | m<<16 | n<<5 | d,              // fmul v.2d
		0x4e20cc00 | m<<16 | n<<5 | d,              // fmla v.4s
		0x0ea12800 | n<<5 | d,                      // xtn v.2s
		0x2f20a400 | n<<5 | d,                      // uxtl v.2d
		0x4eb1b800 | n<<5 | d,                      // addv s
		0x4e803800 | m<<16 | n<<5 | d,              // zip1 v.4s
		0x4e405800 | m<<16 | n<<5 | d,              // uzp2 v.8h
		0x6e000000 | m<<16 | imm&15<<11 | n<<5 | d, // ext v.16b
		0x4e000000 | m<<16 | n<<5 | d,              // tbl v.16b
		0x4f405400 | imm<<16 | n<<5 | d,            // shl v.2d
		0x6f200400 | imm&31<<16 | n<<5 | d,         // ushr v.4s
		0x4e205800 | n<<5 | d,                      // cnt v.16b
		0x4e61d800 | n<<5 | d,                      // scvtf v.2d
		0x4ee1b800 | n<<5 | d,                      // fcvtzs v.2d
		0x0e20c000 | m<<16 | n<<5 | d,              // smull v.8h
		0x2e612800 | n<<5 | d,                      // sqxtun v.4h
	}
}
