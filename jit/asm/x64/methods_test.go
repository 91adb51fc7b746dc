package x64

// operands are the arguments of one emit method, by kind and in order.
type operands struct {
	r   []Reg
	x   []Xmm
	k   []K
	m   Mem
	imm int32
}

// methods maps the name of each table-driven emit method to a call of it.
var methods = map[string]func(b *Buffer, op Op, a *operands){
	"":     func(b *Buffer, op Op, a *operands) { b.Op(op) },
	"R":    func(b *Buffer, op Op, a *operands) { b.R(op, a.r[0]) },
	"M":    func(b *Buffer, op Op, a *operands) { b.M(op, a.m) },
	"I":    func(b *Buffer, op Op, a *operands) { b.I(op, a.imm) },
	"RR":   func(b *Buffer, op Op, a *operands) { b.RR(op, a.r[0], a.r[1]) },
	"RM":   func(b *Buffer, op Op, a *operands) { b.RM(op, a.r[0], a.m) },
	"MR":   func(b *Buffer, op Op, a *operands) { b.MR(op, a.m, a.r[0]) },
	"RI":   func(b *Buffer, op Op, a *operands) { b.RI(op, a.r[0], a.imm) },
	"MI":   func(b *Buffer, op Op, a *operands) { b.MI(op, a.m, a.imm) },
	"RC":   func(b *Buffer, op Op, a *operands) { b.RC(op, a.r[0]) },
	"MC":   func(b *Buffer, op Op, a *operands) { b.MC(op, a.m) },
	"RRC":  func(b *Buffer, op Op, a *operands) { b.RRC(op, a.r[0], a.r[1]) },
	"MRC":  func(b *Buffer, op Op, a *operands) { b.MRC(op, a.m, a.r[0]) },
	"RRI":  func(b *Buffer, op Op, a *operands) { b.RRI(op, a.r[0], a.r[1], a.imm) },
	"RMI":  func(b *Buffer, op Op, a *operands) { b.RMI(op, a.r[0], a.m, a.imm) },
	"MRI":  func(b *Buffer, op Op, a *operands) { b.MRI(op, a.m, a.r[0], a.imm) },
	"RRR":  func(b *Buffer, op Op, a *operands) { b.RRR(op, a.r[0], a.r[1], a.r[2]) },
	"RRM":  func(b *Buffer, op Op, a *operands) { b.RRM(op, a.r[0], a.r[1], a.m) },
	"RMR":  func(b *Buffer, op Op, a *operands) { b.RMR(op, a.r[0], a.m, a.r[1]) },
	"XX":   func(b *Buffer, op Op, a *operands) { b.XX(op, a.x[0], a.x[1]) },
	"XM":   func(b *Buffer, op Op, a *operands) { b.XM(op, a.x[0], a.m) },
	"MX":   func(b *Buffer, op Op, a *operands) { b.MX(op, a.m, a.x[0]) },
	"XI":   func(b *Buffer, op Op, a *operands) { b.XI(op, a.x[0], uint8(a.imm)) },
	"XXI":  func(b *Buffer, op Op, a *operands) { b.XXI(op, a.x[0], a.x[1], uint8(a.imm)) },
	"XMI":  func(b *Buffer, op Op, a *operands) { b.XMI(op, a.x[0], a.m, uint8(a.imm)) },
	"MXI":  func(b *Buffer, op Op, a *operands) { b.MXI(op, a.m, a.x[0], uint8(a.imm)) },
	"XR":   func(b *Buffer, op Op, a *operands) { b.XR(op, a.x[0], a.r[0]) },
	"RX":   func(b *Buffer, op Op, a *operands) { b.RX(op, a.r[0], a.x[0]) },
	"XRI":  func(b *Buffer, op Op, a *operands) { b.XRI(op, a.x[0], a.r[0], uint8(a.imm)) },
	"RXI":  func(b *Buffer, op Op, a *operands) { b.RXI(op, a.r[0], a.x[0], uint8(a.imm)) },
	"XXX":  func(b *Buffer, op Op, a *operands) { b.XXX(op, a.x[0], a.x[1], a.x[2]) },
	"XXM":  func(b *Buffer, op Op, a *operands) { b.XXM(op, a.x[0], a.x[1], a.m) },
	"XXXI": func(b *Buffer, op Op, a *operands) { b.XXXI(op, a.x[0], a.x[1], a.x[2], uint8(a.imm)) },
	"XXMI": func(b *Buffer, op Op, a *operands) { b.XXMI(op, a.x[0], a.x[1], a.m, uint8(a.imm)) },
	"XXR":  func(b *Buffer, op Op, a *operands) { b.XXR(op, a.x[0], a.x[1], a.r[0]) },
	"XXRI": func(b *Buffer, op Op, a *operands) { b.XXRI(op, a.x[0], a.x[1], a.r[0], uint8(a.imm)) },
	"XXXX": func(b *Buffer, op Op, a *operands) { b.XXXX(op, a.x[0], a.x[1], a.x[2], a.x[3]) },
	"XXMX": func(b *Buffer, op Op, a *operands) { b.XXMX(op, a.x[0], a.x[1], a.m, a.x[2]) },
	"KXX":  func(b *Buffer, op Op, a *operands) { b.KXX(op, a.k[0], a.x[0], a.x[1]) },
	"KXM":  func(b *Buffer, op Op, a *operands) { b.KXM(op, a.k[0], a.x[0], a.m) },
	"KXXI": func(b *Buffer, op Op, a *operands) { b.KXXI(op, a.k[0], a.x[0], a.x[1], uint8(a.imm)) },
	"KXMI": func(b *Buffer, op Op, a *operands) { b.KXMI(op, a.k[0], a.x[0], a.m, uint8(a.imm)) },
	"KXI":  func(b *Buffer, op Op, a *operands) { b.KXI(op, a.k[0], a.x[0], uint8(a.imm)) },
	"KMI":  func(b *Buffer, op Op, a *operands) { b.KMI(op, a.k[0], a.m, uint8(a.imm)) },
	"KX":   func(b *Buffer, op Op, a *operands) { b.KX(op, a.k[0], a.x[0]) },
	"XK":   func(b *Buffer, op Op, a *operands) { b.XK(op, a.x[0], a.k[0]) },
	"KK":   func(b *Buffer, op Op, a *operands) { b.KK(op, a.k[0], a.k[1]) },
	"KKK":  func(b *Buffer, op Op, a *operands) { b.KKK(op, a.k[0], a.k[1], a.k[2]) },
	"KKI":  func(b *Buffer, op Op, a *operands) { b.KKI(op, a.k[0], a.k[1], uint8(a.imm)) },
	"KM":   func(b *Buffer, op Op, a *operands) { b.KM(op, a.k[0], a.m) },
	"MK":   func(b *Buffer, op Op, a *operands) { b.MK(op, a.m, a.k[0]) },
	"KR":   func(b *Buffer, op Op, a *operands) { b.KR(op, a.k[0], a.r[0]) },
	"RK":   func(b *Buffer, op Op, a *operands) { b.RK(op, a.r[0], a.k[0]) },
}
