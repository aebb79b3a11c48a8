package lint_test

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/go-tolerate/tolerate/internal/tests/contract"
	"github.com/go-tolerate/tolerate/match/lint"
	"github.com/go-tolerate/tolerate/toleration"
)

// The texts are stored in configurations and reports: they never change.
func TestCheck_contract(t *testing.T) {
	names := map[lint.Check]string{
		0:                        "",
		lint.NeverMatches:        "never-matches",
		lint.SuppressesDefault:   "suppresses-default",
		lint.Shadowed:            "shadowed",
		lint.Redundant:           "redundant",
		lint.ToleratesEverything: "tolerates-everything",
		lint.OpenToEveryNode:     "open-to-every-node",
		lint.EqualEmptyValue:     "equal-empty-value",
		lint.OutdatedKey:         "outdated-key",
		lint.NoTime:              "no-time",
		lint.UnexpectedValue:     "unexpected-value",
		lint.OnlyMaster:          "only-master",
		lint.SecondsLoop:         "seconds-loop",
		lint.NeedsFeatureGate:    "needs-feature-gate",
		lint.TooLong:             "too-long",
	}
	contract.Enum[lint.Check]{Names: names}.Test(t)
	if n := len(lint.Checks()); n != len(names)-1 {
		t.Errorf("%d checks, want %d", n, len(names)-1)
	}
}

func TestSeverity_contract(t *testing.T) {
	contract.Enum[lint.Severity]{Names: map[lint.Severity]string{
		0: "", lint.Info: "info", lint.Warning: "warning", lint.Error: "error",
	}}.Test(t)
}

// The text of a check is the name of its constant, whose comment begins with its severity.
func TestChecks(t *testing.T) {
	source, err := os.ReadFile("check.go")
	if err != nil {
		t.Fatal(err)
	}
	var got, want []string
	for _, line := range regexp.MustCompile(`(?m)^\t([A-Z]\w+) .*// (error|warning|info): `).FindAllStringSubmatch(string(source), -1) {
		name := regexp.MustCompile(`\B[A-Z]`).ReplaceAllString(line[1], "-$0")
		got = append(got, strings.ToLower(name)+" "+line[2])
	}
	for _, c := range lint.Checks() {
		want = append(want, c.String()+" "+c.Severity().String())
	}
	if !slices.Equal(got, want) {
		t.Errorf("the constants are %q, want %q", got, want)
	}
}

// The documentation has the form that reports need.
func TestCheck_Doc(t *testing.T) {
	for _, c := range lint.Checks() {
		summary, rest, _ := strings.Cut(c.Doc(), "\n\n")
		if summary == "" || strings.ContainsAny(summary, "\n.") {
			t.Errorf("%v: the summary %q is not a line without a full stop", c, summary)
		}
		if len(rest) < 200 || !strings.HasSuffix(rest, ".") {
			t.Errorf("%v: the text %q is too short or does not end with a full stop", c, rest)
		}
		for _, paragraph := range strings.Split(rest, "\n\n") {
			if paragraph == "" || strings.Contains(paragraph, "\n") {
				t.Errorf("%v: the paragraph %q is not a line", c, paragraph)
			}
		}
	}
	for _, c := range []lint.Check{0, 31, 200} {
		if c.Severity() != 0 || c.Doc() != "" {
			t.Errorf("%d is not a check, but has the severity %v and the text %q", c, c.Severity(), c.Doc())
		}
	}
}

// Each check has a message, which is more than the toleration. Some depend on more.
func TestFinding_Message(t *testing.T) {
	for _, c := range lint.Checks() {
		f := lint.Finding{Check: c, Toleration: toleration.MustParse("node.kubernetes.io/out-of-disk op=Exists"), Other: -1}
		if m := f.Message(); m == "" || m == `"`+f.Toleration.String()+`"` {
			t.Errorf("%v has the message %s", c, m)
		}
	}
	for want, l := range map[string]toleration.List{
		" has negative seconds, which mean 0":                                        list("node.kubernetes.io/unreachable:NoExecute op=Exists for -1s"),
		" tolerates the taint for no time":                                           list("drain=now:NoExecute for -5s"),
		" completes a list that tolerates every taint":                               list(":NoExecute op=Exists", ":PreferNoSchedule op=Exists", ":NoSchedule op=Exists"),
		`, and "node.kubernetes.io/disk-pressure op=Exists" tolerates the new taint`: list("node.kubernetes.io/disk-pressure op=Exists", "node.kubernetes.io/out-of-disk op=Exists"),
	} {
		if found := fmt.Sprint(lint.Find(l, lint.Options{})); !strings.Contains(found, want) {
			t.Errorf("no %q in %s", want, found)
		}
	}
}

// An unknown check panics, whatever the list is; the zero Check is ignored.
func TestOptions_Skip(t *testing.T) {
	for _, l := range []toleration.List{nil, list("op=Exists")} {
		for _, unknown := range []lint.Check{lint.TooLong + 1, 31, 32, 255} {
			opts := lint.Options{Skip: []lint.Check{lint.NoTime, unknown, 0}}
			want := "lint: unknown " + unknown.String()
			if got := contract.Panic(func() { lint.Find(l, opts) }); got != want {
				t.Errorf("Find(%v): panic %v, want %v", l, got, want)
			}
		}
	}
	l := list("op=Exists", "a op=Exists", "cores=0 op=Lt")
	if got := lint.Find(l, lint.Options{Skip: append(lint.Checks(), 0)}); got != nil {
		t.Errorf("without any check: %v, want nil", got)
	}
}

// JSON keeps all of a finding.
func TestFinding_contract(t *testing.T) {
	var found []lint.Finding
	var fixes []lint.Fix
	for i, text := range []string{"k op=Exists", "k=v", "a op=Exists", "a op=Exists", "e:NoExecute op=Exists for 0s", "n=9223372036854775807 op=Gt", "x"} {
		for _, f := range lint.Find(toleration.MustParseList("k op=Exists,"+text), lint.Options{}) {
			f.Index += i
			found = append(found, f)
			if !f.Fix.IsZero() {
				f.Fix.Index += i
				fixes = append(fixes, f.Fix)
			}
		}
	}
	contract.Result[lint.Finding]{Samples: found}.Test(t)
	contract.Result[lint.Fix]{Samples: fixes}.Test(t)
	for _, f := range found {
		data, err := json.Marshal(f)
		var back lint.Finding
		if err == nil {
			err = json.Unmarshal(data, &back)
		}
		if err != nil || back != f {
			t.Errorf("JSON %s is read back as %v, %v", data, back, err)
		}
	}
}
