package gdbserver

import (
	"bufio"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
)

// interrupt is the byte that gdb sends outside of packets to stop the program. As a
// packet's content it stands for itself: no packet holds only that.
const interrupt = "\x03"

// maxPacket is the size of the packets that gdb may send, PacketSize.
const maxPacket = 1 << 16

// conn carries packets: $content#checksum, acknowledged with + or - until
// QStartNoAckMode.
type conn struct {
	rw    io.ReadWriter
	r     *bufio.Reader
	mu    sync.Mutex // of what is written
	noAck atomic.Bool
}

func newConn(rw io.ReadWriter) *conn { return &conn{rw: rw, r: bufio.NewReader(rw)} }

// read returns the next packet's content, unescaped, or interrupt. Packets with a
// wrong checksum are asked for again.
func (c *conn) read() (string, error) {
	for {
		b, err := c.r.ReadByte()
		switch {
		case err != nil:
			return "", err
		case b == interrupt[0]:
			return interrupt, nil
		case b != '$':
			continue // acknowledgements; TCP loses nothing
		}
		content, ok, err := c.content()
		if err != nil {
			return "", err
		}
		if c.noAck.Load() {
			return content, nil
		}
		answer := "+"
		if !ok {
			answer = "-"
		}
		if err := c.send(answer); err != nil {
			return "", err
		}
		if ok {
			return content, nil
		}
	}
}

// content reads what follows '$', and whether the checksum is right.
func (c *conn) content() (string, bool, error) {
	var out []byte
	sum := byte(0)
	for escaped := false; ; {
		b, err := c.r.ReadByte()
		if err != nil {
			return "", false, err
		}
		if b == '#' {
			break
		}
		sum += b
		switch {
		case escaped:
			out, escaped = append(out, b^escapeBit), false
		case b == escape:
			escaped = true
		default:
			out = append(out, b)
		}
		if len(out) > 2*maxPacket {
			return "", false, fmt.Errorf("a packet of more than %d bytes", 2*maxPacket)
		}
	}
	var digits [2]byte
	if _, err := io.ReadFull(c.r, digits[:]); err != nil {
		return "", false, err
	}
	return string(out), string(digits[:]) == fmt.Sprintf("%02x", sum), nil
}

// Binary data: '}' and then the byte with this bit changed.
const (
	escape    = '}'
	escapeBit = 0x20
)

// escaped prepares binary data for a packet.
func escaped(data []byte) []byte {
	out := make([]byte, 0, len(data)+len(data)/8)
	for _, b := range data {
		switch b {
		case '$', '#', '*', escape:
			out = append(out, escape, b^escapeBit)
		default:
			out = append(out, b)
		}
	}
	return out
}

// write sends a packet; content is escaped where it has to be.
func (c *conn) write(content []byte) error {
	sum := byte(0)
	for _, b := range content {
		sum += b
	}
	return c.send(fmt.Sprintf("$%s#%02x", content, sum))
}

func (c *conn) send(s string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, err := io.WriteString(c.rw, s)
	return err
}
