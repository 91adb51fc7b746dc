package cpu

import "golang.org/x/sys/unix"

// Limits are the resource limits, in bytes, that Memory enforces itself because the host
// process cannot have them. Zero means unlimited.
type Limits struct {
	Break        uint64 // RLIMIT_DATA of the program break
	Data         uint64 // RLIMIT_DATA of all private memory that may be written, but for stacks
	AddressSpace uint64
}

// SetLimits changes the limits of later requests.
func (m *Memory) SetLimits(l Limits) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.limits = l
}

// IsData reports whether r counts for Limits.Data.
func (r *Region) IsData() bool { return isData(r.Prot, r.Flags) }

// isData is is_data_mapping of the kernel.
func isData(prot, flags int) bool {
	return prot&unix.PROT_WRITE != 0 && flags&mapTypeMask == unix.MAP_PRIVATE && flags&unix.MAP_GROWSDOWN == 0
}

// overLimit reports whether the guest cannot have grow more bytes of some memory
// (may_expand_vm of the kernel). What it replaces makes room for it. The lock is held.
func (m *Memory) overLimit(grow uint64, prot, flags int, replaced span) bool {
	return m.limits.AddressSpace != 0 && m.used(anyRegion, replaced)+grow > m.limits.AddressSpace ||
		m.overData(grow, prot, flags, replaced)
}

// overData is overLimit for Limits.Data only.
func (m *Memory) overData(grow uint64, prot, flags int, replaced span) bool {
	return m.limits.Data != 0 && isData(prot, flags) &&
		m.used((*Region).IsData, replaced)+grow > m.limits.Data
}

func anyRegion(*Region) bool { return true }

// used is how many bytes of some regions there are besides what is replaced.
func (m *Memory) used(counts func(*Region) bool, replaced span) (sum uint64) {
	for r := range m.regions.all() {
		if counts(r) {
			sum += r.End - r.Start
			if low, high := max(replaced.start, r.Start), min(replaced.end, r.End); low < high {
				sum -= high - low
			}
		}
	}
	return sum
}
