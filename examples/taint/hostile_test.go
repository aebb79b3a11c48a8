package main

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/go-tolerate/tolerate/examples/internal/hostile"
)

// Nothing in the input steers the terminal.
func TestHostileText(t *testing.T) {
	clock := func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) }
	for _, input := range hostile.Inputs(t) {
		for _, args := range []string{
			"-all new=x:NoExecute", "-all -dry-run new=x:NoExecute", "-all -dry-run -o json new=x:NoExecute", "-only -overwrite -l pool=a gpu=c:NoSchedule",
			"-all -dry-run gpu=c:NoSchedule", "-dry-run n1 gpu- old-", "-dry-run -o json n1 n3 gpu- old-", "n1 none-",
		} {
			var out, errs bytes.Buffer
			run(strings.Fields(args), strings.NewReader(input), &out, &errs, clock)
			hostile.Check(t, "stdout of "+args, out.String())
			hostile.Check(t, "stderr of "+args, errs.String())
		}
	}
}

// One deadline that JSON cannot hold does not take the others along, and one that a
// duration cannot hold is not cut down.
func TestHostileDeadlines(t *testing.T) {
	const node = `{"kind": "Node", "metadata": {"name": "n"}, "spec": {"taints": [{"key": "old", "effect": "NoExecute"}]}}`
	for seconds, want := range map[string]string{
		"300":                 "goes at 2026-01-02T03:09:05Z, in 5m0s, had to go at 2026-01-02T03:14:05Z",
		"3000000000":          "goes at 2121-01-26T08:24:05Z, in 833333h20m0s, had to go at 2026-01-02T03:14:05Z",
		"10000000000":         "goes at 2342-11-22T20:50:45Z, in 317 years, had to go at 2026-01-02T03:14:05Z",
		"1000000000000":       "goes after the year 9999, had to go at 2026-01-02T03:14:05Z",
		"9223372036854775807": "may stay, had to go at 2026-01-02T03:14:05Z",
	} {
		pod := func(name, seconds string) string {
			return `{"kind": "Pod", "metadata": {"name": "` + name + `"}, "spec": {"nodeName": "n", "tolerations": [{"key": "new", "operator": "Exists", "tolerationSeconds": ` + seconds +
				`, "effect": "NoExecute"}, {"key": "old", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 600}]}}`
		}
		input := node + pod("a", seconds) + pod("b", "20")
		clock := func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) }
		for _, form := range []string{"text", "json"} {
			var out, errs bytes.Buffer
			if status := run([]string{"-all", "-dry-run", "-o", form, "old-", "new:NoExecute"}, strings.NewReader(input), &out, &errs, clock); status != statusDone || errs.Len() > 0 {
				t.Errorf("%s, %s: status %d, %s", seconds, form, status, &errs)
			}
			if form == "text" && !strings.Contains(out.String(), want) {
				t.Errorf("%s: want %q, got\n%s", seconds, want, &out)
			}
			if form == "json" && !strings.Contains(out.String(), `"name": "b"`) {
				t.Errorf("%s: got\n%s", seconds, &out)
			}
		}
	}
}
