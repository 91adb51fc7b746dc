package x64

// AVX-512 integer instructions without a VEX form.
const (
	// Logic, arithmetic.
	VPTERNLOGD Op = iota + 6<<famShift
	VPTERNLOGQ
	VPANDQ
	VPANDNQ
	VPORQ
	VPXORQ
	VPMULLQ
	VPMINSQ
	VPMAXSQ
	VPMINUQ
	VPMAXUQ
	VPABSQ
	VPMADD52LUQ
	VPMADD52HUQ
	VPDPBUSD
	VPDPBUSDS
	VPDPWSSD
	VPDPWSSDS

	// Counts.
	VPLZCNTD
	VPLZCNTQ
	VPCONFLICTD
	VPCONFLICTQ
	VPOPCNTD
	VPOPCNTQ
	VPOPCNTB
	VPOPCNTW

	// Shifts and rotates.
	VPSRAQ
	VPSLLVW
	VPSRLVW
	VPSRAVW
	VPSRAVQ
	VPROLVD
	VPROLVQ
	VPRORVD
	VPRORVQ
	VPROLD
	VPROLQ
	VPRORD
	VPRORQ
	VPSHLDW
	VPSHLDD
	VPSHLDQ
	VPSHRDW
	VPSHRDD
	VPSHRDQ
	VPSHLDVW
	VPSHLDVD
	VPSHLDVQ
	VPSHRDVW
	VPSHRDVD
	VPSHRDVQ

	// Permutes, blends, compress, expand.
	VPERMB
	VPERMW
	VPERMI2B
	VPERMT2B
	VPERMI2W
	VPERMT2W
	VPERMI2D
	VPERMI2Q
	VPERMT2D
	VPERMT2Q
	VPMULTISHIFTQB
	VALIGND
	VALIGNQ
	VPBLENDMB
	VPBLENDMW
	VPBLENDMD
	VPBLENDMQ
	VPCOMPRESSB
	VPCOMPRESSW
	VPCOMPRESSD
	VPCOMPRESSQ
	VPEXPANDB
	VPEXPANDW
	VPEXPANDD
	VPEXPANDQ

	// Broadcasts of a general register, and moves with a mask granularity of their own.
	VPBROADCASTBR
	VPBROADCASTWR
	VPBROADCASTDR
	VPBROADCASTQR
	VMOVDQU8
	VMOVDQU16
	VMOVDQU64
	VMOVDQA64

	// Narrowing: truncating, signed saturating, unsigned saturating.
	VPMOVWB
	VPMOVDB
	VPMOVQB
	VPMOVDW
	VPMOVQW
	VPMOVQD
	VPMOVSWB
	VPMOVSDB
	VPMOVSQB
	VPMOVSDW
	VPMOVSQW
	VPMOVSQD
	VPMOVUSWB
	VPMOVUSDB
	VPMOVUSQB
	VPMOVUSDW
	VPMOVUSQW
	VPMOVUSQD
)

