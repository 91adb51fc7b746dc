package syscalls

import (
	"fmt"
	"io"
	"strings"
)

// WriteDocs prints the system call table as docs/syscalls.md.
func WriteDocs(w io.Writer) error {
	var b strings.Builder
	var count [Refuse + 1]int
	table := Table()
	for i := range table {
		count[table[i].Class]++
	}
	b.WriteString("# System calls\n\nGenerated from the table in syscalls/ (`make gen`). One line for every system call of arm64 Linux.\n\n")
	b.WriteString("| served | calls | meaning |\n| --- | ---: | --- |\n")
	for c, text := range [...]string{
		Direct:  "the same in both ABIs: generated code makes the host's call itself, unless a signal waits or a pointer has to be looked at first",
		Pass:    "the same in both ABIs: the host's call, which guest signals can interrupt; paths are translated",
		Convert: "the host's call, with what differs between arm64 and x86-64 converted",
		Emulate: "served by emu: it concerns the guest's memory, threads, signals or identity",
		Refuse:  "answered with the errno given, for the reason given",
	} {
		if text != "" {
			fmt.Fprintf(&b, "| %s | %d | %s |\n", Class(c), count[c], text)
		}
	}
	b.WriteString("\n" + `Paths that a call takes are looked up below the root file system of -L first, then on the
host. The column says what the call does with them, in the order of its arguments: a path is
followed through symbolic links to the end (unless a flag such as AT_SYMLINK_NOFOLLOW says
the link itself, or AT_SYMLINK_FOLLOW the reverse), names the link itself, or is made.

| nr | call | served | paths | note |
| ---: | --- | --- | --- | --- |
`)
	for i := range table {
		r := table[i]
		if r.Class == Unused {
			continue
		}
		served := r.Class.String()
		if r.Class == Refuse {
			served += ": " + strings.SplitN(errnoText(r.Errno), " ", 2)[0]
		}
		fmt.Fprintf(&b, "| %d | %s | %s | %s | %s |\n", r.Nr, r.Name, served, r.pathDoc(), r.Note)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// pathDoc says what a call does with its paths.
func (r *Row) pathDoc() string {
	var parts []string
	for _, k := range r.Args {
		if doc := pathUses[k].doc; doc != "" {
			parts = append(parts, doc)
		}
	}
	return strings.Join(parts, "; ")
}
