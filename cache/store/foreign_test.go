package store

import "testing"

// What a process has written itself it need not look for; what others have it may.
func TestForeign(t *testing.T) {
	dir := t.TempDir()
	a, b := open(t, dir, testKey), open(t, dir, testKey)
	check := func(what string, s *Store, want bool) {
		t.Helper()
		if got := s.Foreign(); got != want {
			t.Errorf("%s: Foreign is %v", what, got)
		}
	}
	check("a new file", a, false)
	for n := range uint64(3) {
		a.Add(n, 0, []byte("a"), false)
		if err := a.Flush(); err != nil {
			t.Fatal(err)
		}
		check("its own records", a, false)
	}
	check("another's records", b, true)
	check("a file with records", open(t, dir, testKey), true)
	b.Add(7, 0, []byte("b"), true)
	if err := b.Flush(); err != nil {
		t.Fatal(err)
	}
	check("its own and another's records", a, true)
	if !a.Has(1) || !a.Has(7) || a.Has(5) {
		t.Error("Has does not tell what the file has")
	}
}

// Records of one batch that share a bucket or a pc are found, newest first.
func TestChainsOfABatch(t *testing.T) {
	s := open(t, t.TempDir(), testKey)
	const records = 4 * minBuckets
	for round := range 2 {
		for n := range uint64(records) {
			s.Add(n*4, 0, []byte{byte(round), byte(n), byte(n >> 8)}, true)
		}
	}
	if err := s.Flush(); err != nil {
		t.Fatal(err)
	}
	for n := range uint64(records) {
		var rounds []byte
		s.Find(n*4, func(r Record) bool {
			rounds = append(rounds, r.Data[0])
			if r.Data[1] != byte(n) || r.Data[2] != byte(n>>8) || s.First(r) != (len(rounds) == 1) {
				t.Errorf("pc %#x, record %d: %v", n*4, len(rounds), r.Data)
			}
			return true
		})
		if string(rounds) != "\x01\x00" {
			t.Fatalf("pc %#x: rounds %v", n*4, rounds)
		}
	}
}
