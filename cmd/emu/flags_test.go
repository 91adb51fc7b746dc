package main

import (
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	env := map[string]string{"QEMU_LD_PREFIX": "/q", "EMU_LD_PREFIX": "/e", "QEMU_STACK_SIZE": "16M"}
	for _, tc := range []struct {
		args string
		want string // program and its arguments
		err  string
	}{
		{args: "prog -L x", want: "prog -L x"},
		{args: "-L /r -strace prog a", want: "prog a"},
		{args: "-L=/r -- -prog", want: "-prog"},
		{args: "-tier 3 prog", err: "tier"},
		{args: "-nosuch prog", err: "unknown flag -nosuch"},
		{args: "-s", err: "needs BYTES"},
		{args: "-s 9x prog", err: "not a size"},
		{args: "-s 64k prog", err: "less than the 128k"},
		{args: "-s 0 prog", err: "less than the 128k"},
		{args: "-D a%s prog", err: "only %d"},
		{args: "-D %d-%d prog", err: "only %d"},
		{args: "-D a% prog", err: "only %d"},
		{args: "-D a.%d prog", want: "prog"},
		{args: "-E novalue prog", err: "VAR=VALUE"},
		{args: "-strace=1 prog", err: "takes no value"},
		{args: "-dump ir,nosuch prog", err: "stage"},
	} {
		c, rest, err := parse(strings.Fields(tc.args), func(k string) string { return env[k] })
		if tc.err != "" {
			if err == nil || !strings.Contains(err.Error(), tc.err) {
				t.Errorf("%q: error %v, want one with %q", tc.args, err, tc.err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%q: %v", tc.args, err)
			continue
		}
		if got := strings.Join(rest, " "); got != tc.want {
			t.Errorf("%q: program %q, want %q", tc.args, got, tc.want)
		}
		if c.stack != 16<<20 {
			t.Errorf("%q: stack %d from QEMU_STACK_SIZE, want 16M", tc.args, c.stack)
		}
		if !strings.Contains(tc.args, "-L") && c.sysroot != "/e" || strings.HasPrefix(tc.args, "-L") && c.sysroot != "/r" {
			t.Errorf("%q: sysroot %q", tc.args, c.sysroot)
		}
	}
}
