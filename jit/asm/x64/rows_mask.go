package x64

// AVX-512 masks: compares and tests into them, moves and logic on them.
const (
	// Compare into a mask. The immediate of VPCMP is 0 eq, 1 lt, 2 le, 4 ne, 5 ge, 6 gt.
	VPCMPEQBK Op = iota + 7<<famShift
	VPCMPEQWK
	VPCMPEQDK
	VPCMPEQQK
	VPCMPGTBK
	VPCMPGTWK
	VPCMPGTDK
	VPCMPGTQK
	VPCMPBK
	VPCMPWK
	VPCMPUBK
	VPCMPUWK
	VPCMPDK
	VPCMPQK
	VPCMPUDK
	VPCMPUQK
	VCMPPSK
	VCMPPDK
	VCMPSSK
	VCMPSDK
	VFPCLASSPS
	VFPCLASSPD
	VFPCLASSSS
	VFPCLASSSD

	// Bit tests into a mask.
	VPTESTMB
	VPTESTMW
	VPTESTMD
	VPTESTMQ
	VPTESTNMB
	VPTESTNMW
	VPTESTNMD
	VPTESTNMQ

	// Between masks and vectors.
	VPMOVM2B
	VPMOVB2M
	VPMOVM2W
	VPMOVW2M
	VPMOVM2D
	VPMOVD2M
	VPMOVM2Q
	VPMOVQ2M

	// Between masks, memory and (KMOVxR) general registers.
	KMOVB
	KMOVBR
	KMOVW
	KMOVWR
	KMOVD
	KMOVDR
	KMOVQ
	KMOVQR

	// Mask logic.
	KANDB
	KANDNB
	KORB
	KXNORB
	KXORB
	KNOTB
	KORTESTB
	KTESTB
	KANDW
	KANDNW
	KORW
	KXNORW
	KXORW
	KNOTW
	KORTESTW
	KTESTW
	KANDD
	KANDND
	KORD
	KXNORD
	KXORD
	KNOTD
	KORTESTD
	KTESTD
	KANDQ
	KANDNQ
	KORQ
	KXNORQ
	KXORQ
	KNOTQ
	KORTESTQ
	KTESTQ
	KSHIFTRB
	KSHIFTLB
	KSHIFTRW
	KSHIFTLW
	KSHIFTRD
	KSHIFTLD
	KSHIFTRQ
	KSHIFTLQ
)

