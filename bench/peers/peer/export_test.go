package peer

var (
	Failed  = failed
	Missing = missing
)

func (r *Report) Store(folder string) error { return r.store(folder) }
