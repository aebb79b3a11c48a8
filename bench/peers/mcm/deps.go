//go:build deps

package mcm

// Only testdata imports them, and go mod tidy must keep them.
import (
	_ "github.com/gardener/machine-controller-manager/pkg/util/provider/machinecontroller"
	_ "github.com/go-tolerate/tolerate/bench/peers/peer"
	_ "github.com/go-tolerate/tolerate/match/kube"
)
