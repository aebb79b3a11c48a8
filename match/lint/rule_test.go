package lint_test

import (
	"encoding"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/go-tolerate/tolerate/match/lint"
	"github.com/go-tolerate/tolerate/validate"
)

// Names are kept in configurations and reports: they never change, and neither
// does what they stand for.
func TestRule_names(t *testing.T) {
	want := map[lint.Rule]string{
		lint.NeverMatches:        "never-matches",
		lint.SuppressesDefault:   "suppresses-default",
		lint.Shadowed:            "shadowed",
		lint.Redundant:           "redundant",
		lint.ToleratesEverything: "tolerates-everything",
		lint.OpenToEveryNode:     "open-to-every-node",
		lint.EqualEmptyValue:     "equal-empty-value",
		lint.OutdatedKey:         "outdated-key",
		lint.NoTime:              "no-time",
		lint.UnneededToleration:  "unneeded-toleration",
		lint.UntoleratedTaint:    "untolerated-taint",
	}
	n := 0
	for r := range lint.AllRules().All() {
		n++
		if r.Name() != want[r] || r.String() != r.Name() {
			t.Errorf("rule %d has the name %q, and as text %q, want %q", r, r.Name(), r, want[r])
		}
		if got, err := lint.ParseRule(r.Name()); got != r || err != nil {
			t.Errorf("ParseRule(%q) = %v, %v", r.Name(), got, err)
		}
	}
	if n != len(want) {
		t.Errorf("%d rules, want %d", n, len(want))
	}
}

// Every rule says what it is, in the form that reports need, and stands in the
// package's documentation with its severity.
func TestRule_texts(t *testing.T) {
	doc, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	for r := range lint.AllRules().All() {
		if s := r.Summary(); s == "" || strings.ContainsAny(s, "\n.") || strings.ToLower(s[:1]) != s[:1] {
			t.Errorf("%v: the summary %q is no line without a full stop", r, s)
		}
		if d := r.Doc(); len(d) < 200 || !strings.HasSuffix(d, ".") {
			t.Errorf("%v: the documentation %q is no text", r, d)
		}
		if !regexp.MustCompile(`(?m)^//\t` + r.Name() + ` +` + r.Severity().String() + ` `).Match(doc) {
			t.Errorf("doc.go does not list %v with the severity %v", r, r.Severity())
		}
	}
	for _, r := range []lint.Rule{0, 31, 200} {
		if r.IsValid() || r.Severity() != 0 || r.Summary() != "" || r.Doc() != "" {
			t.Errorf("rule %d is no rule, and yet has texts", r)
		}
	}
}

func TestRules(t *testing.T) {
	s := lint.NewRules(lint.Shadowed, lint.Shadowed)
	for _, tt := range []struct {
		got, want lint.Rules
	}{
		{s.With(lint.Shadowed), s},
		{s.With(lint.NoTime), lint.NewRules(lint.NoTime, lint.Shadowed)},
		{s.Without(lint.NoTime), s},
		{s.Without(lint.Shadowed), lint.Rules{}},
		{lint.Rules{}.Without(lint.Shadowed), lint.Rules{}},
		{lint.NewRules(0, 31, 63, 64, 255), lint.Rules{}},
		{lint.NewRules(slices.Collect(lint.AllRules().All())...), lint.AllRules()},
	} {
		if tt.got != tt.want {
			t.Errorf("%v, want %v", tt.got, tt.want)
		}
	}
	for range lint.AllRules().All() {
		break // must be heeded
	}
	if lint.AllRules().Has(0) || lint.AllRules().Has(31) || lint.AllRules().Has(255) {
		t.Error("AllRules has what is no rule")
	}
}

// No constant of the type Rule is left out of AllRules.
func TestAllRules(t *testing.T) {
	f, err := parser.ParseFile(token.NewFileSet(), "rule.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	consts := 0
	for _, d := range f.Decls {
		d, ok := d.(*ast.GenDecl)
		if !ok || d.Tok != token.CONST {
			continue
		}
		if first, ok := d.Specs[0].(*ast.ValueSpec).Type.(*ast.Ident); ok && first.Name == "Rule" {
			consts += len(d.Specs)
		}
	}
	n := 0
	for range lint.AllRules().All() {
		n++
	}
	if n != consts {
		t.Errorf("%d rules, %d constants", n, consts)
	}
}

func TestText(t *testing.T) {
	for _, tt := range []struct {
		value encoding.TextMarshaler
		into  encoding.TextUnmarshaler
		text  string // "" for what has none
		bad   bool
	}{
		{lint.NoTime, new(lint.Rule), "no-time", false},
		{lint.Rule(0), new(lint.Rule), "", false},
		{lint.Rule(31), nil, "Rule(31)", true},
		{lint.Warning, new(lint.Severity), "warning", false},
		{lint.Severity(0), new(lint.Severity), "", false},
		{lint.Severity(4), nil, "Severity(4)", true},
		{lint.NewRules(lint.NoTime, lint.NeverMatches, lint.Rule(0), lint.Rule(77)), new(lint.Rules), "never-matches,no-time", false},
		{lint.Rules{}, new(lint.Rules), "", false},
	} {
		text, err := tt.value.MarshalText()
		if tt.bad {
			if err == nil || len(text) > 0 {
				t.Errorf("%v: MarshalText = %q, %v, want an error", tt.value, text, err)
			}
		} else if string(text) != tt.text || err != nil {
			t.Errorf("%v: MarshalText = %q, %v, want %q", tt.value, text, err, tt.text)
		}
		if s, ok := tt.value.(interface{ String() string }); ok && s.String() != tt.text {
			t.Errorf("String() = %q, want %q", s, tt.text)
		}
		if tt.into == nil {
			continue
		}
		if err := tt.into.UnmarshalText(text); err != nil {
			t.Errorf("UnmarshalText(%q): %v", text, err)
		}
		if back, err := tt.into.(encoding.TextMarshaler).MarshalText(); string(back) != tt.text || err != nil {
			t.Errorf("%q is read as %q, %v", text, back, err)
		}
		if err := tt.into.UnmarshalText([]byte("No-Time")); err == nil {
			t.Errorf("%T reads No-Time", tt.into)
		}
		if back, _ := tt.into.(encoding.TextMarshaler).MarshalText(); string(back) != tt.text {
			t.Errorf("%T: after an error it is %q, want %q", tt.into, back, tt.text)
		}
	}
}

// Errors tell all names at fault, and those that there are.
func TestParse_errors(t *testing.T) {
	for _, tt := range []struct {
		parse func() error
		want  []string // paths
	}{
		{func() error { _, err := lint.ParseRule(""); return err }, []string{""}},
		{func() error { _, err := lint.ParseRule("Shadowed"); return err }, []string{""}},
		{func() error { _, err := lint.ParseSeverity("fatal"); return err }, []string{""}},
		{func() error { _, err := lint.ParseRules("shadow,redundant,,no time"); return err }, []string{"[0]", "[2]", "[3]"}},
	} {
		var ps validate.Problems
		if err := tt.parse(); !errors.As(err, &ps) {
			t.Errorf("%v is no validate.Problems", err)
			continue
		}
		var got []string
		for _, p := range ps {
			got = append(got, p.Path)
			if !slices.Contains(p.Allowed, "shadowed") && !slices.Contains(p.Allowed, "warning") || p.Func == "" {
				t.Errorf("%v does not tell what is allowed, or who was asked", p)
			}
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%v has the paths %q, want %q", ps, got, tt.want)
		}
	}
}
