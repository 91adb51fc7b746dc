package x64

// Shuffles, blends, packs and widening moves of integers; SSE rows with their VEX forms.
const (
	// Shuffles, unpacks, packs, blends.
	PSHUFB Op = iota + 9<<famShift
	VPSHUFB
	PSHUFD
	VPSHUFD
	PSHUFHW
	VPSHUFHW
	PSHUFLW
	VPSHUFLW
	PALIGNR
	VPALIGNR
	PUNPCKLBW
	VPUNPCKLBW
	PUNPCKLWD
	VPUNPCKLWD
	PUNPCKLDQ
	VPUNPCKLDQ
	PUNPCKHBW
	VPUNPCKHBW
	PUNPCKHWD
	VPUNPCKHWD
	PUNPCKHDQ
	VPUNPCKHDQ
	PUNPCKLQDQ
	VPUNPCKLQDQ
	PUNPCKHQDQ
	VPUNPCKHQDQ
	PACKSSWB
	VPACKSSWB
	PACKUSWB
	VPACKUSWB
	PACKSSDW
	VPACKSSDW
	PACKUSDW
	VPACKUSDW
	PBLENDW
	VPBLENDW
	PBLENDVB
	VPBLENDVB
	VPBLENDD

	// Widening.
	PMOVSXBW
	VPMOVSXBW
	PMOVSXBD
	VPMOVSXBD
	PMOVSXBQ
	VPMOVSXBQ
	PMOVSXWD
	VPMOVSXWD
	PMOVSXWQ
	VPMOVSXWQ
	PMOVSXDQ
	VPMOVSXDQ
	PMOVZXBW
	VPMOVZXBW
	PMOVZXBD
	VPMOVZXBD
	PMOVZXBQ
	VPMOVZXBQ
	PMOVZXWD
	VPMOVZXWD
	PMOVZXWQ
	VPMOVZXWQ
	PMOVZXDQ
	VPMOVZXDQ

	// Horizontal.
	PHADDW
	VPHADDW
	PHADDD
	VPHADDD
	PHADDSW
	VPHADDSW
	PHSUBW
	VPHSUBW
	PHSUBD
	VPHSUBD
	PHSUBSW
	VPHSUBSW
	PHMINPOSUW
	VPHMINPOSUW
	MPSADBW
	VMPSADBW
)

