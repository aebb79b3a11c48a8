//go:build k134 || k135

package main

import "github.com/go-tolerate/tolerate/internal/tests/recorded"

// Device taints are on by default from 1.36.

func matchedDevice(recorded.DeviceMatch) any { return nil }

func validatedDevice(recorded.DeviceValidate) any { return nil }

func allocatedDevice(recorded.DeviceAllocate) any { return nil }

func evictedDevice(recorded.DeviceEvict) any { return nil }
