//go:build deps

package ocm

// Only testdata imports them, and go mod tidy must keep them.
import (
	_ "github.com/go-tolerate/tolerate/bench/peers/peer"
	_ "open-cluster-management.io/ocm/pkg/placement/controllers"
)
