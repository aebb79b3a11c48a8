package validate_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"testing"

	"github.com/go-tolerate/tolerate/validate"
)

// Each constant has its name and words of its own.
func TestRule(t *testing.T) {
	f, err := parser.ParseFile(token.NewFileSet(), "rule.go", nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	rule := validate.Rule(0)
	for _, d := range f.Decls {
		d, ok := d.(*ast.GenDecl)
		if !ok || d.Tok != token.CONST {
			continue
		}
		for _, spec := range d.Specs {
			rule++
			name := spec.(*ast.ValueSpec).Names[0].Name
			text, err := rule.MarshalText()
			if rule.String() != name || string(text) != name || err != nil {
				t.Errorf("K5: rule %d is %v, %s, %v, want %s", rule, rule, text, err, name)
			}
			if s := (&validate.Problem{Rule: rule}).Error(); len(s) < 8 || strings.Contains(s, "%") || strings.HasPrefix(s, name) {
				t.Errorf("a problem with %v is %q", rule, s)
			}
		}
	}
	if rule != validate.SelectorEmpty {
		t.Errorf("%d constants, want %d", rule, validate.SelectorEmpty)
	}
	if none := validate.Rule(0); none.String() != "" {
		t.Errorf("no rule is %q", none)
	}
	if got := validate.Rule(255).String(); got != "Rule(255)" {
		t.Errorf("rule 255 is %q", got)
	}
}
