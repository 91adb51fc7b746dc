package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestInvoked: descriptor 0 is the program's if it was closed before. It was taken for none,
// and the program opened by its name, which may by then be another's.
func TestInvoked(t *testing.T) {
	for _, tc := range []struct {
		argv  string
		flags uint64
		fd    int
		want  *invocation
	}{
		{"emu prog a", 0, -1, nil},
		{"emu prog zero a", atFlagsPreserveArgv, -1, &invocation{"prog", []string{"zero", "a"}, -1}},
		{"emu prog zero a", atFlagsPreserveArgv, 3, &invocation{"prog", []string{"zero", "a"}, 3}},
		{"emu prog a", 0, 3, &invocation{"prog", []string{"prog", "a"}, 3}},
		{"emu prog a", 0, 0, &invocation{"prog", []string{"prog", "a"}, 0}},
		{"emu prog zero", atFlagsPreserveArgv, 0, &invocation{"prog", []string{"zero"}, 0}},
		{"emu", 0, 3, nil},
	} {
		got := invoked(strings.Fields(tc.argv), tc.flags, tc.fd)
		if diff := cmp.Diff(tc.want, got, cmp.AllowUnexported(invocation{})); diff != "" {
			t.Errorf("%s, flags %d, descriptor %d: %s", tc.argv, tc.flags, tc.fd, diff)
		}
	}
}
