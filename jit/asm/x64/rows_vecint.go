package x64

// Packed integer instructions; SSE rows with their VEX forms.
const (
	// Add, subtract, average.
	PADDB Op = iota + 3<<famShift
	VPADDB
	PADDW
	VPADDW
	PADDD
	VPADDD
	PADDQ
	VPADDQ
	PSUBB
	VPSUBB
	PSUBW
	VPSUBW
	PSUBD
	VPSUBD
	PSUBQ
	VPSUBQ
	PADDSB
	VPADDSB
	PADDSW
	VPADDSW
	PADDUSB
	VPADDUSB
	PADDUSW
	VPADDUSW
	PSUBSB
	VPSUBSB
	PSUBSW
	VPSUBSW
	PSUBUSB
	VPSUBUSB
	PSUBUSW
	VPSUBUSW
	PAVGB
	VPAVGB
	PAVGW
	VPAVGW

	// Multiply.
	PMULLW
	VPMULLW
	PMULHW
	VPMULHW
	PMULHUW
	VPMULHUW
	PMADDWD
	VPMADDWD
	PSADBW
	VPSADBW
	PMULUDQ
	VPMULUDQ
	PMULHRSW
	VPMULHRSW
	PMADDUBSW
	VPMADDUBSW
	PMULLD
	VPMULLD
	PMULDQ
	VPMULDQ

	// Minimum, maximum, absolute value, sign.
	PMINUB
	VPMINUB
	PMAXUB
	VPMAXUB
	PMINSW
	VPMINSW
	PMAXSW
	VPMAXSW
	PMINSB
	VPMINSB
	PMINSD
	VPMINSD
	PMINUW
	VPMINUW
	PMINUD
	VPMINUD
	PMAXSB
	VPMAXSB
	PMAXSD
	VPMAXSD
	PMAXUW
	VPMAXUW
	PMAXUD
	VPMAXUD
	PABSB
	VPABSB
	PABSW
	VPABSW
	PABSD
	VPABSD
	PSIGNB
	VPSIGNB
	PSIGNW
	VPSIGNW
	PSIGND
	VPSIGND

	// Compare. The EVEX forms, which write a mask, are rows of their own (VPCMPEQBK).
	PCMPEQB
	VPCMPEQB
	PCMPEQW
	VPCMPEQW
	PCMPEQD
	VPCMPEQD
	PCMPGTB
	VPCMPGTB
	PCMPGTW
	VPCMPGTW
	PCMPGTD
	VPCMPGTD
	PCMPEQQ
	VPCMPEQQ
	PCMPGTQ
	VPCMPGTQ
	PTEST
	VPTEST

	// Logic. Under EVEX these are VPANDD, VPORD, ...
	PAND
	VPAND
	PANDN
	VPANDN
	POR
	VPOR
	PXOR
	VPXOR

	// Shifts by the low 64 bits of a register or memory (XX, XXX) and by an immediate (XI, XXI).
	PSLLW
	VPSLLW
	PSLLD
	VPSLLD
	PSLLQ
	VPSLLQ
	PSRLW
	VPSRLW
	PSRLD
	VPSRLD
	PSRLQ
	VPSRLQ
	PSRAW
	VPSRAW
	PSRAD
	VPSRAD
	PSLLDQ
	VPSLLDQ
	PSRLDQ
	VPSRLDQ

	// Shifts by a count per element.
	VPSLLVD
	VPSLLVQ
	VPSRLVD
	VPSRLVQ
	VPSRAVD
)

