package syscalls

import (
	"fmt"
	"strconv"
	"strings"

	"emu/cpu"
)

// hostArea is one entry of the host's smaps.
type hostArea struct {
	start, end uint64
	name       string   // of the file, or in brackets
	values     []uint64 // kB, in the order of the file
	flags      string
}

// smaps is the file smaps, or smaps_rollup, of the guest process whose directory in /proc is
// dir: its regions with the numbers of the host's areas that lie in them.
func (p *Process) smaps(dir string, regions []cpu.Region, rollup bool) ([]byte, bool) {
	text, err := readHost(dir + "/smaps")
	if err != nil {
		return nil, false
	}
	keys, areas := parseSmaps(string(text))
	b := make([]byte, 0, len(text))
	sum, total := make([]uint64, len(keys)), make([]uint64, len(keys))
	for i := range regions {
		r := &regions[i]
		clear(sum)
		flags := ""
		for len(areas) > 0 && areas[0].end <= r.Start {
			areas = areas[1:]
		}
		for _, a := range areas {
			if a.start >= r.End {
				break
			}
			a.addTo(sum, r)
			if flags == "" {
				flags = a.flags
			}
		}
		for k, v := range sum {
			total[k] += v
		}
		if rollup {
			continue
		}
		b = append(b, p.mapsLine(r)...)
		b = appendSmaps(b, keys, sum, r)
		if r.Prot&cpu.ProtMTE != 0 {
			flags += "mt "
		}
		if r.Shadow {
			flags = shadowFlags
		}
		if flags != "" {
			b = append(append(append(b, "VmFlags:"...), flags...), '\n')
		}
	}
	if rollup && len(regions) > 0 {
		b = fmt.Appendf(b, "%08x-%08x ---p 00000000 00:00 0 %33s\n", regions[0].Start, regions[len(regions)-1].End, "[rollup]")
		b = appendSmaps(b, keys, total, nil)
	}
	return b, true
}

// smapsName is the field of an entry's first line that has the name.
const smapsName = 5

// parseSmaps reads the host's smaps: the names of the values, the same in all
// areas, and the areas in ascending order. There are some 25 lines an area: each is cut only as far as needed.
func parseSmaps(text string) (keys []string, areas []hostArea) {
	var values []uint64 // of all areas
	var first []int     // where those of each area begin
	for line := range strings.Lines(text) {
		key, value, isValue := strings.Cut(line, ":")
		if !isValue || strings.Contains(key, "-") { // start-end ... major:minor ...
			f := strings.Fields(line)
			low, high, _ := strings.Cut(f[0], "-")
			start, _ := strconv.ParseUint(low, 16, 64)
			end, _ := strconv.ParseUint(high, 16, 64)
			a := hostArea{start: start, end: end}
			if len(f) > smapsName {
				a.name = strings.Join(f[smapsName:], " ")
			}
			areas, first = append(areas, a), append(first, len(values))
			continue
		}
		a := &areas[len(areas)-1]
		if key == "VmFlags" {
			a.flags = strings.TrimRight(value, "\n")
			continue
		}
		number, _, _ := strings.Cut(strings.TrimLeft(value, " "), " ")
		v, _ := strconv.ParseUint(strings.TrimRight(number, "\n"), 10, 64)
		if len(areas) == 1 {
			keys = append(keys, key)
		}
		values = append(values, v)
	}
	first = append(first, len(values))
	for i := range areas {
		areas[i].values = values[first[i]:first[i+1]]
	}
	return keys, areas
}

// addTo adds the area's values to sum, in proportion to how much of it lies in r:
// neighbours of the guest's may be one area on the host.
func (a *hostArea) addTo(sum []uint64, r *cpu.Region) {
	overlap := min(a.end, r.End) - max(a.start, r.Start)
	for k, v := range a.values {
		if k < len(sum) {
			sum[k] += v * (overlap >> 10) / ((a.end - a.start) >> 10)
		}
	}
}

// appendSmaps appends the values of an entry. Those that are not sums are r's own.
func appendSmaps(b []byte, keys []string, sum []uint64, r *cpu.Region) []byte {
	for k, key := range keys {
		v, unit := sum[k], " kB\n"
		switch key {
		case "Size", "KernelPageSize", "MMUPageSize":
			if r == nil {
				continue
			}
			if v = cpu.PageSize >> 10; key == "Size" {
				v = (r.End - r.Start) >> 10
			}
		case "THPeligible", "ProtectionKey":
			if r == nil {
				continue
			}
			v, unit = 0, "\n"
		}
		const space = "                "
		b = append(append(append(b, key...), ':'), space[min(len(key)+1, len(space)):]...) // %-16s
		for width := uint64(1e7); width > max(v, 1); width /= 10 {                         // %8d
			b = append(b, ' ')
		}
		b = append(strconv.AppendUint(b, v, 10), unit...)
	}
	return b
}
