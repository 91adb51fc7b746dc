package syscalls

import "fmt"

// TableSize is one more than the highest number in the table.
const TableSize = 472

// Table returns the system call table, indexed by arm64 number. Numbers that
// arm64 does not have are Unused rows.
func Table() *[TableSize]*Row {
	t := new([TableSize]*Row)
	for _, topic := range []func() []Row{fileRows, fdRows, netRows, memRows, timeRows, procRows, signalRows, ipcRows, systemRows} {
		rows := topic()
		for n := range rows {
			r := &rows[n]
			if t[r.Nr] != nil {
				panic(fmt.Sprintf("BUG: syscalls: %s and %s share number %d", t[r.Nr].Name, r.Name, r.Nr))
			}
			r.derive()
			t[r.Nr] = r
		}
	}
	unused := new(Row)
	for nr := range t {
		if t[nr] == nil {
			t[nr] = unused
		}
	}
	return t
}

// derive sets what follows from the kinds of the arguments.
func (r *Row) derive() {
	for i, k := range r.Args {
		if k.pointer() {
			r.pointers |= 1 << i
		}
		switch {
		case k == FD || k == DirFD:
			r.descriptors |= 1 << i
		case k.isPath():
			r.paths |= 1 << i
		case pathUses[k].doc != "":
			r.sockets |= 1 << i
		}
	}
}
