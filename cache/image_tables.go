package cache

import (
	"math"
	"sort"

	"emu/cpu"
)

// ImageTables describe an image. They are views of a file. Units and Edges of a chunk are only to
// be looked at once that is loaded, as they are checked then; the other tables may lead anywhere.
type ImageTables struct {
	Units  []ImageUnit // in the order of their code; the last one is the end
	Edges  []ImageEdge // between units, by where they lead to
	ByPC   []ImagePC   // by ascending keys
	ByPage []uint32    // index in ByPC of the first key at or behind each multiple of ImagePage without a mode; the last one is the end
	Starts []uint32    // offset of the code of each chunk, and of the end
}

// ImageUnit is a unit of an image.
type ImageUnit struct {
	PC     uint64
	Lo, Hi uint64 // guest code of it lies in here
	Off    uint32 // of the code
	Len    uint32
	Edges  uint32 // the first that leads here
	Limit  uint32 // the counter at first, 0: it has none
	Record uint32 // where the unit is described, and the checksum of that
	Sum    uint32
	Kind   uint32 // bits of ImageRegion, ImageGoesOn
	Guest  uint32 // bytes of guest code
	Mode   uint32
	Rank   uint32 // its maker's affair
}

// Kinds of units.
const (
	ImageRegion = 1 << iota // one of tier 2
	ImageGoesOn             // a block that goes on behind branches
)

// ImageEdge is a direct branch from one unit to another. It leads there already if
// both are of one chunk.
type ImageEdge struct {
	From  uint32 // unit
	Patch uint32 // offsets in the image, as in Exit
	Stub  uint32
}

// ImagePC is a unit by its key: the pc in words from the image's first one, and the bit of the mode that most
// programs come to set (cpu.FPCRWatched), above it. Units of other modes are in no image.
type ImagePC struct {
	Key  uint32
	Unit uint32
}

// ImageKey is the key of a unit in an image whose code begins at lo. ok is false if it cannot be in there.
func ImageKey(k Key, lo uint64) (key uint32, ok bool) {
	words := (k.PC - lo) / 4
	return uint32(words) | k.Mode, k.PC >= lo && words < cpu.FPCRWatched && k.Mode&^cpu.FPCRWatched == 0
}

// ImagePage is how many keys there are for each entry of ByPage.
const ImagePage = 1 << 10

// from returns the place in ByPC of the first unit with a key or one behind it.
func (i *Image) from(key uint32) (at int, found bool) {
	first, end := 0, len(i.ByPC)
	if page := int(key / ImagePage); page+1 < len(i.ByPage) {
		first, end = int(i.ByPage[page]), int(i.ByPage[page+1])
		if first > end || end > len(i.ByPC) {
			return 0, false // damaged
		}
	}
	list := i.ByPC[first:end]
	at = sort.Search(len(list), func(n int) bool { return list[n].Key >= key })
	return first + at, at < len(list) && list[at].Key == key
}

// ImageOut is an exit that leads out of its chunk.
type ImageOut struct {
	Edge uint32
	To   uint32 // the unit of another chunk that it leads to, or NoUnit, and then there is no Edge
	PC   int32  // where it leads, in words from the image's first one
	End  uint32 // offset in the image behind its stub
}

// NoUnit is no unit of an image.
const NoUnit = math.MaxUint32

// ImageChunkUnits is how many units are in a chunk, but for the last one.
const ImageChunkUnits = 64

// ImageChunks is how many chunks so many units are in.
func ImageChunks(units int) int { return (units + ImageChunkUnits - 1) / ImageChunkUnits }
