package translate

import (
	"sync"

	"emu/decoder"
)

// Features that max executes and does not announce. These are SVE and SVE2. A program that looks for
// them (AT_HWCAP, ID_AA64PFR0_EL1) and finds none takes Advanced SIMD, which is as fast here: vectors of
// SVE are no longer, and predicates cost. But a program that was built for a processor with SVE does not
// look, and would end by SIGILL.

// silentSet are the features of the model with those that it does not announce.
func (m *model) silentSet() featureSet {
	if m.allBut {
		return m.set().withSVE()
	}
	return m.set()
}

// unannounced is the function of an encoding that the processor's tables have not, nil if it is
// undefined. The table is made once for all of the processor's translators, when the first such word is met.
func (c *CPU) unannounced(op decoder.Op) translateFunc {
	if c.silent == c.has || op == 0 {
		return nil
	}
	return c.more().fn[op]
}

// moreTables makes what unannounced looks into.
func moreTables(silent featureSet) func() *dispatch {
	return sync.OnceValue(func() *dispatch { return sveTables().restrict(silent) })
}

// Predicates reports whether programs can use the predicate registers of SVE, announced or not.
func (c *CPU) Predicates() bool { return c.silent.has("FEAT_SVE") }
