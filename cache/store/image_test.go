package store

import (
	"bytes"
	"os"
	"testing"
)

// TestImage writes images: the newest one is there for those that open its store, and no other one.
func TestImage(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, testKey)
	if sections, end := s.Image(); sections != nil || end != s.Start() || s.ImageEnd() != s.Start() {
		t.Errorf("a new store has an image: %v up to %d", sections, end)
	}
	s.Add(4, 0, []byte("record"), false)
	if err := s.Flush(); err != nil {
		t.Fatal(err)
	}
	for _, want := range [][][]byte{{[]byte("one"), nil, []byte("three")}, {bytes.Repeat([]byte("x"), 10000)}} {
		if err := s.WriteImage(s.End(), func() [][]byte { return want }); err != nil {
			t.Fatal(err)
		}
		again := open(t, dir, testKey)
		sections, end := again.Image()
		if end != s.End() || again.ImageEnd() != end {
			t.Errorf("an image up to %d, want %d", end, s.End())
		}
		for k := range sections {
			if k < len(want) && !bytes.Equal(sections[k], want[k]) || k >= len(want) && len(sections[k]) != 0 {
				t.Errorf("section %d: %d bytes", k, len(sections[k]))
			}
		}
	}
	if err := s.WriteImage(s.End(), func() [][]byte { return nil }); err == nil {
		t.Error("an image of nothing was written")
	}
	if s.ImageIsNewest() {
		t.Error("an image that was not read is the newest")
	}
	path := s.path + imageSuffix
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	rejected := func(what string, data []byte) {
		t.Helper()
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		if sections, end := s.Image(); sections != nil || end != s.Start() {
			t.Errorf("%s was taken", what)
		}
	}
	for _, n := range []int{0, 100, headerSize, len(whole) - 1} {
		rejected("a part of an image", whole[:n])
	}
	for _, at := range []int{0, keyOffset, bornOffset, imageEnd, imageEnd + 6, imageLengths + 5} {
		data := bytes.Clone(whole)
		data[at] ^= 0x81
		rejected("a damaged image", data)
	}
	if err := os.WriteFile(path, whole, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0o622); err != nil {
		t.Fatal(err)
	}
	if sections, _ := s.Image(); sections != nil {
		t.Error("an image that others may write was taken")
	}
	// A store that was made anew has other records at the places that the image names.
	if err := os.Chmod(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(s.path); err != nil {
		t.Fatal(err)
	}
	if sections, _ := open(t, dir, testKey).Image(); sections != nil {
		t.Error("the image of a store that is gone was taken")
	}
}

// TestChangeImage changes a section of an image, which those see that have it, until there is another one.
func TestChangeImage(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, testKey)
	write := func() {
		t.Helper()
		sections := [][]byte{bytes.Repeat([]byte("a"), 5000), []byte("change me"), nil}
		if err := s.WriteImage(s.End(), func() [][]byte { return sections }); err != nil {
			t.Fatal(err)
		}
	}
	write()
	other := open(t, dir, testKey)
	seen, _ := other.Image()
	if err := s.ChangeImage(1, func([]byte) {}); err == nil {
		t.Error("a section of an image was changed that was not read")
	}
	s.Image()
	if err := s.ChangeImage(1, func(b []byte) { copy(b, "CH") }); err != nil {
		t.Fatal(err)
	}
	if string(seen[1]) != "CHange me" || string(seen[0]) != string(bytes.Repeat([]byte("a"), 5000)) {
		t.Errorf("after a change: %q", seen[1])
	}
	if !s.ImageIsNewest() || s.ChangeImage(2, func([]byte) {}) == nil || s.ChangeImage(maxSections, func([]byte) {}) == nil {
		t.Error("an empty section, or none, was changed")
	}
	write()
	if s.ImageIsNewest() || s.ChangeImage(1, func([]byte) {}) == nil {
		t.Error("the image is another one, and was changed")
	}
}
