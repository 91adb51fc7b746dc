package x64

// Integer arithmetic, logic, moves, shifts and bit tests.
const (
	// The eight classic operations: r/m and r, r and r/m, r/m and imm.
	ADDB Op = iota + 0<<famShift
	ADDW
	ADDL
	ADDQ
	ORB
	ORW
	ORL
	ORQ
	ADCB
	ADCW
	ADCL
	ADCQ
	SBBB
	SBBW
	SBBL
	SBBQ
	ANDB
	ANDW
	ANDL
	ANDQ
	SUBB
	SUBW
	SUBL
	SUBQ
	XORB
	XORW
	XORL
	XORQ
	CMPB
	CMPW
	CMPL
	CMPQ

	// Moves. MOVL clears the high half; RI of MOVQ sign-extends.
	MOVB
	MOVW
	MOVL
	MOVQ
	MOVZBW
	MOVZBL
	MOVZBQ
	MOVZWL
	MOVZWQ
	MOVSBW
	MOVSBL
	MOVSBQ
	MOVSWL
	MOVSWQ
	MOVSLQ
	LEAL
	LEAQ

	// Compare and exchange. XCHG with memory is always locked.
	TESTB
	TESTW
	TESTL
	TESTQ
	XCHGB
	XCHGW
	XCHGL
	XCHGQ
	XADDB
	XADDW
	XADDL
	XADDQ
	CMPXCHGB
	CMPXCHGW
	CMPXCHGL
	CMPXCHGQ
	CMPXCHG8B
	CMPXCHG16B

	// One operand. MUL, IMUL, DIV and IDIV use RDX:RAX; IMUL has three shapes
	// (R and M: widening; RR and RM; RRI and RMI).
	INCB
	INCW
	INCL
	INCQ
	DECB
	DECW
	DECL
	DECQ
	NOTB
	NOTW
	NOTL
	NOTQ
	NEGB
	NEGW
	NEGL
	NEGQ
	MULB
	MULW
	MULL
	MULQ
	IMULB
	DIVB
	DIVW
	DIVL
	DIVQ
	IDIVB
	IDIVW
	IDIVL
	IDIVQ
	IMULW
	IMULL
	IMULQ

	// Shifts by CL (RC, MC) and by an immediate.
	ROLB
	ROLW
	ROLL
	ROLQ
	RORB
	RORW
	RORL
	RORQ
	RCLB
	RCLW
	RCLL
	RCLQ
	RCRB
	RCRW
	RCRL
	RCRQ
	SHLB
	SHLW
	SHLL
	SHLQ
	SHRB
	SHRW
	SHRL
	SHRQ
	SARB
	SARW
	SARL
	SARQ
	SHLDL
	SHLDQ
	SHRDL
	SHRDQ

	// Bit tests. With a register index and memory the bit string is unbounded.
	BTL
	BTQ
	BTSL
	BTSQ
	BTRL
	BTRQ
	BTCL
	BTCQ
)

