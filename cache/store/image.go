package store

import (
	"encoding/binary"
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// An image is what somebody has made of the records up to some place, in another file beside the
// store's, as sections of bytes that only their maker understands. It is written whole and then
// given its name, so that a reader has one of the images that there were, or none.
//
// The file is a header page, then the sections, each on a multiple of 16 bytes. The header
// has the magic, the key and the time of birth of the store, the place up to which records are in, and the
// lengths of the sections.
const (
	imageMagic   = "emuimag2"
	imageEnd     = 56 // of the header's field with the place
	imageLengths = 64 // of its fields with the lengths
	maxSections  = 16
	imageSuffix  = ".image"
)

// imageFile says which file an image is, and where its sections are. It is mapped: no other file gets its number.
type imageFile struct {
	dev, ino uint64
	data     []byte
	sections []struct{ at, len int64 }
}

func (f *imageFile) is(st *unix.Stat_t) bool { return st.Dev == f.dev && st.Ino == f.ino }

// Image returns the sections of the newest image and the end of the records that are in it, nil and Start
// if there is none of this store. They stay mapped.
func (s *Store) Image() (sections [][]byte, covered int64) {
	data, file := s.mapImage()
	if data == nil {
		return nil, s.Start()
	}
	if sections, covered = s.sections(data); sections == nil {
		unix.Munmap(data)
		return nil, covered
	}
	s.image, s.image.data = file, data
	for k, at := range sectionsAt(data) {
		s.image.sections = append(s.image.sections, struct{ at, len int64 }{at, int64(len(sections[k]))})
	}
	return sections, covered
}

// ImageEnd is what Image returns besides the sections.
func (s *Store) ImageEnd() int64 {
	data, _ := s.mapImage()
	if data == nil {
		return s.Start()
	}
	defer unix.Munmap(data)
	_, covered := s.sections(data)
	return covered
}

// ImageIsNewest reports whether no other process has made an image since Image returned one.
func (s *Store) ImageIsNewest() bool {
	var st unix.Stat_t
	return unix.Lstat(s.path+imageSuffix, &st) == nil && s.image.is(&st)
}

// ChangeImage calls change with a section of the image that Image has returned, to be changed. Others may change it as well, and
// see what is.
func (s *Store) ChangeImage(section int, change func([]byte)) error {
	s.noFork.Lock()
	defer s.noFork.Unlock()
	fd, err := openFile(s.path+imageSuffix, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return err
	}
	if !s.image.is(&st) || section >= len(s.image.sections) {
		return errors.New("another image")
	}
	at, n := s.image.sections[section].at, s.image.sections[section].len
	if n == 0 || at+n > st.Size {
		return errors.New("damaged")
	}
	skip := at % headerSize
	data, err := unix.Mmap(fd, at-skip, int(skip+n), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return err
	}
	change(data[skip:])
	return unix.Munmap(data)
}

// mapImage maps the file of the newest image, if there is one.
func (s *Store) mapImage() (data []byte, file imageFile) {
	fd, err := unix.Open(s.path+imageSuffix, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, file
	}
	defer unix.Close(fd)
	var st unix.Stat_t
	if unix.Fstat(fd, &st) != nil || !private(&st, unix.S_IFREG) || st.Size < headerSize || st.Size > maxSize {
		return nil, file
	}
	if data, err = unix.Mmap(fd, 0, int(st.Size), unix.PROT_READ, unix.MAP_SHARED); err != nil {
		return nil, file
	}
	inUse(s.path+imageSuffix, &st)
	return data, imageFile{dev: st.Dev, ino: st.Ino}
}

func (s *Store) sections(data []byte) (list [][]byte, covered int64) {
	covered = int64(binary.LittleEndian.Uint64(data[imageEnd:]))
	if string(data[:len(imageMagic)]) != imageMagic || string(data[keyOffset:imageEnd]) != string(s.data[keyOffset:imageEnd]) ||
		covered < s.Start() || covered > s.End() {
		return nil, s.Start()
	}
	for k, at := range sectionsAt(data) {
		n := binary.LittleEndian.Uint64(data[imageLengths+8*k:])
		if n > uint64(int64(len(data))-at) {
			return nil, s.Start()
		}
		list = append(list, data[at:at+int64(n):at+int64(n)])
	}
	return list, covered
}

// sectionsAt is where the sections of an image begin.
func sectionsAt(data []byte) (list [maxSections]int64) {
	at := uint64(headerSize)
	for k := range list {
		list[k] = int64(at)
		n := min(binary.LittleEndian.Uint64(data[imageLengths+8*k:]), uint64(len(data)))
		at = min((at+n+15)&^15, uint64(len(data)))
	}
	return list
}

var errBusy = errors.New("another process is writing an image")

// WriteImage makes sections the store's image, which has the records up to covered. make gives them; it
// is not called if another process is at it.
func (s *Store) WriteImage(covered int64, make func() [][]byte) error {
	temp := s.path + imageSuffix + ".new"
	fd, err := openFile(temp, unix.O_CREAT)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	if err := unix.Flock(fd, unix.LOCK_EX|unix.LOCK_NB); err != nil {
		return errBusy
	}
	var st, now unix.Stat_t
	if unix.Fstat(fd, &st) != nil || unix.Lstat(temp, &now) != nil || st.Ino != now.Ino || st.Dev != now.Dev {
		return errBusy // which has just given it its name
	}
	err = s.writeImage(fd, covered, make())
	if err == nil {
		err = os.Rename(temp, s.path+imageSuffix)
	}
	if err != nil {
		os.Remove(temp)
	}
	return err
}

func (s *Store) writeImage(fd int, covered int64, sections [][]byte) error {
	if len(sections) == 0 || len(sections) > maxSections {
		return errors.New("nothing to write")
	}
	var head [headerSize]byte
	copy(head[:], imageMagic)
	copy(head[keyOffset:], s.data[keyOffset:imageEnd])
	binary.LittleEndian.PutUint64(head[imageEnd:], uint64(covered))
	size := int64(headerSize)
	for k, b := range sections {
		binary.LittleEndian.PutUint64(head[imageLengths+8*k:], uint64(len(b)))
		size = (size + int64(len(b)) + 15) &^ 15
	}
	if size > maxSize {
		return unix.ENOSPC
	}
	if err := roomFor(fd, size); err != nil {
		return err
	}
	if err := allowed(size); err != nil {
		return err
	}
	if err := unix.Ftruncate(fd, 0); err != nil { // one that died has left something
		return err
	}
	if err := writeAt(fd, head[:], 0); err != nil {
		return err
	}
	at := int64(headerSize)
	for _, b := range sections {
		if err := writeAt(fd, b, at); err != nil {
			return err
		}
		at = (at + int64(len(b)) + 15) &^ 15
	}
	return nil
}