var rowsMask = [...]row{
	VPCMPEQBK & 0xff:  {name: "vpcmpeqb", rm: evex | gk | hx | wx | p66 | m0F | 0x74 | fv, needs: EVEX128},
	VPCMPEQWK & 0xff:  {name: "vpcmpeqw", rm: evex | gk | hx | wx | p66 | m0F | 0x75 | fv, needs: EVEX128},
	VPCMPEQDK & 0xff:  {name: "vpcmpeqd", rm: evex | gk | hx | wx | p66 | m0F | 0x76 | fv, needs: EVEX128},
	VPCMPEQQK & 0xff:  {name: "vpcmpeqq", rm: evex | gk | hx | wx | p66 | w1 | m38 | 0x29 | fv, needs: EVEX128},
	VPCMPGTBK & 0xff:  {name: "vpcmpgtb", rm: evex | gk | hx | wx | p66 | m0F | 0x64 | fv, needs: EVEX128},
	VPCMPGTWK & 0xff:  {name: "vpcmpgtw", rm: evex | gk | hx | wx | p66 | m0F | 0x65 | fv, needs: EVEX128},
	VPCMPGTDK & 0xff:  {name: "vpcmpgtd", rm: evex | gk | hx | wx | p66 | m0F | 0x66 | fv, needs: EVEX128},
	VPCMPGTQK & 0xff:  {name: "vpcmpgtq", rm: evex | gk | hx | wx | p66 | w1 | m38 | 0x37 | fv, needs: EVEX128},
	VPCMPBK & 0xff:    {name: "vpcmpb", rm: evex | gk | hx | wx | p66 | m3A | ib | 0x3f | fv, needs: EVEX128},
	VPCMPWK & 0xff:    {name: "vpcmpw", rm: evex | gk | hx | wx | p66 | w1 | m3A | ib | 0x3f | fv, needs: EVEX128},
	VPCMPUBK & 0xff:   {name: "vpcmpub", rm: evex | gk | hx | wx | p66 | m3A | ib | 0x3e | fv, needs: EVEX128},
	VPCMPUWK & 0xff:   {name: "vpcmpuw", rm: evex | gk | hx | wx | p66 | w1 | m3A | ib | 0x3e | fv, needs: EVEX128},
	VPCMPDK & 0xff:    {name: "vpcmpd", rm: evex | gk | hx | wx | p66 | m3A | ib | 0x1f | fv, needs: EVEX128},
	VPCMPQK & 0xff:    {name: "vpcmpq", rm: evex | gk | hx | wx | p66 | w1 | m3A | ib | 0x1f | fv, needs: EVEX128},
	VPCMPUDK & 0xff:   {name: "vpcmpud", rm: evex | gk | hx | wx | p66 | m3A | ib | 0x1e | fv, needs: EVEX128},
	VPCMPUQK & 0xff:   {name: "vpcmpuq", rm: evex | gk | hx | wx | p66 | w1 | m3A | ib | 0x1e | fv, needs: EVEX128},
	VCMPPSK & 0xff:    {name: "vcmpps", rm: evex | gk | hx | wx | m0F | ib | 0xc2 | fv, needs: EVEX128},
	VCMPPDK & 0xff:    {name: "vcmppd", rm: evex | gk | hx | wx | p66 | w1 | m0F | ib | 0xc2 | fv, needs: EVEX128},
	VCMPSSK & 0xff:    {name: "vcmpss", rm: evex | gk | hx | wx | pF3 | m0F | ib | 0xc2 | t4, needs: EVEX128},
	VCMPSDK & 0xff:    {name: "vcmpsd", rm: evex | gk | hx | wx | pF2 | w1 | m0F | ib | 0xc2 | t8, needs: EVEX128},
	VFPCLASSPS & 0xff: {name: "vfpclassps", rm: evex | gk | wx | p66 | m3A | ib | 0x66 | fv, needs: EVEX128},
	VFPCLASSPD & 0xff: {name: "vfpclasspd", rm: evex | gk | wx | p66 | w1 | m3A | ib | 0x66 | fv, needs: EVEX128},
	VFPCLASSSS & 0xff: {name: "vfpclassss", rm: evex | gk | wx | p66 | m3A | ib | 0x67 | t4, needs: EVEX128},
	VFPCLASSSD & 0xff: {name: "vfpclasssd", rm: evex | gk | wx | p66 | w1 | m3A | ib | 0x67 | t8, needs: EVEX128},
	VPTESTMB & 0xff:   {name: "vptestmb", rm: evex | gk | hx | wx | p66 | m38 | 0x26 | fv, needs: EVEX128},
	VPTESTMW & 0xff:   {name: "vptestmw", rm: evex | gk | hx | wx | p66 | w1 | m38 | 0x26 | fv, needs: EVEX128},
	VPTESTMD & 0xff:   {name: "vptestmd", rm: evex | gk | hx | wx | p66 | m38 | 0x27 | fv, needs: EVEX128},
	VPTESTMQ & 0xff:   {name: "vptestmq", rm: evex | gk | hx | wx | p66 | w1 | m38 | 0x27 | fv, needs: EVEX128},
	VPTESTNMB & 0xff:  {name: "vptestnmb", rm: evex | gk | hx | wx | pF3 | m38 | 0x26 | fv, needs: EVEX128},
	VPTESTNMW & 0xff:  {name: "vptestnmw", rm: evex | gk | hx | wx | pF3 | w1 | m38 | 0x26 | fv, needs: EVEX128},
	VPTESTNMD & 0xff:  {name: "vptestnmd", rm: evex | gk | hx | wx | pF3 | m38 | 0x27 | fv, needs: EVEX128},
	VPTESTNMQ & 0xff:  {name: "vptestnmq", rm: evex | gk | hx | wx | pF3 | w1 | m38 | 0x27 | fv, needs: EVEX128},
	VPMOVM2B & 0xff:   {name: "vpmovm2b", rm: evex | vx | rk | pF3 | m38 | 0x28 | yy | nok, needs: EVEX128},
	VPMOVB2M & 0xff:   {name: "vpmovb2m", rm: evex | gk | ux | pF3 | m38 | 0x29 | yy | nok, needs: EVEX128},
	VPMOVM2W & 0xff:   {name: "vpmovm2w", rm: evex | vx | rk | pF3 | w1 | m38 | 0x28 | yy | nok, needs: EVEX128},
	VPMOVW2M & 0xff:   {name: "vpmovw2m", rm: evex | gk | ux | pF3 | w1 | m38 | 0x29 | yy | nok, needs: EVEX128},
	VPMOVM2D & 0xff:   {name: "vpmovm2d", rm: evex | vx | rk | pF3 | m38 | 0x38 | yy | nok, needs: EVEX128},
	VPMOVD2M & 0xff:   {name: "vpmovd2m", rm: evex | gk | ux | pF3 | m38 | 0x39 | yy | nok, needs: EVEX128},
	VPMOVM2Q & 0xff:   {name: "vpmovm2q", rm: evex | vx | rk | pF3 | w1 | m38 | 0x38 | yy | nok, needs: EVEX128},
	VPMOVQ2M & 0xff:   {name: "vpmovq2m", rm: evex | gk | ux | pF3 | w1 | m38 | 0x39 | yy | nok, needs: EVEX128},
	KMOVB & 0xff:      {name: "kmovb", rm: vex | gk | ek | p66 | m0F | 0x90, mr: vex | gk | mm | p66 | m0F | 0x91, needs: EVEX128},
	KMOVBR & 0xff:     {name: "kmovb", rm: vex | gk | rd | p66 | m0F | 0x92, mi: vex | rk | gd | p66 | m0F | 0x93, needs: EVEX128},
	KMOVW & 0xff:      {name: "kmovw", rm: vex | gk | ek | m0F | 0x90, mr: vex | gk | mm | m0F | 0x91, needs: EVEX128},
	KMOVWR & 0xff:     {name: "kmovw", rm: vex | gk | rd | m0F | 0x92, mi: vex | rk | gd | m0F | 0x93, needs: EVEX128},
	KMOVD & 0xff:      {name: "kmovd", rm: vex | gk | ek | p66 | w1 | m0F | 0x90, mr: vex | gk | mm | p66 | w1 | m0F | 0x91, needs: EVEX128},
	KMOVDR & 0xff:     {name: "kmovd", rm: vex | gk | rd | pF2 | m0F | 0x92, mi: vex | rk | gd | pF2 | m0F | 0x93, needs: EVEX128},
	KMOVQ & 0xff:      {name: "kmovq", rm: vex | gk | ek | w1 | m0F | 0x90, mr: vex | gk | mm | w1 | m0F | 0x91, needs: EVEX128},
	KMOVQR & 0xff:     {name: "kmovq", rm: vex | gk | rq | pF2 | w1 | m0F | 0x92, mi: vex | rk | gq | pF2 | w1 | m0F | 0x93, needs: EVEX128},
	KANDB & 0xff:      {name: "kandb", rm: vex | l1 | gk | hk | rk | p66 | m0F | 0x41, needs: EVEX128},
	KANDNB & 0xff:     {name: "kandnb", rm: vex | l1 | gk | hk | rk | p66 | m0F | 0x42, needs: EVEX128},
	KORB & 0xff:       {name: "korb", rm: vex | l1 | gk | hk | rk | p66 | m0F | 0x45, needs: EVEX128},
	KXNORB & 0xff:     {name: "kxnorb", rm: vex | l1 | gk | hk | rk | p66 | m0F | 0x46, needs: EVEX128},
	KXORB & 0xff:      {name: "kxorb", rm: vex | l1 | gk | hk | rk | p66 | m0F | 0x47, needs: EVEX128},
	KNOTB & 0xff:      {name: "knotb", rm: vex | gk | rk | p66 | m0F | 0x44, needs: EVEX128},
	KORTESTB & 0xff:   {name: "kortestb", rm: vex | gk | rk | p66 | m0F | 0x98, needs: EVEX128},
	KTESTB & 0xff:     {name: "ktestb", rm: vex | gk | rk | p66 | m0F | 0x99, needs: EVEX128},
	KANDW & 0xff:      {name: "kandw", rm: vex | l1 | gk | hk | rk | m0F | 0x41, needs: EVEX128},
	KANDNW & 0xff:     {name: "kandnw", rm: vex | l1 | gk | hk | rk | m0F | 0x42, needs: EVEX128},
	KORW & 0xff:       {name: "korw", rm: vex | l1 | gk | hk | rk | m0F | 0x45, needs: EVEX128},
	KXNORW & 0xff:     {name: "kxnorw", rm: vex | l1 | gk | hk | rk | m0F | 0x46, needs: EVEX128},
	KXORW & 0xff:      {name: "kxorw", rm: vex | l1 | gk | hk | rk | m0F | 0x47, needs: EVEX128},
	KNOTW & 0xff:      {name: "knotw", rm: vex | gk | rk | m0F | 0x44, needs: EVEX128},
	KORTESTW & 0xff:   {name: "kortestw", rm: vex | gk | rk | m0F | 0x98, needs: EVEX128},
	KTESTW & 0xff:     {name: "ktestw", rm: vex | gk | rk | m0F | 0x99, needs: EVEX128},
	KANDD & 0xff:      {name: "kandd", rm: vex | l1 | gk | hk | rk | p66 | w1 | m0F | 0x41, needs: EVEX128},
	KANDND & 0xff:     {name: "kandnd", rm: vex | l1 | gk | hk | rk | p66 | w1 | m0F | 0x42, needs: EVEX128},
	KORD & 0xff:       {name: "kord", rm: vex | l1 | gk | hk | rk | p66 | w1 | m0F | 0x45, needs: EVEX128},
	KXNORD & 0xff:     {name: "kxnord", rm: vex | l1 | gk | hk | rk | p66 | w1 | m0F | 0x46, needs: EVEX128},
	KXORD & 0xff:      {name: "kxord", rm: vex | l1 | gk | hk | rk | p66 | w1 | m0F | 0x47, needs: EVEX128},
	KNOTD & 0xff:      {name: "knotd", rm: vex | gk | rk | p66 | w1 | m0F | 0x44, needs: EVEX128},
	KORTESTD & 0xff:   {name: "kortestd", rm: vex | gk | rk | p66 | w1 | m0F | 0x98, needs: EVEX128},
	KTESTD & 0xff:     {name: "ktestd", rm: vex | gk | rk | p66 | w1 | m0F | 0x99, needs: EVEX128},
	KANDQ & 0xff:      {name: "kandq", rm: vex | l1 | gk | hk | rk | w1 | m0F | 0x41, needs: EVEX128},
	KANDNQ & 0xff:     {name: "kandnq", rm: vex | l1 | gk | hk | rk | w1 | m0F | 0x42, needs: EVEX128},
	KORQ & 0xff:       {name: "korq", rm: vex | l1 | gk | hk | rk | w1 | m0F | 0x45, needs: EVEX128},
	KXNORQ & 0xff:     {name: "kxnorq", rm: vex | l1 | gk | hk | rk | w1 | m0F | 0x46, needs: EVEX128},
	KXORQ & 0xff:      {name: "kxorq", rm: vex | l1 | gk | hk | rk | w1 | m0F | 0x47, needs: EVEX128},
	KNOTQ & 0xff:      {name: "knotq", rm: vex | gk | rk | w1 | m0F | 0x44, needs: EVEX128},
	KORTESTQ & 0xff:   {name: "kortestq", rm: vex | gk | rk | w1 | m0F | 0x98, needs: EVEX128},
	KTESTQ & 0xff:     {name: "ktestq", rm: vex | gk | rk | w1 | m0F | 0x99, needs: EVEX128},
	KSHIFTRB & 0xff:   {name: "kshiftrb", rm: vex | gk | rk | p66 | m3A | ib | 0x30, needs: EVEX128},
	KSHIFTLB & 0xff:   {name: "kshiftlb", rm: vex | gk | rk | p66 | m3A | ib | 0x32, needs: EVEX128},
	KSHIFTRW & 0xff:   {name: "kshiftrw", rm: vex | gk | rk | p66 | w1 | m3A | ib | 0x30, needs: EVEX128},
	KSHIFTLW & 0xff:   {name: "kshiftlw", rm: vex | gk | rk | p66 | w1 | m3A | ib | 0x32, needs: EVEX128},
	KSHIFTRD & 0xff:   {name: "kshiftrd", rm: vex | gk | rk | p66 | m3A | ib | 0x31, needs: EVEX128},
	KSHIFTLD & 0xff:   {name: "kshiftld", rm: vex | gk | rk | p66 | m3A | ib | 0x33, needs: EVEX128},
	KSHIFTRQ & 0xff:   {name: "kshiftrq", rm: vex | gk | rk | p66 | w1 | m3A | ib | 0x31, needs: EVEX128},
	KSHIFTLQ & 0xff:   {name: "kshiftlq", rm: vex | gk | rk | p66 | w1 | m3A | ib | 0x33, needs: EVEX128},
}