var rowsInt = [...]row{
	ADDB & 0xff:       {name: "add", rm: gb | eb | 0x02, mr: gb | eb | lk | op00, mi: eb | lk | d0 | ib | 0x80},
	ADDW & 0xff:       {name: "add", rm: gw | ew | p66 | 0x03, mr: gw | ew | p66 | lk | 0x01, mi: ew | p66 | lk | d0 | iz | s8 | 0x81},
	ADDL & 0xff:       {name: "add", rm: gd | ed | 0x03, mr: gd | ed | lk | 0x01, mi: ed | lk | d0 | iz | s8 | 0x81},
	ADDQ & 0xff:       {name: "add", rm: gq | eq | w1 | 0x03, mr: gq | eq | w1 | lk | 0x01, mi: eq | w1 | lk | d0 | iz | s8 | 0x81},
	ORB & 0xff:        {name: "or", rm: gb | eb | 0x0a, mr: gb | eb | lk | 0x08, mi: eb | lk | d1 | ib | 0x80},
	ORW & 0xff:        {name: "or", rm: gw | ew | p66 | 0x0b, mr: gw | ew | p66 | lk | 0x09, mi: ew | p66 | lk | d1 | iz | s8 | 0x81},
	ORL & 0xff:        {name: "or", rm: gd | ed | 0x0b, mr: gd | ed | lk | 0x09, mi: ed | lk | d1 | iz | s8 | 0x81},
	ORQ & 0xff:        {name: "or", rm: gq | eq | w1 | 0x0b, mr: gq | eq | w1 | lk | 0x09, mi: eq | w1 | lk | d1 | iz | s8 | 0x81},
	ADCB & 0xff:       {name: "adc", rm: gb | eb | 0x12, mr: gb | eb | lk | 0x10, mi: eb | lk | d2 | ib | 0x80},
	ADCW & 0xff:       {name: "adc", rm: gw | ew | p66 | 0x13, mr: gw | ew | p66 | lk | 0x11, mi: ew | p66 | lk | d2 | iz | s8 | 0x81},
	ADCL & 0xff:       {name: "adc", rm: gd | ed | 0x13, mr: gd | ed | lk | 0x11, mi: ed | lk | d2 | iz | s8 | 0x81},
	ADCQ & 0xff:       {name: "adc", rm: gq | eq | w1 | 0x13, mr: gq | eq | w1 | lk | 0x11, mi: eq | w1 | lk | d2 | iz | s8 | 0x81},
	SBBB & 0xff:       {name: "sbb", rm: gb | eb | 0x1a, mr: gb | eb | lk | 0x18, mi: eb | lk | d3 | ib | 0x80},
	SBBW & 0xff:       {name: "sbb", rm: gw | ew | p66 | 0x1b, mr: gw | ew | p66 | lk | 0x19, mi: ew | p66 | lk | d3 | iz | s8 | 0x81},
	SBBL & 0xff:       {name: "sbb", rm: gd | ed | 0x1b, mr: gd | ed | lk | 0x19, mi: ed | lk | d3 | iz | s8 | 0x81},
	SBBQ & 0xff:       {name: "sbb", rm: gq | eq | w1 | 0x1b, mr: gq | eq | w1 | lk | 0x19, mi: eq | w1 | lk | d3 | iz | s8 | 0x81},
	ANDB & 0xff:       {name: "and", rm: gb | eb | 0x22, mr: gb | eb | lk | 0x20, mi: eb | lk | d4 | ib | 0x80},
	ANDW & 0xff:       {name: "and", rm: gw | ew | p66 | 0x23, mr: gw | ew | p66 | lk | 0x21, mi: ew | p66 | lk | d4 | iz | s8 | 0x81},
	ANDL & 0xff:       {name: "and", rm: gd | ed | 0x23, mr: gd | ed | lk | 0x21, mi: ed | lk | d4 | iz | s8 | 0x81},
	ANDQ & 0xff:       {name: "and", rm: gq | eq | w1 | 0x23, mr: gq | eq | w1 | lk | 0x21, mi: eq | w1 | lk | d4 | iz | s8 | 0x81},
	SUBB & 0xff:       {name: "sub", rm: gb | eb | 0x2a, mr: gb | eb | lk | 0x28, mi: eb | lk | d5 | ib | 0x80},
	SUBW & 0xff:       {name: "sub", rm: gw | ew | p66 | 0x2b, mr: gw | ew | p66 | lk | 0x29, mi: ew | p66 | lk | d5 | iz | s8 | 0x81},
	SUBL & 0xff:       {name: "sub", rm: gd | ed | 0x2b, mr: gd | ed | lk | 0x29, mi: ed | lk | d5 | iz | s8 | 0x81},
	SUBQ & 0xff:       {name: "sub", rm: gq | eq | w1 | 0x2b, mr: gq | eq | w1 | lk | 0x29, mi: eq | w1 | lk | d5 | iz | s8 | 0x81},
	XORB & 0xff:       {name: "xor", rm: gb | eb | 0x32, mr: gb | eb | lk | 0x30, mi: eb | lk | d6 | ib | 0x80},
	XORW & 0xff:       {name: "xor", rm: gw | ew | p66 | 0x33, mr: gw | ew | p66 | lk | 0x31, mi: ew | p66 | lk | d6 | iz | s8 | 0x81},
	XORL & 0xff:       {name: "xor", rm: gd | ed | 0x33, mr: gd | ed | lk | 0x31, mi: ed | lk | d6 | iz | s8 | 0x81},
	XORQ & 0xff:       {name: "xor", rm: gq | eq | w1 | 0x33, mr: gq | eq | w1 | lk | 0x31, mi: eq | w1 | lk | d6 | iz | s8 | 0x81},
	CMPB & 0xff:       {name: "cmp", rm: gb | eb | 0x3a, mr: gb | eb | 0x38, mi: eb | d7 | ib | 0x80},
	CMPW & 0xff:       {name: "cmp", rm: gw | ew | p66 | 0x3b, mr: gw | ew | p66 | 0x39, mi: ew | p66 | d7 | iz | s8 | 0x81},
	CMPL & 0xff:       {name: "cmp", rm: gd | ed | 0x3b, mr: gd | ed | 0x39, mi: ed | d7 | iz | s8 | 0x81},
	CMPQ & 0xff:       {name: "cmp", rm: gq | eq | w1 | 0x3b, mr: gq | eq | w1 | 0x39, mi: eq | w1 | d7 | iz | s8 | 0x81},
	MOVB & 0xff:       {name: "mov", rm: gb | eb | 0x8a, mr: gb | eb | 0x88, mi: eb | d0 | ib | 0xc6},
	MOVW & 0xff:       {name: "mov", rm: gw | ew | p66 | 0x8b, mr: gw | ew | p66 | 0x89, mi: ew | p66 | d0 | iz | 0xc7},
	MOVL & 0xff:       {name: "mov", rm: gd | ed | 0x8b, mr: gd | ed | 0x89, mi: ed | d0 | iz | 0xc7},
	MOVQ & 0xff:       {name: "mov", rm: gq | eq | w1 | 0x8b, mr: gq | eq | w1 | 0x89, mi: eq | w1 | d0 | iz | 0xc7},
	MOVZBW & 0xff:     {name: "movzx", rm: gw | eb | p66 | m0F | 0xb6},
	MOVZBL & 0xff:     {name: "movzx", rm: gd | eb | m0F | 0xb6},
	MOVZBQ & 0xff:     {name: "movzx", rm: gq | eb | w1 | m0F | 0xb6},
	MOVZWL & 0xff:     {name: "movzx", rm: gd | ew | m0F | 0xb7},
	MOVZWQ & 0xff:     {name: "movzx", rm: gq | ew | w1 | m0F | 0xb7},
	MOVSBW & 0xff:     {name: "movsx", rm: gw | eb | p66 | m0F | 0xbe},
	MOVSBL & 0xff:     {name: "movsx", rm: gd | eb | m0F | 0xbe},
	MOVSBQ & 0xff:     {name: "movsx", rm: gq | eb | w1 | m0F | 0xbe},
	MOVSWL & 0xff:     {name: "movsx", rm: gd | ew | m0F | 0xbf},
	MOVSWQ & 0xff:     {name: "movsx", rm: gq | ew | w1 | m0F | 0xbf},
	MOVSLQ & 0xff:     {name: "movsxd", rm: gq | ed | w1 | 0x63},
	LEAL & 0xff:       {name: "lea", rm: gd | mm | 0x8d},
	LEAQ & 0xff:       {name: "lea", rm: gq | mm | w1 | 0x8d},
	TESTB & 0xff:      {name: "test", mr: gb | eb | 0x84, mi: eb | d0 | ib | 0xf6},
	TESTW & 0xff:      {name: "test", mr: gw | ew | p66 | 0x85, mi: ew | p66 | d0 | iz | 0xf7},
	TESTL & 0xff:      {name: "test", mr: gd | ed | 0x85, mi: ed | d0 | iz | 0xf7},
	TESTQ & 0xff:      {name: "test", mr: gq | eq | w1 | 0x85, mi: eq | w1 | d0 | iz | 0xf7},
	XCHGB & 0xff:      {name: "xchg", mr: gb | eb | lk | 0x86},
	XCHGW & 0xff:      {name: "xchg", mr: gw | ew | p66 | lk | 0x87},
	XCHGL & 0xff:      {name: "xchg", mr: gd | ed | lk | 0x87},
	XCHGQ & 0xff:      {name: "xchg", mr: gq | eq | w1 | lk | 0x87},
	XADDB & 0xff:      {name: "xadd", mr: gb | eb | m0F | lk | 0xc0},
	XADDW & 0xff:      {name: "xadd", mr: gw | ew | p66 | m0F | lk | 0xc1},
	XADDL & 0xff:      {name: "xadd", mr: gd | ed | m0F | lk | 0xc1},
	XADDQ & 0xff:      {name: "xadd", mr: gq | eq | w1 | m0F | lk | 0xc1},
	CMPXCHGB & 0xff:   {name: "cmpxchg", mr: gb | eb | m0F | lk | 0xb0},
	CMPXCHGW & 0xff:   {name: "cmpxchg", mr: gw | ew | p66 | m0F | lk | 0xb1},
	CMPXCHGL & 0xff:   {name: "cmpxchg", mr: gd | ed | m0F | lk | 0xb1},
	CMPXCHGQ & 0xff:   {name: "cmpxchg", mr: gq | eq | w1 | m0F | lk | 0xb1},
	CMPXCHG8B & 0xff:  {name: "cmpxchg8b", rm: mm | m0F | lk | d1 | 0xc7},
	CMPXCHG16B & 0xff: {name: "cmpxchg16b", rm: mm | m0F | w1 | lk | d1 | 0xc7},
	INCB & 0xff:       {name: "inc", rm: eb | lk | d0 | 0xfe},
	INCW & 0xff:       {name: "inc", rm: ew | p66 | lk | d0 | 0xff},
	INCL & 0xff:       {name: "inc", rm: ed | lk | d0 | 0xff},
	INCQ & 0xff:       {name: "inc", rm: eq | w1 | lk | d0 | 0xff},
	DECB & 0xff:       {name: "dec", rm: eb | lk | d1 | 0xfe},
	DECW & 0xff:       {name: "dec", rm: ew | p66 | lk | d1 | 0xff},
	DECL & 0xff:       {name: "dec", rm: ed | lk | d1 | 0xff},
	DECQ & 0xff:       {name: "dec", rm: eq | w1 | lk | d1 | 0xff},
	NOTB & 0xff:       {name: "not", rm: eb | lk | d2 | 0xf6},
	NOTW & 0xff:       {name: "not", rm: ew | p66 | lk | d2 | 0xf7},
	NOTL & 0xff:       {name: "not", rm: ed | lk | d2 | 0xf7},
	NOTQ & 0xff:       {name: "not", rm: eq | w1 | lk | d2 | 0xf7},
	NEGB & 0xff:       {name: "neg", rm: eb | lk | d3 | 0xf6},
	NEGW & 0xff:       {name: "neg", rm: ew | p66 | lk | d3 | 0xf7},
	NEGL & 0xff:       {name: "neg", rm: ed | lk | d3 | 0xf7},
	NEGQ & 0xff:       {name: "neg", rm: eq | w1 | lk | d3 | 0xf7},
	MULB & 0xff:       {name: "mul", rm: eb | d4 | 0xf6},
	MULW & 0xff:       {name: "mul", rm: ew | p66 | d4 | 0xf7},
	MULL & 0xff:       {name: "mul", rm: ed | d4 | 0xf7},
	MULQ & 0xff:       {name: "mul", rm: eq | w1 | d4 | 0xf7},
	IMULB & 0xff:      {name: "imul", rm: eb | d5 | 0xf6},
	DIVB & 0xff:       {name: "div", rm: eb | d6 | 0xf6},
	DIVW & 0xff:       {name: "div", rm: ew | p66 | d6 | 0xf7},
	DIVL & 0xff:       {name: "div", rm: ed | d6 | 0xf7},
	DIVQ & 0xff:       {name: "div", rm: eq | w1 | d6 | 0xf7},
	IDIVB & 0xff:      {name: "idiv", rm: eb | d7 | 0xf6},
	IDIVW & 0xff:      {name: "idiv", rm: ew | p66 | d7 | 0xf7},
	IDIVL & 0xff:      {name: "idiv", rm: ed | d7 | 0xf7},
	IDIVQ & 0xff:      {name: "idiv", rm: eq | w1 | d7 | 0xf7},
	IMULW & 0xff:      {name: "imul", rm: gw | ew | p66 | m0F | 0xaf, mr: ew | p66 | d5 | 0xf7, mi: gw | ew | p66 | iz | s8 | 0x69},
	IMULL & 0xff:      {name: "imul", rm: gd | ed | m0F | 0xaf, mr: ed | d5 | 0xf7, mi: gd | ed | iz | s8 | 0x69},
	IMULQ & 0xff:      {name: "imul", rm: gq | eq | w1 | m0F | 0xaf, mr: eq | w1 | d5 | 0xf7, mi: gq | eq | w1 | iz | s8 | 0x69},
	ROLB & 0xff:       {name: "rol", mr: eb | d0 | cl | 0xd2, mi: eb | d0 | ib | s1 | 0xc0},
	ROLW & 0xff:       {name: "rol", mr: ew | p66 | d0 | cl | 0xd3, mi: ew | p66 | d0 | ib | s1 | 0xc1},
	ROLL & 0xff:       {name: "rol", mr: ed | d0 | cl | 0xd3, mi: ed | d0 | ib | s1 | 0xc1},
	ROLQ & 0xff:       {name: "rol", mr: eq | w1 | d0 | cl | 0xd3, mi: eq | w1 | d0 | ib | s1 | 0xc1},
	RORB & 0xff:       {name: "ror", mr: eb | d1 | cl | 0xd2, mi: eb | d1 | ib | s1 | 0xc0},
	RORW & 0xff:       {name: "ror", mr: ew | p66 | d1 | cl | 0xd3, mi: ew | p66 | d1 | ib | s1 | 0xc1},
	RORL & 0xff:       {name: "ror", mr: ed | d1 | cl | 0xd3, mi: ed | d1 | ib | s1 | 0xc1},
	RORQ & 0xff:       {name: "ror", mr: eq | w1 | d1 | cl | 0xd3, mi: eq | w1 | d1 | ib | s1 | 0xc1},
	RCLB & 0xff:       {name: "rcl", mr: eb | d2 | cl | 0xd2, mi: eb | d2 | ib | s1 | 0xc0},
	RCLW & 0xff:       {name: "rcl", mr: ew | p66 | d2 | cl | 0xd3, mi: ew | p66 | d2 | ib | s1 | 0xc1},
	RCLL & 0xff:       {name: "rcl", mr: ed | d2 | cl | 0xd3, mi: ed | d2 | ib | s1 | 0xc1},
	RCLQ & 0xff:       {name: "rcl", mr: eq | w1 | d2 | cl | 0xd3, mi: eq | w1 | d2 | ib | s1 | 0xc1},
	RCRB & 0xff:       {name: "rcr", mr: eb | d3 | cl | 0xd2, mi: eb | d3 | ib | s1 | 0xc0},
	RCRW & 0xff:       {name: "rcr", mr: ew | p66 | d3 | cl | 0xd3, mi: ew | p66 | d3 | ib | s1 | 0xc1},
	RCRL & 0xff:       {name: "rcr", mr: ed | d3 | cl | 0xd3, mi: ed | d3 | ib | s1 | 0xc1},
	RCRQ & 0xff:       {name: "rcr", mr: eq | w1 | d3 | cl | 0xd3, mi: eq | w1 | d3 | ib | s1 | 0xc1},
	SHLB & 0xff:       {name: "shl", mr: eb | d4 | cl | 0xd2, mi: eb | d4 | ib | s1 | 0xc0},
	SHLW & 0xff:       {name: "shl", mr: ew | p66 | d4 | cl | 0xd3, mi: ew | p66 | d4 | ib | s1 | 0xc1},
	SHLL & 0xff:       {name: "shl", mr: ed | d4 | cl | 0xd3, mi: ed | d4 | ib | s1 | 0xc1},
	SHLQ & 0xff:       {name: "shl", mr: eq | w1 | d4 | cl | 0xd3, mi: eq | w1 | d4 | ib | s1 | 0xc1},
	SHRB & 0xff:       {name: "shr", mr: eb | d5 | cl | 0xd2, mi: eb | d5 | ib | s1 | 0xc0},
	SHRW & 0xff:       {name: "shr", mr: ew | p66 | d5 | cl | 0xd3, mi: ew | p66 | d5 | ib | s1 | 0xc1},
	SHRL & 0xff:       {name: "shr", mr: ed | d5 | cl | 0xd3, mi: ed | d5 | ib | s1 | 0xc1},
	SHRQ & 0xff:       {name: "shr", mr: eq | w1 | d5 | cl | 0xd3, mi: eq | w1 | d5 | ib | s1 | 0xc1},
	SARB & 0xff:       {name: "sar", mr: eb | d7 | cl | 0xd2, mi: eb | d7 | ib | s1 | 0xc0},
	SARW & 0xff:       {name: "sar", mr: ew | p66 | d7 | cl | 0xd3, mi: ew | p66 | d7 | ib | s1 | 0xc1},
	SARL & 0xff:       {name: "sar", mr: ed | d7 | cl | 0xd3, mi: ed | d7 | ib | s1 | 0xc1},
	SARQ & 0xff:       {name: "sar", mr: eq | w1 | d7 | cl | 0xd3, mi: eq | w1 | d7 | ib | s1 | 0xc1},
	SHLDL & 0xff:      {name: "shld", mr: gd | ed | m0F | cl | 0xa5, mi: gd | ed | m0F | ib | vlast | 0xa4},
	SHLDQ & 0xff:      {name: "shld", mr: gq | eq | w1 | m0F | cl | 0xa5, mi: gq | eq | w1 | m0F | ib | vlast | 0xa4},
	SHRDL & 0xff:      {name: "shrd", mr: gd | ed | m0F | cl | 0xad, mi: gd | ed | m0F | ib | vlast | 0xac},
	SHRDQ & 0xff:      {name: "shrd", mr: gq | eq | w1 | m0F | cl | 0xad, mi: gq | eq | w1 | m0F | ib | vlast | 0xac},
	BTL & 0xff:        {name: "bt", mr: gd | ed | m0F | 0xa3, mi: ed | m0F | d4 | ib | 0xba},
	BTQ & 0xff:        {name: "bt", mr: gq | eq | w1 | m0F | 0xa3, mi: eq | w1 | m0F | d4 | ib | 0xba},
	BTSL & 0xff:       {name: "bts", mr: gd | ed | m0F | lk | 0xab, mi: ed | m0F | lk | d5 | ib | 0xba},
	BTSQ & 0xff:       {name: "bts", mr: gq | eq | w1 | m0F | lk | 0xab, mi: eq | w1 | m0F | lk | d5 | ib | 0xba},
	BTRL & 0xff:       {name: "btr", mr: gd | ed | m0F | lk | 0xb3, mi: ed | m0F | lk | d6 | ib | 0xba},
	BTRQ & 0xff:       {name: "btr", mr: gq | eq | w1 | m0F | lk | 0xb3, mi: eq | w1 | m0F | lk | d6 | ib | 0xba},
	BTCL & 0xff:       {name: "btc", mr: gd | ed | m0F | lk | 0xbb, mi: ed | m0F | lk | d7 | ib | 0xba},
	BTCQ & 0xff:       {name: "btc", mr: gq | eq | w1 | m0F | lk | 0xbb, mi: eq | w1 | m0F | lk | d7 | ib | 0xba},
}
