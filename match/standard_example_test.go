package match_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"text/template"

	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// withoutTime makes the output independent of the time.
func withoutTime(_ []string, a slog.Attr) slog.Attr {
	if a.Key == slog.TimeKey {
		return slog.Attr{}
	}
	return a
}

func ExampleResult_MarshalJSON() {
	pod := toleration.List{toleration.MustParse("dedicated=gpu:NoSchedule")}
	text, _ := json.Marshal(match.Filter(gpuNode, pod))
	fmt.Println(string(text))
	// Output: {"schedulable":false,"preferred":false,"evicted":true,"preferNoSchedule":{"count":1,"first":2},"noExecute":{"count":1,"first":1}}
}

// A Result can be logged, as text and as JSON.
func ExampleResult_log() {
	r := match.Filter(gpuNode, toleration.List{toleration.MustParse("dedicated=gpu")})
	opts := &slog.HandlerOptions{ReplaceAttr: withoutTime}
	slog.New(slog.NewTextHandler(os.Stdout, opts)).Info("filtered", "node", "gpu-1", "result", r)
	slog.New(slog.NewJSONHandler(os.Stdout, opts)).Info("filtered", "node", "gpu-1", "result", r)
	// Output:
	// level=INFO msg=filtered node=gpu-1 result="untolerated: 1 PreferNoSchedule"
	// {"level":"INFO","msg":"filtered","node":"gpu-1","result":{"schedulable":true,"preferred":false,"evicted":false,"preferNoSchedule":{"count":1,"first":2}}}
}

// A template writes a report.
func ExampleExplanation_template() {
	const report = `{{range .}}{{if .Blocks}}{{.Taint}}: {{.Miss}}, nearest is {{.At}}
{{end}}{{end}}`
	pod := toleration.List{toleration.MustParse("spot"), toleration.MustParse("dedicated=cpu")}
	explanations := slices.Collect(match.Node{Taints: gpuNode}.Explanations(toleration.First, pod))
	if err := template.Must(template.New("").Parse(report)).Execute(os.Stdout, explanations); err != nil {
		fmt.Println(err)
	}
	// Output:
	// dedicated=gpu:NoSchedule: OtherValue, nearest is [0][1]
	// dedicated=gpu:NoExecute: OtherValue, nearest is [0][1]
}

// The counts of the classes have JSON.
func ExampleClass_MarshalText() {
	pod := toleration.List{toleration.MustParse("dedicated=gpu:NoExecute for 60s"), toleration.MustParse("dedicated=gpu")}
	count := make(map[match.Class]int)
	for _, t := range gpuNode {
		count[classify(taint.List{t}, toleration.First, pod)]++
	}
	text, _ := json.Marshal(count)
	fmt.Println(string(text))
	// Output: {"ForSeconds":1,"Forever":1,"NotTolerated":1}
}

func ExamplePosition_String() {
	e := match.Explain(taint.MustParse("gpu:NoSchedule"), toleration.First, nil, toleration.List{toleration.MustParse("gpu")})
	fmt.Println(e.At)
	// Output: [1][0]
}

func ExampleReasons_MarshalJSON() {
	var reasons match.Reasons
	reasons.Add(match.Untolerated(gpuNode[:1]))
	reasons.Add(match.Untolerated(nil))
	text, _ := json.Marshal(&reasons)
	fmt.Println(string(text))
	// Output: {"total":2,"schedulable":1,"reasons":[{"taint":{"key":"dedicated","value":"gpu","effect":"NoSchedule"},"nodes":1,"of":2}]}
}
