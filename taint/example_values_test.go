package taint_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"text/template"

	"github.com/go-tolerate/tolerate/taint"
)

// A config is read from JSON: unknown effects and invalid keys are errors.
type config struct {
	Pool   string     `json:"pool"`
	Taints taint.List `json:"taints"`
}

const configText = `{"pool": "gpu", "taints": [{"key": "dedicated", "value": "gpu", "effect": "NoSchedule"}]}`

// Taints are values: they compare with ==, are the keys of maps and the values of
// flags, and print as text in logs and templates and as objects in JSON.
func Example_values() {
	var c config
	if err := json.Unmarshal([]byte(configText), &c); err != nil {
		fmt.Println(err)
		return
	}

	flags := flag.NewFlagSet("pool", flag.ContinueOnError)
	var extra taint.List
	flags.TextVar(&extra, "taints", taint.List{}, "taints to add, separated by commas")
	if err := flags.Parse([]string{"-taints=spot:PreferNoSchedule,dedicated=gpu:NoSchedule"}); err != nil {
		fmt.Println(err)
		return
	}

	nodes := make(map[taint.Taint]int)
	for _, t := range append(c.Taints, extra...) {
		nodes[t]++
	}
	fmt.Println(nodes[taint.MustParse("dedicated=gpu:NoSchedule")], len(nodes))

	report := template.Must(template.New("").Parse("{{range .}}- {{.}} ({{.Effect}})\n{{end}}"))
	if err := report.Execute(os.Stdout, extra); err != nil {
		fmt.Println(err)
	}

	withoutTime := func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}
	opts := &slog.HandlerOptions{ReplaceAttr: withoutTime}
	slog.New(slog.NewTextHandler(os.Stdout, opts)).Info("pool", "taints", c.Taints)
	slog.New(slog.NewJSONHandler(os.Stdout, opts)).Info("pool", "taint", extra[0])

	fmt.Printf("%#v\n", extra[0]) // as a failed test prints it
	// Output:
	// 2 2
	// - spot:PreferNoSchedule (PreferNoSchedule)
	// - dedicated=gpu:NoSchedule (NoSchedule)
	// level=INFO msg=pool taints="dedicated=gpu:NoSchedule"
	// {"level":"INFO","msg":"pool","taint":{"key":"spot","effect":"PreferNoSchedule"}}
	// taint.MustParse("spot:PreferNoSchedule")
}
