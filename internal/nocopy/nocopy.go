// Package nocopy guards values that must not be copied after first use.
package nocopy

// A Guard is a field of a struct that must not be copied after first use. The
// copylocks check of go vet reports copies of the struct, and [Guard.Check]
// detects at run time the copies that vet cannot see, such as a map's value.
//
// The zero Guard is ready to use, and a copy of it may be used instead of it.
type Guard struct {
	_    lock
	self *Guard // the Guard itself from its first use on
}

// Check panics with a message that names what was copied if g is a copy of a
// Guard that was used before.
func (g *Guard) Check(what string) {
	if g.self != g {
		g.first(what)
	}
}

// first is separate from Check, so that Check is inlined.
func (g *Guard) first(what string) {
	if g.self != nil {
		panic(what + " was copied after first use")
	}
	g.self = g
}

// A lock has the methods by which vet recognizes values that must not be copied.
type lock struct{}

func (*lock) Lock()   {}
func (*lock) Unlock() {}
