package x64

// Floating-point instructions; SSE rows with their VEX forms.
const (
	// Arithmetic.
	ADDPS Op = iota + 4<<famShift
	VADDPS
	ADDPD
	VADDPD
	ADDSS
	VADDSS
	ADDSD
	VADDSD
	SUBPS
	VSUBPS
	SUBPD
	VSUBPD
	SUBSS
	VSUBSS
	SUBSD
	VSUBSD
	MULPS
	VMULPS
	MULPD
	VMULPD
	MULSS
	VMULSS
	MULSD
	VMULSD
	DIVPS
	VDIVPS
	DIVPD
	VDIVPD
	DIVSS
	VDIVSS
	DIVSD
	VDIVSD
	MINPS
	VMINPS
	MINPD
	VMINPD
	MINSS
	VMINSS
	MINSD
	VMINSD
	MAXPS
	VMAXPS
	MAXPD
	VMAXPD
	MAXSS
	VMAXSS
	MAXSD
	VMAXSD
	SQRTPS
	VSQRTPS
	SQRTPD
	VSQRTPD
	SQRTSS
	VSQRTSS
	SQRTSD
	VSQRTSD
	RCPPS
	VRCPPS
	RCPSS
	VRCPSS
	RSQRTPS
	VRSQRTPS
	RSQRTSS
	VRSQRTSS
	HADDPS
	VHADDPS
	HADDPD
	VHADDPD
	HSUBPS
	VHSUBPS
	HSUBPD
	VHSUBPD
	ADDSUBPS
	VADDSUBPS
	ADDSUBPD
	VADDSUBPD
	DPPS
	VDPPS
	DPPD
	VDPPD

	// Logic.
	ANDPS
	VANDPS
	ANDPD
	VANDPD
	ANDNPS
	VANDNPS
	ANDNPD
	VANDNPD
	ORPS
	VORPS
	ORPD
	VORPD
	XORPS
	VXORPS
	XORPD
	VXORPD

	// Compare. The immediate is the predicate; the forms that write a mask are rows
	// of their own (VCMPPSK).
	CMPPS
	VCMPPS
	CMPPD
	VCMPPD
	CMPSS
	VCMPSS
	CMPSD
	VCMPSD
	UCOMISS
	VUCOMISS
	UCOMISD
	VUCOMISD
	COMISS
	VCOMISS
	COMISD
	VCOMISD

	// Shuffles and blends.
	UNPCKLPS
	VUNPCKLPS
	UNPCKLPD
	VUNPCKLPD
	UNPCKHPS
	VUNPCKHPS
	UNPCKHPD
	VUNPCKHPD
	SHUFPS
	VSHUFPS
	SHUFPD
	VSHUFPD
	BLENDPS
	VBLENDPS
	BLENDPD
	VBLENDPD
	BLENDVPS
	VBLENDVPS
	BLENDVPD
	VBLENDVPD
	VPERMILPS
	VPERMILPD

	// Rounding. Immediate bits 1..0 are the mode, 2 takes it from MXCSR, 3 hides inexact.
	ROUNDPS
	VROUNDPS
	ROUNDPD
	VROUNDPD
	ROUNDSS
	VROUNDSS
	ROUNDSD
	VROUNDSD

	// Conversions between formats.
	CVTSS2SD
	VCVTSS2SD
	CVTSD2SS
	VCVTSD2SS
	CVTPS2PD
	VCVTPS2PD
	CVTPD2PS
	VCVTPD2PS
	CVTDQ2PS
	VCVTDQ2PS
	CVTPS2DQ
	VCVTPS2DQ
	CVTTPS2DQ
	VCVTTPS2DQ
	CVTDQ2PD
	VCVTDQ2PD
	CVTPD2DQ
	VCVTPD2DQ
	CVTTPD2DQ
	VCVTTPD2DQ
	CVTSI2SSL
	VCVTSI2SSL
	CVTSS2SIL
	VCVTSS2SIL
	CVTTSS2SIL
	VCVTTSS2SIL
	CVTSI2SSQ
	VCVTSI2SSQ
	CVTSS2SIQ
	VCVTSS2SIQ
	CVTTSS2SIQ
	VCVTTSS2SIQ
	CVTSI2SDL
	VCVTSI2SDL
	CVTSD2SIL
	VCVTSD2SIL
	CVTTSD2SIL
	VCVTTSD2SIL
	CVTSI2SDQ
	VCVTSI2SDQ
	CVTSD2SIQ
	VCVTSD2SIQ
	CVTTSD2SIQ
	VCVTTSD2SIQ
	VCVTPH2PS
	VCVTPS2PH
)