var rowsVecShuffle = [...]row{
	PSHUFB & 0xff:      {name: "pshufb", rm: vx | wx | p66 | m38 | op00, needs: SSSE3},
	VPSHUFB & 0xff:     {name: "vpshufb", rm: vex | vx | hx | wx | p66 | m38 | op00 | fv | ev0, needs: AVX},
	PSHUFD & 0xff:      {name: "pshufd", rm: vx | wx | p66 | m0F | ib | 0x70},
	VPSHUFD & 0xff:     {name: "vpshufd", rm: vex | vx | wx | p66 | m0F | ib | 0x70 | fv | ev0, needs: AVX},
	PSHUFHW & 0xff:     {name: "pshufhw", rm: vx | wx | pF3 | m0F | ib | 0x70},
	VPSHUFHW & 0xff:    {name: "vpshufhw", rm: vex | vx | wx | pF3 | m0F | ib | 0x70 | fv | ev0, needs: AVX},
	PSHUFLW & 0xff:     {name: "pshuflw", rm: vx | wx | pF2 | m0F | ib | 0x70},
	VPSHUFLW & 0xff:    {name: "vpshuflw", rm: vex | vx | wx | pF2 | m0F | ib | 0x70 | fv | ev0, needs: AVX},
	PALIGNR & 0xff:     {name: "palignr", rm: vx | wx | p66 | m3A | ib | 0x0f, needs: SSSE3},
	VPALIGNR & 0xff:    {name: "vpalignr", rm: vex | vx | hx | wx | p66 | m3A | ib | 0x0f | fv | ev0, needs: AVX},
	PUNPCKLBW & 0xff:   {name: "punpcklbw", rm: vx | wx | p66 | m0F | 0x60},
	VPUNPCKLBW & 0xff:  {name: "vpunpcklbw", rm: vex | vx | hx | wx | p66 | m0F | 0x60 | fv | ev0, needs: AVX},
	PUNPCKLWD & 0xff:   {name: "punpcklwd", rm: vx | wx | p66 | m0F | 0x61},
	VPUNPCKLWD & 0xff:  {name: "vpunpcklwd", rm: vex | vx | hx | wx | p66 | m0F | 0x61 | fv | ev0, needs: AVX},
	PUNPCKLDQ & 0xff:   {name: "punpckldq", rm: vx | wx | p66 | m0F | 0x62},
	VPUNPCKLDQ & 0xff:  {name: "vpunpckldq", rm: vex | vx | hx | wx | p66 | m0F | 0x62 | fv | ev0, needs: AVX},
	PUNPCKHBW & 0xff:   {name: "punpckhbw", rm: vx | wx | p66 | m0F | 0x68},
	VPUNPCKHBW & 0xff:  {name: "vpunpckhbw", rm: vex | vx | hx | wx | p66 | m0F | 0x68 | fv | ev0, needs: AVX},
	PUNPCKHWD & 0xff:   {name: "punpckhwd", rm: vx | wx | p66 | m0F | 0x69},
	VPUNPCKHWD & 0xff:  {name: "vpunpckhwd", rm: vex | vx | hx | wx | p66 | m0F | 0x69 | fv | ev0, needs: AVX},
	PUNPCKHDQ & 0xff:   {name: "punpckhdq", rm: vx | wx | p66 | m0F | 0x6a},
	VPUNPCKHDQ & 0xff:  {name: "vpunpckhdq", rm: vex | vx | hx | wx | p66 | m0F | 0x6a | fv | ev0, needs: AVX},
	PUNPCKLQDQ & 0xff:  {name: "punpcklqdq", rm: vx | wx | p66 | m0F | 0x6c},
	VPUNPCKLQDQ & 0xff: {name: "vpunpcklqdq", rm: vex | vx | hx | wx | p66 | m0F | 0x6c | fv | ev1, needs: AVX},
	PUNPCKHQDQ & 0xff:  {name: "punpckhqdq", rm: vx | wx | p66 | m0F | 0x6d},
	VPUNPCKHQDQ & 0xff: {name: "vpunpckhqdq", rm: vex | vx | hx | wx | p66 | m0F | 0x6d | fv | ev1, needs: AVX},
	PACKSSWB & 0xff:    {name: "packsswb", rm: vx | wx | p66 | m0F | 0x63},
	VPACKSSWB & 0xff:   {name: "vpacksswb", rm: vex | vx | hx | wx | p66 | m0F | 0x63 | fv | ev0, needs: AVX},
	PACKUSWB & 0xff:    {name: "packuswb", rm: vx | wx | p66 | m0F | 0x67},
	VPACKUSWB & 0xff:   {name: "vpackuswb", rm: vex | vx | hx | wx | p66 | m0F | 0x67 | fv | ev0, needs: AVX},
	PACKSSDW & 0xff:    {name: "packssdw", rm: vx | wx | p66 | m0F | 0x6b},
	VPACKSSDW & 0xff:   {name: "vpackssdw", rm: vex | vx | hx | wx | p66 | m0F | 0x6b | fv | ev0, needs: AVX},
	PACKUSDW & 0xff:    {name: "packusdw", rm: vx | wx | p66 | m38 | 0x2b, needs: SSE41},
	VPACKUSDW & 0xff:   {name: "vpackusdw", rm: vex | vx | hx | wx | p66 | m38 | 0x2b | fv | ev0, needs: AVX},
	PBLENDW & 0xff:     {name: "pblendw", rm: vx | wx | p66 | m3A | ib | 0x0e, needs: SSE41},
	VPBLENDW & 0xff:    {name: "vpblendw", rm: vex | vx | hx | wx | p66 | m3A | ib | 0x0e | fv, needs: AVX},
	PBLENDVB & 0xff:    {name: "pblendvb", rm: vx | wx | p66 | m38 | 0x10, needs: SSE41},
	VPBLENDVB & 0xff:   {name: "vpblendvb", rm: vex | vx | hx | wx | p66 | m3A | is4 | 0x4c | fv, needs: AVX},
	VPBLENDD & 0xff:    {name: "vpblendd", rm: vex | vx | hx | wx | p66 | m3A | ib | 0x02 | fv, needs: AVX2},
	PMOVSXBW & 0xff:    {name: "pmovsxbw", rm: vx | wx | p66 | m38 | 0x20, needs: SSE41},
	VPMOVSXBW & 0xff:   {name: "vpmovsxbw", rm: vex | vx | wx | p66 | m38 | 0x20 | hv | ev0, needs: AVX},
	PMOVSXBD & 0xff:    {name: "pmovsxbd", rm: vx | wx | p66 | m38 | 0x21, needs: SSE41},
	VPMOVSXBD & 0xff:   {name: "vpmovsxbd", rm: vex | vx | wx | p66 | m38 | 0x21 | qv | ev0, needs: AVX},
	PMOVSXBQ & 0xff:    {name: "pmovsxbq", rm: vx | wx | p66 | m38 | 0x22, needs: SSE41},
	VPMOVSXBQ & 0xff:   {name: "vpmovsxbq", rm: vex | vx | wx | p66 | m38 | 0x22 | ov | ev0, needs: AVX},
	PMOVSXWD & 0xff:    {name: "pmovsxwd", rm: vx | wx | p66 | m38 | 0x23, needs: SSE41},
	VPMOVSXWD & 0xff:   {name: "vpmovsxwd", rm: vex | vx | wx | p66 | m38 | 0x23 | hv | ev0, needs: AVX},
	PMOVSXWQ & 0xff:    {name: "pmovsxwq", rm: vx | wx | p66 | m38 | 0x24, needs: SSE41},
	VPMOVSXWQ & 0xff:   {name: "vpmovsxwq", rm: vex | vx | wx | p66 | m38 | 0x24 | qv | ev0, needs: AVX},
	PMOVSXDQ & 0xff:    {name: "pmovsxdq", rm: vx | wx | p66 | m38 | 0x25, needs: SSE41},
	VPMOVSXDQ & 0xff:   {name: "vpmovsxdq", rm: vex | vx | wx | p66 | m38 | 0x25 | hv | ev0, needs: AVX},
	PMOVZXBW & 0xff:    {name: "pmovzxbw", rm: vx | wx | p66 | m38 | 0x30, needs: SSE41},
	VPMOVZXBW & 0xff:   {name: "vpmovzxbw", rm: vex | vx | wx | p66 | m38 | 0x30 | hv | ev0, needs: AVX},
	PMOVZXBD & 0xff:    {name: "pmovzxbd", rm: vx | wx | p66 | m38 | 0x31, needs: SSE41},
	VPMOVZXBD & 0xff:   {name: "vpmovzxbd", rm: vex | vx | wx | p66 | m38 | 0x31 | qv | ev0, needs: AVX},
	PMOVZXBQ & 0xff:    {name: "pmovzxbq", rm: vx | wx | p66 | m38 | 0x32, needs: SSE41},
	VPMOVZXBQ & 0xff:   {name: "vpmovzxbq", rm: vex | vx | wx | p66 | m38 | 0x32 | ov | ev0, needs: AVX},
	PMOVZXWD & 0xff:    {name: "pmovzxwd", rm: vx | wx | p66 | m38 | 0x33, needs: SSE41},
	VPMOVZXWD & 0xff:   {name: "vpmovzxwd", rm: vex | vx | wx | p66 | m38 | 0x33 | hv | ev0, needs: AVX},
	PMOVZXWQ & 0xff:    {name: "pmovzxwq", rm: vx | wx | p66 | m38 | 0x34, needs: SSE41},
	VPMOVZXWQ & 0xff:   {name: "vpmovzxwq", rm: vex | vx | wx | p66 | m38 | 0x34 | qv | ev0, needs: AVX},
	PMOVZXDQ & 0xff:    {name: "pmovzxdq", rm: vx | wx | p66 | m38 | 0x35, needs: SSE41},
	VPMOVZXDQ & 0xff:   {name: "vpmovzxdq", rm: vex | vx | wx | p66 | m38 | 0x35 | hv | ev0, needs: AVX},
	PHADDW & 0xff:      {name: "phaddw", rm: vx | wx | p66 | m38 | 0x01, needs: SSSE3},
	VPHADDW & 0xff:     {name: "vphaddw", rm: vex | vx | hx | wx | p66 | m38 | 0x01 | fv, needs: AVX},
	PHADDD & 0xff:      {name: "phaddd", rm: vx | wx | p66 | m38 | 0x02, needs: SSSE3},
	VPHADDD & 0xff:     {name: "vphaddd", rm: vex | vx | hx | wx | p66 | m38 | 0x02 | fv, needs: AVX},
	PHADDSW & 0xff:     {name: "phaddsw", rm: vx | wx | p66 | m38 | 0x03, needs: SSSE3},
	VPHADDSW & 0xff:    {name: "vphaddsw", rm: vex | vx | hx | wx | p66 | m38 | 0x03 | fv, needs: AVX},
	PHSUBW & 0xff:      {name: "phsubw", rm: vx | wx | p66 | m38 | 0x05, needs: SSSE3},
	VPHSUBW & 0xff:     {name: "vphsubw", rm: vex | vx | hx | wx | p66 | m38 | 0x05 | fv, needs: AVX},
	PHSUBD & 0xff:      {name: "phsubd", rm: vx | wx | p66 | m38 | 0x06, needs: SSSE3},
	VPHSUBD & 0xff:     {name: "vphsubd", rm: vex | vx | hx | wx | p66 | m38 | 0x06 | fv, needs: AVX},
	PHSUBSW & 0xff:     {name: "phsubsw", rm: vx | wx | p66 | m38 | 0x07, needs: SSSE3},
	VPHSUBSW & 0xff:    {name: "vphsubsw", rm: vex | vx | hx | wx | p66 | m38 | 0x07 | fv, needs: AVX},
	PHMINPOSUW & 0xff:  {name: "phminposuw", rm: vx | wx | p66 | m38 | 0x41, needs: SSE41},
	VPHMINPOSUW & 0xff: {name: "vphminposuw", rm: vex | vx | wx | p66 | m38 | 0x41, needs: AVX},
	MPSADBW & 0xff:     {name: "mpsadbw", rm: vx | wx | p66 | m3A | ib | 0x42, needs: SSE41},
	VMPSADBW & 0xff:    {name: "vmpsadbw", rm: vex | vx | hx | wx | p66 | m3A | ib | 0x42 | fv, needs: AVX},
}
