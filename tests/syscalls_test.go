package tests

import (
	"fmt"
	"testing"
)

const syscallGuests = "guest/syscalls"

// TestSyscalls runs each program of tests/guest/syscalls under emu and on the
// host: the same source has to print the same and end in the same way.
func TestSyscalls(t *testing.T) { likeHost(t, syscallGuests, casesOf, "interp", "1", "2") }

// casesOf are the argument lists that a guest is run with.
func casesOf(name string) [][]string {
	if name != "deaths" {
		return [][]string{nil}
	}
	var cases [][]string
	for i := range 20 {
		cases = append(cases, []string{fmt.Sprint(i)})
	}
	return cases
}
