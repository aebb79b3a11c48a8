//go:build k134 || k135

package recording

// deviceKinds are none: device taints are on by default from 1.36.
var deviceKinds []kind
