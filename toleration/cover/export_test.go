package cover

// SetMaxScan sets how many tolerations are compared by scanning, and returns a function
// that restores the number.
func SetMaxScan(n int) (undo func()) {
	old := maxScan
	maxScan = n
	return func() { maxScan = old }
}
