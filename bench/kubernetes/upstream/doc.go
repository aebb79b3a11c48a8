// Package upstream drives the parts of Kubernetes that decide about the life of
// a taint: the controllers that add taints and evict, the admission plugins,
// kubectl's edits, the kubelet. The conformance tests and the benchmarks call them.
//
// What Kubernetes keeps to itself is reached by go:linkname, and fields by
// their names; a release that renames one stops the build or the first test. No
// code of Kubernetes is kept here, and nothing in here decides anything.
package upstream

import (
	"context"
	"fmt"
	"reflect"
	"unsafe"

	"github.com/go-logr/logr"
	"k8s.io/klog/v2"
)

// discard is a logger that writes nothing.
var discard = logr.Discard()

// quiet is a context whose logger writes nothing: Kubernetes' code logs what it
// does, and each taint whose value is no number.
var quiet = klog.NewContext(context.Background(), discard)

// field returns a pointer to a field that the package of *holder keeps to itself.
func field[T any](holder any, name string) *T {
	v := reflect.ValueOf(holder).Elem().FieldByName(name)
	if !v.IsValid() || v.Type() != reflect.TypeFor[T]() {
		panic(fmt.Sprintf("%T has no field %s of type %v: Kubernetes has changed", holder, name, reflect.TypeFor[T]()))
	}
	return (*T)(unsafe.Pointer(v.UnsafeAddr()))
}

// shutDown shuts down a work queue, whose type may be of what the package of
// *holder keeps to itself.
func shutDown(holder any, name string) {
	v := reflect.ValueOf(holder).Elem().FieldByName(name)
	reflect.NewAt(v.Type(), unsafe.Pointer(v.UnsafeAddr())).Elem().Interface().(interface{ ShutDown() }).ShutDown()
}
