package loader

import (
	"debug/elf"
	"encoding/hex"
	"hash/crc32"
	"io"
	"path"
	"strings"
)

// debugDir is where distributions put what they have stripped from programs (gdb manual, 18.3).
const debugDir = "/usr/lib/debug"

// findDebug opens the file that has what was stripped from f, whose name is given: by build id,
// else by the name that .gnu_debuglink says and the checksum there. It is nil if there is none.
func findDebug(f *elf.File, name string, open func(name string) (io.ReaderAt, bool)) *elf.File {
	if id := buildID(f); len(id) > 2 {
		if r, ok := open(path.Join(debugDir, ".build-id", id[:2], id[2:]+".debug")); ok {
			if d, err := elf.NewFile(r); err == nil && buildID(d) == id && hasLines(d) {
				return d
			}
		}
	}
	link, sum, ok := debugLink(f)
	if !ok {
		return nil
	}
	dir := path.Dir(name)
	for _, at := range []string{path.Join(dir, link), path.Join(dir, ".debug", link), path.Join(debugDir, dir, link)} {
		r, ok := open(at)
		if !ok {
			continue
		}
		crc := crc32.NewIEEE()
		const all = 1<<63 - 1
		if _, err := io.Copy(crc, io.NewSectionReader(r, 0, all)); err != nil || crc.Sum32() != sum {
			continue
		}
		if d, err := elf.NewFile(r); err == nil && hasLines(d) {
			return d
		}
	}
	return nil
}

// buildID is the description of the note NT_GNU_BUILD_ID in hex.
func buildID(f *elf.File) string {
	const header, gnu = 12, "GNU\x00" // sizes of name and description, type (struct elf64_note)
	s := f.Section(".note.gnu.build-id")
	if s == nil {
		return ""
	}
	b, err := s.Data()
	if err != nil || len(b) < header+len(gnu) || string(b[header:header+len(gnu)]) != gnu {
		return ""
	}
	n := f.ByteOrder.Uint32(b[4:])
	b = b[header+len(gnu):]
	return hex.EncodeToString(b[:min(int(n), len(b))])
}

// debugLink reads .gnu_debuglink: a name, padded to 4 bytes, and the CRC-32 of the file.
func debugLink(f *elf.File) (name string, sum uint32, ok bool) {
	s := f.Section(".gnu_debuglink")
	if s == nil {
		return "", 0, false
	}
	b, err := s.Data()
	if err != nil {
		return "", 0, false
	}
	name, _, ok = strings.Cut(string(b), "\x00")
	at := (len(name) + 4) &^ 3
	if !ok || at+4 > len(b) || name == "" || strings.Contains(name, "/") {
		return "", 0, false
	}
	return name, f.ByteOrder.Uint32(b[at:]), true
}
