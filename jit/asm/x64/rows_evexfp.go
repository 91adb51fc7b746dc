package x64

// AVX-512 floating-point instructions without a VEX form, and AVX512-FP16.
const (
	// Rounding, range, reduction, classification.
	VRNDSCALEPS Op = iota + 8<<famShift
	VRNDSCALEPD
	VRNDSCALESS
	VRNDSCALESD
	VRANGEPS
	VRANGEPD
	VRANGESS
	VRANGESD
	VFIXUPIMMPS
	VFIXUPIMMPD
	VFIXUPIMMSS
	VFIXUPIMMSD
	VREDUCEPS
	VREDUCEPD
	VREDUCESS
	VREDUCESD
	VGETMANTPS
	VGETMANTPD
	VGETMANTSS
	VGETMANTSD
	VGETEXPPS
	VGETEXPPD
	VGETEXPSS
	VGETEXPSD
	VSCALEFPS
	VSCALEFPD
	VSCALEFSS
	VSCALEFSD
	VRCP14PS
	VRCP14PD
	VRCP14SS
	VRCP14SD
	VRSQRT14PS
	VRSQRT14PD
	VRSQRT14SS
	VRSQRT14SD
	VBLENDMPS
	VBLENDMPD

	// Conversions with unsigned and 64-bit integers.
	VCVTSS2USIL
	VCVTTSS2USIL
	VCVTUSI2SSL
	VCVTSS2USIQ
	VCVTTSS2USIQ
	VCVTUSI2SSQ
	VCVTSD2USIL
	VCVTTSD2USIL
	VCVTUSI2SDL
	VCVTSD2USIQ
	VCVTTSD2USIQ
	VCVTUSI2SDQ
	VCVTUDQ2PS
	VCVTUDQ2PD
	VCVTUQQ2PS
	VCVTUQQ2PD
	VCVTQQ2PS
	VCVTQQ2PD
	VCVTPS2UDQ
	VCVTPD2UDQ
	VCVTPS2UQQ
	VCVTPD2UQQ
	VCVTPS2QQ
	VCVTPD2QQ
	VCVTTPS2UDQ
	VCVTTPD2UDQ
	VCVTTPS2UQQ
	VCVTTPD2UQQ
	VCVTTPS2QQ
	VCVTTPD2QQ

	// Half precision.
	VADDPH
	VADDSH
	VSUBPH
	VSUBSH
	VMULPH
	VMULSH
	VDIVPH
	VDIVSH
	VMINPH
	VMINSH
	VMAXPH
	VMAXSH
	VSQRTPH
	VSQRTSH
	VFMADD132PH
	VFMADD132SH
	VFMADD213PH
	VFMADD213SH
	VFMADD231PH
	VFMADD231SH
	VFMSUB132PH
	VFMSUB132SH
	VFMSUB213PH
	VFMSUB213SH
	VFMSUB231PH
	VFMSUB231SH
	VFNMADD132PH
	VFNMADD132SH
	VFNMADD213PH
	VFNMADD213SH
	VFNMADD231PH
	VFNMADD231SH
	VFNMSUB132PH
	VFNMSUB132SH
	VFNMSUB213PH
	VFNMSUB213SH
	VFNMSUB231PH
	VFNMSUB231SH
	VCMPPHK
	VCMPSHK
	VUCOMISH
	VCOMISH
	VRNDSCALEPH
	VRNDSCALESH
	VCVTSH2SS
	VCVTSS2SH
	VCVTSH2SD
	VCVTSD2SH
	VCVTSH2SIL
	VCVTTSH2SIL
	VCVTSH2USIL
	VCVTTSH2USIL
	VCVTSI2SHL
	VCVTUSI2SHL
	VCVTSH2SIQ
	VCVTTSH2SIQ
	VCVTSH2USIQ
	VCVTTSH2USIQ
	VCVTSI2SHQ
	VCVTUSI2SHQ
	VCVTPH2W
	VCVTTPH2W
	VCVTPH2UW
	VCVTTPH2UW
	VCVTW2PH
	VCVTUW2PH
	VMOVW
	VMOVSH
)

