package profile

import "encoding/binary"

// message is an encoded protocol buffer message.
// https://protobuf.dev/programming-guides/encoding
type message []byte

// Wire types.
const (
	wireVarint = 0
	wireBytes  = 2
)

func (m *message) tag(field, wire uint64) { *m = binary.AppendUvarint(*m, field<<3|wire) }

// int appends an integer field; zero is what is left out.
func (m *message) int(field uint64, v int64) {
	if v != 0 {
		m.tag(field, wireVarint)
		*m = binary.AppendUvarint(*m, uint64(v))
	}
}

// bytes appends a field of bytes or text, empty ones too.
func (m *message) bytes(field uint64, b []byte) {
	m.tag(field, wireBytes)
	*m = binary.AppendUvarint(*m, uint64(len(b)))
	*m = append(*m, b...)
}

// sub appends a message as a field.
func (m *message) sub(field uint64, s message) { m.bytes(field, s) }

// packed appends a field of repeated integers.
func (m *message) packed(field uint64, list []uint64) {
	var b []byte
	for _, v := range list {
		b = binary.AppendUvarint(b, v)
	}
	m.bytes(field, b)
}
