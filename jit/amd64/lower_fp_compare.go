package amd64

// Predicates of CMPxx; those from 8 on need AVX. Q: only signalling NaNs raise
// Invalid Operation.
const (
	cmpEqQ    = 0x00
	cmpUnordQ = 0x03
)
