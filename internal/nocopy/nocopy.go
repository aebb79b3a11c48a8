// Package nocopy marks types that must not be copied.
package nocopy

// NoCopy is the type of a field _ of such a type: the copylocks check of go vet reports
// its copies.
type NoCopy struct{}

func (*NoCopy) Lock()   {}
func (*NoCopy) Unlock() {}
