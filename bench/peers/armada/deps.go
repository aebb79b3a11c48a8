//go:build deps

package armada

// Only testdata imports them, and go mod tidy must keep them.
import (
	_ "github.com/armadaproject/armada/internal/scheduler/scheduling"
	_ "github.com/go-tolerate/tolerate/bench/peers/peer"
)
