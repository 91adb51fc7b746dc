package x64

// FMA3 and cryptography.
const (
	// Fused multiply-add. 132: dst = dst*s2 + s1; 213: dst = s1*dst + s2; 231: dst = s1*s2 + dst.
	VFMADD132PS Op = iota + 5<<famShift
	VFMADD132PD
	VFMADD132SS
	VFMADD132SD
	VFMADD213PS
	VFMADD213PD
	VFMADD213SS
	VFMADD213SD
	VFMADD231PS
	VFMADD231PD
	VFMADD231SS
	VFMADD231SD
	VFMSUB132PS
	VFMSUB132PD
	VFMSUB132SS
	VFMSUB132SD
	VFMSUB213PS
	VFMSUB213PD
	VFMSUB213SS
	VFMSUB213SD
	VFMSUB231PS
	VFMSUB231PD
	VFMSUB231SS
	VFMSUB231SD
	VFNMADD132PS
	VFNMADD132PD
	VFNMADD132SS
	VFNMADD132SD
	VFNMADD213PS
	VFNMADD213PD
	VFNMADD213SS
	VFNMADD213SD
	VFNMADD231PS
	VFNMADD231PD
	VFNMADD231SS
	VFNMADD231SD
	VFNMSUB132PS
	VFNMSUB132PD
	VFNMSUB132SS
	VFNMSUB132SD
	VFNMSUB213PS
	VFNMSUB213PD
	VFNMSUB213SS
	VFNMSUB213SD
	VFNMSUB231PS
	VFNMSUB231PD
	VFNMSUB231SS
	VFNMSUB231SD
	VFMADDSUB132PS
	VFMADDSUB132PD
	VFMADDSUB213PS
	VFMADDSUB213PD
	VFMADDSUB231PS
	VFMADDSUB231PD
	VFMSUBADD132PS
	VFMSUBADD132PD
	VFMSUBADD213PS
	VFMSUBADD213PD
	VFMSUBADD231PS
	VFMSUBADD231PD

	// AES. The VEX forms at 256 bits or under EVEX need VAES.
	AESENC
	VAESENC
	AESENCLAST
	VAESENCLAST
	AESDEC
	VAESDEC
	AESDECLAST
	VAESDECLAST
	AESIMC
	VAESIMC
	AESKEYGENASSIST
	VAESKEYGENASSIST

	// Carry-less multiplication and Galois field arithmetic.
	PCLMULQDQ
	VPCLMULQDQ
	GF2P8MULB
	VGF2P8MULB
	GF2P8AFFINEQB
	VGF2P8AFFINEQB
	GF2P8AFFINEINVQB
	VGF2P8AFFINEINVQB

	// SHA. SHA256RNDS2 takes the two round words in X0.
	SHA1NEXTE
	SHA1MSG1
	SHA1MSG2
	SHA256RNDS2
	SHA256MSG1
	SHA256MSG2
	SHA1RNDS4
)

