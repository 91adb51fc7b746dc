package ir

// Type is the primary type of an SSA value (seed rule 3.1: types live beside the
// instructions, not in them).
//
// I1 is a truth value. I8 and I16 occur only as memory and lane types. Values
// of I8..I32 have unspecified upper bits in their host register. Scalar floats
// are bit patterns in A64 format. A vector type fixes how lane-wise operations
// read the 128 bits; BITCAST between vector types is free.
type Type uint8

// The primary types.
const (
	Void Type = iota
	I1
	I8
	I16
	I32
	I64
	F16
	F32
	F64
	Flags // A64 condition flags N, Z, C, V
	V16I8
	V8I16
	V4I32
	V2I64
	V8F16
	V4F32
	V2F64
	NumTypes
)

type typeInfo struct {
	name  string
	bits  uint16 // size of the whole value
	lane  Type   // lane type of a vector, the type itself otherwise
	lanes uint8
}

var types = [NumTypes]typeInfo{
	Void:  {"void", 0, Void, 0},
	I1:    {"i1", 1, I1, 1},
	I8:    {"i8", 8, I8, 1},
	I16:   {"i16", 16, I16, 1},
	I32:   {"i32", 32, I32, 1},
	I64:   {"i64", 64, I64, 1},
	F16:   {"f16", 16, F16, 1},
	F32:   {"f32", 32, F32, 1},
	F64:   {"f64", 64, F64, 1},
	Flags: {"flags", 4, Flags, 1},
	V16I8: {"v16i8", 128, I8, 16},
	V8I16: {"v8i16", 128, I16, 8},
	V4I32: {"v4i32", 128, I32, 4},
	V2I64: {"v2i64", 128, I64, 2},
	V8F16: {"v8f16", 128, F16, 8},
	V4F32: {"v4f32", 128, F32, 4},
	V2F64: {"v2f64", 128, F64, 2},
}

func (t Type) String() string {
	if t < NumTypes {
		return types[t].name
	}
	return "type?"
}

// Bits is the width of a value in bits (I1 is 1, Flags is 4).
func (t Type) Bits() int { return int(types[t].bits) }

// Bytes is the size of a value in memory.
func (t Type) Bytes() int { return int(types[t].bits) / 8 }

// Lane is the element type of a vector and the type itself otherwise.
func (t Type) Lane() Type { return types[t].lane }

// Lanes is the number of elements: 1 for scalars.
func (t Type) Lanes() int { return int(types[t].lanes) }

// IsVec reports whether t is one of the 128-bit vector types.
func (t Type) IsVec() bool { return t >= V16I8 && t <= V2F64 }

// IsInt reports whether t is a scalar integer (I1 included).
func (t Type) IsInt() bool { return t >= I1 && t <= I64 }

// IsFloat reports whether t is a scalar float.
func (t Type) IsFloat() bool { return t >= F16 && t <= F64 }

// IsVecFloat reports whether t is a vector of floats.
func (t Type) IsVecFloat() bool { return t >= V8F16 && t <= V2F64 }

// IsVecInt reports whether t is a vector of integers.
func (t Type) IsVecInt() bool { return t >= V16I8 && t <= V2I64 }

// InXMM reports whether the host keeps values of t in a vector register.
func (t Type) InXMM() bool { return t.IsFloat() || t.IsVec() }

// IntOf returns the integer type of the same shape (F64 -> I64, V4F32 -> V4I32).
func (t Type) IntOf() Type {
	switch {
	case t.IsFloat():
		return I16 + t - F16
	case t.IsVecFloat():
		return V8I16 + t - V8F16
	}
	return t
}

// VecOf returns the vector type whose lanes have type t, Void if there is none.
func (t Type) VecOf() Type {
	switch {
	case t >= I8 && t <= I64:
		return V16I8 + t - I8
	case t.IsFloat():
		return V8F16 + t - F16
	}
	return Void
}

// Wider returns the vector type with lanes twice as wide, Void if there is none.
func (t Type) Wider() Type {
	if t >= V16I8 && t < V2I64 || t >= V8F16 && t < V2F64 {
		return t + 1
	}
	return Void
}

// Narrower returns the vector type with lanes half as wide, Void if there is none.
func (t Type) Narrower() Type {
	if t > V16I8 && t <= V2I64 || t > V8F16 && t <= V2F64 {
		return t - 1
	}
	return Void
}
