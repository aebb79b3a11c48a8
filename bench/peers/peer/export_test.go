package peer

var (
	Fastest = fastest
	Missing = missing
)

func (p Peer) Added(dir string) (int, error) { return p.added(dir) }

func (r *Report) Store(folder string) error { return r.store(folder) }
