package plain

import "slices"

// A Pacer is a queue that releases its first id at most once in each interval (T6). It
// is a list, and the time at which its bucket was emptied. Times are in seconds.
type Pacer struct {
	Interval int // 0 releases nothing
	IDs      []int
	Empty    bool // the bucket was emptied, at Mark
	Mark     int
}

// Token reports whether the bucket is full.
func (p *Pacer) Token(now int) bool {
	return p.Interval > 0 && (!p.Empty || now-p.Mark >= p.Interval)
}

// SetInterval sets another interval.
func (p *Pacer) SetInterval(now, interval int) {
	if interval == p.Interval {
		return
	}
	p.Empty, p.Mark = !p.Token(now), now
	p.Interval = interval
}

// Add appends the id unless it is queued.
func (p *Pacer) Add(id int) bool {
	if slices.Contains(p.IDs, id) {
		return false
	}
	p.IDs = append(p.IDs, id)
	return true
}

// Remove removes the id.
func (p *Pacer) Remove(id int) bool {
	i := slices.Index(p.IDs, id)
	if i >= 0 {
		p.IDs = slices.Delete(p.IDs, i, i+1)
	}
	return i >= 0
}

// Take removes the first id if the bucket is full, and empties the bucket.
func (p *Pacer) Take(now int) (int, bool) {
	if len(p.IDs) == 0 || !p.Token(now) {
		return 0, false
	}
	id := p.IDs[0]
	p.IDs = p.IDs[1:]
	p.Empty, p.Mark = true, now
	return id, true
}

// Rate returns the rate that has the interval.
func Rate(interval int) float64 {
	if interval == 0 {
		return 0
	}
	return 1 / float64(interval)
}
