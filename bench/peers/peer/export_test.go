package peer

import "github.com/go-tolerate/tolerate/bench/overlay"

var (
	Failed  = failed
	Missing = missing
)

func (r *Report) Store(folder string) error { return r.store(folder) }

func (r *Report) Add(before, after *overlay.Result) { r.add(before, after) }
