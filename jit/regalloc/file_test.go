package regalloc

import (
	"testing"

	"emu/ir"
)

func TestFilePicksInOrder(t *testing.T) {
	f := NewFile([]uint8{3, 1, 2})
	for i, want := range []uint8{3, 1, 2} {
		r, ok := f.Pick(0)
		if !ok || r != want {
			t.Fatalf("pick %d: r%d %v, want r%d", i, r, ok, want)
		}
		f.Bind(r, ir.Value(10+i))
	}
	if r, ok := f.Pick(0); ok {
		t.Fatalf("picked r%d from a full file", r)
	}
	if f.Owner(1) != 11 {
		t.Errorf("owner of r1 is %v", f.Owner(1))
	}
	f.Free(1)
	if f.Owner(1) != ir.None {
		t.Error("a freed register has an owner")
	}
	if _, ok := f.Pick(1 << 1); ok {
		t.Error("picked a register to avoid")
	}
	f.Lock(1)
	if _, ok := f.Pick(0); ok {
		t.Error("picked a locked register")
	}
	f.UnlockAll()
	if r, ok := f.Pick(0); !ok || r != 1 {
		t.Error("an unlocked free register was not picked")
	}
}

func TestFileVictim(t *testing.T) {
	f := NewFile([]uint8{0, 1, 2, 3})
	for r := range uint8(4) {
		f.Bind(r, ir.Value(r))
	}
	f.Touch(0)
	none := new([MaxRegs]uint16)
	if r, _ := f.Victim(0, none); r != 1 {
		t.Errorf("victim r%d, want the least recently used r1", r)
	}
	f.Lock(1)
	if r, _ := f.Victim(0, none); r != 2 {
		t.Errorf("victim r%d, want r2: r1 is locked", r)
	}
	if r, _ := f.Victim(0, &[MaxRegs]uint16{0: 7, 2: 6}); r != 0 {
		t.Errorf("victim r%d, want r0, which is needed last", r)
	}
	for r := range uint8(4) {
		f.Lock(r)
	}
	if r, ok := f.Victim(0, none); ok {
		t.Errorf("victim r%d although all are locked", r)
	}
}
