package x64

// Bit manipulation, conversions, control and system instructions.
const (
	// Counts and scans. BSF and BSR leave the destination undefined for zero.
	POPCNTL Op = iota + 1<<famShift
	POPCNTQ
	TZCNTL
	TZCNTQ
	LZCNTL
	LZCNTQ
	BSFL
	BSFQ
	BSRL
	BSRQ
	BSWAPL
	BSWAPQ
	MOVBEW
	MOVBEL
	MOVBEQ

	// CRC-32C of 8, 16, 32 and 64 bits into a 32-bit register.
	CRC32B
	CRC32W
	CRC32L
	CRC32Q

	// Carry chains that use CF alone (ADCX) and OF alone (ADOX).
	ADCXL
	ADCXQ
	ADOXL
	ADOXQ

	// BMI1 and BMI2: no flag input, three operands.
	ANDNL
	BLSRL
	BLSMSKL
	BLSIL
	BEXTRL
	BZHIL
	SHLXL
	SHRXL
	SARXL
	RORXL
	PDEPL
	PEXTL
	MULXL
	ANDNQ
	BLSRQ
	BLSMSKQ
	BLSIQ
	BEXTRQ
	BZHIQ
	SHLXQ
	SHRXQ
	SARXQ
	RORXQ
	PDEPQ
	PEXTQ
	MULXQ

	// Conditions: the opcode of condition O; see SetR and CMovRR.
	SETCC
	CMOVW
	CMOVL
	CMOVQ

	// Stack and indirect branches.
	PUSH
	POP
	PUSHFQ
	POPFQ
	JMP
	CALL
	LEAVE

	// Sign extension of the accumulator.
	CBW
	CWDE
	CDQE
	CWD
	CDQ
	CQO

	// Flags.
	LAHF
	SAHF
	CMC
	CLC
	STC
	CLD
	STD

	// Strings: RCX elements at RSI and RDI.
	MOVSB_REP
	MOVSQ_REP
	STOSB_REP
	STOSQ_REP

	// Ordering, caches, time and traps.
	MFENCE
	LFENCE
	SFENCE
	PAUSE
	RDTSC
	RDTSCP
	CPUID
	XGETBV
	UD2
	INT3
	SYSCALL
	ENDBR64
	LDMXCSR
	STMXCSR
	PREFETCHNTA
	PREFETCHT0
	PREFETCHT1
	PREFETCHT2
	PREFETCHW
	CLFLUSH
	MOVNTIL
	MOVNTIQ
	RDRANDL
	RDRANDQ
)

