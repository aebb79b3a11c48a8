// Package fields converts between structs with the same fields in memory: those of the
// versions of Kubernetes' API, as Kubernetes converts them itself, and copies of them. It
// imports only the standard library, because k8s.io/api/core/v1 itself imports it when
// its functions are replaced.
package fields

import (
	"fmt"
	"unsafe"
)

// As returns a copy of the list as a list of other structs. It is never nil.
func As[To, From any](list []From) []To {
	if unsafe.Sizeof(*new(To)) != unsafe.Sizeof(*new(From)) {
		panic(fmt.Sprintf("%T and %T have different fields: Kubernetes has changed", *new(From), *new(To)))
	}
	return append([]To{}, *(*[]To)(unsafe.Pointer(&list))...)
}
