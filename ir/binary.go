package ir

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// magic opens the binary form; its last byte is the version.
const magic = "emuir\x06"

// AppendBinary appends the binary form of f: the header, then PC, Size and the
// numbers of instructions and constants as varints, instructions (8 bytes each),
// types (1 byte each) and the constants behind the small ones (type, then Lo and
// for vectors Hi as varints). Use counts are not stored.
func (f *Func) AppendBinary(b []byte) ([]byte, error) {
	b = append(b, magic...)
	b = binary.AppendUvarint(b, f.PC)
	b = binary.AppendUvarint(b, uint64(f.Size))
	b = binary.AppendUvarint(b, uint64(len(f.Insts)))
	b = binary.AppendUvarint(b, uint64(len(f.Consts)-NumImm))
	for _, i := range f.Insts {
		b = binary.LittleEndian.AppendUint64(b, uint64(i))
	}
	for _, t := range f.Types {
		b = append(b, byte(t))
	}
	for _, c := range f.Consts[NumImm:] {
		b = append(b, byte(c.Type))
		b = binary.AppendUvarint(b, c.Lo)
		if c.Type.IsVec() {
			b = binary.AppendUvarint(b, c.Hi)
		}
	}
	return b, nil
}

// MarshalBinary is AppendBinary to an empty slice.
func (f *Func) MarshalBinary() ([]byte, error) { return f.AppendBinary(nil) }

var errTruncated = errors.New("ir: binary form ends early")

// UnmarshalBinary reads the binary form. Opcodes, types and operands of what it
// accepts are in range; whether the unit is valid is for Verify to say.
func (f *Func) UnmarshalBinary(b []byte) error {
	if len(b) < len(magic) || string(b[:len(magic)]) != magic {
		return errors.New("ir: not the binary form of this version")
	}
	b = b[len(magic):]
	var head [4]uint64 // PC, size, instructions, constants
	for k := range head {
		n, used := binary.Uvarint(b)
		if used <= 0 {
			return errTruncated
		}
		head[k], b = n, b[used:]
	}
	insts, consts := head[2], head[3]
	switch {
	case head[1] > 1<<32-1 || insts > srcMask>>1 || consts > srcMask>>1-NumImm:
		return errors.New("ir: binary form of a unit beyond the limits")
	case uint64(len(b)) < 9*insts:
		return errTruncated
	}
	f.Reset(head[0])
	f.Size = uint32(head[1])
	types := b[8*insts:]
	rest := types[insts:]
	if err := f.readConsts(rest, consts); err != nil {
		return err
	}
	for n := range int(insts) {
		i, t := Inst(binary.LittleEndian.Uint64(b[8*n:])), Type(types[n])
		if i.Op() >= NumOps || t >= NumTypes {
			return fmt.Errorf("ir: v%d: unknown opcode or type", n)
		}
		for k := range 3 {
			v := i.Arg(k)
			if v.IsSSA() && uint64(v) >= insts || v.IsConst() && v.Pool() >= len(f.Consts) {
				return fmt.Errorf("ir: v%d: operand %d is out of range", n, k+1)
			}
		}
		f.Insts, f.Types, f.Uses = append(f.Insts, i), append(f.Types, t), append(f.Uses, 0)
		if i.Op() == OpNop {
			f.nops++
		}
	}
	f.countUses()
	return nil
}

func (f *Func) readConsts(b []byte, n uint64) error {
	for range n {
		if len(b) == 0 {
			return errTruncated
		}
		c := Const{Type: Type(b[0])}
		if c.Type == Void || c.Type >= NumTypes {
			return errors.New("ir: constant of an unknown type")
		}
		b = b[1:]
		for k := range 2 {
			if k == 1 && !c.Type.IsVec() {
				break
			}
			x, used := binary.Uvarint(b)
			if used <= 0 {
				return errTruncated
			}
			b = b[used:]
			if k == 0 {
				c.Lo = x
			} else {
				c.Hi = x
			}
		}
		if !c.Type.IsVec() && c.Lo&^maskOf(c.Type) != 0 {
			return errors.New("ir: constant does not fit its type")
		}
		f.addConst(c)
	}
	if len(b) != 0 {
		return errors.New("ir: bytes after the binary form")
	}
	return nil
}

// countUses computes the use counts anew.
func (f *Func) countUses() {
	clear(f.Uses)
	for _, i := range f.Insts {
		for k := range 3 {
			f.use(i.Arg(k))
		}
	}
}