var rowsMisc = [...]row{
	POPCNTL & 0xff:     {name: "popcnt", rm: gd | ed | pF3 | m0F | 0xb8, needs: POPCNT},
	POPCNTQ & 0xff:     {name: "popcnt", rm: gq | eq | pF3 | w1 | m0F | 0xb8, needs: POPCNT},
	TZCNTL & 0xff:      {name: "tzcnt", rm: gd | ed | pF3 | m0F | 0xbc, needs: BMI1},
	TZCNTQ & 0xff:      {name: "tzcnt", rm: gq | eq | pF3 | w1 | m0F | 0xbc, needs: BMI1},
	LZCNTL & 0xff:      {name: "lzcnt", rm: gd | ed | pF3 | m0F | 0xbd, needs: LZCNT},
	LZCNTQ & 0xff:      {name: "lzcnt", rm: gq | eq | pF3 | w1 | m0F | 0xbd, needs: LZCNT},
	BSFL & 0xff:        {name: "bsf", rm: gd | ed | m0F | 0xbc},
	BSFQ & 0xff:        {name: "bsf", rm: gq | eq | w1 | m0F | 0xbc},
	BSRL & 0xff:        {name: "bsr", rm: gd | ed | m0F | 0xbd},
	BSRQ & 0xff:        {name: "bsr", rm: gq | eq | w1 | m0F | 0xbd},
	BSWAPL & 0xff:      {name: "bswap", rm: rd | m0F | plusR | 0xc8},
	BSWAPQ & 0xff:      {name: "bswap", rm: rq | w1 | m0F | plusR | 0xc8},
	MOVBEW & 0xff:      {name: "movbe", rm: gw | mm | p66 | m38 | 0xf0, mr: gw | mm | p66 | m38 | 0xf1, needs: MOVBE},
	MOVBEL & 0xff:      {name: "movbe", rm: gd | mm | m38 | 0xf0, mr: gd | mm | m38 | 0xf1, needs: MOVBE},
	MOVBEQ & 0xff:      {name: "movbe", rm: gq | mm | w1 | m38 | 0xf0, mr: gq | mm | w1 | m38 | 0xf1, needs: MOVBE},
	CRC32B & 0xff:      {name: "crc32", rm: gd | eb | pF2 | m38 | 0xf0, needs: SSE42},
	CRC32W & 0xff:      {name: "crc32", rm: gd | ew | o16 | pF2 | m38 | 0xf1, needs: SSE42},
	CRC32L & 0xff:      {name: "crc32", rm: gd | ed | pF2 | m38 | 0xf1, needs: SSE42},
	CRC32Q & 0xff:      {name: "crc32", rm: gq | w1 | eq | pF2 | m38 | 0xf1, needs: SSE42},
	ADCXL & 0xff:       {name: "adcx", rm: gd | ed | p66 | m38 | 0xf6, needs: ADX},
	ADCXQ & 0xff:       {name: "adcx", rm: gq | eq | p66 | w1 | m38 | 0xf6, needs: ADX},
	ADOXL & 0xff:       {name: "adox", rm: gd | ed | pF3 | m38 | 0xf6, needs: ADX},
	ADOXQ & 0xff:       {name: "adox", rm: gq | eq | pF3 | w1 | m38 | 0xf6, needs: ADX},
	ANDNL & 0xff:       {name: "andn", rm: vex | gd | bd | ed | m38 | 0xf2, needs: BMI1},
	BLSRL & 0xff:       {name: "blsr", mi: vex | bd | ed | m38 | d1 | 0xf3, needs: BMI1},
	BLSMSKL & 0xff:     {name: "blsmsk", mi: vex | bd | ed | m38 | d2 | 0xf3, needs: BMI1},
	BLSIL & 0xff:       {name: "blsi", mi: vex | bd | ed | m38 | d3 | 0xf3, needs: BMI1},
	BEXTRL & 0xff:      {name: "bextr", rm: vex | gd | ed | bd | vlast | m38 | 0xf7, needs: BMI1},
	BZHIL & 0xff:       {name: "bzhi", rm: vex | gd | ed | bd | vlast | m38 | 0xf5, needs: BMI2},
	SHLXL & 0xff:       {name: "shlx", rm: vex | gd | ed | bd | vlast | p66 | m38 | 0xf7, needs: BMI2},
	SHRXL & 0xff:       {name: "shrx", rm: vex | gd | ed | bd | vlast | pF2 | m38 | 0xf7, needs: BMI2},
	SARXL & 0xff:       {name: "sarx", rm: vex | gd | ed | bd | vlast | pF3 | m38 | 0xf7, needs: BMI2},
	RORXL & 0xff:       {name: "rorx", mi: vex | gd | ed | pF2 | m3A | ib | 0xf0, needs: BMI2},
	PDEPL & 0xff:       {name: "pdep", rm: vex | gd | bd | ed | pF2 | m38 | 0xf5, needs: BMI2},
	PEXTL & 0xff:       {name: "pext", rm: vex | gd | bd | ed | pF3 | m38 | 0xf5, needs: BMI2},
	MULXL & 0xff:       {name: "mulx", rm: vex | gd | bd | ed | pF2 | m38 | 0xf6, needs: BMI2},
	ANDNQ & 0xff:       {name: "andn", rm: vex | gq | bq | eq | w1 | m38 | 0xf2, needs: BMI1},
	BLSRQ & 0xff:       {name: "blsr", mi: vex | bq | eq | w1 | m38 | d1 | 0xf3, needs: BMI1},
	BLSMSKQ & 0xff:     {name: "blsmsk", mi: vex | bq | eq | w1 | m38 | d2 | 0xf3, needs: BMI1},
	BLSIQ & 0xff:       {name: "blsi", mi: vex | bq | eq | w1 | m38 | d3 | 0xf3, needs: BMI1},
	BEXTRQ & 0xff:      {name: "bextr", rm: vex | gq | eq | bq | vlast | w1 | m38 | 0xf7, needs: BMI1},
	BZHIQ & 0xff:       {name: "bzhi", rm: vex | gq | eq | bq | vlast | w1 | m38 | 0xf5, needs: BMI2},
	SHLXQ & 0xff:       {name: "shlx", rm: vex | gq | eq | bq | vlast | p66 | w1 | m38 | 0xf7, needs: BMI2},
	SHRXQ & 0xff:       {name: "shrx", rm: vex | gq | eq | bq | vlast | pF2 | w1 | m38 | 0xf7, needs: BMI2},
	SARXQ & 0xff:       {name: "sarx", rm: vex | gq | eq | bq | vlast | pF3 | w1 | m38 | 0xf7, needs: BMI2},
	RORXQ & 0xff:       {name: "rorx", mi: vex | gq | eq | pF2 | w1 | m3A | ib | 0xf0, needs: BMI2},
	PDEPQ & 0xff:       {name: "pdep", rm: vex | gq | bq | eq | pF2 | w1 | m38 | 0xf5, needs: BMI2},
	PEXTQ & 0xff:       {name: "pext", rm: vex | gq | bq | eq | pF3 | w1 | m38 | 0xf5, needs: BMI2},
	MULXQ & 0xff:       {name: "mulx", rm: vex | gq | bq | eq | pF2 | w1 | m38 | 0xf6, needs: BMI2},
	SETCC & 0xff:       {name: "set", mi: eb | m0F | 0x90},
	CMOVW & 0xff:       {name: "cmov", mi: gw | ew | p66 | m0F | 0x40},
	CMOVL & 0xff:       {name: "cmov", mi: gd | ed | m0F | 0x40},
	CMOVQ & 0xff:       {name: "cmov", mi: gq | eq | w1 | m0F | 0x40},
	PUSH & 0xff:        {name: "push", rm: rq | plusR | 0x50, mr: mm | d6 | 0xff, mi: iz | s8 | 0x68},
	POP & 0xff:         {name: "pop", rm: rq | plusR | 0x58, mr: mm | d0 | 0x8f},
	PUSHFQ & 0xff:      {name: "pushfq", rm: 0x9c},
	POPFQ & 0xff:       {name: "popfq", rm: 0x9d},
	JMP & 0xff:         {name: "jmp", rm: eq | d4 | 0xff},
	CALL & 0xff:        {name: "call", rm: eq | d2 | 0xff},
	LEAVE & 0xff:       {name: "leave", rm: 0xc9},
	CBW & 0xff:         {name: "cbw", rm: p66 | 0x98},
	CWDE & 0xff:        {name: "cwde", rm: 0x98},
	CDQE & 0xff:        {name: "cdqe", rm: w1 | 0x98},
	CWD & 0xff:         {name: "cwd", rm: p66 | 0x99},
	CDQ & 0xff:         {name: "cdq", rm: 0x99},
	CQO & 0xff:         {name: "cqo", rm: w1 | 0x99},
	LAHF & 0xff:        {name: "lahf", rm: 0x9f},
	SAHF & 0xff:        {name: "sahf", rm: 0x9e},
	CMC & 0xff:         {name: "cmc", rm: 0xf5},
	CLC & 0xff:         {name: "clc", rm: 0xf8},
	STC & 0xff:         {name: "stc", rm: 0xf9},
	CLD & 0xff:         {name: "cld", rm: 0xfc},
	STD & 0xff:         {name: "std", rm: 0xfd},
	MOVSB_REP & 0xff:   {name: "rep movsb", rm: pF3 | 0xa4},
	MOVSQ_REP & 0xff:   {name: "rep movsq", rm: pF3 | w1 | 0xa5},
	STOSB_REP & 0xff:   {name: "rep stosb", rm: pF3 | 0xaa},
	STOSQ_REP & 0xff:   {name: "rep stosq", rm: pF3 | w1 | 0xab},
	MFENCE & 0xff:      {name: "mfence", rm: m0F | fixed | d6 | 0xae},
	LFENCE & 0xff:      {name: "lfence", rm: m0F | fixed | d5 | 0xae},
	SFENCE & 0xff:      {name: "sfence", rm: m0F | fixed | d7 | 0xae},
	PAUSE & 0xff:       {name: "pause", rm: pF3 | 0x90},
	RDTSC & 0xff:       {name: "rdtsc", rm: m0F | 0x31},
	RDTSCP & 0xff:      {name: "rdtscp", rm: m0F | fixed | d7 | low1 | 0x01},
	CPUID & 0xff:       {name: "cpuid", rm: m0F | 0xa2},
	XGETBV & 0xff:      {name: "xgetbv", rm: m0F | fixed | d2 | 0x01},
	UD2 & 0xff:         {name: "ud2", rm: m0F | 0x0b},
	INT3 & 0xff:        {name: "int3", rm: 0xcc},
	SYSCALL & 0xff:     {name: "syscall", rm: m0F | 0x05},
	ENDBR64 & 0xff:     {name: "endbr64", rm: pF3 | m0F | fixed | d7 | low2 | 0x1e},
	LDMXCSR & 0xff:     {name: "ldmxcsr", rm: mm | m0F | d2 | 0xae},
	STMXCSR & 0xff:     {name: "stmxcsr", rm: mm | m0F | d3 | 0xae},
	PREFETCHNTA & 0xff: {name: "prefetchnta", rm: mm | m0F | d0 | 0x18},
	PREFETCHT0 & 0xff:  {name: "prefetcht0", rm: mm | m0F | d1 | 0x18},
	PREFETCHT1 & 0xff:  {name: "prefetcht1", rm: mm | m0F | d2 | 0x18},
	PREFETCHT2 & 0xff:  {name: "prefetcht2", rm: mm | m0F | d3 | 0x18},
	PREFETCHW & 0xff:   {name: "prefetchw", rm: mm | m0F | d1 | 0x0d},
	CLFLUSH & 0xff:     {name: "clflush", rm: mm | m0F | d7 | 0xae},
	MOVNTIL & 0xff:     {name: "movnti", mr: gd | mm | m0F | 0xc3},
	MOVNTIQ & 0xff:     {name: "movnti", mr: gq | mm | w1 | m0F | 0xc3},
	RDRANDL & 0xff:     {name: "rdrand", rm: rd | m0F | d6 | 0xc7, needs: RDRAND},
	RDRANDQ & 0xff:     {name: "rdrand", rm: rq | w1 | m0F | d6 | 0xc7, needs: RDRAND},
}
