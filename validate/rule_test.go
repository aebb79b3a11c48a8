package validate_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-tolerate/tolerate/internal/contract"
	"github.com/go-tolerate/tolerate/internal/rule"
	"github.com/go-tolerate/tolerate/validate"
)

func ruleNames() map[validate.Rule]string {
	names := make(map[validate.Rule]string)
	for i, name := range rule.Names() {
		names[validate.Rule(i)] = name
	}
	return names
}

func TestRule(t *testing.T) {
	names := ruleNames()
	if len(names) < 30 || names[validate.NameEnds] != "NameEnds" || names[validate.Syntax] != "Syntax" {
		t.Fatalf("the constants are %v", names)
	}
	t.Run("K5", contract.Enum[validate.Rule]{Names: names}.Test)
}

// Every rule is exported, once, under its own name, by one of the packages.
func TestRule_exported(t *testing.T) {
	exported := make(map[string]string) // by name, the file
	err := filepath.WalkDir("..", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "internal" || d.Name() == "examples" || d.Name() == "bench" || d.Name() == "testdata"):
			return fs.SkipDir
		case d.IsDir() || filepath.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for constant, of := range rulesIn(f) {
			if other := exported[of]; other != "" || constant != of {
				t.Errorf("%s exports the rule %s as %s, which %q exports too", name, of, constant, other)
			}
			exported[of] = name
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range rule.Names()[1:] {
		if exported[name] == "" {
			t.Errorf("no package exports the rule %s", name)
		}
	}
}

// rulesIn returns the constants of the file that are defined as rules, by their
// names, and the names of those rules.
func rulesIn(f *ast.File) map[string]string {
	found := make(map[string]string)
	for _, d := range f.Decls {
		d, ok := d.(*ast.GenDecl)
		if !ok || d.Tok != token.CONST {
			continue
		}
		for _, spec := range d.Specs {
			for i, v := range spec.(*ast.ValueSpec).Values {
				sel, ok := v.(*ast.SelectorExpr)
				if !ok {
					continue
				}
				if x, ok := sel.X.(*ast.Ident); ok && x.Name == "rule" && !strings.HasPrefix(sel.Sel.Name, "Cause") {
					found[spec.(*ast.ValueSpec).Names[i].Name] = sel.Sel.Name
				}
			}
		}
	}
	return found
}

// Each rule says what it requires, in words.
func TestRule_Description(t *testing.T) {
	for r, name := range ruleNames() {
		if r == 0 {
			continue
		}
		s := r.Description()
		if s == "" || strings.Contains(s, "%") || strings.HasPrefix(s, name) {
			t.Errorf("%v has the description %q", r, s)
		}
	}
	if got := validate.Rule(0).Description(); got != "" {
		t.Errorf("no rule has the description %q", got)
	}
	if got := validate.Rule(255).Description(); got != "Rule(255)" {
		t.Errorf("Rule(255) has the description %q", got)
	}
}
