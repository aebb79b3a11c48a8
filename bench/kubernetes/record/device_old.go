//go:build k134 || k135

package main

// Device taints are on by default from 1.36.
func addDevices(*recording) {}
