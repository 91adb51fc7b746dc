package syscalls

import (
	"bytes"
	hexadecimal "encoding/hex"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// binfmtMisc is where the kernel tells of the formats that it has been told of (binfmt_misc).
const binfmtMisc = "/proc/sys/fs/binfmt_misc"

// hasHandler reports whether one of the formats in a directory such as binfmtMisc is that of a file of this name,
// whose first bytes are head.
func hasHandler(dir string, head []byte, name string) bool {
	if state, _ := os.ReadFile(filepath.Join(dir, "status")); strings.TrimSpace(string(state)) != "enabled" {
		return false
	}
	entries, _ := os.ReadDir(dir)
	for _, entry := range entries {
		if entry.Name() == "status" || entry.Name() == "register" {
			continue
		}
		if text, err := os.ReadFile(filepath.Join(dir, entry.Name())); err == nil && isHandler(string(text), head, name) {
			return true
		}
	}
	return false
}

// isHandler reports whether the format that text describes is the file's.
func isHandler(text string, head []byte, name string) bool {
	state, rest, _ := strings.Cut(text, "\n")
	if state != "enabled" {
		return false
	}
	var offset int
	var magic, mask []byte
	for line := range strings.Lines(rest) {
		key, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		switch key {
		case "extension":
			return strings.HasSuffix(name, value) // which begins with a dot
		case "offset":
			offset, _ = strconv.Atoi(value)
		case "magic":
			magic, _ = hexadecimal.DecodeString(value)
		case "mask":
			mask, _ = hexadecimal.DecodeString(value)
		}
	}
	if len(magic) == 0 || offset < 0 || offset+len(magic) > len(head) {
		return false
	}
	at := bytes.Clone(head[offset : offset+len(magic)])
	for i := range min(len(mask), len(at)) {
		at[i] &= mask[i]
		magic[i] &= mask[i]
	}
	return bytes.Equal(at, magic)
}
