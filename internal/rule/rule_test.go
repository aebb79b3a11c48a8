package rule_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"testing"

	"github.com/go-tolerate/tolerate/internal/rule"
)

// The table has a complete row for each constant, under its name.
func TestOf(t *testing.T) {
	f, err := parser.ParseFile(token.NewFileSet(), "rule.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	names := []string{""}
	for _, d := range f.Decls {
		if d, ok := d.(*ast.GenDecl); ok && d.Tok == token.CONST {
			for _, spec := range d.Specs {
				if name := spec.(*ast.ValueSpec).Names[0].Name; ast.IsExported(name) {
					names = append(names, name)
				}
			}
			break // the causes follow
		}
	}
	if got := rule.Names(); !slices.Equal(got, names) || len(got) < 30 {
		t.Errorf("Names() = %q, want %q", got, names)
	}
	for i := range uint8(255) {
		info, ok := rule.Of(i)
		if want := 0 < i && int(i) < len(names); ok != want {
			t.Errorf("Of(%d) finds a rule: %v, want %v", i, ok, want)
		}
		if ok && (info.Name != names[i] || info.Text == "" || info.Cause == 0) || !ok && info != (rule.Info{}) {
			t.Errorf("Of(%d) = %+v", i, info)
		}
	}
}
