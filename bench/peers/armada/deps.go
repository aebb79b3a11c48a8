//go:build deps

package main

// No other file imports the peer, and go mod tidy must keep it.
import _ "github.com/armadaproject/armada/internal/scheduler/scheduling"
