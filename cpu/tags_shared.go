package cpu

import "golang.org/x/sys/unix"

// Tags of shared memory belong to the memory, not to the mapping: all mappings of a page
// have the same, in the process and in those that it forks. They lie in memory of
// their own, which children share, a byte for each granule. Where a page shows part of such
// an object its mark is sharedMark, its bytes among the tags of the address space are
// unequalTag, so that every check of generated code fails and leaves for CheckTags, and a
// third table, eight bytes for each page, says where its tags are. Accesses that are
// checked cost a look from Go there, some ten microseconds.
//
// Processes that are no relatives, or forked before the first of them mapped the file,
// each have tags of their own for it.
const (
	sharedMark = pageMark | 2
	unequalTag = 0xff // no logical tag

	StoreBase  = PageBase + 1<<addressBits/PageSize // of the places of tags: StoreBase + address / PageSize * 8
	storeBytes = 1 << addressBits / PageSize * 8

	tagsPerPage = PageSize / Granule
)

// tagStore is the memory of the tags of an object.
type tagStore struct {
	base, size uint64
}

// Object names memory that several mappings may show: a file, or a segment of System V.
type Object struct{ Dev, Ino uint64 }

// fileTags is the size of the tags of a file, whose length may change: those of its
// first 64 GiB. It takes address space only.
const fileTags = 64 << 30 / Granule

// mostStores is how many objects may have tags that no mapping shows any more.
const mostStores = 64

// newStore maps the memory of tags; nil if there is none.
func newStore(size uint64) *tagStore {
	const flags = unix.MAP_SHARED | unix.MAP_ANONYMOUS | unix.MAP_NORESERVE
	base, errno := hostMmap(0, size, unix.PROT_READ|unix.PROT_WRITE, flags, -1, 0)
	if errno != 0 {
		return nil
	}
	hostMadvise(base, size, unix.MADV_DONTDUMP)
	return &tagStore{base, size}
}

// store gives a region that is about to be mapped the tags of what it shows, if they are
// shared. The lock is held.
func (m *Memory) store(r *Region, size uint64) {
	switch {
	case !m.tags || r.Flags&mapTypeMask == unix.MAP_PRIVATE || !r.Taggable():
	case r.Flags&unix.MAP_ANONYMOUS != 0:
		r.tags, r.tagsAt = newStore(pageUp(size)/Granule), 0
	default:
		r.tags, r.tagsAt = m.objectStore(Object{r.Dev, r.Ino}), r.Offset/Granule
	}
}

// objectStore is where the tags of an object are. The lock is held.
func (m *Memory) objectStore(o Object) *tagStore {
	if s := m.stores[o]; s != nil {
		return s
	}
	if len(m.stores) >= mostStores {
		m.dropStores()
	}
	s := newStore(fileTags)
	if s == nil {
		return nil
	}
	if m.stores == nil {
		m.stores = make(map[Object]*tagStore)
	}
	m.stores[o] = s
	return s
}

// dropStores forgets the tags of objects that no mapping shows.
func (m *Memory) dropStores() {
	shown := make(map[*tagStore]bool)
	for r := range m.regions.all() {
		shown[r.tags] = true
	}
	for o, s := range m.stores {
		if !shown[s] {
			hostMunmap(s.base, s.size)
			delete(m.stores, o)
		}
	}
}

// ShareTags says that the anonymous shared mapping at addr shows an object from its
// start.
func (m *Memory) ShareTags(addr uint64, o Object) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.regions.at(m.regions.first(addr))
	if r == nil || r.Start != addr || r.tags == nil {
		return
	}
	m.releaseStore(r.tags)
	r.tags, r.tagsAt = m.objectStore(o), 0
	m.addTags(r)
}

// releaseStore unmaps the tags of anonymous memory that no mapping shows any more. The
// lock is held.
func (m *Memory) releaseStore(s *tagStore) {
	if s != nil && s.size != fileTags {
		hostMunmap(s.base, s.size)
	}
}

// releaseStores is releaseStore for what [start, end) shows and nothing else does. The
// regions are still those from before, the lock is held.
func (m *Memory) releaseStores(start, end uint64) {
	if !m.tags {
		return
	}
	for r := range m.regions.within(start, end) {
		s := r.tags
		if s == nil || s.size == fileTags {
			continue
		}
		used := false
		for o := range m.regions.all() {
			used = used || o.tags == s && (o.Start < start || o.End > end)
		}
		if !used {
			hostMunmap(s.base, s.size)
			r.tags = nil
		}
	}
}

// shareMarks makes the pages of a region show the tags of its object, as far as that
// has some. The lock is held.
func (m *Memory) shareMarks(r *Region) {
	for page, at := r.Start, r.tagsAt; page < r.End; page, at = page+PageSize, at+tagsPerPage {
		mark := byte(pageMark)
		if at+tagsPerPage <= r.tags.size {
			mark = sharedMark
			putWord(StoreBase+page/PageSize*8, r.tags.base+at)
			own := TagBase + page/Granule
			m.uncover(own &^ (PageSize - 1))
			fillBytes(tagBytesAt(own, tagsPerPage), unequalTag)
		}
		tagBytesAt(PageBase+page/PageSize, 1)[0] = mark
	}
}

// tagPlace is the address of the byte with the tag of an address's granule. The page has
// tags.
func tagPlace(addr uint64) uint64 {
	if tagBytesAt(PageBase+addr/PageSize, 1)[0] != sharedMark {
		return TagBase + addr/Granule
	}
	return word(StoreBase+addr/PageSize*8) + addr%PageSize/Granule
}

// SharedTags reports whether a page with a mark in the table at PageBase has its tags
// where the table at StoreBase says.
func SharedTags(mark byte) bool { return mark == sharedMark }

// clearShared zeroes the tags that shared mappings in [start, end) show: their memory has
// lost its contents.
func (m *Memory) clearShared(start, end uint64) {
	for page := start; page < end; page += PageSize {
		if tagBytesAt(PageBase+page/PageSize, 1)[0] == sharedMark {
			clear(tagBytesAt(tagPlace(page), tagsPerPage))
		}
	}
}

func fillBytes(b []byte, x byte) {
	for i := range b {
		b[i] = x
	}
}
