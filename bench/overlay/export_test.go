package overlay

var Rewrite = rewrite

// Judge returns the judgment of these events.
func Judge(calls int, listed map[string]string, events ...[3]string) (*Result, []error) {
	r := newResult()
	for _, e := range events {
		r.add(event{Action: e[0], Test: e[1], Output: e[2]})
	}
	if calls > 0 {
		r.Calls["F"] = calls
	}
	return r, r.judge("p", listed)
}
