//go:build deps

package main

// No other file imports the peer, and go mod tidy must keep it.
import _ "open-cluster-management.io/ocm/pkg/placement/controllers"
