package admission

import "github.com/go-tolerate/tolerate/toleration"

// SetFew sets how many tolerations are compared one by one, and returns a function
// that restores the number.
func SetFew(n int) (undo func()) {
	old := few
	few = n
	return func() { few = old }
}

// These are the rules of a Plan, each alone.

func MemoryPressure(q QOS, pod ...toleration.List) toleration.List {
	return orNil(appendMemoryPressure(nil, q, pod...))
}

func ExtendedResources(names []string, pod ...toleration.List) toleration.List {
	return orNil(appendExtendedResources(nil, names, pod...))
}

func IsExtendedResource(name string) bool { return isExtendedResource(name) }
