package cpu

import (
	"iter"

	"golang.org/x/sys/unix"
)

// Memory tags (FEAT_MTE; Arm ARM D10, Linux
// Documentation/arch/arm64/memory-tagging-extension.rst). Each granule of 16 bytes
// in a page with ProtMTE has an allocation tag of 4 bits, which an access compares
// with the logical tag in bits 59:56 of its address.
//
// The tags lie in a mapping of their own, a byte for each granule of the address
// space, at a fixed distance that generated code knows. A second mapping has a byte
// for each page, which says whether the page has tags. The host allocates both as
// they are written, so they take a sixteenth of what has tags and next to nothing
// besides; without FEAT_MTE neither exists. Where a page has no tags the bytes of
// its granules are zero, as those of new pages with tags are.
//
// Being private memory of the process the tags are copied by fork, as they should
// be. Those of shared memory are elsewhere (tags_shared.go).
const (
	Granule = 16 // bytes

	TagBase  = 0x6000_0000_0000 // of the tags: TagBase + address / Granule
	tagBytes = 1 << 47 / Granule
	PageBase = TagBase + tagBytes // of the marks of pages: PageBase + address / PageSize
	pageMark = 1                  // the page has tags

	TagShift = 56 // of the logical tag in an address
	TagMask  = 0xf << TagShift

	addressBits = 47 // those that index the tags

	tagTables = StoreBase + storeBytes - TagBase // what EnableTags maps
)

// userBit is clear in addresses of user space.
const userBit = 1 << 55

// Untagged is a user address without its top byte; addresses of the kernel stay as they are.
func Untagged(addr uint64) uint64 {
	if addr&userBit != 0 {
		return addr
	}
	return addr & (1<<TagShift - 1)
}

// EnableTags makes room for tags. It is called once, before the guest has memory.
func (m *Memory) EnableTags() error {
	const flags = unix.MAP_PRIVATE | unix.MAP_ANONYMOUS | unix.MAP_NORESERVE | unix.MAP_FIXED_NOREPLACE
	if _, errno := hostMmap(TagBase, tagTables, unix.PROT_READ|unix.PROT_WRITE, flags, -1, 0); errno != 0 {
		return errno
	}
	// Huge pages would spend 2 MiB on the first tag of each 32 MiB.
	hostMadvise(TagBase, tagTables, unix.MADV_NOHUGEPAGE)
	hostMadvise(TagBase, tagTables, unix.MADV_DONTDUMP)
	m.tags = true
	return nil
}

// DisableTags undoes EnableTags.
func (m *Memory) DisableTags() {
	hostMunmap(TagBase, tagTables)
	m.tags = false
}

// HasTags reports whether memory can have tags.
func (m *Memory) HasTags() bool { return m.tags }

// Taggable reports whether the region may have ProtMTE: anonymous memory and files
// in memory may (VM_MTE_ALLOWED in the kernel).
func (r *Region) Taggable() bool { return r.Flags&unix.MAP_ANONYMOUS != 0 || r.InMemory }

// tagged calls yield for the parts of [start, end) that have tags. The lock is held.
func (m *Memory) tagged(start, end uint64) iter.Seq[span] {
	return func(yield func(span) bool) {
		if !m.tags {
			return
		}
		for r := range m.regions.within(start, end) {
			if r.Prot&ProtMTE != 0 && !yield(span{max(start, r.Start), min(end, r.End)}) {
				return
			}
		}
	}
}

// dropTags makes [start, end) memory without tags, while the regions there are still
// those that had them. The lock is held.
func (m *Memory) dropTags(start, end uint64) {
	for s := range m.tagged(start, end) {
		m.clearTags(s.start, s.end)
		fillMarks(s.start, s.end, 0)
	}
}

// addTags gives a region that has ProtMTE tags, all zero. The lock is held.
func (m *Memory) addTags(r *Region) {
	switch {
	case !m.tags || r.Prot&ProtMTE == 0:
	case r.tags != nil:
		m.shareMarks(r)
	default:
		fillMarks(r.Start, r.End, pageMark)
	}
}

