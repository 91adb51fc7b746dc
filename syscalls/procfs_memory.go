package syscalls

import (
	"fmt"
	"strconv"
	"strings"

	"emu/cpu"

	"golang.org/x/sys/unix"
)

// sizeOf is how much of the address space regions take, in bytes.
func sizeOf(regions []cpu.Region) (size uint64) {
	for _, r := range regions {
		size += r.End - r.Start
	}
	return size
}

// dataOf is how many bytes of regions are private memory that may be written, and how many stacks that grow.
func dataOf(regions []cpu.Region) (data, stack uint64) {
	for _, r := range regions {
		switch {
		case r.IsData():
			data += r.End - r.Start
		case r.Flags&unix.MAP_GROWSDOWN != 0:
			stack += r.End - r.Start
		}
	}
	return data, stack
}

// memoryStatus is what /proc/PID/status says of mappings.
func memoryStatus(regions []cpu.Region) map[string]string {
	inKB := func(size uint64) string { return fmt.Sprintf("%8d kB", size>>10) }
	size := inKB(sizeOf(regions))
	data, stack := dataOf(regions)
	return map[string]string{"VmPeak": size, "VmSize": size, "VmData": inKB(data), "VmStk": inKB(stack)}
}

// statm is /proc/PID/statm, whose first field is the size, and the sixth data and stacks.
func statm(host []byte, regions []cpu.Region) ([]byte, bool) {
	f := strings.Fields(string(host))
	if len(f) < 6 {
		return nil, false
	}
	pages := func(size uint64) string { return strconv.FormatUint(size/cpu.PageSize, 10) }
	data, stack := dataOf(regions)
	f[0], f[5] = pages(sizeOf(regions)), pages(data+stack)
	return []byte(strings.Join(f, " ") + "\n"), true
}
