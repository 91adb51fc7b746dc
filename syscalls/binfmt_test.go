package syscalls

import (
	"os"
	"path/filepath"
	"testing"
)

// A format is told by its first bytes, as far as the mask goes, or by the file's name.
func TestHandlers(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"status":   "enabled\n",
		"jar":      "enabled\ninterpreter /usr/bin/jexec\nflags: \noffset 0\nmagic 504b0304\n",
		"masked":   "enabled\ninterpreter /usr/bin/masked\nflags: OCF\noffset 2\nmagic 4100ff\nmask df00ff\n",
		"ext":      "enabled\ninterpreter /usr/bin/ext\nflags: \nextension .exe\n",
		"disabled": "disabled\ninterpreter /usr/bin/off\nflags: \noffset 0\nmagic 6f6666\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		head, name string
		want       bool
	}{
		{"PK\x03\x04...", "/a.jar", true}, {"PK\x03", "/a.jar", false}, {"PK\x03\x05", "/a", false},
		{"..a.\xff", "/b", true}, {"..A!\xff", "/b", true}, {"..B!\xff", "/b", false},
		{"MZ", "/c/d.exe", true}, {"MZ", "/c/d.exe.old", false}, {"", "d.exe", true},
		{"off", "/e", false},
	} {
		if got := hasHandler(dir, []byte(c.head), c.name); got != c.want {
			t.Errorf("%q of %q: %v, want %v", c.head, c.name, got, c.want)
		}
	}
	os.WriteFile(filepath.Join(dir, "status"), []byte("disabled\n"), 0o600)
	if hasHandler(dir, []byte("PK\x03\x04"), "/a.jar") {
		t.Error("formats that are switched off count")
	}
}
