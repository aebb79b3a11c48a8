package cover

// SetMaxScan sets how many tolerations are compared by scanning, and returns what
// undoes it.
func SetMaxScan(n int) (undo func()) {
	old := maxScan
	maxScan = n
	return func() { maxScan = old }
}
