//go:build deps

package nfd

// Only testdata imports them, and go mod tidy must keep them.
import (
	_ "github.com/go-tolerate/tolerate/bench/peers/peer"
	_ "github.com/go-tolerate/tolerate/match/kube"
	_ "sigs.k8s.io/node-feature-discovery/pkg/nfd-master"
)
