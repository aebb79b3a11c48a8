//go:build k134 || k135 || k136

package recording

// deviceFiles are the recordings about devices. Their taints are stable since 1.37.
var deviceFiles []File
