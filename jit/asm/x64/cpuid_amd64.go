package x64

// cpuid executes CPUID.
//
//go:noescape
func cpuid(leaf, sub uint32) (a, b, c, d uint32)

// xgetbv returns the low half of XCR0; the CPU must have OSXSAVE.
//
//go:noescape
func xgetbv() uint32

// Detect returns the features of this CPU that the kernel has enabled.
func Detect() Features { return detect(cpuid, xgetbv) }
