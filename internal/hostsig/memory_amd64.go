//lint:file-ignore U1000 the assembly beside this file uses what looks unused

package hostsig

import "emu/internal/place"

// A page fault takes half a microsecond on most machines, but 20 in a virtual machine whose host shadows page tables, where
// they were a third of emu's start. A huge page takes 150 there, and on the others, by estimate, as long as some hundred faults. So the
// start code takes the time of one. Where it is slow emu's text and tables are made present in two calls, and these have
// huge pages:
//
//   - the program's variables. The linker aligns them (flag -R, see the Makefile), and they are read from the program's file,
//     as copying what is mapped would be a page fault each. All fit in one, but for an array of package crypto's that
//     emu does not use.
//   - the runtime's tables
//   - the heap, as it grows
//   - generated code, and notes about it (see package cache)
//
// Where there are no huge pages, or no procfs, all this comes page by page as anywhere.
const (
	slowFault = 20_000 // ticks of the time stamp counter

	hugePage    = 2 << 20
	tablesStart = place.TablesStart
	tables      = place.Tables
	tablesEnd   = place.TablesEnd
	filling     = place.Filling
)

// tablesMapped reports whether all tables are mapped: the runtime's own mapping of them would replace huge pages.
var tablesMapped bool
