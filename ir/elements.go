package ir

// Elements says which elements HelperFaults asks of: Count of Size bytes next to each other,
// which have every Step-th bit of a predicate.
type Elements struct {
	Count, Size, Step int
	Tags              bool // their tags are checked
}

// Pack is e as an operand:
//
//	31     25  24  23     16 15      8 7       0
//	+--------+----+---------+---------+---------+
//	|   0    |Tags|  Step   |  Size   |  Count  |
//	+--------+----+---------+---------+---------+
func (e Elements) Pack() uint64 {
	x := uint64(e.Count) | uint64(e.Size)<<8 | uint64(e.Step)<<16
	if e.Tags {
		x |= 1 << 24
	}
	return x
}

// UnpackElements is the inverse of Pack.
func UnpackElements(x uint64) Elements {
	return Elements{int(x & 0xff), int(x >> 8 & 0xff), int(x >> 16 & 0xff), x>>24&1 != 0}
}
