package match_test

import (
	"log/slog"
	"os"

	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/toleration"
)

// withoutTime makes the output independent of the time.
func withoutTime(_ []string, a slog.Attr) slog.Attr {
	if a.Key == slog.TimeKey {
		return slog.Attr{}
	}
	return a
}

// A Result can be logged, as text and as JSON.
func ExampleResult_log() {
	r := match.Node{Taints: gpuNode}.Filter(toleration.List{toleration.MustParse("dedicated=gpu")})
	opts := &slog.HandlerOptions{ReplaceAttr: withoutTime}
	slog.New(slog.NewTextHandler(os.Stdout, opts)).Info("filtered", "node", "gpu-1", "result", r)
	slog.New(slog.NewJSONHandler(os.Stdout, opts)).Info("filtered", "node", "gpu-1", "result", r)
	// Output:
	// level=INFO msg=filtered node=gpu-1 result="untolerated: 1 PreferNoSchedule"
	// {"level":"INFO","msg":"filtered","node":"gpu-1","result":"untolerated: 1 PreferNoSchedule"}
}
