//go:build !amd64

package x64

// Detect returns no features: the host is not an x86-64 CPU.
func Detect() Features { return 0 }
