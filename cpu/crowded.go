package cpu

import (
	"bytes"
	"os"
	"strconv"
	"sync"
)

// A process has at most vm.max_map_count mappings (65,530 where nobody has set it). Go's runtime
// needs a new one now and then, and ends the process where the kernel refuses that: so the guest
// is refused what would leave emu too few, with the errno that the kernel has for it.

const (
	defaultMappings = 65530 // the kernel's DEFAULT_MAX_MAP_COUNT
	emuMappings     = 1500  // left to emu: some 200 of a small program, what splits at pages of code that are write-protected, and the heap's
	fewChunks       = 8     // so many cannot be too many mappings
)

// maxMappings is how many the guest may have.
var maxMappings = sync.OnceValue(func() int {
	limit := defaultMappings
	if text, err := os.ReadFile("/proc/sys/vm/max_map_count"); err == nil {
		if n, err := strconv.Atoi(string(bytes.TrimSpace(text))); err == nil {
			limit = n
		}
	}
	return limit - min(emuMappings, limit/4)
})

// crowded reports whether the guest has as many mappings as it may have. The lock is held.
func (m *Memory) crowded() bool {
	if len(m.regions.chunks) <= fewChunks {
		return false
	}
	n := 0
	for _, chunk := range m.regions.chunks {
		n += len(chunk)
	}
	return n >= maxMappings()
}

// splitsTooMuch reports whether taking [start, end) out of the middle of a mapping makes one too many. The lock is held.
func (m *Memory) splitsTooMuch(start, end uint64) bool {
	r, ok := m.find(start)
	return ok && r.Start < start && end < r.End && m.crowded()
}
