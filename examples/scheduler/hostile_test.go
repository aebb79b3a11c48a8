package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/go-tolerate/tolerate/examples/internal/hostile"
)

// Nothing in the input steers the terminal.
func TestHostileText(t *testing.T) {
	for _, input := range hostile.Inputs(t) {
		for _, form := range []string{"text", "json"} {
			var out, errs bytes.Buffer
			run([]string{"-o", form, "-"}, strings.NewReader(input), &out, &errs)
			hostile.Check(t, "stdout of -o "+form, out.String())
			hostile.Check(t, "stderr of -o "+form, errs.String())
		}
	}
}

// M8: a node whose taints cannot be read takes no pod.
func TestHostileTaints(t *testing.T) {
	const rest = `"status": {"allocatable": {"cpu": "4", "pods": "10"}}}`
	for _, taints := range []string{`[{"key": "a/b/c", "effect": "NoSchedule"}]`, `[{"key": "a"}]`, `[{"key": "a", "effect": "noSchedule"}]`, `[null]`, `[{}]`, `{}`, `"x"`, `[{"key": "a", "value": true, "effect": "NoSchedule"}]`} {
		input := `{"kind": "Node", "metadata": {"name": "n"}, "spec": {"taints": ` + taints + `}, ` + rest + `{"kind": "Pod", "metadata": {"name": "p"}, "spec": {"containers": [{"name": "c"}]}}`
		var out, errs bytes.Buffer
		if status := run([]string{"-"}, strings.NewReader(input), &out, &errs); status != statusBad || strings.Contains(out.String(), "goes to") || !strings.Contains(errs.String(), "spec.taints") {
			t.Errorf("%s: status %d\n%s%s", taints, status, &out, &errs)
		}
	}
}
