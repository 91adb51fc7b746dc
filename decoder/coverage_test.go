package decoder

import (
	"strings"
	"testing"
)

func TestCoverage(t *testing.T) {
	var b strings.Builder
	missing := map[Op]bool{FJCVTZS_32D_float2int: true, ADC_32_addsub_carry: true, ERET_64E_branch_reg: true}
	if err := Coverage(&b, func(op Op) bool { return !missing[op] }, func(op Op) bool { return op != ABS_32_dp_1src }); err != nil {
		t.Fatal(err)
	}
	page := b.String()
	for _, want := range []string{
		"3055 of 3058 encodings outside SME are translated; 1 more are UNDEFINED to programs under Linux; 2 are missing.",
		"\n3054 are verified",
		"\n| FEAT_JSCVT | 1 | 0 | 0 | 0 | 1 |\n",
		"\n### FEAT_CSSC\n\nABS_32_dp_1src\n",
		"\n### FEAT_JSCVT\n\nFJCVTZS_32D_float2int\n",
		"be undefined.\n\nADC_32_addsub_carry\n",
		"\n### (EL1 or Debug state only)\n\nUNDEFINED to a program.\n\nERET_64E_branch_reg\n",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q:\n%s", want, page)
		}
	}
	if strings.Count(page, "\n### ") != 4 {
		t.Errorf("other features than those with missing or unverified encodings have a list:\n%s", page)
	}
	b.Reset()
	if err := Coverage(&b, func(Op) bool { return true }, func(Op) bool { return true }); err != nil || !strings.Contains(b.String(), "\nNone.\n") {
		t.Errorf("complete coverage: error %v, page\n%s", err, b.String())
	}
}
