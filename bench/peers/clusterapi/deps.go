//go:build deps

package main

// No other file imports the peer, and go mod tidy must keep it.
import _ "sigs.k8s.io/cluster-api/core/reconcilers/machine"