// remapTags does for tags what mremap(2) does for the memory. The regions are still
// those from before. The lock is held.
func (m *Memory) remapTags(old, oldSize, now, newSize uint64, keep bool) {
	if !m.tags {
		return
	}
	if now == old {
		if newSize < oldSize {
			m.dropTags(old+newSize, old+oldSize)
		}
		return
	}
	m.dropTags(now, now+newSize)
	if r, ok := m.find(old); ok && r.tags != nil { // which stay where they are
		if !keep {
			m.dropTags(old, old+oldSize)
		}
		return
	}
	for s := range m.tagged(old, old+min(oldSize, newSize)) {
		m.moveTags(s.start, s.start-old+now, s.end-s.start)
	}
	if !keep {
		m.dropTags(old, old+oldSize)
		return
	}
	for s := range m.tagged(old, old+oldSize) {
		m.clearTags(s.start, s.end) // of pages that are empty now
	}
}

// ZeroTags clears the tags in [start, end), which has lost its contents, as far as
// it is private: what is shared has not lost them.
func (m *Memory) ZeroTags(start, end uint64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for s := range m.tagged(start, end) {
		if r, ok := m.find(s.start); ok && r.Flags&mapTypeMask == unix.MAP_PRIVATE {
			m.clearTags(s.start, s.end)
		}
	}
}

// clearTags zeroes the tags of [start, end), which are pages. Whole pages of tags go
// back to the host.
func (m *Memory) clearTags(start, end uint64) {
	from, to := TagBase+start/Granule, TagBase+end/Granule
	first, last := pageUp(from), to&^(PageSize-1)
	if first >= last {
		m.zeroTags(from, to)
		return
	}
	m.zeroTags(from, first)
	hostMadvise(first, last-first, unix.MADV_DONTNEED)
	m.zeroTags(last, to)
}

// moveTags copies the tags of [from, from+size) to pages without tags at to. Pages
// of tags that are all zero are left out, which would only cost memory.
func (m *Memory) moveTags(from, to, size uint64) {
	src, dst := TagBase+from/Granule, TagBase+to/Granule
	for n := size / Granule; n > 0; {
		part := min(n, PageSize-src%PageSize)
		part = min(part, PageSize-dst%PageSize)
		if !allZero(tagBytesAt(src, part)) {
			m.uncover(dst &^ (PageSize - 1))
			copy(tagBytesAt(dst, part), tagBytesAt(src, part))
		}
		src, dst, n = src+part, dst+part, n-part
	}
}

// zeroTags clears bytes of tags, without writing to what is zero.
func (m *Memory) zeroTags(from, to uint64) {
	for from < to {
		part := min(to-from, PageSize-from%PageSize)
		if b := tagBytesAt(from, part); !allZero(b) {
			m.uncover(from &^ (PageSize - 1))
			clear(b)
		}
		from += part
	}
}

// holdsTags reports whether an address is one of tags. Where memory has none the guest
// may have memory of its own there.
func (m *Memory) holdsTags(addr uint64) bool {
	return m.tags && addr >= TagBase && addr < PageBase
}

// tagPages are the pages that hold the tags of [start, end).
func tagPages(start, end uint64) span {
	return span{(TagBase + start/Granule) &^ (PageSize - 1), pageUp(TagBase + end/Granule)}
}

func allZero(b []byte) bool {
	for _, x := range b {
		if x != 0 {
			return false
		}
	}
	return true
}

func fillMarks(start, end uint64, mark byte) {
	fillBytes(tagBytesAt(PageBase+start/PageSize, (end-start)/PageSize), mark)
}

// pageTagged reports whether the page of an address without a logical tag has tags.
func pageTagged(addr uint64) bool {
	return addr < MaxAddr && tagBytesAt(PageBase+addr/PageSize, 1)[0]&pageMark != 0
}

