package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/go-tolerate/tolerate/examples/internal/hostile"
)

// Nothing in the input steers the terminal.
func TestHostileText(t *testing.T) {
	script := filepath.Join(t.TempDir(), "day.txt")
	if err := os.WriteFile(script, []byte("10:00 node n1 unreachable\n12:00 node n1 ready\n13:00 taint all x=y:NoExecute\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	check := func(input string, args ...string) {
		t.Helper()
		var out, errs bytes.Buffer
		run(args, strings.NewReader(input), &out, &errs)
		hostile.Check(t, "stdout of "+strings.Join(args, " "), out.String())
		hostile.Check(t, "stderr of "+strings.Join(args, " "), errs.String())
	}
	for _, input := range hostile.Inputs(t) {
		check(input, "-cluster", "-", script)
		check(input, "-cluster", "-", "-o", "json", script)
	}
	const mark = "\x1b[31m\a\r\b\u009b\x7f\u202e\xff"
	day := `node a zone=z region=r label=k=v taint=t=v:NoSchedule
workload w replicas=2 on=a "tolerates=t=v:NoSchedule"
pod p on=a
daemon d host-network
10:00 node a unreachable
12:00 zone z 50% ready
13:00 taint all m=t:NoExecute
`
	for i := range day {
		check(day[:i]+mark+day[i:], "-")
		check(day[:i]+`"`+mark+"\nFORGED\""+day[i:], "-")
		check(day[:i]+`"`+mark+`"`+day[i:], "-o", "json", "-")
	}
}

// A deadline that no duration can hold is not cut down.
func TestHostileDeadlines(t *testing.T) {
	for seconds, want := range map[string]string{
		"1000000000":          "277778:46:40",
		"9223372036":          "2562048:47:16",
		"9223372037":          "2562048:47:17",
		"1000000000000":       "277777778:46:40",
		"9223372036854775807": "",
	} {
		day := "node a\npod p on=a \"tolerates=x:NoExecute op=Exists for " + seconds + "s\"\n01:00 taint all x:NoExecute\n02:00 taint all x:NoExecute-\n"
		for _, form := range []string{"text", "json"} {
			var out, errs bytes.Buffer
			run([]string{"-o", form, "-"}, strings.NewReader(day), &out, &errs)
			if errs.Len() > 0 {
				t.Errorf("%s: %s", seconds, &errs)
			}
			text := "p must leave a at " + want + ": x:NoExecute since 01:00:00 is tolerated for " + seconds + " seconds\n"
			if form == "text" && want != "" && !strings.Contains(out.String(), text) {
				t.Errorf("%s: want %q, got\n%s", seconds, text, &out)
			}
			if n, err := strconv.ParseInt(seconds, 10, 64); form == "json" && want != "" && (err != nil || !strings.Contains(out.String(), `"deadline":`+strconv.FormatInt(n+3600, 10)+`,`)) {
				t.Errorf("%s: got\n%s", seconds, &out)
			}
			if form == "text" && want == "" && (!strings.Contains(out.String(), "p stays on a for good") || strings.Contains(out.String(), "must leave")) {
				t.Errorf("%s: got\n%s", seconds, &out)
			}
		}
	}
}

// Taints decide where a pod is scheduled, not conditions.
func TestNotReadyTolerated(t *testing.T) {
	const day = `node a
node b
workload all replicas=1 on=a "tolerates=op=Exists"
workload most replicas=1 on=a "tolerates=node.kubernetes.io/not-ready:NoSchedule op=Exists" "tolerates=node.kubernetes.io/not-ready:NoExecute op=Exists for 7200s"
workload executed replicas=1 on=a "tolerates=node.kubernetes.io/not-ready:NoExecute op=Exists"
01:00 node b not-ready
02:00 taint node a x:NoExecute
`
	var out, errs bytes.Buffer
	run([]string{"-"}, strings.NewReader(day), &out, &errs)
	for _, want := range []string{"02:00:00  most-1 is scheduled to b\n", "02:00:00  executed-1 waits for a node that takes it\n"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is missing in\n%s%s", want, &out, &errs)
		}
	}
}
