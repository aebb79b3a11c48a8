// Package upstream runs the parts of Kubernetes that evaluate taints over time: the
// controllers that add taints and evict, the admission plugins, kubectl's edits,
// the kubelet; and functions whose parameters differ between versions. The conformance
// tests, the benchmarks and the recorder call it.
//
// It reaches unexported functions of Kubernetes by go:linkname, and fields by
// their names; after a release that renames one, the build or the first test
// fails. It contains no code of Kubernetes, and decides nothing itself.
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

// quiet is a context whose logger writes nothing. Kubernetes' code logs what it
// does, and each taint whose value is not a number.
var quiet = klog.NewContext(context.Background(), discard)

// field returns a pointer to an unexported field of *holder.
func field[T any](holder any, name string) *T {
	v := reflect.ValueOf(holder).Elem().FieldByName(name)
	if !v.IsValid() || v.Type() != reflect.TypeFor[T]() {
		panic(fmt.Sprintf("%T has no field %s of type %v: Kubernetes has changed", holder, name, reflect.TypeFor[T]()))
	}
	return (*T)(unsafe.Pointer(v.UnsafeAddr()))
}

// shutDown shuts down a work queue, whose type may be unexported.
func shutDown(holder any, name string) {
	v := reflect.ValueOf(holder).Elem().FieldByName(name)
	reflect.NewAt(v.Type(), unsafe.Pointer(v.UnsafeAddr())).Elem().Interface().(interface{ ShutDown() }).ShutDown()
}

const (
	nodeName     = "node"
	podName      = "pod"
	podNamespace = "default"
)

func must(err error) {
	if err != nil {
		panic(err)
	}
}
