package overlay

import "github.com/go-tolerate/tolerate/bench/overlay/hook"

var Rewrite = rewrite

// Judge returns the judgment of these events.
func Judge(called bool, listed map[string]string, events ...[3]string) (*Result, []error) {
	r := newResult()
	for _, e := range events {
		r.add(event{Action: e[0], Test: e[1], Output: e[2]})
	}
	if called {
		r.add(event{Action: "output", Output: hook.Mark + "F\n"})
	}
	return r, r.judge("p", listed)
}