var rowsEvexFP = [...]row{
	VRNDSCALEPS & 0xff:  {name: "vrndscaleps", rm: evex | vx | wx | p66 | m3A | ib | 0x08 | fv, needs: EVEX128},
	VRNDSCALEPD & 0xff:  {name: "vrndscalepd", rm: evex | vx | wx | p66 | w1 | m3A | ib | 0x09 | fv, needs: EVEX128},
	VRNDSCALESS & 0xff:  {name: "vrndscaless", rm: evex | vx | hx | wx | p66 | m3A | ib | 0x0a | t4, needs: EVEX128},
	VRNDSCALESD & 0xff:  {name: "vrndscalesd", rm: evex | vx | hx | wx | p66 | w1 | m3A | ib | 0x0b | t8, needs: EVEX128},
	VRANGEPS & 0xff:     {name: "vrangeps", rm: evex | vx | hx | wx | p66 | m3A | ib | 0x50 | fv, needs: EVEX128},
	VRANGEPD & 0xff:     {name: "vrangepd", rm: evex | vx | hx | wx | p66 | w1 | m3A | ib | 0x50 | fv, needs: EVEX128},
	VRANGESS & 0xff:     {name: "vrangess", rm: evex | vx | hx | wx | p66 | m3A | ib | 0x51 | t4, needs: EVEX128},
	VRANGESD & 0xff:     {name: "vrangesd", rm: evex | vx | hx | wx | p66 | w1 | m3A | ib | 0x51 | t8, needs: EVEX128},
	VFIXUPIMMPS & 0xff:  {name: "vfixupimmps", rm: evex | vx | hx | wx | p66 | m3A | ib | 0x54 | fv, needs: EVEX128},
	VFIXUPIMMPD & 0xff:  {name: "vfixupimmpd", rm: evex | vx | hx | wx | p66 | w1 | m3A | ib | 0x54 | fv, needs: EVEX128},
	VFIXUPIMMSS & 0xff:  {name: "vfixupimmss", rm: evex | vx | hx | wx | p66 | m3A | ib | 0x55 | t4, needs: EVEX128},
	VFIXUPIMMSD & 0xff:  {name: "vfixupimmsd", rm: evex | vx | hx | wx | p66 | w1 | m3A | ib | 0x55 | t8, needs: EVEX128},
	VREDUCEPS & 0xff:    {name: "vreduceps", rm: evex | vx | wx | p66 | m3A | ib | 0x56 | fv, needs: EVEX128},
	VREDUCEPD & 0xff:    {name: "vreducepd", rm: evex | vx | wx | p66 | w1 | m3A | ib | 0x56 | fv, needs: EVEX128},
	VREDUCESS & 0xff:    {name: "vreducess", rm: evex | vx | hx | wx | p66 | m3A | ib | 0x57 | t4, needs: EVEX128},
	VREDUCESD & 0xff:    {name: "vreducesd", rm: evex | vx | hx | wx | p66 | w1 | m3A | ib | 0x57 | t8, needs: EVEX128},
	VGETMANTPS & 0xff:   {name: "vgetmantps", rm: evex | vx | wx | p66 | m3A | ib | 0x26 | fv, needs: EVEX128},
	VGETMANTPD & 0xff:   {name: "vgetmantpd", rm: evex | vx | wx | p66 | w1 | m3A | ib | 0x26 | fv, needs: EVEX128},
	VGETMANTSS & 0xff:   {name: "vgetmantss", rm: evex | vx | hx | wx | p66 | m3A | ib | 0x27 | t4, needs: EVEX128},
	VGETMANTSD & 0xff:   {name: "vgetmantsd", rm: evex | vx | hx | wx | p66 | w1 | m3A | ib | 0x27 | t8, needs: EVEX128},
	VGETEXPPS & 0xff:    {name: "vgetexpps", rm: evex | vx | wx | p66 | m38 | 0x42 | fv, needs: EVEX128},
	VGETEXPPD & 0xff:    {name: "vgetexppd", rm: evex | vx | wx | p66 | w1 | m38 | 0x42 | fv, needs: EVEX128},
	VGETEXPSS & 0xff:    {name: "vgetexpss", rm: evex | vx | hx | wx | p66 | m38 | 0x43 | t4, needs: EVEX128},
	VGETEXPSD & 0xff:    {name: "vgetexpsd", rm: evex | vx | hx | wx | p66 | w1 | m38 | 0x43 | t8, needs: EVEX128},
	VSCALEFPS & 0xff:    {name: "vscalefps", rm: evex | vx | hx | wx | p66 | m38 | 0x2c | fv, needs: EVEX128},
	VSCALEFPD & 0xff:    {name: "vscalefpd", rm: evex | vx | hx | wx | p66 | w1 | m38 | 0x2c | fv, needs: EVEX128},
	VSCALEFSS & 0xff:    {name: "vscalefss", rm: evex | vx | hx | wx | p66 | m38 | 0x2d | t4, needs: EVEX128},
	VSCALEFSD & 0xff:    {name: "vscalefsd", rm: evex | vx | hx | wx | p66 | w1 | m38 | 0x2d | t8, needs: EVEX128},
	VRCP14PS & 0xff:     {name: "vrcp14ps", rm: evex | vx | wx | p66 | m38 | 0x4c | fv, needs: EVEX128},
	VRCP14PD & 0xff:     {name: "vrcp14pd", rm: evex | vx | wx | p66 | w1 | m38 | 0x4c | fv, needs: EVEX128},
	VRCP14SS & 0xff:     {name: "vrcp14ss", rm: evex | vx | hx | wx | p66 | m38 | 0x4d | t4, needs: EVEX128},
	VRCP14SD & 0xff:     {name: "vrcp14sd", rm: evex | vx | hx | wx | p66 | w1 | m38 | 0x4d | t8, needs: EVEX128},
	VRSQRT14PS & 0xff:   {name: "vrsqrt14ps", rm: evex | vx | wx | p66 | m38 | 0x4e | fv, needs: EVEX128},
	VRSQRT14PD & 0xff:   {name: "vrsqrt14pd", rm: evex | vx | wx | p66 | w1 | m38 | 0x4e | fv, needs: EVEX128},
	VRSQRT14SS & 0xff:   {name: "vrsqrt14ss", rm: evex | vx | hx | wx | p66 | m38 | 0x4f | t4, needs: EVEX128},
	VRSQRT14SD & 0xff:   {name: "vrsqrt14sd", rm: evex | vx | hx | wx | p66 | w1 | m38 | 0x4f | t8, needs: EVEX128},
	VBLENDMPS & 0xff:    {name: "vblendmps", rm: evex | vx | hx | wx | p66 | m38 | 0x65 | fv, needs: EVEX128},
	VBLENDMPD & 0xff:    {name: "vblendmpd", rm: evex | vx | hx | wx | p66 | w1 | m38 | 0x65 | fv, needs: EVEX128},
	VCVTSS2USIL & 0xff:  {name: "vcvtss2usi", rm: evex | gd | wx | pF3 | m0F | 0x79 | t4, needs: EVEX128},
	VCVTTSS2USIL & 0xff: {name: "vcvttss2usi", rm: evex | gd | wx | pF3 | m0F | 0x78 | t4, needs: EVEX128},
	VCVTUSI2SSL & 0xff:  {name: "vcvtusi2ss", rm: evex | vx | hx | ed | pF3 | m0F | 0x7b | t4 | nok, needs: EVEX128},
	VCVTSS2USIQ & 0xff:  {name: "vcvtss2usi", rm: evex | gq | wx | pF3 | w1 | m0F | 0x79 | t4, needs: EVEX128},
	VCVTTSS2USIQ & 0xff: {name: "vcvttss2usi", rm: evex | gq | wx | pF3 | w1 | m0F | 0x78 | t4, needs: EVEX128},
	VCVTUSI2SSQ & 0xff:  {name: "vcvtusi2ss", rm: evex | vx | hx | eq | pF3 | w1 | m0F | 0x7b | t8 | nok, needs: EVEX128},
	VCVTSD2USIL & 0xff:  {name: "vcvtsd2usi", rm: evex | gd | wx | pF2 | m0F | 0x79 | t8, needs: EVEX128},
	VCVTTSD2USIL & 0xff: {name: "vcvttsd2usi", rm: evex | gd | wx | pF2 | m0F | 0x78 | t8, needs: EVEX128},
	VCVTUSI2SDL & 0xff:  {name: "vcvtusi2sd", rm: evex | vx | hx | ed | pF2 | m0F | 0x7b | t4 | nok, needs: EVEX128},
	VCVTSD2USIQ & 0xff:  {name: "vcvtsd2usi", rm: evex | gq | wx | pF2 | w1 | m0F | 0x79 | t8, needs: EVEX128},
	VCVTTSD2USIQ & 0xff: {name: "vcvttsd2usi", rm: evex | gq | wx | pF2 | w1 | m0F | 0x78 | t8, needs: EVEX128},
	VCVTUSI2SDQ & 0xff:  {name: "vcvtusi2sd", rm: evex | vx | hx | eq | pF2 | w1 | m0F | 0x7b | t8 | nok, needs: EVEX128},
	VCVTUDQ2PS & 0xff:   {name: "vcvtudq2ps", rm: evex | vx | wx | pF2 | m0F | 0x7a | fv, needs: EVEX128},
	VCVTUDQ2PD & 0xff:   {name: "vcvtudq2pd", rm: evex | vx | wx | pF3 | m0F | 0x7a | hv, needs: EVEX128},
	VCVTUQQ2PS & 0xff:   {name: "vcvtuqq2ps", rm: evex | vx | wx | pF2 | w1 | m0F | 0x7a | fv, needs: EVEX128},
	VCVTUQQ2PD & 0xff:   {name: "vcvtuqq2pd", rm: evex | vx | wx | pF3 | w1 | m0F | 0x7a | fv, needs: EVEX128},
	VCVTQQ2PS & 0xff:    {name: "vcvtqq2ps", rm: evex | vx | wx | w1 | m0F | 0x5b | fv, needs: EVEX128},
	VCVTQQ2PD & 0xff:    {name: "vcvtqq2pd", rm: evex | vx | wx | pF3 | w1 | m0F | 0xe6 | fv, needs: EVEX128},
	VCVTPS2UDQ & 0xff:   {name: "vcvtps2udq", rm: evex | vx | wx | m0F | 0x79 | fv, needs: EVEX128},
	VCVTPD2UDQ & 0xff:   {name: "vcvtpd2udq", rm: evex | vx | wx | w1 | m0F | 0x79 | fv, needs: EVEX128},
	VCVTPS2UQQ & 0xff:   {name: "vcvtps2uqq", rm: evex | vx | wx | p66 | m0F | 0x79 | hv, needs: EVEX128},
	VCVTPD2UQQ & 0xff:   {name: "vcvtpd2uqq", rm: evex | vx | wx | p66 | w1 | m0F | 0x79 | fv, needs: EVEX128},
	VCVTPS2QQ & 0xff:    {name: "vcvtps2qq", rm: evex | vx | wx | p66 | m0F | 0x7b | hv, needs: EVEX128},
	VCVTPD2QQ & 0xff:    {name: "vcvtpd2qq", rm: evex | vx | wx | p66 | w1 | m0F | 0x7b | fv, needs: EVEX128},
	VCVTTPS2UDQ & 0xff:  {name: "vcvttps2udq", rm: evex | vx | wx | m0F | 0x78 | fv, needs: EVEX128},
	VCVTTPD2UDQ & 0xff:  {name: "vcvttpd2udq", rm: evex | vx | wx | w1 | m0F | 0x78 | fv, needs: EVEX128},
	VCVTTPS2UQQ & 0xff:  {name: "vcvttps2uqq", rm: evex | vx | wx | p66 | m0F | 0x78 | hv, needs: EVEX128},
	VCVTTPD2UQQ & 0xff:  {name: "vcvttpd2uqq", rm: evex | vx | wx | p66 | w1 | m0F | 0x78 | fv, needs: EVEX128},
	VCVTTPS2QQ & 0xff:   {name: "vcvttps2qq", rm: evex | vx | wx | p66 | m0F | 0x7a | hv, needs: EVEX128},
	VCVTTPD2QQ & 0xff:   {name: "vcvttpd2qq", rm: evex | vx | wx | p66 | w1 | m0F | 0x7a | fv, needs: EVEX128},
	VADDPH & 0xff:       {name: "vaddph", rm: evex | vx | hx | wx | m5 | 0x58 | fv, needs: EVEX128 | AVX512FP16},
	VADDSH & 0xff:       {name: "vaddsh", rm: evex | vx | hx | wx | pF3 | m5 | 0x58 | t2, needs: EVEX128 | AVX512FP16},
	VSUBPH & 0xff:       {name: "vsubph", rm: evex | vx | hx | wx | m5 | 0x5c | fv, needs: EVEX128 | AVX512FP16},
	VSUBSH & 0xff:       {name: "vsubsh", rm: evex | vx | hx | wx | pF3 | m5 | 0x5c | t2, needs: EVEX128 | AVX512FP16},
	VMULPH & 0xff:       {name: "vmulph", rm: evex | vx | hx | wx | m5 | 0x59 | fv, needs: EVEX128 | AVX512FP16},
	VMULSH & 0xff:       {name: "vmulsh", rm: evex | vx | hx | wx | pF3 | m5 | 0x59 | t2, needs: EVEX128 | AVX512FP16},
	VDIVPH & 0xff:       {name: "vdivph", rm: evex | vx | hx | wx | m5 | 0x5e | fv, needs: EVEX128 | AVX512FP16},
	VDIVSH & 0xff:       {name: "vdivsh", rm: evex | vx | hx | wx | pF3 | m5 | 0x5e | t2, needs: EVEX128 | AVX512FP16},
	VMINPH & 0xff:       {name: "vminph", rm: evex | vx | hx | wx | m5 | 0x5d | fv, needs: EVEX128 | AVX512FP16},
	VMINSH & 0xff:       {name: "vminsh", rm: evex | vx | hx | wx | pF3 | m5 | 0x5d | t2, needs: EVEX128 | AVX512FP16},
	VMAXPH & 0xff:       {name: "vmaxph", rm: evex | vx | hx | wx | m5 | 0x5f | fv, needs: EVEX128 | AVX512FP16},
	VMAXSH & 0xff:       {name: "vmaxsh", rm: evex | vx | hx | wx | pF3 | m5 | 0x5f | t2, needs: EVEX128 | AVX512FP16},
	VSQRTPH & 0xff:      {name: "vsqrtph", rm: evex | vx | wx | m5 | 0x51 | fv, needs: EVEX128 | AVX512FP16},
	VSQRTSH & 0xff:      {name: "vsqrtsh", rm: evex | vx | hx | wx | pF3 | m5 | 0x51 | t2, needs: EVEX128 | AVX512FP16},
	VFMADD132PH & 0xff:  {name: "vfmadd132ph", rm: evex | vx | hx | wx | p66 | m6 | 0x98 | fv, needs: EVEX128 | AVX512FP16},
	VFMADD132SH & 0xff:  {name: "vfmadd132sh", rm: evex | vx | hx | wx | p66 | m6 | 0x99 | t2, needs: EVEX128 | AVX512FP16},
	VFMADD213PH & 0xff:  {name: "vfmadd213ph", rm: evex | vx | hx | wx | p66 | m6 | 0xa8 | fv, needs: EVEX128 | AVX512FP16},
	VFMADD213SH & 0xff:  {name: "vfmadd213sh", rm: evex | vx | hx | wx | p66 | m6 | 0xa9 | t2, needs: EVEX128 | AVX512FP16},
	VFMADD231PH & 0xff:  {name: "vfmadd231ph", rm: evex | vx | hx | wx | p66 | m6 | 0xb8 | fv, needs: EVEX128 | AVX512FP16},
	VFMADD231SH & 0xff:  {name: "vfmadd231sh", rm: evex | vx | hx | wx | p66 | m6 | 0xb9 | t2, needs: EVEX128 | AVX512FP16},
	VFMSUB132PH & 0xff:  {name: "vfmsub132ph", rm: evex | vx | hx | wx | p66 | m6 | 0x9a | fv, needs: EVEX128 | AVX512FP16},
	VFMSUB132SH & 0xff:  {name: "vfmsub132sh", rm: evex | vx | hx | wx | p66 | m6 | 0x9b | t2, needs: EVEX128 | AVX512FP16},
	VFMSUB213PH & 0xff:  {name: "vfmsub213ph", rm: evex | vx | hx | wx | p66 | m6 | 0xaa | fv, needs: EVEX128 | AVX512FP16},
	VFMSUB213SH & 0xff:  {name: "vfmsub213sh", rm: evex | vx | hx | wx | p66 | m6 | 0xab | t2, needs: EVEX128 | AVX512FP16},
	VFMSUB231PH & 0xff:  {name: "vfmsub231ph", rm: evex | vx | hx | wx | p66 | m6 | 0xba | fv, needs: EVEX128 | AVX512FP16},
	VFMSUB231SH & 0xff:  {name: "vfmsub231sh", rm: evex | vx | hx | wx | p66 | m6 | 0xbb | t2, needs: EVEX128 | AVX512FP16},
	VFNMADD132PH & 0xff: {name: "vfnmadd132ph", rm: evex | vx | hx | wx | p66 | m6 | 0x9c | fv, needs: EVEX128 | AVX512FP16},
	VFNMADD132SH & 0xff: {name: "vfnmadd132sh", rm: evex | vx | hx | wx | p66 | m6 | 0x9d | t2, needs: EVEX128 | AVX512FP16},
	VFNMADD213PH & 0xff: {name: "vfnmadd213ph", rm: evex | vx | hx | wx | p66 | m6 | 0xac | fv, needs: EVEX128 | AVX512FP16},
	VFNMADD213SH & 0xff: {name: "vfnmadd213sh", rm: evex | vx | hx | wx | p66 | m6 | 0xad | t2, needs: EVEX128 | AVX512FP16},
	VFNMADD231PH & 0xff: {name: "vfnmadd231ph", rm: evex | vx | hx | wx | p66 | m6 | 0xbc | fv, needs: EVEX128 | AVX512FP16},
	VFNMADD231SH & 0xff: {name: "vfnmadd231sh", rm: evex | vx | hx | wx | p66 | m6 | 0xbd | t2, needs: EVEX128 | AVX512FP16},
	VFNMSUB132PH & 0xff: {name: "vfnmsub132ph", rm: evex | vx | hx | wx | p66 | m6 | 0x9e | fv, needs: EVEX128 | AVX512FP16},
	VFNMSUB132SH & 0xff: {name: "vfnmsub132sh", rm: evex | vx | hx | wx | p66 | m6 | 0x9f | t2, needs: EVEX128 | AVX512FP16},
	VFNMSUB213PH & 0xff: {name: "vfnmsub213ph", rm: evex | vx | hx | wx | p66 | m6 | 0xae | fv, needs: EVEX128 | AVX512FP16},
	VFNMSUB213SH & 0xff: {name: "vfnmsub213sh", rm: evex | vx | hx | wx | p66 | m6 | 0xaf | t2, needs: EVEX128 | AVX512FP16},
	VFNMSUB231PH & 0xff: {name: "vfnmsub231ph", rm: evex | vx | hx | wx | p66 | m6 | 0xbe | fv, needs: EVEX128 | AVX512FP16},
	VFNMSUB231SH & 0xff: {name: "vfnmsub231sh", rm: evex | vx | hx | wx | p66 | m6 | 0xbf | t2, needs: EVEX128 | AVX512FP16},
	VCMPPHK & 0xff:      {name: "vcmpph", rm: evex | gk | hx | wx | m3A | ib | 0xc2 | fv, needs: EVEX128 | AVX512FP16},
	VCMPSHK & 0xff:      {name: "vcmpsh", rm: evex | gk | hx | wx | pF3 | m3A | ib | 0xc2 | t2, needs: EVEX128 | AVX512FP16},
	VUCOMISH & 0xff:     {name: "vucomish", rm: evex | vx | wx | m5 | 0x2e | t2 | nok, needs: EVEX128 | AVX512FP16},
	VCOMISH & 0xff:      {name: "vcomish", rm: evex | vx | wx | m5 | 0x2f | t2 | nok, needs: EVEX128 | AVX512FP16},
	VRNDSCALEPH & 0xff:  {name: "vrndscaleph", rm: evex | vx | wx | m3A | ib | 0x08 | fv, needs: EVEX128 | AVX512FP16},
	VRNDSCALESH & 0xff:  {name: "vrndscalesh", rm: evex | vx | hx | wx | m3A | ib | 0x0a | t2, needs: EVEX128 | AVX512FP16},
	VCVTSH2SS & 0xff:    {name: "vcvtsh2ss", rm: evex | vx | hx | wx | m6 | 0x13 | t2, needs: EVEX128 | AVX512FP16},
	VCVTSS2SH & 0xff:    {name: "vcvtss2sh", rm: evex | vx | hx | wx | m5 | 0x1d | t4, needs: EVEX128 | AVX512FP16},
	VCVTSH2SD & 0xff:    {name: "vcvtsh2sd", rm: evex | vx | hx | wx | pF3 | m5 | 0x5a | t2, needs: EVEX128 | AVX512FP16},
	VCVTSD2SH & 0xff:    {name: "vcvtsd2sh", rm: evex | vx | hx | wx | pF2 | w1 | m5 | 0x5a | t8, needs: EVEX128 | AVX512FP16},
	VCVTSH2SIL & 0xff:   {name: "vcvtsh2si", rm: evex | gd | wx | pF3 | m5 | 0x2d | t2, needs: EVEX128 | AVX512FP16},
	VCVTTSH2SIL & 0xff:  {name: "vcvttsh2si", rm: evex | gd | wx | pF3 | m5 | 0x2c | t2, needs: EVEX128 | AVX512FP16},
	VCVTSH2USIL & 0xff:  {name: "vcvtsh2usi", rm: evex | gd | wx | pF3 | m5 | 0x79 | t2, needs: EVEX128 | AVX512FP16},
	VCVTTSH2USIL & 0xff: {name: "vcvttsh2usi", rm: evex | gd | wx | pF3 | m5 | 0x78 | t2, needs: EVEX128 | AVX512FP16},
	VCVTSI2SHL & 0xff:   {name: "vcvtsi2sh", rm: evex | vx | hx | ed | pF3 | m5 | 0x2a | t4 | nok, needs: EVEX128 | AVX512FP16},
	VCVTUSI2SHL & 0xff:  {name: "vcvtusi2sh", rm: evex | vx | hx | ed | pF3 | m5 | 0x7b | t4 | nok, needs: EVEX128 | AVX512FP16},
	VCVTSH2SIQ & 0xff:   {name: "vcvtsh2si", rm: evex | gq | wx | pF3 | w1 | m5 | 0x2d | t2, needs: EVEX128 | AVX512FP16},
	VCVTTSH2SIQ & 0xff:  {name: "vcvttsh2si", rm: evex | gq | wx | pF3 | w1 | m5 | 0x2c | t2, needs: EVEX128 | AVX512FP16},
	VCVTSH2USIQ & 0xff:  {name: "vcvtsh2usi", rm: evex | gq | wx | pF3 | w1 | m5 | 0x79 | t2, needs: EVEX128 | AVX512FP16},
	VCVTTSH2USIQ & 0xff: {name: "vcvttsh2usi", rm: evex | gq | wx | pF3 | w1 | m5 | 0x78 | t2, needs: EVEX128 | AVX512FP16},
	VCVTSI2SHQ & 0xff:   {name: "vcvtsi2sh", rm: evex | vx | hx | eq | pF3 | w1 | m5 | 0x2a | t8 | nok, needs: EVEX128 | AVX512FP16},
	VCVTUSI2SHQ & 0xff:  {name: "vcvtusi2sh", rm: evex | vx | hx | eq | pF3 | w1 | m5 | 0x7b | t8 | nok, needs: EVEX128 | AVX512FP16},
	VCVTPH2W & 0xff:     {name: "vcvtph2w", rm: evex | vx | wx | p66 | m5 | 0x7d | fv, needs: EVEX128 | AVX512FP16},
	VCVTTPH2W & 0xff:    {name: "vcvttph2w", rm: evex | vx | wx | p66 | m5 | 0x7c | fv, needs: EVEX128 | AVX512FP16},
	VCVTPH2UW & 0xff:    {name: "vcvtph2uw", rm: evex | vx | wx | m5 | 0x7d | fv, needs: EVEX128 | AVX512FP16},
	VCVTTPH2UW & 0xff:   {name: "vcvttph2uw", rm: evex | vx | wx | m5 | 0x7c | fv, needs: EVEX128 | AVX512FP16},
	VCVTW2PH & 0xff:     {name: "vcvtw2ph", rm: evex | vx | wx | pF3 | m5 | 0x7d | fv, needs: EVEX128 | AVX512FP16},
	VCVTUW2PH & 0xff:    {name: "vcvtuw2ph", rm: evex | vx | wx | pF2 | m5 | 0x7d | fv, needs: EVEX128 | AVX512FP16},
	VMOVW & 0xff:        {name: "vmovw", rm: evex | vx | ed | p66 | m5 | 0x6e | t2 | nok, mr: evex | vx | ed | p66 | m5 | 0x7e | t2 | nok, needs: EVEX128 | AVX512FP16},
	VMOVSH & 0xff:       {name: "vmovsh", rm: evex | vx | mm | pF3 | m5 | 0x10 | t2, mr: evex | vx | mm | pF3 | m5 | 0x11 | t2, mi: evex | vx | hx | ux | pF3 | m5 | 0x10 | t2, needs: EVEX128 | AVX512FP16},
}
