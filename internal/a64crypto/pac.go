package a64crypto

import "math/bits"

// PACKey is one of the five pointer authentication keys: the registers
// APxxKeyLo_EL1 and APxxKeyHi_EL1.
type PACKey struct{ Lo, Hi uint64 }

// PointerAuth signs and checks pointers of a 48-bit address space in which
// the top byte of user addresses is ignored (TBI0 set, TBI1 clear, the rule for
// data and instruction addresses alike). Its fields are the features that
// change the outcome.
type PointerAuth struct {
	QARMA3   bool // FEAT_PACQARMA3; FEAT_PACQARMA5 otherwise
	Fast     bool // FEAT_PACIMP: our own algorithm in the place of QARMA
	Enhanced bool // FEAT_EPAC: a non-canonical pointer gets a zero code
	PAuth2   bool // FEAT_PAuth2: the code is XORed into the pointer
}

// vaBits is the lowest bit of the code (CalculateBottomPACBit).
const vaBits = 48

// ComputePAC is the 64-bit code of data under a modifier. The fast algorithm is a
// keyed 64 x 64-bit product with its halves folded together: a hash that spreads
// every bit, not a cipher. Who sees many codes of chosen pointers can compute the
// key; what it stops is a pointer that was overwritten blindly.
func (p PointerAuth) ComputePAC(data, modifier uint64, key PACKey) uint64 {
	if p.Fast {
		hi, lo := bits.Mul64(data^key.Lo, modifier^key.Hi)
		return hi ^ lo
	}
	if p.QARMA3 {
		return qarma(data, modifier, key.Hi, key.Lo, 2, qarmaSub1, qarmaSub1)
	}
	return qarma(data, modifier, key.Hi, key.Lo, 4, qarmaSub, qarmaInvSub)
}

// Generic is PACGA: the upper half of the code of x, zeros below.
func (p PointerAuth) Generic(x, y uint64, key PACKey) uint64 {
	return p.ComputePAC(x, y, key) &^ (1<<32 - 1)
}

// codeMask is where a pointer keeps its code: bits 54:48, and without TBI
// bits 63:56. Bit 55 tells user from kernel addresses.
func codeMask(ptr uint64) uint64 {
	const low = 1<<55 - 1<<vaBits
	if ptr>>55&1 == 0 {
		return low // TBI
	}
	return low | 0xff<<56
}

// Strip removes the code: XPACI, XPACD, XPACLRI.
func Strip(ptr uint64) uint64 {
	mask := codeMask(ptr)
	if ptr>>55&1 == 0 {
		return ptr &^ mask
	}
	return ptr | mask
}

// Add is AddPAC: PACIA, PACIB, PACDA, PACDB and their forms.
func (p PointerAuth) Add(ptr, modifier uint64, key PACKey) uint64 {
	mask := codeMask(ptr)
	canonical := Strip(ptr)
	code := p.ComputePAC(canonical, modifier, key)
	if ptr != canonical {
		switch {
		case p.Enhanced:
			code = 0
		case !p.PAuth2 && ptr>>55&1 == 0: // spoil the top bit
			code ^= 1 << 54
		case !p.PAuth2:
			code ^= 1 << 62
		}
	}
	if p.PAuth2 {
		return ptr ^ code&mask
	}
	return ptr&^mask | code&mask
}

// Auth is Auth: AUTIA, AUTIB, AUTDA, AUTDB and the combined branches and
// loads. For a wrong code ok is false; then the result is a pointer that
// faults when used (with FEAT_FPAC the instruction itself faults instead).
// keyB says that the key is one of the B keys, which shows in the result.
func (p PointerAuth) Auth(ptr, modifier uint64, key PACKey, keyB bool) (result uint64, ok bool) {
	mask := codeMask(ptr)
	original := Strip(ptr)
	code := p.ComputePAC(original, modifier, key)
	if p.PAuth2 {
		// The code was XORed into a canonical pointer.
		result = ptr ^ code&mask
		return result, result == original
	}
	if (code^ptr)&mask == 0 {
		return original, true
	}
	errorCode := uint64(0b01)
	if keyB {
		errorCode = 0b10
	}
	shift := 61
	if ptr>>55&1 == 0 {
		shift = 53
	}
	return original&^(3<<shift) | errorCode<<shift, false
}
