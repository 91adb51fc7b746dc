package syscalls

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"emu/internal/program"
)

// TestExecutionThatIsNotToldYet looks at a process when its execve has closed files but the kernel has set
// neither its auxiliary vector nor its arguments. On a busy machine another guest saw
// emu as its /proc/PID/exe then.
func TestExecutionThatIsNotToldYet(t *testing.T) {
	headers := func(at uint64) []byte {
		b := binary.LittleEndian.AppendUint64(nil, atPHDR)
		return append(binary.LittleEndian.AppendUint64(b, at), make([]byte, 16)...)
	}
	own := headers(uint64(program.Own().Addr))
	for _, tc := range []struct {
		name  string
		auxv  [][]byte // one after the other
		lines []string
		want  []string
	}{
		{"no vector", [][]byte{make([]byte, 16), own}, []string{"", "emu\x00prog\x00"}, []string{"emu", "prog"}},
		{"no arguments", [][]byte{own, own}, []string{"", "emu\x00prog\x00"}, []string{"emu", "prog"}},
		{"a program", [][]byte{headers(uint64(program.Own().Addr) + 0x1000)}, []string{"prog\x00"}, nil},
		{"comes to its program", [][]byte{make([]byte, 16), headers(uint64(program.Own().Addr) + 0x1000)}, []string{"", "prog\x00"}, nil},
		{"ends", [][]byte{make([]byte, 16), {}}, []string{"", ""}, nil},
	} {
		proc := t.TempDir()
		set := func(n int) {
			for file, text := range map[string][]byte{"cmdline": []byte(tc.lines[n]), "auxv": tc.auxv[n]} {
				tmp := filepath.Join(proc, "new")
				if err := os.WriteFile(tmp, text, 0o600); err != nil {
					t.Error(err)
				}
				if err := os.Rename(tmp, filepath.Join(proc, file)); err != nil {
					t.Error(err)
				}
			}
		}
		set(0)
		done := make(chan bool)
		go func() {
			defer close(done)
			for n := 1; n < len(tc.auxv); n++ {
				time.Sleep(3 * execveWait)
				set(n)
			}
		}()
		auxv, args := begun(proc)
		<-done
		if last := tc.auxv[len(tc.auxv)-1]; !slices.Equal(auxv, last) || !slices.Equal(args, tc.want) {
			t.Errorf("%s: %x, %q, want %x, %q", tc.name, auxv, args, last, tc.want)
		}
	}
}
