package match

// LongestBucket returns how many tolerations are compared with a taint at most, twice.
func (m *Matcher) LongestBucket() (n int) {
	for _, b := range m.buckets {
		n = max(n, len(b))
	}
	return n
}