var rowsEvexInt = [...]row{
	VPTERNLOGD & 0xff:     {name: "vpternlogd", rm: evex | vx | hx | wx | p66 | m3A | ib | 0x25 | fv, needs: EVEX128},
	VPTERNLOGQ & 0xff:     {name: "vpternlogq", rm: evex | vx | hx | wx | p66 | w1 | m3A | ib | 0x25 | fv, needs: EVEX128},
	VPANDQ & 0xff:         {name: "vpandq", rm: evex | vx | hx | wx | p66 | w1 | m0F | 0xdb | fv, needs: EVEX128},
	VPANDNQ & 0xff:        {name: "vpandnq", rm: evex | vx | hx | wx | p66 | w1 | m0F | 0xdf | fv, needs: EVEX128},
	VPORQ & 0xff:          {name: "vporq", rm: evex | vx | hx | wx | p66 | w1 | m0F | 0xeb | fv, needs: EVEX128},
	VPXORQ & 0xff:         {name: "vpxorq", rm: evex | vx | hx | wx | p66 | w1 | m0F | 0xef | fv, needs: EVEX128},
	VPMULLQ & 0xff:        {name: "vpmullq", rm: evex | vx | hx | wx | p66 | w1 | m38 | 0x40 | fv, needs: EVEX128},
	VPMINSQ & 0xff:        {name: "vpminsq", rm: evex | vx | hx | wx | p66 | w1 | m38 | 0x39 | fv, needs: EVEX128},
	VPMAXSQ & 0xff:        {name: "vpmaxsq", rm: evex | vx | hx | wx | p66 | w1 | m38 | 0x3d | fv, needs: EVEX128},
	VPMINUQ & 0xff:        {name: "vpminuq", rm: evex | vx | hx | wx | p66 | w1 | m38 | 0x3b | fv, needs: EVEX128},
	VPMAXUQ & 0xff:        {name: "vpmaxuq", rm: evex | vx | hx | wx | p66 | w1 | m38 | 0x3f | fv, needs: EVEX128},
	VPABSQ & 0xff:         {name: "vpabsq", rm: evex | vx | wx | p66 | w1 | m38 | 0x1f | fv, needs: EVEX128},
	VPMADD52LUQ & 0xff:    {name: "vpmadd52luq", rm: evex | vx | hx | wx | p66 | w1 | m38 | 0xb4 | fv, needs: EVEX128 | AVX512IFMA},
	VPMADD52HUQ & 0xff:    {name: "vpmadd52huq", rm: evex | vx | hx | wx | p66 | w1 | m38 | 0xb5 | fv, needs: EVEX128 | AVX512IFMA},
	VPDPBUSD & 0xff:       {name: "vpdpbusd", rm: evex | vx | hx | wx | p66 | m38 | 0x50 | fv, needs: EVEX128 | AVX512VNNI},
	VPDPBUSDS & 0xff:      {name: "vpdpbusds", rm: evex | vx | hx | wx | p66 | m38 | 0x51 | fv, needs: EVEX128 | AVX512VNNI},
	VPDPWSSD & 0xff:       {name: "vpdpwssd", rm: evex | vx | hx | wx | p66 | m38 | 0x52 | fv, needs: EVEX128 | AVX512VNNI},
	VPDPWSSDS & 0xff:      {name: "vpdpwssds", rm: evex | vx | hx | wx | p66 | m38 | 0x53 | fv, needs: EVEX128 | AVX512VNNI},
	VPLZCNTD & 0xff:       {name: "vplzcntd", rm: evex | vx | wx | p66 | m38 | 0x44 | fv, needs: EVEX128 | AVX512CD},
	VPLZCNTQ & 0xff:       {name: "vplzcntq", rm: evex | vx | wx | p66 | w1 | m38 | 0x44 | fv, needs: EVEX128 | AVX512CD},
	VPCONFLICTD & 0xff:    {name: "vpconflictd", rm: evex | vx | wx | p66 | m38 | 0xc4 | fv, needs: EVEX128 | AVX512CD},
	VPCONFLICTQ & 0xff:    {name: "vpconflictq", rm: evex | vx | wx | p66 | w1 | m38 | 0xc4 | fv, needs: EVEX128 | AVX512CD},
	VPOPCNTD & 0xff:       {name: "vpopcntd", rm: evex | vx | wx | p66 | m38 | 0x55 | fv, needs: EVEX128 | AVX512VPOPCNTDQ},
	VPOPCNTQ & 0xff:       {name: "vpopcntq", rm: evex | vx | wx | p66 | w1 | m38 | 0x55 | fv, needs: EVEX128 | AVX512VPOPCNTDQ},
	VPOPCNTB & 0xff:       {name: "vpopcntb", rm: evex | vx | wx | p66 | m38 | 0x54 | fv, needs: EVEX128 | AVX512BITALG},
	VPOPCNTW & 0xff:       {name: "vpopcntw", rm: evex | vx | wx | p66 | w1 | m38 | 0x54 | fv, needs: EVEX128 | AVX512BITALG},
	VPSRAQ & 0xff:         {name: "vpsraq", rm: evex | vx | hx | wx | p66 | w1 | m0F | 0xe2 | t16 | yy, mi: evex | hx | wx | p66 | w1 | m0F | d4 | ib | 0x72 | fv, needs: EVEX128},
	VPSLLVW & 0xff:        {name: "vpsllvw", rm: evex | vx | hx | wx | p66 | w1 | m38 | 0x12 | fv, needs: EVEX128},
	VPSRLVW & 0xff:        {name: "vpsrlvw", rm: evex | vx | hx | wx | p66 | w1 | m38 | 0x10 | fv, needs: EVEX128},
	VPSRAVW & 0xff:        {name: "vpsravw", rm: evex | vx | hx | wx | p66 | w1 | m38 | 0x11 | fv, needs: EVEX128},
	VPSRAVQ & 0xff:        {name: "vpsravq", rm: evex | vx | hx | wx | p66 | w1 | m38 | 0x46 | fv, needs: EVEX128},
	VPROLVD & 0xff:        {name: "vprolvd", rm: evex | vx | hx | wx | p66 | m38 | 0x15 | fv, needs: EVEX128},
	VPROLVQ & 0xff:        {name: "vprolvq", rm: evex | vx | hx | wx | p66 | w1 | m38 | 0x15 | fv, needs: EVEX128},
	VPRORVD & 0xff:        {name: "vprorvd", rm: evex | vx | hx | wx | p66 | m38 | 0x14 | fv, needs: EVEX128},
	VPRORVQ & 0xff:        {name: "vprorvq", rm: evex | vx | hx | wx | p66 | w1 | m38 | 0x14 | fv, needs: EVEX128},
	VPROLD & 0xff:         {name: "vprold", mi: evex | hx | wx | p66 | m0F | d1 | ib | 0x72 | fv, needs: EVEX128},
	VPROLQ & 0xff:         {name: "vprolq", mi: evex | hx | wx | p66 | w1 | m0F | d1 | ib | 0x72 | fv, needs: EVEX128},
	VPRORD & 0xff:         {name: "vprord", mi: evex | hx | wx | p66 | m0F | d0 | ib | 0x72 | fv, needs: EVEX128},
	VPRORQ & 0xff:         {name: "vprorq", mi: evex | hx | wx | p66 | w1 | m0F | d0 | ib | 0x72 | fv, needs: EVEX128},
	VPSHLDW & 0xff:        {name: "vpshldw", rm: evex | vx | hx | wx | p66 | w1 | m3A | ib | 0x70 | fv, needs: EVEX128 | AVX512VBMI2},
	VPSHLDD & 0xff:        {name: "vpshldd", rm: evex | vx | hx | wx | p66 | m3A | ib | 0x71 | fv, needs: EVEX128 | AVX512VBMI2},
	VPSHLDQ & 0xff:        {name: "vpshldq", rm: evex | vx | hx | wx | p66 | w1 | m3A | ib | 0x71 | fv, needs: EVEX128 | AVX512VBMI2},
	VPSHRDW & 0xff:        {name: "vpshrdw", rm: evex | vx | hx | wx | p66 | w1 | m3A | ib | 0x72 | fv, needs: EVEX128 | AVX512VBMI2},
	VPSHRDD & 0xff:        {name: "vpshrdd", rm: evex | vx | hx | wx | p66 | m3A | ib | 0x73 | fv, needs: EVEX128 | AVX512VBMI2},
	VPSHRDQ & 0xff:        {name: "vpshrdq", rm: evex | vx | hx | wx | p66 | w1 | m3A | ib | 0x73 | fv, needs: EVEX128 | AVX512VBMI2},
	VPSHLDVW & 0xff:       {name: "vpshldvw", rm: evex | vx | hx | wx | p66 | w1 | m38 | 0x70 | fv, needs: EVEX128 | AVX512VBMI2},
	VPSHLDVD & 0xff:       {name: "vpshldvd", rm: evex | vx | hx | wx | p66 | m38 | 0x71 | fv, needs: EVEX128 | AVX512VBMI2},
	VPSHLDVQ & 0xff:       {name: "vpshldvq", rm: evex | vx | hx | wx | p66 | w1 | m38 | 0x71 | fv, needs: EVEX128 | AVX512VBMI2},
	VPSHRDVW & 0xff:       {name: "vpshrdvw", rm: evex | vx | hx | wx | p66 | w1 | m38 | 0x72 | fv, needs: EVEX128 | AVX512VBMI2},
	VPSHRDVD & 0xff:       {name: "vpshrdvd", rm: evex | vx | hx | wx | p66 | m38 | 0x73 | fv, needs: EVEX128 | AVX512VBMI2},
	VPSHRDVQ & 0xff:       {name: "vpshrdvq", rm: evex | vx | hx | wx | p66 | w1 | m38 | 0x73 | fv, needs: EVEX128 | AVX512VBMI2},
	VPERMB & 0xff:         {name: "vpermb", rm: evex | vx | hx | wx | p66 | m38 | 0x8d | fv, needs: EVEX128 | AVX512VBMI},
	VPERMW & 0xff:         {name: "vpermw", rm: evex | vx | hx | wx | p66 | w1 | m38 | 0x8d | fv, needs: EVEX128},
	VPERMI2B & 0xff:       {name: "vpermi2b", rm: evex | vx | hx | wx | p66 | m38 | 0x75 | fv, needs: EVEX128 | AVX512VBMI},
	VPERMT2B & 0xff:       {name: "vpermt2b", rm: evex | vx | hx | wx | p66 | m38 | 0x7d | fv, needs: EVEX128 | AVX512VBMI},
	VPERMI2W & 0xff:       {name: "vpermi2w", rm: evex | vx | hx | wx | p66 | w1 | m38 | 0x75 | fv, needs: EVEX128},
	VPERMT2W & 0xff:       {name: "vpermt2w", rm: evex | vx | hx | wx | p66 | w1 | m38 | 0x7d | fv, needs: EVEX128},
	VPERMI2D & 0xff:       {name: "vpermi2d", rm: evex | vx | hx | wx | p66 | m38 | 0x76 | fv, needs: EVEX128},
	VPERMI2Q & 0xff:       {name: "vpermi2q", rm: evex | vx | hx | wx | p66 | w1 | m38 | 0x76 | fv, needs: EVEX128},
	VPERMT2D & 0xff:       {name: "vpermt2d", rm: evex | vx | hx | wx | p66 | m38 | 0x7e | fv, needs: EVEX128},
	VPERMT2Q & 0xff:       {name: "vpermt2q", rm: evex | vx | hx | wx | p66 | w1 | m38 | 0x7e | fv, needs: EVEX128},
	VPMULTISHIFTQB & 0xff: {name: "vpmultishiftqb", rm: evex | vx | hx | wx | p66 | w1 | m38 | 0x83 | fv, needs: EVEX128 | AVX512VBMI},
	VALIGND & 0xff:        {name: "valignd", rm: evex | vx | hx | wx | p66 | m3A | ib | 0x03 | fv, needs: EVEX128},
	VALIGNQ & 0xff:        {name: "valignq", rm: evex | vx | hx | wx | p66 | w1 | m3A | ib | 0x03 | fv, needs: EVEX128},
	VPBLENDMB & 0xff:      {name: "vpblendmb", rm: evex | vx | hx | wx | p66 | m38 | 0x66 | fv, needs: EVEX128},
	VPBLENDMW & 0xff:      {name: "vpblendmw", rm: evex | vx | hx | wx | p66 | w1 | m38 | 0x66 | fv, needs: EVEX128},
	VPBLENDMD & 0xff:      {name: "vpblendmd", rm: evex | vx | hx | wx | p66 | m38 | 0x64 | fv, needs: EVEX128},
	VPBLENDMQ & 0xff:      {name: "vpblendmq", rm: evex | vx | hx | wx | p66 | w1 | m38 | 0x64 | fv, needs: EVEX128},
	VPCOMPRESSB & 0xff:    {name: "vpcompressb", mr: evex | vx | wx | p66 | m38 | 0x63 | t1 | yy, needs: EVEX128 | AVX512VBMI2},
	VPCOMPRESSW & 0xff:    {name: "vpcompressw", mr: evex | vx | wx | p66 | w1 | m38 | 0x63 | t2 | yy, needs: EVEX128 | AVX512VBMI2},
	VPCOMPRESSD & 0xff:    {name: "vpcompressd", mr: evex | vx | wx | p66 | m38 | 0x8b | t4 | yy, needs: EVEX128},
	VPCOMPRESSQ & 0xff:    {name: "vpcompressq", mr: evex | vx | wx | p66 | w1 | m38 | 0x8b | t8 | yy, needs: EVEX128},
	VPEXPANDB & 0xff:      {name: "vpexpandb", rm: evex | vx | wx | p66 | m38 | 0x62 | t1 | yy, needs: EVEX128 | AVX512VBMI2},
	VPEXPANDW & 0xff:      {name: "vpexpandw", rm: evex | vx | wx | p66 | w1 | m38 | 0x62 | t2 | yy, needs: EVEX128 | AVX512VBMI2},
	VPEXPANDD & 0xff:      {name: "vpexpandd", rm: evex | vx | wx | p66 | m38 | 0x89 | t4 | yy, needs: EVEX128},
	VPEXPANDQ & 0xff:      {name: "vpexpandq", rm: evex | vx | wx | p66 | w1 | m38 | 0x89 | t8 | yy, needs: EVEX128},
	VPBROADCASTBR & 0xff:  {name: "vpbroadcastb", rm: evex | vx | rd | p66 | m38 | 0x7a | yy, needs: EVEX128},
	VPBROADCASTWR & 0xff:  {name: "vpbroadcastw", rm: evex | vx | rd | p66 | m38 | 0x7b | yy, needs: EVEX128},
	VPBROADCASTDR & 0xff:  {name: "vpbroadcastd", rm: evex | vx | rd | p66 | m38 | 0x7c | yy, needs: EVEX128},
	VPBROADCASTQR & 0xff:  {name: "vpbroadcastq", rm: evex | vx | rq | p66 | w1 | m38 | 0x7c | yy, needs: EVEX128},
	VMOVDQU8 & 0xff:       {name: "vmovdqu8", rm: evex | vx | wx | pF2 | m0F | 0x6f | fv, mr: evex | vx | wx | pF2 | m0F | 0x7f | fv, needs: EVEX128},
	VMOVDQU16 & 0xff:      {name: "vmovdqu16", rm: evex | vx | wx | pF2 | w1 | m0F | 0x6f | fv, mr: evex | vx | wx | pF2 | w1 | m0F | 0x7f | fv, needs: EVEX128},
	VMOVDQU64 & 0xff:      {name: "vmovdqu64", rm: evex | vx | wx | pF3 | w1 | m0F | 0x6f | fv, mr: evex | vx | wx | pF3 | w1 | m0F | 0x7f | fv, needs: EVEX128},
	VMOVDQA64 & 0xff:      {name: "vmovdqa64", rm: evex | vx | wx | p66 | w1 | m0F | 0x6f | fv, mr: evex | vx | wx | p66 | w1 | m0F | 0x7f | fv, needs: EVEX128},
	VPMOVWB & 0xff:        {name: "vpmovwb", mr: evex | vx | wx | pF3 | m38 | 0x30 | hv, needs: EVEX128},
	VPMOVDB & 0xff:        {name: "vpmovdb", mr: evex | vx | wx | pF3 | m38 | 0x31 | qv, needs: EVEX128},
	VPMOVQB & 0xff:        {name: "vpmovqb", mr: evex | vx | wx | pF3 | m38 | 0x32 | ov, needs: EVEX128},
	VPMOVDW & 0xff:        {name: "vpmovdw", mr: evex | vx | wx | pF3 | m38 | 0x33 | hv, needs: EVEX128},
	VPMOVQW & 0xff:        {name: "vpmovqw", mr: evex | vx | wx | pF3 | m38 | 0x34 | qv, needs: EVEX128},
	VPMOVQD & 0xff:        {name: "vpmovqd", mr: evex | vx | wx | pF3 | m38 | 0x35 | hv, needs: EVEX128},
	VPMOVSWB & 0xff:       {name: "vpmovswb", mr: evex | vx | wx | pF3 | m38 | 0x20 | hv, needs: EVEX128},
	VPMOVSDB & 0xff:       {name: "vpmovsdb", mr: evex | vx | wx | pF3 | m38 | 0x21 | qv, needs: EVEX128},
	VPMOVSQB & 0xff:       {name: "vpmovsqb", mr: evex | vx | wx | pF3 | m38 | 0x22 | ov, needs: EVEX128},
	VPMOVSDW & 0xff:       {name: "vpmovsdw", mr: evex | vx | wx | pF3 | m38 | 0x23 | hv, needs: EVEX128},
	VPMOVSQW & 0xff:       {name: "vpmovsqw", mr: evex | vx | wx | pF3 | m38 | 0x24 | qv, needs: EVEX128},
	VPMOVSQD & 0xff:       {name: "vpmovsqd", mr: evex | vx | wx | pF3 | m38 | 0x25 | hv, needs: EVEX128},
	VPMOVUSWB & 0xff:      {name: "vpmovuswb", mr: evex | vx | wx | pF3 | m38 | 0x10 | hv, needs: EVEX128},
	VPMOVUSDB & 0xff:      {name: "vpmovusdb", mr: evex | vx | wx | pF3 | m38 | 0x11 | qv, needs: EVEX128},
	VPMOVUSQB & 0xff:      {name: "vpmovusqb", mr: evex | vx | wx | pF3 | m38 | 0x12 | ov, needs: EVEX128},
	VPMOVUSDW & 0xff:      {name: "vpmovusdw", mr: evex | vx | wx | pF3 | m38 | 0x13 | hv, needs: EVEX128},
	VPMOVUSQW & 0xff:      {name: "vpmovusqw", mr: evex | vx | wx | pF3 | m38 | 0x14 | qv, needs: EVEX128},
	VPMOVUSQD & 0xff:      {name: "vpmovusqd", mr: evex | vx | wx | pF3 | m38 | 0x15 | hv, needs: EVEX128},
}
