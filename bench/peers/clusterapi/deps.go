//go:build deps

package clusterapi

// Only testdata imports them, and go mod tidy must keep them.
import (
	_ "github.com/go-tolerate/tolerate/bench/peers/peer"
	_ "sigs.k8s.io/cluster-api/core/reconcilers/machine"
)
