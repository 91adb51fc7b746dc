package x64

// Vector moves, inserts, extracts and broadcasts; SSE rows with their VEX forms.
const (
	// Whole vectors. Under EVEX the DQ moves are VMOVDQA32 and VMOVDQU32.
	MOVAPS Op = iota + 2<<famShift
	VMOVAPS
	MOVAPD
	VMOVAPD
	MOVUPS
	VMOVUPS
	MOVUPD
	VMOVUPD
	MOVDQA
	VMOVDQA
	MOVDQU
	VMOVDQU
	MOVNTPS
	VMOVNTPS
	MOVNTDQ
	VMOVNTDQ
	MOVNTDQA
	VMOVNTDQA
	LDDQU
	VLDDQU

	// Scalars. Loads clear the rest of the register, register moves merge:
	// XX in the SSE form, XXX (high part from the first source) in the VEX form.
	MOVSS
	VMOVSS
	MOVSD
	VMOVSD

	// MOVD and MOVQ. MOVDX takes a general register or memory; MOVQX a vector
	// register or memory; MOVQXR a general register. All clear the rest.
	MOVDX
	VMOVDX
	MOVQX
	VMOVQX
	MOVQXR
	VMOVQXR

	// Halves and duplicates.
	MOVLPS
	VMOVLPS
	MOVLPD
	VMOVLPD
	MOVHPS
	VMOVHPS
	MOVHPD
	VMOVHPD
	MOVHLPS
	VMOVHLPS
	MOVLHPS
	VMOVLHPS
	MOVDDUP
	VMOVDDUP
	MOVSLDUP
	VMOVSLDUP
	MOVSHDUP
	VMOVSHDUP

	// Element inserts and extracts.
	PINSRB
	VPINSRB
	PINSRW
	VPINSRW
	PINSRD
	VPINSRD
	PINSRQ
	VPINSRQ
	PEXTRB
	VPEXTRB
	PEXTRW
	VPEXTRW
	PEXTRD
	VPEXTRD
	PEXTRQ
	VPEXTRQ
	INSERTPS
	VINSERTPS
	EXTRACTPS
	VEXTRACTPS

	// Sign masks to a general register.
	MOVMSKPS
	VMOVMSKPS
	MOVMSKPD
	VMOVMSKPD
	PMOVMSKB
	VPMOVMSKB

	// Broadcasts of the lowest element.
	VBROADCASTSS
	VPBROADCASTB
	VPBROADCASTW
	VPBROADCASTD
	VPBROADCASTQ

	// 128-bit halves of a 256-bit register.
	VINSERTI128
	VEXTRACTI128
	VPERMQ
	VZEROUPPER
)

