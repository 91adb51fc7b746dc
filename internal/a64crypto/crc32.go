package a64crypto

// Remainders of the 16 possible low nibbles, bit-reflected.
type crcTable [16]uint32

var (
	crcIEEE = crcTable{ // polynomial 0x04c11db7
		0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4, 0x4db26158, 0x5005713c,
		0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c, 0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c,
	}
	crcCastagnoli = crcTable{ // polynomial 0x1edc6f41
		0x00000000, 0x105ec76f, 0x20bd8ede, 0x30e349b1, 0x417b1dbc, 0x5125dad3, 0x61c69362, 0x7198540d,
		0x82f63b78, 0x92a8fc17, 0xa24bb5a6, 0xb21572c9, 0xc38d26c4, 0xd3d3e1ab, 0xe330a81a, 0xf36e6f75,
	}
)

// CRC32 folds the low size bytes (1, 2, 4 or 8) of x into the checksum acc:
// CRC32B, CRC32H, CRC32W, CRC32X. No inversion before or after.
func CRC32(acc uint32, x uint64, size int) uint32 { return crcIEEE.update(acc, x, size) }

// CRC32C is CRC32 with the Castagnoli polynomial: CRC32CB to CRC32CX.
func CRC32C(acc uint32, x uint64, size int) uint32 { return crcCastagnoli.update(acc, x, size) }

func (t *crcTable) update(acc uint32, x uint64, size int) uint32 {
	for range 2 * size {
		acc = acc>>4 ^ t[(acc^uint32(x))&15]
		x >>= 4
	}
	return acc
}
