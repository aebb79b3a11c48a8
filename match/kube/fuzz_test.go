package kube_test

import (
	"testing"

	"github.com/go-tolerate/tolerate/internal/tests/gen"
)

// FuzzTaints compares Taints with what the structs' JSON reads as.
func FuzzTaints(f *testing.F) { gen.Fuzz(f, taintsProperty) }

// FuzzTolerations is FuzzTaints for tolerations.
func FuzzTolerations(f *testing.F) { gen.Fuzz(f, tolerationsProperty) }
