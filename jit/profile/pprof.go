package profile

import (
	"compress/gzip"
	"io"
	"maps"
	"slices"
	"time"

	"emu/cpu"
	"emu/loader"
)

// The numbers of the fields that are written, of profile.proto of the pprof tools.
const (
	profileSampleType  = 1
	profileSample      = 2
	profileMapping     = 3
	profileLocation    = 4
	profileFunction    = 5
	profileStrings     = 6
	profileTimeNanos   = 9
	profileDuration    = 10
	profilePeriodType  = 11
	profilePeriod      = 12
	profileDefaultType = 14

	valueTypeType, valueTypeUnit                                                     = 1, 2
	sampleLocations, sampleValues, sampleLabel                                       = 1, 2, 3
	labelKey, labelString                                                            = 1, 2
	mappingID, mappingStart, mappingLimit, mappingOffset, mappingFile, mappingHasFns = 1, 2, 3, 4, 5, 7
	mappingHasFiles, mappingHasLines, mappingHasInlined                              = 8, 9, 10
	locationID, locationMapping, locationAddress, locationLine                       = 1, 2, 3, 4
	lineFunction, lineNumber                                                         = 1, 2
	functionID, functionName, functionSystemName, functionFile, functionStart        = 1, 2, 3, 4, 5
)

// pprofWriter numbers what samples refer to.
type pprofWriter struct {
	p         *Profiler
	out       message
	strings   map[string]int64
	table     []string
	mappings  map[uint64]uint64 // start of a region -> id
	functions map[string]uint64
	locations map[uint64]uint64 // address -> id
}

// WritePprof writes the samples and the executions of units as a profile for
// go tool pprof: gzipped protocol buffers.
//
// Samples have a call stack, the label tier, and three values: samples, processor
// time, executions. Those of the last kind come from units, one each, and have no
// other values and no callers.
func (p *Profiler) WritePprof(w io.Writer) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.notice()
	pw := &pprofWriter{
		p: p, strings: map[string]int64{"": 0}, table: []string{""},
		mappings: map[uint64]uint64{}, functions: map[string]uint64{}, locations: map[uint64]uint64{},
	}
	for _, t := range [][2]string{{"samples", "count"}, {"cpu", "nanoseconds"}, {"executions", "count"}} {
		pw.out.sub(profileSampleType, pw.valueType(t[0], t[1]))
	}
	for _, key := range slices.Sorted(maps.Keys(p.samples)) {
		s := p.samples[key]
		pw.sample(s.stack, s.tier, s.count, s.time, 0)
	}
	for _, u := range p.units {
		if n := u.executions(); n > 0 {
			pw.sample([]uint64{u.PC}, u.Tier, 0, 0, int64(n))
		}
	}
	pw.out.int(profileTimeNanos, p.begin.UnixNano())
	pw.out.int(profileDuration, int64(time.Since(p.begin)))
	pw.out.sub(profilePeriodType, pw.valueType("cpu", "nanoseconds"))
	pw.out.int(profilePeriod, int64(period))
	pw.out.int(profileDefaultType, pw.str("cpu"))
	for _, s := range pw.table {
		pw.out.bytes(profileStrings, []byte(s))
	}
	z := gzip.NewWriter(w)
	if _, err := z.Write(pw.out); err != nil {
		return err
	}
	return z.Close()
}

func (w *pprofWriter) str(s string) int64 {
	n, ok := w.strings[s]
	if !ok {
		n = int64(len(w.table))
		w.strings[s] = n
		w.table = append(w.table, s)
	}
	return n
}

func (w *pprofWriter) valueType(typ, unit string) (m message) {
	m.int(valueTypeType, w.str(typ))
	m.int(valueTypeUnit, w.str(unit))
	return m
}

func (w *pprofWriter) sample(stack []uint64, tier string, values ...int64) {
	var m, label message
	ids := make([]uint64, len(stack))
	for i, pc := range stack {
		if i > 0 {
			pc -= 4 // the call, not what it returns to
		}
		ids[i] = w.location(pc)
	}
	m.packed(sampleLocations, ids)
	packed := make([]uint64, len(values))
	for i, v := range values {
		packed[i] = uint64(v)
	}
	m.packed(sampleValues, packed)
	label.int(labelKey, w.str("tier"))
	label.int(labelString, w.str(tier))
	m.sub(sampleLabel, label)
	w.out.sub(profileSample, m)
}

func (w *pprofWriter) location(pc uint64) uint64 {
	if id := w.locations[pc]; id != 0 {
		return id
	}
	id := uint64(len(w.locations) + 1)
	w.locations[pc] = id
	at := w.p.symbols.find(pc)
	frames := w.p.symbols.frames(&at, pc)
	if len(frames) == 0 {
		frames = []loader.Frame{{}}
	}
	if outer := &frames[len(frames)-1]; at.function != "" || outer.Function == "" {
		outer.Function = at.label()
	}
	var m message
	m.int(locationID, int64(id))
	if at.mapped {
		m.int(locationMapping, int64(w.mapping(&at.region)))
	}
	m.int(locationAddress, int64(pc))
	for _, f := range frames {
		var line message
		line.int(lineFunction, int64(w.function(&f, at.region.Path)))
		line.int(lineNumber, int64(f.Line))
		m.sub(locationLine, line)
	}
	w.out.sub(profileLocation, m)
	return id
}

func (w *pprofWriter) mapping(r *cpu.Region) uint64 {
	if id := w.mappings[r.Start]; id != 0 {
		return id
	}
	id := uint64(len(w.mappings) + 1)
	w.mappings[r.Start] = id
	var m message
	m.int(mappingID, int64(id))
	m.int(mappingStart, int64(r.Start))
	m.int(mappingLimit, int64(r.End))
	m.int(mappingOffset, int64(r.Offset))
	m.int(mappingFile, w.str(r.Path))
	m.int(mappingHasFns, 1)
	if w.p.symbols.hasLines(r) {
		m.int(mappingHasFiles, 1)
		m.int(mappingHasLines, 1)
		m.int(mappingHasInlined, 1)
	}
	w.out.sub(profileMapping, m)
	return id
}

// function numbers a function by its name, its source file and the file that it is mapped from.
func (w *pprofWriter) function(f *loader.Frame, of string) uint64 {
	key := of + "\x00" + f.File + "\x00" + f.Function
	if id := w.functions[key]; id != 0 {
		return id
	}
	id := uint64(len(w.functions) + 1)
	w.functions[key] = id
	var m message
	m.int(functionID, int64(id))
	m.int(functionName, w.str(f.Function))
	m.int(functionSystemName, w.str(f.Function))
	m.int(functionFile, w.str(f.File))
	m.int(functionStart, int64(f.Start))
	w.out.sub(profileFunction, m)
	return id
}
