// Package memory measures the heap, for tests and benchmarks of the size of values.
package memory

import "runtime"

// InUse returns the size of the heap after a collection, in bytes.
func InUse() int64 {
	runtime.GC()
	runtime.GC() // finalizers, weak pointers and interned strings need two
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
