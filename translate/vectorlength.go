package translate

import (
	"fmt"
	"strconv"
	"strings"
)

// Vectors of SVE have 128 bits. The options by which qemu's models choose among lengths
// (its docs/system/arm/cpu-features.rst) are known as far as that is what they ask for.

const (
	vectorBits    = 128
	maxVectorBits = 2048 // that the architecture allows
)

// ofVectorLength reports whether an option is about the length of vectors.
func ofVectorLength(name string) bool {
	_, ok := lengthOf(name)
	return ok || name == "sve-max-vq" || name == "sve-default-vector-length"
}

// lengthOf is the length in bits that an option sve128 or so switches.
func lengthOf(name string) (bits int, ok bool) {
	digits, ok := strings.CutPrefix(name, "sve")
	if !ok {
		return 0, false
	}
	bits, err := strconv.Atoi(digits)
	return bits, err == nil && bits > 0 && bits%vectorBits == 0 && bits <= maxVectorBits
}

// vectorLength is the set after an option about the length of vectors. Without the only length
// there is no SVE.
func (s featureSet) vectorLength(name, value string) (featureSet, error) {
	bits, _ := lengthOf(name)
	number, err := strconv.Atoi(value)
	switch {
	case bits != 0 && value != "on" && value != "off":
		return s, fmt.Errorf("%s=%s: want %[1]s=on or %[1]s=off", name, value)
	case bits == vectorBits && value == "off":
		sve, _ := indexOf("FEAT_SVE")
		return s.without(sve), nil
	case bits == vectorBits, bits != 0 && value == "off":
		return s, nil
	case name == "sve-max-vq" && err == nil && number == 1:
		return s, nil
	case name == "sve-default-vector-length" && err == nil && (number == -1 || number > 0 && number%(vectorBits/8) == 0):
		return s, nil // qemu takes a length that there is not for the next shorter one, too
	}
	return s, fmt.Errorf("%s=%s: only vectors of %d bits are implemented", name, value, vectorBits)
}