var rowsFMA = [...]row{
	VFMADD132PS & 0xff:       {name: "vfmadd132ps", rm: vex | vx | hx | wx | p66 | m38 | 0x98 | fv | ev0, needs: FMA},
	VFMADD132PD & 0xff:       {name: "vfmadd132pd", rm: vex | vx | hx | wx | p66 | w1 | m38 | 0x98 | fv | ev1, needs: FMA},
	VFMADD132SS & 0xff:       {name: "vfmadd132ss", rm: vex | vx | hx | wx | p66 | m38 | 0x99 | t4 | ev0, needs: FMA},
	VFMADD132SD & 0xff:       {name: "vfmadd132sd", rm: vex | vx | hx | wx | p66 | w1 | m38 | 0x99 | t8 | ev1, needs: FMA},
	VFMADD213PS & 0xff:       {name: "vfmadd213ps", rm: vex | vx | hx | wx | p66 | m38 | 0xa8 | fv | ev0, needs: FMA},
	VFMADD213PD & 0xff:       {name: "vfmadd213pd", rm: vex | vx | hx | wx | p66 | w1 | m38 | 0xa8 | fv | ev1, needs: FMA},
	VFMADD213SS & 0xff:       {name: "vfmadd213ss", rm: vex | vx | hx | wx | p66 | m38 | 0xa9 | t4 | ev0, needs: FMA},
	VFMADD213SD & 0xff:       {name: "vfmadd213sd", rm: vex | vx | hx | wx | p66 | w1 | m38 | 0xa9 | t8 | ev1, needs: FMA},
	VFMADD231PS & 0xff:       {name: "vfmadd231ps", rm: vex | vx | hx | wx | p66 | m38 | 0xb8 | fv | ev0, needs: FMA},
	VFMADD231PD & 0xff:       {name: "vfmadd231pd", rm: vex | vx | hx | wx | p66 | w1 | m38 | 0xb8 | fv | ev1, needs: FMA},
	VFMADD231SS & 0xff:       {name: "vfmadd231ss", rm: vex | vx | hx | wx | p66 | m38 | 0xb9 | t4 | ev0, needs: FMA},
	VFMADD231SD & 0xff:       {name: "vfmadd231sd", rm: vex | vx | hx | wx | p66 | w1 | m38 | 0xb9 | t8 | ev1, needs: FMA},
	VFMSUB132PS & 0xff:       {name: "vfmsub132ps", rm: vex | vx | hx | wx | p66 | m38 | 0x9a | fv | ev0, needs: FMA},
	VFMSUB132PD & 0xff:       {name: "vfmsub132pd", rm: vex | vx | hx | wx | p66 | w1 | m38 | 0x9a | fv | ev1, needs: FMA},
	VFMSUB132SS & 0xff:       {name: "vfmsub132ss", rm: vex | vx | hx | wx | p66 | m38 | 0x9b | t4 | ev0, needs: FMA},
	VFMSUB132SD & 0xff:       {name: "vfmsub132sd", rm: vex | vx | hx | wx | p66 | w1 | m38 | 0x9b | t8 | ev1, needs: FMA},
	VFMSUB213PS & 0xff:       {name: "vfmsub213ps", rm: vex | vx | hx | wx | p66 | m38 | 0xaa | fv | ev0, needs: FMA},
	VFMSUB213PD & 0xff:       {name: "vfmsub213pd", rm: vex | vx | hx | wx | p66 | w1 | m38 | 0xaa | fv | ev1, needs: FMA},
	VFMSUB213SS & 0xff:       {name: "vfmsub213ss", rm: vex | vx | hx | wx | p66 | m38 | 0xab | t4 | ev0, needs: FMA},
	VFMSUB213SD & 0xff:       {name: "vfmsub213sd", rm: vex | vx | hx | wx | p66 | w1 | m38 | 0xab | t8 | ev1, needs: FMA},
	VFMSUB231PS & 0xff:       {name: "vfmsub231ps", rm: vex | vx | hx | wx | p66 | m38 | 0xba | fv | ev0, needs: FMA},
	VFMSUB231PD & 0xff:       {name: "vfmsub231pd", rm: vex | vx | hx | wx | p66 | w1 | m38 | 0xba | fv | ev1, needs: FMA},
	VFMSUB231SS & 0xff:       {name: "vfmsub231ss", rm: vex | vx | hx | wx | p66 | m38 | 0xbb | t4 | ev0, needs: FMA},
	VFMSUB231SD & 0xff:       {name: "vfmsub231sd", rm: vex | vx | hx | wx | p66 | w1 | m38 | 0xbb | t8 | ev1, needs: FMA},
	VFNMADD132PS & 0xff:      {name: "vfnmadd132ps", rm: vex | vx | hx | wx | p66 | m38 | 0x9c | fv | ev0, needs: FMA},
	VFNMADD132PD & 0xff:      {name: "vfnmadd132pd", rm: vex | vx | hx | wx | p66 | w1 | m38 | 0x9c | fv | ev1, needs: FMA},
	VFNMADD132SS & 0xff:      {name: "vfnmadd132ss", rm: vex | vx | hx | wx | p66 | m38 | 0x9d | t4 | ev0, needs: FMA},
	VFNMADD132SD & 0xff:      {name: "vfnmadd132sd", rm: vex | vx | hx | wx | p66 | w1 | m38 | 0x9d | t8 | ev1, needs: FMA},
	VFNMADD213PS & 0xff:      {name: "vfnmadd213ps", rm: vex | vx | hx | wx | p66 | m38 | 0xac | fv | ev0, needs: FMA},
	VFNMADD213PD & 0xff:      {name: "vfnmadd213pd", rm: vex | vx | hx | wx | p66 | w1 | m38 | 0xac | fv | ev1, needs: FMA},
	VFNMADD213SS & 0xff:      {name: "vfnmadd213ss", rm: vex | vx | hx | wx | p66 | m38 | 0xad | t4 | ev0, needs: FMA},
	VFNMADD213SD & 0xff:      {name: "vfnmadd213sd", rm: vex | vx | hx | wx | p66 | w1 | m38 | 0xad | t8 | ev1, needs: FMA},
	VFNMADD231PS & 0xff:      {name: "vfnmadd231ps", rm: vex | vx | hx | wx | p66 | m38 | 0xbc | fv | ev0, needs: FMA},
	VFNMADD231PD & 0xff:      {name: "vfnmadd231pd", rm: vex | vx | hx | wx | p66 | w1 | m38 | 0xbc | fv | ev1, needs: FMA},
	VFNMADD231SS & 0xff:      {name: "vfnmadd231ss", rm: vex | vx | hx | wx | p66 | m38 | 0xbd | t4 | ev0, needs: FMA},
	VFNMADD231SD & 0xff:      {name: "vfnmadd231sd", rm: vex | vx | hx | wx | p66 | w1 | m38 | 0xbd | t8 | ev1, needs: FMA},
	VFNMSUB132PS & 0xff:      {name: "vfnmsub132ps", rm: vex | vx | hx | wx | p66 | m38 | 0x9e | fv | ev0, needs: FMA},
	VFNMSUB132PD & 0xff:      {name: "vfnmsub132pd", rm: vex | vx | hx | wx | p66 | w1 | m38 | 0x9e | fv | ev1, needs: FMA},
	VFNMSUB132SS & 0xff:      {name: "vfnmsub132ss", rm: vex | vx | hx | wx | p66 | m38 | 0x9f | t4 | ev0, needs: FMA},
	VFNMSUB132SD & 0xff:      {name: "vfnmsub132sd", rm: vex | vx | hx | wx | p66 | w1 | m38 | 0x9f | t8 | ev1, needs: FMA},
	VFNMSUB213PS & 0xff:      {name: "vfnmsub213ps", rm: vex | vx | hx | wx | p66 | m38 | 0xae | fv | ev0, needs: FMA},
	VFNMSUB213PD & 0xff:      {name: "vfnmsub213pd", rm: vex | vx | hx | wx | p66 | w1 | m38 | 0xae | fv | ev1, needs: FMA},
	VFNMSUB213SS & 0xff:      {name: "vfnmsub213ss", rm: vex | vx | hx | wx | p66 | m38 | 0xaf | t4 | ev0, needs: FMA},
	VFNMSUB213SD & 0xff:      {name: "vfnmsub213sd", rm: vex | vx | hx | wx | p66 | w1 | m38 | 0xaf | t8 | ev1, needs: FMA},
	VFNMSUB231PS & 0xff:      {name: "vfnmsub231ps", rm: vex | vx | hx | wx | p66 | m38 | 0xbe | fv | ev0, needs: FMA},
	VFNMSUB231PD & 0xff:      {name: "vfnmsub231pd", rm: vex | vx | hx | wx | p66 | w1 | m38 | 0xbe | fv | ev1, needs: FMA},
	VFNMSUB231SS & 0xff:      {name: "vfnmsub231ss", rm: vex | vx | hx | wx | p66 | m38 | 0xbf | t4 | ev0, needs: FMA},
	VFNMSUB231SD & 0xff:      {name: "vfnmsub231sd", rm: vex | vx | hx | wx | p66 | w1 | m38 | 0xbf | t8 | ev1, needs: FMA},
	VFMADDSUB132PS & 0xff:    {name: "vfmaddsub132ps", rm: vex | vx | hx | wx | p66 | m38 | 0x96 | fv | ev0, needs: FMA},
	VFMADDSUB132PD & 0xff:    {name: "vfmaddsub132pd", rm: vex | vx | hx | wx | p66 | w1 | m38 | 0x96 | fv | ev1, needs: FMA},
	VFMADDSUB213PS & 0xff:    {name: "vfmaddsub213ps", rm: vex | vx | hx | wx | p66 | m38 | 0xa6 | fv | ev0, needs: FMA},
	VFMADDSUB213PD & 0xff:    {name: "vfmaddsub213pd", rm: vex | vx | hx | wx | p66 | w1 | m38 | 0xa6 | fv | ev1, needs: FMA},
	VFMADDSUB231PS & 0xff:    {name: "vfmaddsub231ps", rm: vex | vx | hx | wx | p66 | m38 | 0xb6 | fv | ev0, needs: FMA},
	VFMADDSUB231PD & 0xff:    {name: "vfmaddsub231pd", rm: vex | vx | hx | wx | p66 | w1 | m38 | 0xb6 | fv | ev1, needs: FMA},
	VFMSUBADD132PS & 0xff:    {name: "vfmsubadd132ps", rm: vex | vx | hx | wx | p66 | m38 | 0x97 | fv | ev0, needs: FMA},
	VFMSUBADD132PD & 0xff:    {name: "vfmsubadd132pd", rm: vex | vx | hx | wx | p66 | w1 | m38 | 0x97 | fv | ev1, needs: FMA},
	VFMSUBADD213PS & 0xff:    {name: "vfmsubadd213ps", rm: vex | vx | hx | wx | p66 | m38 | 0xa7 | fv | ev0, needs: FMA},
	VFMSUBADD213PD & 0xff:    {name: "vfmsubadd213pd", rm: vex | vx | hx | wx | p66 | w1 | m38 | 0xa7 | fv | ev1, needs: FMA},
	VFMSUBADD231PS & 0xff:    {name: "vfmsubadd231ps", rm: vex | vx | hx | wx | p66 | m38 | 0xb7 | fv | ev0, needs: FMA},
	VFMSUBADD231PD & 0xff:    {name: "vfmsubadd231pd", rm: vex | vx | hx | wx | p66 | w1 | m38 | 0xb7 | fv | ev1, needs: FMA},
	AESENC & 0xff:            {name: "aesenc", rm: vx | wx | p66 | m38 | 0xdc, needs: AES},
	VAESENC & 0xff:           {name: "vaesenc", rm: vex | vx | hx | wx | p66 | m38 | 0xdc | fv | ev0 | nok, needs: AES | AVX},
	AESENCLAST & 0xff:        {name: "aesenclast", rm: vx | wx | p66 | m38 | 0xdd, needs: AES},
	VAESENCLAST & 0xff:       {name: "vaesenclast", rm: vex | vx | hx | wx | p66 | m38 | 0xdd | fv | ev0 | nok, needs: AES | AVX},
	AESDEC & 0xff:            {name: "aesdec", rm: vx | wx | p66 | m38 | 0xde, needs: AES},
	VAESDEC & 0xff:           {name: "vaesdec", rm: vex | vx | hx | wx | p66 | m38 | 0xde | fv | ev0 | nok, needs: AES | AVX},
	AESDECLAST & 0xff:        {name: "aesdeclast", rm: vx | wx | p66 | m38 | 0xdf, needs: AES},
	VAESDECLAST & 0xff:       {name: "vaesdeclast", rm: vex | vx | hx | wx | p66 | m38 | 0xdf | fv | ev0 | nok, needs: AES | AVX},
	AESIMC & 0xff:            {name: "aesimc", rm: vx | wx | p66 | m38 | 0xdb, needs: AES},
	VAESIMC & 0xff:           {name: "vaesimc", rm: vex | vx | wx | p66 | m38 | 0xdb, needs: AES | AVX},
	AESKEYGENASSIST & 0xff:   {name: "aeskeygenassist", rm: vx | wx | p66 | m3A | ib | 0xdf, needs: AES},
	VAESKEYGENASSIST & 0xff:  {name: "vaeskeygenassist", rm: vex | vx | wx | p66 | m3A | ib | 0xdf, needs: AES | AVX},
	PCLMULQDQ & 0xff:         {name: "pclmulqdq", rm: vx | wx | p66 | m3A | ib | 0x44, needs: PCLMUL},
	VPCLMULQDQ & 0xff:        {name: "vpclmulqdq", rm: vex | vx | hx | wx | p66 | m3A | ib | 0x44 | fv | ev0 | nok, needs: PCLMUL | AVX},
	GF2P8MULB & 0xff:         {name: "gf2p8mulb", rm: vx | wx | p66 | m38 | 0xcf, needs: GFNI},
	VGF2P8MULB & 0xff:        {name: "vgf2p8mulb", rm: vex | vx | hx | wx | p66 | m38 | 0xcf | fv | ev0, needs: GFNI | AVX},
	GF2P8AFFINEQB & 0xff:     {name: "gf2p8affineqb", rm: vx | wx | p66 | m3A | ib | 0xce, needs: GFNI},
	VGF2P8AFFINEQB & 0xff:    {name: "vgf2p8affineqb", rm: vex | vx | hx | wx | p66 | w1 | m3A | ib | 0xce | fv | ev1, needs: GFNI | AVX},
	GF2P8AFFINEINVQB & 0xff:  {name: "gf2p8affineinvqb", rm: vx | wx | p66 | m3A | ib | 0xcf, needs: GFNI},
	VGF2P8AFFINEINVQB & 0xff: {name: "vgf2p8affineinvqb", rm: vex | vx | hx | wx | p66 | w1 | m3A | ib | 0xcf | fv | ev1, needs: GFNI | AVX},
	SHA1NEXTE & 0xff:         {name: "sha1nexte", rm: vx | wx | m38 | 0xc8, needs: SHA},
	SHA1MSG1 & 0xff:          {name: "sha1msg1", rm: vx | wx | m38 | 0xc9, needs: SHA},
	SHA1MSG2 & 0xff:          {name: "sha1msg2", rm: vx | wx | m38 | 0xca, needs: SHA},
	SHA256RNDS2 & 0xff:       {name: "sha256rnds2", rm: vx | wx | m38 | 0xcb, needs: SHA},
	SHA256MSG1 & 0xff:        {name: "sha256msg1", rm: vx | wx | m38 | 0xcc, needs: SHA},
	SHA256MSG2 & 0xff:        {name: "sha256msg2", rm: vx | wx | m38 | 0xcd, needs: SHA},
	SHA1RNDS4 & 0xff:         {name: "sha1rnds4", rm: vx | wx | m3A | ib | 0xcc, needs: SHA},
}