var rowsVecFP = [...]row{
	ADDPS & 0xff:       {name: "addps", rm: vx | wx | m0F | 0x58},
	VADDPS & 0xff:      {name: "vaddps", rm: vex | vx | hx | wx | m0F | 0x58 | fv | ev0, needs: AVX},
	ADDPD & 0xff:       {name: "addpd", rm: vx | wx | p66 | m0F | 0x58},
	VADDPD & 0xff:      {name: "vaddpd", rm: vex | vx | hx | wx | p66 | m0F | 0x58 | fv | ev1, needs: AVX},
	ADDSS & 0xff:       {name: "addss", rm: vx | wx | pF3 | m0F | 0x58},
	VADDSS & 0xff:      {name: "vaddss", rm: vex | vx | hx | wx | pF3 | m0F | 0x58 | t4 | ev0, needs: AVX},
	ADDSD & 0xff:       {name: "addsd", rm: vx | wx | pF2 | m0F | 0x58},
	VADDSD & 0xff:      {name: "vaddsd", rm: vex | vx | hx | wx | pF2 | m0F | 0x58 | t8 | ev1, needs: AVX},
	SUBPS & 0xff:       {name: "subps", rm: vx | wx | m0F | 0x5c},
	VSUBPS & 0xff:      {name: "vsubps", rm: vex | vx | hx | wx | m0F | 0x5c | fv | ev0, needs: AVX},
	SUBPD & 0xff:       {name: "subpd", rm: vx | wx | p66 | m0F | 0x5c},
	VSUBPD & 0xff:      {name: "vsubpd", rm: vex | vx | hx | wx | p66 | m0F | 0x5c | fv | ev1, needs: AVX},
	SUBSS & 0xff:       {name: "subss", rm: vx | wx | pF3 | m0F | 0x5c},
	VSUBSS & 0xff:      {name: "vsubss", rm: vex | vx | hx | wx | pF3 | m0F | 0x5c | t4 | ev0, needs: AVX},
	SUBSD & 0xff:       {name: "subsd", rm: vx | wx | pF2 | m0F | 0x5c},
	VSUBSD & 0xff:      {name: "vsubsd", rm: vex | vx | hx | wx | pF2 | m0F | 0x5c | t8 | ev1, needs: AVX},
	MULPS & 0xff:       {name: "mulps", rm: vx | wx | m0F | 0x59},
	VMULPS & 0xff:      {name: "vmulps", rm: vex | vx | hx | wx | m0F | 0x59 | fv | ev0, needs: AVX},
	MULPD & 0xff:       {name: "mulpd", rm: vx | wx | p66 | m0F | 0x59},
	VMULPD & 0xff:      {name: "vmulpd", rm: vex | vx | hx | wx | p66 | m0F | 0x59 | fv | ev1, needs: AVX},
	MULSS & 0xff:       {name: "mulss", rm: vx | wx | pF3 | m0F | 0x59},
	VMULSS & 0xff:      {name: "vmulss", rm: vex | vx | hx | wx | pF3 | m0F | 0x59 | t4 | ev0, needs: AVX},
	MULSD & 0xff:       {name: "mulsd", rm: vx | wx | pF2 | m0F | 0x59},
	VMULSD & 0xff:      {name: "vmulsd", rm: vex | vx | hx | wx | pF2 | m0F | 0x59 | t8 | ev1, needs: AVX},
	DIVPS & 0xff:       {name: "divps", rm: vx | wx | m0F | 0x5e},
	VDIVPS & 0xff:      {name: "vdivps", rm: vex | vx | hx | wx | m0F | 0x5e | fv | ev0, needs: AVX},
	DIVPD & 0xff:       {name: "divpd", rm: vx | wx | p66 | m0F | 0x5e},
	VDIVPD & 0xff:      {name: "vdivpd", rm: vex | vx | hx | wx | p66 | m0F | 0x5e | fv | ev1, needs: AVX},
	DIVSS & 0xff:       {name: "divss", rm: vx | wx | pF3 | m0F | 0x5e},
	VDIVSS & 0xff:      {name: "vdivss", rm: vex | vx | hx | wx | pF3 | m0F | 0x5e | t4 | ev0, needs: AVX},
	DIVSD & 0xff:       {name: "divsd", rm: vx | wx | pF2 | m0F | 0x5e},
	VDIVSD & 0xff:      {name: "vdivsd", rm: vex | vx | hx | wx | pF2 | m0F | 0x5e | t8 | ev1, needs: AVX},
	MINPS & 0xff:       {name: "minps", rm: vx | wx | m0F | 0x5d},
	VMINPS & 0xff:      {name: "vminps", rm: vex | vx | hx | wx | m0F | 0x5d | fv | ev0, needs: AVX},
	MINPD & 0xff:       {name: "minpd", rm: vx | wx | p66 | m0F | 0x5d},
	VMINPD & 0xff:      {name: "vminpd", rm: vex | vx | hx | wx | p66 | m0F | 0x5d | fv | ev1, needs: AVX},
	MINSS & 0xff:       {name: "minss", rm: vx | wx | pF3 | m0F | 0x5d},
	VMINSS & 0xff:      {name: "vminss", rm: vex | vx | hx | wx | pF3 | m0F | 0x5d | t4 | ev0, needs: AVX},
	MINSD & 0xff:       {name: "minsd", rm: vx | wx | pF2 | m0F | 0x5d},
	VMINSD & 0xff:      {name: "vminsd", rm: vex | vx | hx | wx | pF2 | m0F | 0x5d | t8 | ev1, needs: AVX},
	MAXPS & 0xff:       {name: "maxps", rm: vx | wx | m0F | 0x5f},
	VMAXPS & 0xff:      {name: "vmaxps", rm: vex | vx | hx | wx | m0F | 0x5f | fv | ev0, needs: AVX},
	MAXPD & 0xff:       {name: "maxpd", rm: vx | wx | p66 | m0F | 0x5f},
	VMAXPD & 0xff:      {name: "vmaxpd", rm: vex | vx | hx | wx | p66 | m0F | 0x5f | fv | ev1, needs: AVX},
	MAXSS & 0xff:       {name: "maxss", rm: vx | wx | pF3 | m0F | 0x5f},
	VMAXSS & 0xff:      {name: "vmaxss", rm: vex | vx | hx | wx | pF3 | m0F | 0x5f | t4 | ev0, needs: AVX},
	MAXSD & 0xff:       {name: "maxsd", rm: vx | wx | pF2 | m0F | 0x5f},
	VMAXSD & 0xff:      {name: "vmaxsd", rm: vex | vx | hx | wx | pF2 | m0F | 0x5f | t8 | ev1, needs: AVX},
	SQRTPS & 0xff:      {name: "sqrtps", rm: vx | wx | m0F | 0x51},
	VSQRTPS & 0xff:     {name: "vsqrtps", rm: vex | vx | wx | m0F | 0x51 | fv | ev0, needs: AVX},
	SQRTPD & 0xff:      {name: "sqrtpd", rm: vx | wx | p66 | m0F | 0x51},
	VSQRTPD & 0xff:     {name: "vsqrtpd", rm: vex | vx | wx | p66 | m0F | 0x51 | fv | ev1, needs: AVX},
	SQRTSS & 0xff:      {name: "sqrtss", rm: vx | wx | pF3 | m0F | 0x51},
	VSQRTSS & 0xff:     {name: "vsqrtss", rm: vex | vx | hx | wx | pF3 | m0F | 0x51 | t4 | ev0, needs: AVX},
	SQRTSD & 0xff:      {name: "sqrtsd", rm: vx | wx | pF2 | m0F | 0x51},
	VSQRTSD & 0xff:     {name: "vsqrtsd", rm: vex | vx | hx | wx | pF2 | m0F | 0x51 | t8 | ev1, needs: AVX},
	RCPPS & 0xff:       {name: "rcpps", rm: vx | wx | m0F | 0x53},
	VRCPPS & 0xff:      {name: "vrcpps", rm: vex | vx | wx | m0F | 0x53 | fv, needs: AVX},
	RCPSS & 0xff:       {name: "rcpss", rm: vx | wx | pF3 | m0F | 0x53},
	VRCPSS & 0xff:      {name: "vrcpss", rm: vex | vx | hx | wx | pF3 | m0F | 0x53 | t4, needs: AVX},
	RSQRTPS & 0xff:     {name: "rsqrtps", rm: vx | wx | m0F | 0x52},
	VRSQRTPS & 0xff:    {name: "vrsqrtps", rm: vex | vx | wx | m0F | 0x52 | fv, needs: AVX},
	RSQRTSS & 0xff:     {name: "rsqrtss", rm: vx | wx | pF3 | m0F | 0x52},
	VRSQRTSS & 0xff:    {name: "vrsqrtss", rm: vex | vx | hx | wx | pF3 | m0F | 0x52 | t4, needs: AVX},
	HADDPS & 0xff:      {name: "haddps", rm: vx | wx | pF2 | m0F | 0x7c, needs: SSE3},
	VHADDPS & 0xff:     {name: "vhaddps", rm: vex | vx | hx | wx | pF2 | m0F | 0x7c | fv, needs: AVX},
	HADDPD & 0xff:      {name: "haddpd", rm: vx | wx | p66 | m0F | 0x7c, needs: SSE3},
	VHADDPD & 0xff:     {name: "vhaddpd", rm: vex | vx | hx | wx | p66 | m0F | 0x7c | fv, needs: AVX},
	HSUBPS & 0xff:      {name: "hsubps", rm: vx | wx | pF2 | m0F | 0x7d, needs: SSE3},
	VHSUBPS & 0xff:     {name: "vhsubps", rm: vex | vx | hx | wx | pF2 | m0F | 0x7d | fv, needs: AVX},
	HSUBPD & 0xff:      {name: "hsubpd", rm: vx | wx | p66 | m0F | 0x7d, needs: SSE3},
	VHSUBPD & 0xff:     {name: "vhsubpd", rm: vex | vx | hx | wx | p66 | m0F | 0x7d | fv, needs: AVX},
	ADDSUBPS & 0xff:    {name: "addsubps", rm: vx | wx | pF2 | m0F | 0xd0, needs: SSE3},
	VADDSUBPS & 0xff:   {name: "vaddsubps", rm: vex | vx | hx | wx | pF2 | m0F | 0xd0 | fv, needs: AVX},
	ADDSUBPD & 0xff:    {name: "addsubpd", rm: vx | wx | p66 | m0F | 0xd0, needs: SSE3},
	VADDSUBPD & 0xff:   {name: "vaddsubpd", rm: vex | vx | hx | wx | p66 | m0F | 0xd0 | fv, needs: AVX},
	DPPS & 0xff:        {name: "dpps", rm: vx | wx | p66 | m3A | ib | 0x40, needs: SSE41},
	VDPPS & 0xff:       {name: "vdpps", rm: vex | vx | hx | wx | p66 | m3A | ib | 0x40 | fv, needs: AVX},
	DPPD & 0xff:        {name: "dppd", rm: vx | wx | p66 | m3A | ib | 0x41, needs: SSE41},
	VDPPD & 0xff:       {name: "vdppd", rm: vex | vx | hx | wx | p66 | m3A | ib | 0x41, needs: AVX},
	ANDPS & 0xff:       {name: "andps", rm: vx | wx | m0F | 0x54},
	VANDPS & 0xff:      {name: "vandps", rm: vex | vx | hx | wx | m0F | 0x54 | fv | ev0, needs: AVX},
	ANDPD & 0xff:       {name: "andpd", rm: vx | wx | p66 | m0F | 0x54},
	VANDPD & 0xff:      {name: "vandpd", rm: vex | vx | hx | wx | p66 | m0F | 0x54 | fv | ev1, needs: AVX},
	ANDNPS & 0xff:      {name: "andnps", rm: vx | wx | m0F | 0x55},
	VANDNPS & 0xff:     {name: "vandnps", rm: vex | vx | hx | wx | m0F | 0x55 | fv | ev0, needs: AVX},
	ANDNPD & 0xff:      {name: "andnpd", rm: vx | wx | p66 | m0F | 0x55},
	VANDNPD & 0xff:     {name: "vandnpd", rm: vex | vx | hx | wx | p66 | m0F | 0x55 | fv | ev1, needs: AVX},
	ORPS & 0xff:        {name: "orps", rm: vx | wx | m0F | 0x56},
	VORPS & 0xff:       {name: "vorps", rm: vex | vx | hx | wx | m0F | 0x56 | fv | ev0, needs: AVX},
	ORPD & 0xff:        {name: "orpd", rm: vx | wx | p66 | m0F | 0x56},
	VORPD & 0xff:       {name: "vorpd", rm: vex | vx | hx | wx | p66 | m0F | 0x56 | fv | ev1, needs: AVX},
	XORPS & 0xff:       {name: "xorps", rm: vx | wx | m0F | 0x57},
	VXORPS & 0xff:      {name: "vxorps", rm: vex | vx | hx | wx | m0F | 0x57 | fv | ev0, needs: AVX},
	XORPD & 0xff:       {name: "xorpd", rm: vx | wx | p66 | m0F | 0x57},
	VXORPD & 0xff:      {name: "vxorpd", rm: vex | vx | hx | wx | p66 | m0F | 0x57 | fv | ev1, needs: AVX},
	CMPPS & 0xff:       {name: "cmpps", rm: vx | wx | m0F | ib | 0xc2},
	VCMPPS & 0xff:      {name: "vcmpps", rm: vex | vx | hx | wx | m0F | ib | 0xc2 | fv, needs: AVX},
	CMPPD & 0xff:       {name: "cmppd", rm: vx | wx | p66 | m0F | ib | 0xc2},
	VCMPPD & 0xff:      {name: "vcmppd", rm: vex | vx | hx | wx | p66 | m0F | ib | 0xc2 | fv, needs: AVX},
	CMPSS & 0xff:       {name: "cmpss", rm: vx | wx | pF3 | m0F | ib | 0xc2},
	VCMPSS & 0xff:      {name: "vcmpss", rm: vex | vx | hx | wx | pF3 | m0F | ib | 0xc2 | t4, needs: AVX},
	CMPSD & 0xff:       {name: "cmpsd", rm: vx | wx | pF2 | m0F | ib | 0xc2},
	VCMPSD & 0xff:      {name: "vcmpsd", rm: vex | vx | hx | wx | pF2 | m0F | ib | 0xc2 | t8, needs: AVX},
	UCOMISS & 0xff:     {name: "ucomiss", rm: vx | wx | m0F | 0x2e},
	VUCOMISS & 0xff:    {name: "vucomiss", rm: vex | vx | wx | m0F | 0x2e | t4 | ev0 | nok, needs: AVX},
	UCOMISD & 0xff:     {name: "ucomisd", rm: vx | wx | p66 | m0F | 0x2e},
	VUCOMISD & 0xff:    {name: "vucomisd", rm: vex | vx | wx | p66 | m0F | 0x2e | t8 | ev1 | nok, needs: AVX},
	COMISS & 0xff:      {name: "comiss", rm: vx | wx | m0F | 0x2f},
	VCOMISS & 0xff:     {name: "vcomiss", rm: vex | vx | wx | m0F | 0x2f | t4 | ev0 | nok, needs: AVX},
	COMISD & 0xff:      {name: "comisd", rm: vx | wx | p66 | m0F | 0x2f},
	VCOMISD & 0xff:     {name: "vcomisd", rm: vex | vx | wx | p66 | m0F | 0x2f | t8 | ev1 | nok, needs: AVX},
	UNPCKLPS & 0xff:    {name: "unpcklps", rm: vx | wx | m0F | 0x14},
	VUNPCKLPS & 0xff:   {name: "vunpcklps", rm: vex | vx | hx | wx | m0F | 0x14 | fv | ev0, needs: AVX},
	UNPCKLPD & 0xff:    {name: "unpcklpd", rm: vx | wx | p66 | m0F | 0x14},
	VUNPCKLPD & 0xff:   {name: "vunpcklpd", rm: vex | vx | hx | wx | p66 | m0F | 0x14 | fv | ev1, needs: AVX},
	UNPCKHPS & 0xff:    {name: "unpckhps", rm: vx | wx | m0F | 0x15},
	VUNPCKHPS & 0xff:   {name: "vunpckhps", rm: vex | vx | hx | wx | m0F | 0x15 | fv | ev0, needs: AVX},
	UNPCKHPD & 0xff:    {name: "unpckhpd", rm: vx | wx | p66 | m0F | 0x15},
	VUNPCKHPD & 0xff:   {name: "vunpckhpd", rm: vex | vx | hx | wx | p66 | m0F | 0x15 | fv | ev1, needs: AVX},
	SHUFPS & 0xff:      {name: "shufps", rm: vx | wx | m0F | ib | 0xc6},
	VSHUFPS & 0xff:     {name: "vshufps", rm: vex | vx | hx | wx | m0F | ib | 0xc6 | fv | ev0, needs: AVX},
	SHUFPD & 0xff:      {name: "shufpd", rm: vx | wx | p66 | m0F | ib | 0xc6},
	VSHUFPD & 0xff:     {name: "vshufpd", rm: vex | vx | hx | wx | p66 | m0F | ib | 0xc6 | fv | ev1, needs: AVX},
	BLENDPS & 0xff:     {name: "blendps", rm: vx | wx | p66 | m3A | ib | 0x0c, needs: SSE41},
	VBLENDPS & 0xff:    {name: "vblendps", rm: vex | vx | hx | wx | p66 | m3A | ib | 0x0c | fv, needs: AVX},
	BLENDPD & 0xff:     {name: "blendpd", rm: vx | wx | p66 | m3A | ib | 0x0d, needs: SSE41},
	VBLENDPD & 0xff:    {name: "vblendpd", rm: vex | vx | hx | wx | p66 | m3A | ib | 0x0d | fv, needs: AVX},
	BLENDVPS & 0xff:    {name: "blendvps", rm: vx | wx | p66 | m38 | 0x14, needs: SSE41},
	VBLENDVPS & 0xff:   {name: "vblendvps", rm: vex | vx | hx | wx | p66 | m3A | is4 | 0x4a | fv, needs: AVX},
	BLENDVPD & 0xff:    {name: "blendvpd", rm: vx | wx | p66 | m38 | 0x15, needs: SSE41},
	VBLENDVPD & 0xff:   {name: "vblendvpd", rm: vex | vx | hx | wx | p66 | m3A | is4 | 0x4b | fv, needs: AVX},
	VPERMILPS & 0xff:   {name: "vpermilps", rm: vex | vx | hx | wx | p66 | m38 | 0x0c | fv | ev0, mi: vex | vx | wx | p66 | m3A | ib | 0x04 | fv | ev0, needs: AVX},
	VPERMILPD & 0xff:   {name: "vpermilpd", rm: vex | vx | hx | wx | p66 | m38 | 0x0d | fv | ev1, mi: vex | vx | wx | p66 | m3A | ib | 0x05 | fv | ev1, needs: AVX},
	ROUNDPS & 0xff:     {name: "roundps", rm: vx | wx | p66 | m3A | ib | 0x08, needs: SSE41},
	VROUNDPS & 0xff:    {name: "vroundps", rm: vex | vx | wx | p66 | m3A | ib | 0x08 | fv, needs: AVX},
	ROUNDPD & 0xff:     {name: "roundpd", rm: vx | wx | p66 | m3A | ib | 0x09, needs: SSE41},
	VROUNDPD & 0xff:    {name: "vroundpd", rm: vex | vx | wx | p66 | m3A | ib | 0x09 | fv, needs: AVX},
	ROUNDSS & 0xff:     {name: "roundss", rm: vx | wx | p66 | m3A | ib | 0x0a, needs: SSE41},
	VROUNDSS & 0xff:    {name: "vroundss", rm: vex | vx | hx | wx | p66 | m3A | ib | 0x0a | t4, needs: AVX},
	ROUNDSD & 0xff:     {name: "roundsd", rm: vx | wx | p66 | m3A | ib | 0x0b, needs: SSE41},
	VROUNDSD & 0xff:    {name: "vroundsd", rm: vex | vx | hx | wx | p66 | m3A | ib | 0x0b | t8, needs: AVX},
	CVTSS2SD & 0xff:    {name: "cvtss2sd", rm: vx | wx | pF3 | m0F | 0x5a},
	VCVTSS2SD & 0xff:   {name: "vcvtss2sd", rm: vex | vx | hx | wx | pF3 | m0F | 0x5a | t4 | ev0, needs: AVX},
	CVTSD2SS & 0xff:    {name: "cvtsd2ss", rm: vx | wx | pF2 | m0F | 0x5a},
	VCVTSD2SS & 0xff:   {name: "vcvtsd2ss", rm: vex | vx | hx | wx | pF2 | m0F | 0x5a | t8 | ev1, needs: AVX},
	CVTPS2PD & 0xff:    {name: "cvtps2pd", rm: vx | wx | m0F | 0x5a},
	VCVTPS2PD & 0xff:   {name: "vcvtps2pd", rm: vex | vx | wx | m0F | 0x5a | hv | ev0, needs: AVX},
	CVTPD2PS & 0xff:    {name: "cvtpd2ps", rm: vx | wx | p66 | m0F | 0x5a},
	VCVTPD2PS & 0xff:   {name: "vcvtpd2ps", rm: vex | vx | wx | p66 | m0F | 0x5a | fv | ev1, needs: AVX},
	CVTDQ2PS & 0xff:    {name: "cvtdq2ps", rm: vx | wx | m0F | 0x5b},
	VCVTDQ2PS & 0xff:   {name: "vcvtdq2ps", rm: vex | vx | wx | m0F | 0x5b | fv | ev0, needs: AVX},
	CVTPS2DQ & 0xff:    {name: "cvtps2dq", rm: vx | wx | p66 | m0F | 0x5b},
	VCVTPS2DQ & 0xff:   {name: "vcvtps2dq", rm: vex | vx | wx | p66 | m0F | 0x5b | fv | ev0, needs: AVX},
	CVTTPS2DQ & 0xff:   {name: "cvttps2dq", rm: vx | wx | pF3 | m0F | 0x5b},
	VCVTTPS2DQ & 0xff:  {name: "vcvttps2dq", rm: vex | vx | wx | pF3 | m0F | 0x5b | fv | ev0, needs: AVX},
	CVTDQ2PD & 0xff:    {name: "cvtdq2pd", rm: vx | wx | pF3 | m0F | 0xe6},
	VCVTDQ2PD & 0xff:   {name: "vcvtdq2pd", rm: vex | vx | wx | pF3 | m0F | 0xe6 | hv | ev0, needs: AVX},
	CVTPD2DQ & 0xff:    {name: "cvtpd2dq", rm: vx | wx | pF2 | m0F | 0xe6},
	VCVTPD2DQ & 0xff:   {name: "vcvtpd2dq", rm: vex | vx | wx | pF2 | m0F | 0xe6 | fv | ev1, needs: AVX},
	CVTTPD2DQ & 0xff:   {name: "cvttpd2dq", rm: vx | wx | p66 | m0F | 0xe6},
	VCVTTPD2DQ & 0xff:  {name: "vcvttpd2dq", rm: vex | vx | wx | p66 | m0F | 0xe6 | fv | ev1, needs: AVX},
	CVTSI2SSL & 0xff:   {name: "cvtsi2ss", rm: vx | ed | pF3 | m0F | 0x2a},
	VCVTSI2SSL & 0xff:  {name: "vcvtsi2ss", rm: vex | vx | hx | ed | pF3 | m0F | 0x2a | t4 | ev0 | nok, needs: AVX},
	CVTSS2SIL & 0xff:   {name: "cvtss2si", rm: gd | wx | pF3 | m0F | 0x2d},
	VCVTSS2SIL & 0xff:  {name: "vcvtss2si", rm: vex | gd | wx | pF3 | m0F | 0x2d | t4 | ev0, needs: AVX},
	CVTTSS2SIL & 0xff:  {name: "cvttss2si", rm: gd | wx | pF3 | m0F | 0x2c},
	VCVTTSS2SIL & 0xff: {name: "vcvttss2si", rm: vex | gd | wx | pF3 | m0F | 0x2c | t4 | ev0, needs: AVX},
	CVTSI2SSQ & 0xff:   {name: "cvtsi2ss", rm: vx | eq | pF3 | w1 | m0F | 0x2a},
	VCVTSI2SSQ & 0xff:  {name: "vcvtsi2ss", rm: vex | vx | hx | eq | pF3 | w1 | m0F | 0x2a | t8 | ev1 | nok, needs: AVX},
	CVTSS2SIQ & 0xff:   {name: "cvtss2si", rm: gq | wx | pF3 | w1 | m0F | 0x2d},
	VCVTSS2SIQ & 0xff:  {name: "vcvtss2si", rm: vex | gq | wx | pF3 | w1 | m0F | 0x2d | t4 | ev1, needs: AVX},
	CVTTSS2SIQ & 0xff:  {name: "cvttss2si", rm: gq | wx | pF3 | w1 | m0F | 0x2c},
	VCVTTSS2SIQ & 0xff: {name: "vcvttss2si", rm: vex | gq | wx | pF3 | w1 | m0F | 0x2c | t4 | ev1, needs: AVX},
	CVTSI2SDL & 0xff:   {name: "cvtsi2sd", rm: vx | ed | pF2 | m0F | 0x2a},
	VCVTSI2SDL & 0xff:  {name: "vcvtsi2sd", rm: vex | vx | hx | ed | pF2 | m0F | 0x2a | t4 | ev0 | nok, needs: AVX},
	CVTSD2SIL & 0xff:   {name: "cvtsd2si", rm: gd | wx | pF2 | m0F | 0x2d},
	VCVTSD2SIL & 0xff:  {name: "vcvtsd2si", rm: vex | gd | wx | pF2 | m0F | 0x2d | t8 | ev0, needs: AVX},
	CVTTSD2SIL & 0xff:  {name: "cvttsd2si", rm: gd | wx | pF2 | m0F | 0x2c},
	VCVTTSD2SIL & 0xff: {name: "vcvttsd2si", rm: vex | gd | wx | pF2 | m0F | 0x2c | t8 | ev0, needs: AVX},
	CVTSI2SDQ & 0xff:   {name: "cvtsi2sd", rm: vx | eq | pF2 | w1 | m0F | 0x2a},
	VCVTSI2SDQ & 0xff:  {name: "vcvtsi2sd", rm: vex | vx | hx | eq | pF2 | w1 | m0F | 0x2a | t8 | ev1 | nok, needs: AVX},
	CVTSD2SIQ & 0xff:   {name: "cvtsd2si", rm: gq | wx | pF2 | w1 | m0F | 0x2d},
	VCVTSD2SIQ & 0xff:  {name: "vcvtsd2si", rm: vex | gq | wx | pF2 | w1 | m0F | 0x2d | t8 | ev1, needs: AVX},
	CVTTSD2SIQ & 0xff:  {name: "cvttsd2si", rm: gq | wx | pF2 | w1 | m0F | 0x2c},
	VCVTTSD2SIQ & 0xff: {name: "vcvttsd2si", rm: vex | gq | wx | pF2 | w1 | m0F | 0x2c | t8 | ev1, needs: AVX},
	VCVTPH2PS & 0xff:   {name: "vcvtph2ps", rm: vex | vx | wx | p66 | m38 | 0x13 | hv | ev0, needs: F16C},
	VCVTPS2PH & 0xff:   {name: "vcvtps2ph", mr: vex | vx | wx | p66 | m3A | ib | 0x1d | hv | ev0, needs: F16C},
}
