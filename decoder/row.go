package decoder

// Pattern is a set of words: those with word & Mask == Value.
type Pattern struct{ Mask, Value uint32 }

// Matches reports whether the word is in the set.
func (p Pattern) Matches(word uint32) bool { return word&p.Mask == p.Value }

// Field is a named box of an encoding diagram, bits Hi..Lo.
type Field struct {
	Name   string
	Hi, Lo uint8
}

// Class is the top-level part of the instruction set an encoding belongs to.
type Class uint8

// The classes, as in the index of the Arm ARM.
const (
	ClassNone    Class = iota
	ClassGeneral       // integer, branches, loads and stores, atomics
	ClassSystem        // hints, barriers, system registers, exceptions
	ClassFloat         // scalar floating point
	ClassFpsimd        // loads and stores of SIMD&FP registers
	ClassAdvsimd       // Advanced SIMD, cryptography
	ClassSVE           // SVE and SVE2
)

func (c Class) String() string {
	return [...]string{"none", "general", "system", "float", "fpsimd", "advsimd", "sve"}[c]
}

// CondFeature is a feature that only the words in Pattern need.
type CondFeature struct {
	Pattern
	Feature string
}

// Alias is a preferred spelling: it applies to words in any of When (nil =
// all) for which Relation (empty = none) holds.
type Alias struct {
	When     []Pattern
	Relation string
	Syntax   string
}

// Row is one encoding of the tables a64.tbl and sve*.tbl.
type Row struct {
	Name        string // as in Arm's machine-readable specification
	Class       Class
	Group       string // encoding group within the class, such as addsub_imm
	Mask, Value uint32 // the fixed bits
	// The should-be-zero/one bits: not decoded, set in RandomWord.
	ShouldMask, ShouldValue uint32
	fields                  uint16    // index of fieldSets
	Excluded                []Pattern // words that another row claims
	Undefined               []Pattern // words that are UNDEFINED
	Privileged              bool      // UNDEFINED at EL0
	DebugState              bool      // UNDEFINED outside Debug state
	Features                string    // all needed, joined by &; "" = the Armv8.0 base
	CondFeatures            []CondFeature
	Syntax                  string
	Aliases                 []Alias
}

// Fields returns the boxes of the encoding diagram that are not all fixed, most
// significant first. (The table holds an index, not a slice, so that the linker
// can lay it out and no code runs at start-up.)
func (r *Row) Fields() []Field { return fieldSets[r.fields] }

// Rows returns all encodings of the table, in Op order. The caller must not
// change them. Rows()[0] is the placeholder of UNALLOCATED.
func Rows() []Row { return rows[:] }

// RowOf returns the table row of op.
func RowOf(op Op) *Row { return &rows[op] }

// String returns the encoding's name, such as ADD_64_addsub_imm.
func (op Op) String() string {
	if int(op) >= NumOps {
		return "Op(invalid)"
	}
	return rows[op].Name
}

// Features returns the architecture features that all words of the encoding
// need, joined by "&", such as "FEAT_LSE". Empty means the Armv8.0 base.
func (op Op) Features() string { return rows[op].Features }

// Class returns the part of the instruction set the encoding belongs to.
func (op Op) Class() Class { return rows[op].Class }

// Group returns the encoding group, such as addsub_imm.
func (op Op) Group() string { return rows[op].Group }

// Features returns the features this very instruction needs, joined by "&":
// those of its Op and those that depend on operand values, such as FEAT_PMULL
// for the 128-bit form of PMULL.
func (i Inst) Features() string {
	r := &rows[i.Op]
	f := r.Features
	for _, c := range r.CondFeatures {
		if !c.Matches(i.Word) {
			continue
		}
		if f != "" {
			f += "&"
		}
		f += c.Feature
	}
	return f
}

// Field returns the value of the named box of the encoding diagram; ok is false
// where the encoding has none of that name.
func (i Inst) Field(name string) (value uint32, ok bool) {
	f, ok := rows[i.Op].field(name)
	return i.Bits(uint(f.Hi), uint(f.Lo)), ok
}

// RandomWord returns a random word of the encoding: free bits come from rnd,
// should-be bits are as specified, and no condition of the row is violated.
// Preconditions: op is not UNALLOCATED and rnd is uniform.
func RandomWord(op Op, rnd func() uint32) uint32 {
	r := &rows[op]
	for {
		w := rnd()&^(r.Mask|r.ShouldMask) | r.Value | r.ShouldValue
		if Decode(w).Op == op {
			return w
		}
	}
}