var rowsVecMove = [...]row{
	MOVAPS & 0xff:       {name: "movaps", rm: vx | wx | m0F | 0x28, mr: vx | wx | m0F | 0x29},
	VMOVAPS & 0xff:      {name: "vmovaps", rm: vex | vx | wx | m0F | 0x28 | fv | ev0, mr: vex | vx | wx | m0F | 0x29 | fv | ev0, needs: AVX},
	MOVAPD & 0xff:       {name: "movapd", rm: vx | wx | p66 | m0F | 0x28, mr: vx | wx | p66 | m0F | 0x29},
	VMOVAPD & 0xff:      {name: "vmovapd", rm: vex | vx | wx | p66 | m0F | 0x28 | fv | ev1, mr: vex | vx | wx | p66 | m0F | 0x29 | fv | ev1, needs: AVX},
	MOVUPS & 0xff:       {name: "movups", rm: vx | wx | m0F | 0x10, mr: vx | wx | m0F | 0x11},
	VMOVUPS & 0xff:      {name: "vmovups", rm: vex | vx | wx | m0F | 0x10 | fv | ev0, mr: vex | vx | wx | m0F | 0x11 | fv | ev0, needs: AVX},
	MOVUPD & 0xff:       {name: "movupd", rm: vx | wx | p66 | m0F | 0x10, mr: vx | wx | p66 | m0F | 0x11},
	VMOVUPD & 0xff:      {name: "vmovupd", rm: vex | vx | wx | p66 | m0F | 0x10 | fv | ev1, mr: vex | vx | wx | p66 | m0F | 0x11 | fv | ev1, needs: AVX},
	MOVDQA & 0xff:       {name: "movdqa", rm: vx | wx | p66 | m0F | 0x6f, mr: vx | wx | p66 | m0F | 0x7f},
	VMOVDQA & 0xff:      {name: "vmovdqa", rm: vex | vx | wx | p66 | m0F | 0x6f | fv | ev0, mr: vex | vx | wx | p66 | m0F | 0x7f | fv | ev0, needs: AVX},
	MOVDQU & 0xff:       {name: "movdqu", rm: vx | wx | pF3 | m0F | 0x6f, mr: vx | wx | pF3 | m0F | 0x7f},
	VMOVDQU & 0xff:      {name: "vmovdqu", rm: vex | vx | wx | pF3 | m0F | 0x6f | fv | ev0, mr: vex | vx | wx | pF3 | m0F | 0x7f | fv | ev0, needs: AVX},
	MOVNTPS & 0xff:      {name: "movntps", mr: vx | mm | m0F | 0x2b},
	VMOVNTPS & 0xff:     {name: "vmovntps", mr: vex | vx | mm | m0F | 0x2b | fv | ev0 | nok, needs: AVX},
	MOVNTDQ & 0xff:      {name: "movntdq", mr: vx | mm | p66 | m0F | 0xe7},
	VMOVNTDQ & 0xff:     {name: "vmovntdq", mr: vex | vx | mm | p66 | m0F | 0xe7 | fv | ev0 | nok, needs: AVX},
	MOVNTDQA & 0xff:     {name: "movntdqa", rm: vx | mm | p66 | m38 | 0x2a, needs: SSE41},
	VMOVNTDQA & 0xff:    {name: "vmovntdqa", rm: vex | vx | mm | p66 | m38 | 0x2a | fv | ev0 | nok, needs: AVX},
	LDDQU & 0xff:        {name: "lddqu", rm: vx | mm | pF2 | m0F | 0xf0, needs: SSE3},
	VLDDQU & 0xff:       {name: "vlddqu", rm: vex | vx | mm | pF2 | m0F | 0xf0 | fv, needs: AVX},
	MOVSS & 0xff:        {name: "movss", rm: vx | wx | pF3 | m0F | 0x10, mr: vx | wx | pF3 | m0F | 0x11},
	VMOVSS & 0xff:       {name: "vmovss", rm: vex | vx | mm | pF3 | m0F | 0x10 | t4 | ev0, mr: vex | vx | mm | pF3 | m0F | 0x11 | t4 | ev0, mi: vex | vx | hx | ux | pF3 | m0F | 0x10 | t4 | ev0, needs: AVX},
	MOVSD & 0xff:        {name: "movsd", rm: vx | wx | pF2 | m0F | 0x10, mr: vx | wx | pF2 | m0F | 0x11},
	VMOVSD & 0xff:       {name: "vmovsd", rm: vex | vx | mm | pF2 | m0F | 0x10 | t8 | ev1, mr: vex | vx | mm | pF2 | m0F | 0x11 | t8 | ev1, mi: vex | vx | hx | ux | pF2 | m0F | 0x10 | t8 | ev1, needs: AVX},
	MOVDX & 0xff:        {name: "movd", rm: vx | ed | p66 | m0F | 0x6e, mr: vx | ed | p66 | m0F | 0x7e},
	VMOVDX & 0xff:       {name: "vmovd", rm: vex | vx | ed | p66 | m0F | 0x6e | t4 | ev0 | nok, mr: vex | vx | ed | p66 | m0F | 0x7e | t4 | ev0 | nok, needs: AVX},
	MOVQX & 0xff:        {name: "movq", rm: vx | wx | pF3 | m0F | 0x7e, mr: vx | wx | p66 | m0F | 0xd6},
	VMOVQX & 0xff:       {name: "vmovq", rm: vex | vx | wx | pF3 | m0F | 0x7e | t8 | ev1 | nok, mr: vex | vx | wx | p66 | m0F | 0xd6 | t8 | ev1 | nok, needs: AVX},
	MOVQXR & 0xff:       {name: "movq", rm: vx | rq | p66 | w1 | m0F | 0x6e, mr: vx | rq | p66 | w1 | m0F | 0x7e},
	VMOVQXR & 0xff:      {name: "vmovq", rm: vex | vx | rq | p66 | w1 | m0F | 0x6e | t8 | ev1 | nok, mr: vex | vx | rq | p66 | w1 | m0F | 0x7e | t8 | ev1 | nok, needs: AVX},
	MOVLPS & 0xff:       {name: "movlps", rm: vx | mm | m0F | 0x12, mr: vx | mm | m0F | 0x13},
	VMOVLPS & 0xff:      {name: "vmovlps", rm: vex | vx | hx | mm | m0F | 0x12 | t8 | ev0 | nok, mr: vex | vx | mm | m0F | 0x13 | t8 | ev0 | nok, needs: AVX},
	MOVLPD & 0xff:       {name: "movlpd", rm: vx | mm | p66 | m0F | 0x12, mr: vx | mm | p66 | m0F | 0x13},
	VMOVLPD & 0xff:      {name: "vmovlpd", rm: vex | vx | hx | mm | p66 | m0F | 0x12 | t8 | ev1 | nok, mr: vex | vx | mm | p66 | m0F | 0x13 | t8 | ev1 | nok, needs: AVX},
	MOVHPS & 0xff:       {name: "movhps", rm: vx | mm | m0F | 0x16, mr: vx | mm | m0F | 0x17},
	VMOVHPS & 0xff:      {name: "vmovhps", rm: vex | vx | hx | mm | m0F | 0x16 | t8 | ev0 | nok, mr: vex | vx | mm | m0F | 0x17 | t8 | ev0 | nok, needs: AVX},
	MOVHPD & 0xff:       {name: "movhpd", rm: vx | mm | p66 | m0F | 0x16, mr: vx | mm | p66 | m0F | 0x17},
	VMOVHPD & 0xff:      {name: "vmovhpd", rm: vex | vx | hx | mm | p66 | m0F | 0x16 | t8 | ev1 | nok, mr: vex | vx | mm | p66 | m0F | 0x17 | t8 | ev1 | nok, needs: AVX},
	MOVHLPS & 0xff:      {name: "movhlps", rm: vx | ux | m0F | 0x12},
	VMOVHLPS & 0xff:     {name: "vmovhlps", rm: vex | vx | hx | ux | m0F | 0x12 | ev0 | nok, needs: AVX},
	MOVLHPS & 0xff:      {name: "movlhps", rm: vx | ux | m0F | 0x16},
	VMOVLHPS & 0xff:     {name: "vmovlhps", rm: vex | vx | hx | ux | m0F | 0x16 | ev0 | nok, needs: AVX},
	MOVDDUP & 0xff:      {name: "movddup", rm: vx | wx | pF2 | m0F | 0x12, needs: SSE3},
	VMOVDDUP & 0xff:     {name: "vmovddup", rm: vex | vx | wx | pF2 | m0F | 0x12 | t8 | ev1, needs: AVX},
	MOVSLDUP & 0xff:     {name: "movsldup", rm: vx | wx | pF3 | m0F | 0x12, needs: SSE3},
	VMOVSLDUP & 0xff:    {name: "vmovsldup", rm: vex | vx | wx | pF3 | m0F | 0x12 | fv | ev0, needs: AVX},
	MOVSHDUP & 0xff:     {name: "movshdup", rm: vx | wx | pF3 | m0F | 0x16, needs: SSE3},
	VMOVSHDUP & 0xff:    {name: "vmovshdup", rm: vex | vx | wx | pF3 | m0F | 0x16 | fv | ev0, needs: AVX},
	PINSRB & 0xff:       {name: "pinsrb", rm: vx | ed | p66 | m3A | ib | 0x20, needs: SSE41},
	VPINSRB & 0xff:      {name: "vpinsrb", rm: vex | vx | hx | ed | p66 | m3A | ib | 0x20 | t1 | ev0 | nok, needs: AVX},
	PINSRW & 0xff:       {name: "pinsrw", rm: vx | ed | p66 | m0F | ib | 0xc4},
	VPINSRW & 0xff:      {name: "vpinsrw", rm: vex | vx | hx | ed | p66 | m0F | ib | 0xc4 | t2 | ev0 | nok, needs: AVX},
	PINSRD & 0xff:       {name: "pinsrd", rm: vx | ed | p66 | m3A | ib | 0x22, needs: SSE41},
	VPINSRD & 0xff:      {name: "vpinsrd", rm: vex | vx | hx | ed | p66 | m3A | ib | 0x22 | t4 | ev0 | nok, needs: AVX},
	PINSRQ & 0xff:       {name: "pinsrq", rm: vx | eq | p66 | w1 | m3A | ib | 0x22, needs: SSE41},
	VPINSRQ & 0xff:      {name: "vpinsrq", rm: vex | vx | hx | eq | p66 | w1 | m3A | ib | 0x22 | t8 | ev1 | nok, needs: AVX},
	PEXTRB & 0xff:       {name: "pextrb", mr: vx | ed | p66 | m3A | ib | 0x14, needs: SSE41},
	VPEXTRB & 0xff:      {name: "vpextrb", mr: vex | vx | ed | p66 | m3A | ib | 0x14 | t1 | ev0 | nok, needs: AVX},
	PEXTRW & 0xff:       {name: "pextrw", mr: vx | ed | p66 | m3A | ib | 0x15, needs: SSE41},
	VPEXTRW & 0xff:      {name: "vpextrw", mr: vex | vx | ed | p66 | m3A | ib | 0x15 | t2 | ev0 | nok, needs: AVX},
	PEXTRD & 0xff:       {name: "pextrd", mr: vx | ed | p66 | m3A | ib | 0x16, needs: SSE41},
	VPEXTRD & 0xff:      {name: "vpextrd", mr: vex | vx | ed | p66 | m3A | ib | 0x16 | t4 | ev0 | nok, needs: AVX},
	PEXTRQ & 0xff:       {name: "pextrq", mr: vx | eq | p66 | w1 | m3A | ib | 0x16, needs: SSE41},
	VPEXTRQ & 0xff:      {name: "vpextrq", mr: vex | vx | eq | p66 | w1 | m3A | ib | 0x16 | t8 | ev1 | nok, needs: AVX},
	INSERTPS & 0xff:     {name: "insertps", rm: vx | wx | p66 | m3A | ib | 0x21, needs: SSE41},
	VINSERTPS & 0xff:    {name: "vinsertps", rm: vex | vx | hx | wx | p66 | m3A | ib | 0x21 | t4 | ev0 | nok, needs: AVX},
	EXTRACTPS & 0xff:    {name: "extractps", mr: vx | ed | p66 | m3A | ib | 0x17, needs: SSE41},
	VEXTRACTPS & 0xff:   {name: "vextractps", mr: vex | vx | ed | p66 | m3A | ib | 0x17 | t4 | ev0 | nok, needs: AVX},
	MOVMSKPS & 0xff:     {name: "movmskps", rm: gd | ux | m0F | 0x50},
	VMOVMSKPS & 0xff:    {name: "vmovmskps", rm: vex | gd | ux | m0F | 0x50 | yy, needs: AVX},
	MOVMSKPD & 0xff:     {name: "movmskpd", rm: gd | ux | p66 | m0F | 0x50},
	VMOVMSKPD & 0xff:    {name: "vmovmskpd", rm: vex | gd | ux | p66 | m0F | 0x50 | yy, needs: AVX},
	PMOVMSKB & 0xff:     {name: "pmovmskb", rm: gd | ux | p66 | m0F | 0xd7},
	VPMOVMSKB & 0xff:    {name: "vpmovmskb", rm: vex | gd | ux | p66 | m0F | 0xd7 | yy, needs: AVX},
	VBROADCASTSS & 0xff: {name: "vbroadcastss", rm: vex | vx | wx | p66 | m38 | 0x18 | t4 | yy | ev0, needs: AVX2},
	VPBROADCASTB & 0xff: {name: "vpbroadcastb", rm: vex | vx | wx | p66 | m38 | 0x78 | t1 | yy | ev0, needs: AVX2},
	VPBROADCASTW & 0xff: {name: "vpbroadcastw", rm: vex | vx | wx | p66 | m38 | 0x79 | t2 | yy | ev0, needs: AVX2},
	VPBROADCASTD & 0xff: {name: "vpbroadcastd", rm: vex | vx | wx | p66 | m38 | 0x58 | t4 | yy | ev0, needs: AVX2},
	VPBROADCASTQ & 0xff: {name: "vpbroadcastq", rm: vex | vx | wx | p66 | m38 | 0x59 | t8 | yy | ev1, needs: AVX2},
	VINSERTI128 & 0xff:  {name: "vinserti128", rm: vex | l1 | vx | hx | wx | p66 | m3A | ib | 0x38, needs: AVX2},
	VEXTRACTI128 & 0xff: {name: "vextracti128", mr: vex | l1 | vx | wx | p66 | m3A | ib | 0x39, needs: AVX2},
	VPERMQ & 0xff:       {name: "vpermq", rm: vex | l1 | vx | wx | p66 | w1 | m3A | ib | op00, needs: AVX2},
	VZEROUPPER & 0xff:   {name: "vzeroupper", rm: vex | m0F | 0x77, needs: AVX},
}