// Tags reads the tags of n granules from addr on, which is a multiple of Granule and
// has no logical tag. It stops at the first page without tags. Others may write them
// at the same time.
func (m *Memory) Tags(addr uint64, n uint64) []byte {
	var out []byte
	for ; n > 0 && m.tags && pageTagged(addr); n-- {
		out = append(out, tagBytesAt(tagPlace(addr), 1)[0])
		addr += Granule
	}
	return out
}

// SetTags writes tags from addr on and returns how many it could.
func (m *Memory) SetTags(addr uint64, tags []byte) (n int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for n = 0; n < len(tags) && m.tags && pageTagged(addr); n++ {
		at := tagPlace(addr)
		if m.holdsTags(at) {
			m.uncover(at &^ (PageSize - 1))
		}
		tagBytesAt(at, 1)[0] = tags[n] & 15
		addr += Granule
	}
	return n
}

// ChangeTags stores what Changes has reported in another process, if that is tags. It
// reports whether it is.
func (m *Memory) ChangeTags(addr uint64, now []byte) bool {
	if !m.holdsTags(addr) {
		return false
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.uncover(addr &^ (PageSize - 1)) // a run lies in one page
	copy(tagBytesAt(addr, uint64(len(now))), now)
	return true
}

// Mismatch returns the first address of [addr, addr+n) whose tag is not the logical
// tag of addr, in bits 59:0 of the address.
// Precondition: EnableTags was called.
func Mismatch(addr, n uint64) (at uint64, found bool) {
	tag, plain := byte(addr>>TagShift&15), addr&(1<<TagShift-1)
	for a := plain; a < plain+n; a = a&^(Granule-1) + Granule {
		if pageTagged(a) && tagBytesAt(tagPlace(a), 1)[0] != tag {
			return a | addr&TagMask, true
		}
	}
	return 0, false
}

// What a mismatch may do to the thread, bits as prctl(PR_SET_TAGGED_ADDR_CTRL) has
// them. Of both the second counts, which the kernel prefers by default.
const (
	TagIgnore = 0
	TagSync   = 1 // the access faults
	TagAsync  = 2 // the thread gets a signal later
)

// NoTags is the State.TagExclude that excludes all tags but 0.
const NoTags = 0xffff

// CheckTags is the tag check of an access of n bytes, in all detail. It returns where
// the access faults, with bit 63 set for a write; 0: it does not.
func (s *State) CheckTags(addr, n uint64, write bool) (fault uint64) {
	if s.TagFaults == TagIgnore || s.Modes&ModeTCO != 0 {
		return 0
	}
	at, found := Mismatch(addr, n)
	switch {
	case !found:
		return 0
	case s.TagFaults&TagAsync != 0:
		s.TagFault = 1
		return 0
	case write:
		at |= 1 << 63
	}
	return at
}

// TagCheckFault is ESR_EL1 of a synchronous tag check fault.
func TagCheckFault(write bool) uint64 {
	const dfsc, mask = 0x11, 0x3f
	return DataAbort(0, write)&^mask | dfsc
}

// NextTag is ChooseNonExcludedTag of the Arm ARM: the tag offset steps behind tag
// among those not in the set exclude.
func NextTag(tag, offset, exclude uint64) uint64 {
	if exclude&0xffff == 0xffff {
		return 0
	}
	skip := func() {
		for exclude>>tag&1 != 0 {
			tag = (tag + 1) & 15
		}
	}
	tag &= 15
	if offset == 0 {
		skip()
	}
	for ; offset != 0; offset-- {
		tag = (tag + 1) & 15
		skip()
	}
	return tag
}

// RandomTag picks one of the tags that are not in the set exclude by a random number;
// 0 if all are.
func RandomTag(random, exclude uint64) uint64 {
	var tags [16]uint64
	n := uint64(0)
	for tag := range uint64(16) {
		if exclude>>tag&1 == 0 {
			tags[n] = tag
			n++
		}
	}
	if n == 0 {
		return 0
	}
	return tags[random%n]
}