var rowsVecInt = [...]row{
	PADDB & 0xff:      {name: "paddb", rm: vx | wx | p66 | m0F | 0xfc},
	VPADDB & 0xff:     {name: "vpaddb", rm: vex | vx | hx | wx | p66 | m0F | 0xfc | fv | ev0, needs: AVX},
	PADDW & 0xff:      {name: "paddw", rm: vx | wx | p66 | m0F | 0xfd},
	VPADDW & 0xff:     {name: "vpaddw", rm: vex | vx | hx | wx | p66 | m0F | 0xfd | fv | ev0, needs: AVX},
	PADDD & 0xff:      {name: "paddd", rm: vx | wx | p66 | m0F | 0xfe},
	VPADDD & 0xff:     {name: "vpaddd", rm: vex | vx | hx | wx | p66 | m0F | 0xfe | fv | ev0, needs: AVX},
	PADDQ & 0xff:      {name: "paddq", rm: vx | wx | p66 | m0F | 0xd4},
	VPADDQ & 0xff:     {name: "vpaddq", rm: vex | vx | hx | wx | p66 | m0F | 0xd4 | fv | ev1, needs: AVX},
	PSUBB & 0xff:      {name: "psubb", rm: vx | wx | p66 | m0F | 0xf8},
	VPSUBB & 0xff:     {name: "vpsubb", rm: vex | vx | hx | wx | p66 | m0F | 0xf8 | fv | ev0, needs: AVX},
	PSUBW & 0xff:      {name: "psubw", rm: vx | wx | p66 | m0F | 0xf9},
	VPSUBW & 0xff:     {name: "vpsubw", rm: vex | vx | hx | wx | p66 | m0F | 0xf9 | fv | ev0, needs: AVX},
	PSUBD & 0xff:      {name: "psubd", rm: vx | wx | p66 | m0F | 0xfa},
	VPSUBD & 0xff:     {name: "vpsubd", rm: vex | vx | hx | wx | p66 | m0F | 0xfa | fv | ev0, needs: AVX},
	PSUBQ & 0xff:      {name: "psubq", rm: vx | wx | p66 | m0F | 0xfb},
	VPSUBQ & 0xff:     {name: "vpsubq", rm: vex | vx | hx | wx | p66 | m0F | 0xfb | fv | ev1, needs: AVX},
	PADDSB & 0xff:     {name: "paddsb", rm: vx | wx | p66 | m0F | 0xec},
	VPADDSB & 0xff:    {name: "vpaddsb", rm: vex | vx | hx | wx | p66 | m0F | 0xec | fv | ev0, needs: AVX},
	PADDSW & 0xff:     {name: "paddsw", rm: vx | wx | p66 | m0F | 0xed},
	VPADDSW & 0xff:    {name: "vpaddsw", rm: vex | vx | hx | wx | p66 | m0F | 0xed | fv | ev0, needs: AVX},
	PADDUSB & 0xff:    {name: "paddusb", rm: vx | wx | p66 | m0F | 0xdc},
	VPADDUSB & 0xff:   {name: "vpaddusb", rm: vex | vx | hx | wx | p66 | m0F | 0xdc | fv | ev0, needs: AVX},
	PADDUSW & 0xff:    {name: "paddusw", rm: vx | wx | p66 | m0F | 0xdd},
	VPADDUSW & 0xff:   {name: "vpaddusw", rm: vex | vx | hx | wx | p66 | m0F | 0xdd | fv | ev0, needs: AVX},
	PSUBSB & 0xff:     {name: "psubsb", rm: vx | wx | p66 | m0F | 0xe8},
	VPSUBSB & 0xff:    {name: "vpsubsb", rm: vex | vx | hx | wx | p66 | m0F | 0xe8 | fv | ev0, needs: AVX},
	PSUBSW & 0xff:     {name: "psubsw", rm: vx | wx | p66 | m0F | 0xe9},
	VPSUBSW & 0xff:    {name: "vpsubsw", rm: vex | vx | hx | wx | p66 | m0F | 0xe9 | fv | ev0, needs: AVX},
	PSUBUSB & 0xff:    {name: "psubusb", rm: vx | wx | p66 | m0F | 0xd8},
	VPSUBUSB & 0xff:   {name: "vpsubusb", rm: vex | vx | hx | wx | p66 | m0F | 0xd8 | fv | ev0, needs: AVX},
	PSUBUSW & 0xff:    {name: "psubusw", rm: vx | wx | p66 | m0F | 0xd9},
	VPSUBUSW & 0xff:   {name: "vpsubusw", rm: vex | vx | hx | wx | p66 | m0F | 0xd9 | fv | ev0, needs: AVX},
	PAVGB & 0xff:      {name: "pavgb", rm: vx | wx | p66 | m0F | 0xe0},
	VPAVGB & 0xff:     {name: "vpavgb", rm: vex | vx | hx | wx | p66 | m0F | 0xe0 | fv | ev0, needs: AVX},
	PAVGW & 0xff:      {name: "pavgw", rm: vx | wx | p66 | m0F | 0xe3},
	VPAVGW & 0xff:     {name: "vpavgw", rm: vex | vx | hx | wx | p66 | m0F | 0xe3 | fv | ev0, needs: AVX},
	PMULLW & 0xff:     {name: "pmullw", rm: vx | wx | p66 | m0F | 0xd5},
	VPMULLW & 0xff:    {name: "vpmullw", rm: vex | vx | hx | wx | p66 | m0F | 0xd5 | fv | ev0, needs: AVX},
	PMULHW & 0xff:     {name: "pmulhw", rm: vx | wx | p66 | m0F | 0xe5},
	VPMULHW & 0xff:    {name: "vpmulhw", rm: vex | vx | hx | wx | p66 | m0F | 0xe5 | fv | ev0, needs: AVX},
	PMULHUW & 0xff:    {name: "pmulhuw", rm: vx | wx | p66 | m0F | 0xe4},
	VPMULHUW & 0xff:   {name: "vpmulhuw", rm: vex | vx | hx | wx | p66 | m0F | 0xe4 | fv | ev0, needs: AVX},
	PMADDWD & 0xff:    {name: "pmaddwd", rm: vx | wx | p66 | m0F | 0xf5},
	VPMADDWD & 0xff:   {name: "vpmaddwd", rm: vex | vx | hx | wx | p66 | m0F | 0xf5 | fv | ev0, needs: AVX},
	PSADBW & 0xff:     {name: "psadbw", rm: vx | wx | p66 | m0F | 0xf6},
	VPSADBW & 0xff:    {name: "vpsadbw", rm: vex | vx | hx | wx | p66 | m0F | 0xf6 | fv | ev0 | nok, needs: AVX},
	PMULUDQ & 0xff:    {name: "pmuludq", rm: vx | wx | p66 | m0F | 0xf4},
	VPMULUDQ & 0xff:   {name: "vpmuludq", rm: vex | vx | hx | wx | p66 | m0F | 0xf4 | fv | ev1, needs: AVX},
	PMULHRSW & 0xff:   {name: "pmulhrsw", rm: vx | wx | p66 | m38 | 0x0b, needs: SSSE3},
	VPMULHRSW & 0xff:  {name: "vpmulhrsw", rm: vex | vx | hx | wx | p66 | m38 | 0x0b | fv | ev0, needs: AVX},
	PMADDUBSW & 0xff:  {name: "pmaddubsw", rm: vx | wx | p66 | m38 | 0x04, needs: SSSE3},
	VPMADDUBSW & 0xff: {name: "vpmaddubsw", rm: vex | vx | hx | wx | p66 | m38 | 0x04 | fv | ev0, needs: AVX},
	PMULLD & 0xff:     {name: "pmulld", rm: vx | wx | p66 | m38 | 0x40, needs: SSE41},
	VPMULLD & 0xff:    {name: "vpmulld", rm: vex | vx | hx | wx | p66 | m38 | 0x40 | fv | ev0, needs: AVX},
	PMULDQ & 0xff:     {name: "pmuldq", rm: vx | wx | p66 | m38 | 0x28, needs: SSE41},
	VPMULDQ & 0xff:    {name: "vpmuldq", rm: vex | vx | hx | wx | p66 | m38 | 0x28 | fv | ev1, needs: AVX},
	PMINUB & 0xff:     {name: "pminub", rm: vx | wx | p66 | m0F | 0xda},
	VPMINUB & 0xff:    {name: "vpminub", rm: vex | vx | hx | wx | p66 | m0F | 0xda | fv | ev0, needs: AVX},
	PMAXUB & 0xff:     {name: "pmaxub", rm: vx | wx | p66 | m0F | 0xde},
	VPMAXUB & 0xff:    {name: "vpmaxub", rm: vex | vx | hx | wx | p66 | m0F | 0xde | fv | ev0, needs: AVX},
	PMINSW & 0xff:     {name: "pminsw", rm: vx | wx | p66 | m0F | 0xea},
	VPMINSW & 0xff:    {name: "vpminsw", rm: vex | vx | hx | wx | p66 | m0F | 0xea | fv | ev0, needs: AVX},
	PMAXSW & 0xff:     {name: "pmaxsw", rm: vx | wx | p66 | m0F | 0xee},
	VPMAXSW & 0xff:    {name: "vpmaxsw", rm: vex | vx | hx | wx | p66 | m0F | 0xee | fv | ev0, needs: AVX},
	PMINSB & 0xff:     {name: "pminsb", rm: vx | wx | p66 | m38 | 0x38, needs: SSE41},
	VPMINSB & 0xff:    {name: "vpminsb", rm: vex | vx | hx | wx | p66 | m38 | 0x38 | fv | ev0, needs: AVX},
	PMINSD & 0xff:     {name: "pminsd", rm: vx | wx | p66 | m38 | 0x39, needs: SSE41},
	VPMINSD & 0xff:    {name: "vpminsd", rm: vex | vx | hx | wx | p66 | m38 | 0x39 | fv | ev0, needs: AVX},
	PMINUW & 0xff:     {name: "pminuw", rm: vx | wx | p66 | m38 | 0x3a, needs: SSE41},
	VPMINUW & 0xff:    {name: "vpminuw", rm: vex | vx | hx | wx | p66 | m38 | 0x3a | fv | ev0, needs: AVX},
	PMINUD & 0xff:     {name: "pminud", rm: vx | wx | p66 | m38 | 0x3b, needs: SSE41},
	VPMINUD & 0xff:    {name: "vpminud", rm: vex | vx | hx | wx | p66 | m38 | 0x3b | fv | ev0, needs: AVX},
	PMAXSB & 0xff:     {name: "pmaxsb", rm: vx | wx | p66 | m38 | 0x3c, needs: SSE41},
	VPMAXSB & 0xff:    {name: "vpmaxsb", rm: vex | vx | hx | wx | p66 | m38 | 0x3c | fv | ev0, needs: AVX},
	PMAXSD & 0xff:     {name: "pmaxsd", rm: vx | wx | p66 | m38 | 0x3d, needs: SSE41},
	VPMAXSD & 0xff:    {name: "vpmaxsd", rm: vex | vx | hx | wx | p66 | m38 | 0x3d | fv | ev0, needs: AVX},
	PMAXUW & 0xff:     {name: "pmaxuw", rm: vx | wx | p66 | m38 | 0x3e, needs: SSE41},
	VPMAXUW & 0xff:    {name: "vpmaxuw", rm: vex | vx | hx | wx | p66 | m38 | 0x3e | fv | ev0, needs: AVX},
	PMAXUD & 0xff:     {name: "pmaxud", rm: vx | wx | p66 | m38 | 0x3f, needs: SSE41},
	VPMAXUD & 0xff:    {name: "vpmaxud", rm: vex | vx | hx | wx | p66 | m38 | 0x3f | fv | ev0, needs: AVX},
	PABSB & 0xff:      {name: "pabsb", rm: vx | wx | p66 | m38 | 0x1c, needs: SSSE3},
	VPABSB & 0xff:     {name: "vpabsb", rm: vex | vx | wx | p66 | m38 | 0x1c | fv | ev0, needs: AVX},
	PABSW & 0xff:      {name: "pabsw", rm: vx | wx | p66 | m38 | 0x1d, needs: SSSE3},
	VPABSW & 0xff:     {name: "vpabsw", rm: vex | vx | wx | p66 | m38 | 0x1d | fv | ev0, needs: AVX},
	PABSD & 0xff:      {name: "pabsd", rm: vx | wx | p66 | m38 | 0x1e, needs: SSSE3},
	VPABSD & 0xff:     {name: "vpabsd", rm: vex | vx | wx | p66 | m38 | 0x1e | fv | ev0, needs: AVX},
	PSIGNB & 0xff:     {name: "psignb", rm: vx | wx | p66 | m38 | 0x08, needs: SSSE3},
	VPSIGNB & 0xff:    {name: "vpsignb", rm: vex | vx | hx | wx | p66 | m38 | 0x08 | fv, needs: AVX},
	PSIGNW & 0xff:     {name: "psignw", rm: vx | wx | p66 | m38 | 0x09, needs: SSSE3},
	VPSIGNW & 0xff:    {name: "vpsignw", rm: vex | vx | hx | wx | p66 | m38 | 0x09 | fv, needs: AVX},
	PSIGND & 0xff:     {name: "psignd", rm: vx | wx | p66 | m38 | 0x0a, needs: SSSE3},
	VPSIGND & 0xff:    {name: "vpsignd", rm: vex | vx | hx | wx | p66 | m38 | 0x0a | fv, needs: AVX},
	PCMPEQB & 0xff:    {name: "pcmpeqb", rm: vx | wx | p66 | m0F | 0x74},
	VPCMPEQB & 0xff:   {name: "vpcmpeqb", rm: vex | vx | hx | wx | p66 | m0F | 0x74 | fv, needs: AVX},
	PCMPEQW & 0xff:    {name: "pcmpeqw", rm: vx | wx | p66 | m0F | 0x75},
	VPCMPEQW & 0xff:   {name: "vpcmpeqw", rm: vex | vx | hx | wx | p66 | m0F | 0x75 | fv, needs: AVX},
	PCMPEQD & 0xff:    {name: "pcmpeqd", rm: vx | wx | p66 | m0F | 0x76},
	VPCMPEQD & 0xff:   {name: "vpcmpeqd", rm: vex | vx | hx | wx | p66 | m0F | 0x76 | fv, needs: AVX},
	PCMPGTB & 0xff:    {name: "pcmpgtb", rm: vx | wx | p66 | m0F | 0x64},
	VPCMPGTB & 0xff:   {name: "vpcmpgtb", rm: vex | vx | hx | wx | p66 | m0F | 0x64 | fv, needs: AVX},
	PCMPGTW & 0xff:    {name: "pcmpgtw", rm: vx | wx | p66 | m0F | 0x65},
	VPCMPGTW & 0xff:   {name: "vpcmpgtw", rm: vex | vx | hx | wx | p66 | m0F | 0x65 | fv, needs: AVX},
	PCMPGTD & 0xff:    {name: "pcmpgtd", rm: vx | wx | p66 | m0F | 0x66},
	VPCMPGTD & 0xff:   {name: "vpcmpgtd", rm: vex | vx | hx | wx | p66 | m0F | 0x66 | fv, needs: AVX},
	PCMPEQQ & 0xff:    {name: "pcmpeqq", rm: vx | wx | p66 | m38 | 0x29, needs: SSE41},
	VPCMPEQQ & 0xff:   {name: "vpcmpeqq", rm: vex | vx | hx | wx | p66 | m38 | 0x29 | fv, needs: AVX},
	PCMPGTQ & 0xff:    {name: "pcmpgtq", rm: vx | wx | p66 | m38 | 0x37, needs: SSE42},
	VPCMPGTQ & 0xff:   {name: "vpcmpgtq", rm: vex | vx | hx | wx | p66 | m38 | 0x37 | fv, needs: AVX},
	PTEST & 0xff:      {name: "ptest", rm: vx | wx | p66 | m38 | 0x17, needs: SSE41},
	VPTEST & 0xff:     {name: "vptest", rm: vex | vx | wx | p66 | m38 | 0x17 | fv, needs: AVX},
	PAND & 0xff:       {name: "pand", rm: vx | wx | p66 | m0F | 0xdb},
	VPAND & 0xff:      {name: "vpand", rm: vex | vx | hx | wx | p66 | m0F | 0xdb | fv | ev0, needs: AVX},
	PANDN & 0xff:      {name: "pandn", rm: vx | wx | p66 | m0F | 0xdf},
	VPANDN & 0xff:     {name: "vpandn", rm: vex | vx | hx | wx | p66 | m0F | 0xdf | fv | ev0, needs: AVX},
	POR & 0xff:        {name: "por", rm: vx | wx | p66 | m0F | 0xeb},
	VPOR & 0xff:       {name: "vpor", rm: vex | vx | hx | wx | p66 | m0F | 0xeb | fv | ev0, needs: AVX},
	PXOR & 0xff:       {name: "pxor", rm: vx | wx | p66 | m0F | 0xef},
	VPXOR & 0xff:      {name: "vpxor", rm: vex | vx | hx | wx | p66 | m0F | 0xef | fv | ev0, needs: AVX},
	PSLLW & 0xff:      {name: "psllw", rm: vx | wx | p66 | m0F | 0xf1, mi: ux | p66 | m0F | d6 | ib | 0x71},
	VPSLLW & 0xff:     {name: "vpsllw", rm: vex | vx | hx | wx | p66 | m0F | 0xf1 | t16 | yy | ev0, mi: vex | hx | ux | p66 | m0F | d6 | ib | 0x71 | yy | ev0, needs: AVX},
	PSLLD & 0xff:      {name: "pslld", rm: vx | wx | p66 | m0F | 0xf2, mi: ux | p66 | m0F | d6 | ib | 0x72},
	VPSLLD & 0xff:     {name: "vpslld", rm: vex | vx | hx | wx | p66 | m0F | 0xf2 | t16 | yy | ev0, mi: vex | hx | ux | p66 | m0F | d6 | ib | 0x72 | yy | ev0, needs: AVX},
	PSLLQ & 0xff:      {name: "psllq", rm: vx | wx | p66 | m0F | 0xf3, mi: ux | p66 | m0F | d6 | ib | 0x73},
	VPSLLQ & 0xff:     {name: "vpsllq", rm: vex | vx | hx | wx | p66 | m0F | 0xf3 | t16 | yy | ev1, mi: vex | hx | ux | p66 | m0F | d6 | ib | 0x73 | yy | ev1, needs: AVX},
	PSRLW & 0xff:      {name: "psrlw", rm: vx | wx | p66 | m0F | 0xd1, mi: ux | p66 | m0F | d2 | ib | 0x71},
	VPSRLW & 0xff:     {name: "vpsrlw", rm: vex | vx | hx | wx | p66 | m0F | 0xd1 | t16 | yy | ev0, mi: vex | hx | ux | p66 | m0F | d2 | ib | 0x71 | yy | ev0, needs: AVX},
	PSRLD & 0xff:      {name: "psrld", rm: vx | wx | p66 | m0F | 0xd2, mi: ux | p66 | m0F | d2 | ib | 0x72},
	VPSRLD & 0xff:     {name: "vpsrld", rm: vex | vx | hx | wx | p66 | m0F | 0xd2 | t16 | yy | ev0, mi: vex | hx | ux | p66 | m0F | d2 | ib | 0x72 | yy | ev0, needs: AVX},
	PSRLQ & 0xff:      {name: "psrlq", rm: vx | wx | p66 | m0F | 0xd3, mi: ux | p66 | m0F | d2 | ib | 0x73},
	VPSRLQ & 0xff:     {name: "vpsrlq", rm: vex | vx | hx | wx | p66 | m0F | 0xd3 | t16 | yy | ev1, mi: vex | hx | ux | p66 | m0F | d2 | ib | 0x73 | yy | ev1, needs: AVX},
	PSRAW & 0xff:      {name: "psraw", rm: vx | wx | p66 | m0F | 0xe1, mi: ux | p66 | m0F | d4 | ib | 0x71},
	VPSRAW & 0xff:     {name: "vpsraw", rm: vex | vx | hx | wx | p66 | m0F | 0xe1 | t16 | yy | ev0, mi: vex | hx | ux | p66 | m0F | d4 | ib | 0x71 | yy | ev0, needs: AVX},
	PSRAD & 0xff:      {name: "psrad", rm: vx | wx | p66 | m0F | 0xe2, mi: ux | p66 | m0F | d4 | ib | 0x72},
	VPSRAD & 0xff:     {name: "vpsrad", rm: vex | vx | hx | wx | p66 | m0F | 0xe2 | t16 | yy | ev0, mi: vex | hx | ux | p66 | m0F | d4 | ib | 0x72 | yy | ev0, needs: AVX},
	PSLLDQ & 0xff:     {name: "pslldq", mi: ux | p66 | m0F | d7 | ib | 0x73},
	VPSLLDQ & 0xff:    {name: "vpslldq", mi: vex | hx | ux | p66 | m0F | d7 | ib | 0x73 | yy | ev0 | nok, needs: AVX},
	PSRLDQ & 0xff:     {name: "psrldq", mi: ux | p66 | m0F | d3 | ib | 0x73},
	VPSRLDQ & 0xff:    {name: "vpsrldq", mi: vex | hx | ux | p66 | m0F | d3 | ib | 0x73 | yy | ev0 | nok, needs: AVX},
	VPSLLVD & 0xff:    {name: "vpsllvd", rm: vex | vx | hx | wx | p66 | m38 | 0x47 | fv | ev0, needs: AVX2},
	VPSLLVQ & 0xff:    {name: "vpsllvq", rm: vex | vx | hx | wx | p66 | w1 | m38 | 0x47 | fv | ev1, needs: AVX2},
	VPSRLVD & 0xff:    {name: "vpsrlvd", rm: vex | vx | hx | wx | p66 | m38 | 0x45 | fv | ev0, needs: AVX2},
	VPSRLVQ & 0xff:    {name: "vpsrlvq", rm: vex | vx | hx | wx | p66 | w1 | m38 | 0x45 | fv | ev1, needs: AVX2},
	VPSRAVD & 0xff:    {name: "vpsravd", rm: vex | vx | hx | wx | p66 | m38 | 0x46 | fv | ev0, needs: AVX2},
}
