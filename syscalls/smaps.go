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
	var b strings.Builder
	total := make([]uint64, len(keys))
	for i := range regions {
		r := &regions[i]
		sum, flags := make([]uint64, len(keys)), ""
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
		b.WriteString(p.mapsLine(r))
		writeSmaps(&b, keys, sum, r)
		if r.Prot&cpu.ProtMTE != 0 {
			flags += "mt "
		}
		if r.Shadow {
			flags = shadowFlags
		}
		if flags != "" {
			b.WriteString("VmFlags:" + flags + "\n")
		}
	}
	if rollup && len(regions) > 0 {
		fmt.Fprintf(&b, "%08x-%08x ---p 00000000 00:00 0 %33s\n", regions[0].Start, regions[len(regions)-1].End, "[rollup]")
		writeSmaps(&b, keys, total, nil)
	}
	return []byte(b.String()), true
}

// smapsName is the field of an entry's first line that has the name.
const smapsName = 5

// parseSmaps reads the host's smaps: the names of the values, the same in all
// areas, and the areas in ascending order.
func parseSmaps(text string) (keys []string, areas []hostArea) {
	for line := range strings.Lines(text) {
		f := strings.Fields(line)
		key, isValue := strings.CutSuffix(f[0], ":")
		if !isValue {
			low, high, _ := strings.Cut(f[0], "-")
			start, _ := strconv.ParseUint(low, 16, 64)
			end, _ := strconv.ParseUint(high, 16, 64)
			a := hostArea{start: start, end: end}
			if len(f) > smapsName {
				a.name = strings.Join(f[smapsName:], " ")
			}
			areas = append(areas, a)
			continue
		}
		a := &areas[len(areas)-1]
		if key == "VmFlags" {
			a.flags = strings.TrimRight(line[len("VmFlags:"):], "\n")
			continue
		}
		v, _ := strconv.ParseUint(f[1], 10, 64)
		if len(areas) == 1 {
			keys = append(keys, key)
		}
		a.values = append(a.values, v)
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

// writeSmaps prints the values of an entry. Those that are not sums are r's own.
func writeSmaps(b *strings.Builder, keys []string, sum []uint64, r *cpu.Region) {
	for k, key := range keys {
		v, unit := sum[k], " kB"
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
			v, unit = 0, ""
		}
		fmt.Fprintf(b, "%-16s%8d%s\n", key+":", v, unit)
	}
}
