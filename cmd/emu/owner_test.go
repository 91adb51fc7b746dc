package main

import "testing"

func TestMapped(t *testing.T) {
	const rootless = "         0       1001          1\n         1     100000      65536\n"
	for _, tc := range []struct {
		uidMap   string
		id, want int
	}{
		{"         0          0 4294967295\n", 0, 0},
		{"         0          0 4294967295\n", 1001, 1001},
		{rootless, 0, 1001},
		{rootless, 1, 100000},
		{rootless, 65536, 165535},
		{rootless, 65537, 65537},
		{rootless + "cut", 65537, 65537},
		{"", 7, 7},
	} {
		if got := mapped(tc.uidMap, tc.id); got != tc.want {
			t.Errorf("%d in %q: %d, want %d", tc.id, tc.uidMap, got, tc.want)
		}
	}
}
