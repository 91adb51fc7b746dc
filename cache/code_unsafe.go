package cache

// Code returns b's host code as it is in memory now.
func (b *Block) Code() []byte { return bytes(b.Addr, int(b.Len)) }
