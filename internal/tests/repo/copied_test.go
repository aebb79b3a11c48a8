package repo_test

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"testing"
)

// TestNotCopied tests that every type whose documentation says that it must not be
// copied has a field that vet reports.
func TestNotCopied(t *testing.T) {
	found := 0
	eachFile(t, func(name string, f *ast.File) {
		for _, decl := range f.Decls {
			gen, ok := decl.(*ast.GenDecl)
			if !ok || gen.Tok != token.TYPE ||
				!strings.Contains(strings.Join(strings.Fields(gen.Doc.Text()), " "), "not be copied") {
				continue
			}
			found++
			spec := gen.Specs[0].(*ast.TypeSpec)
			s, ok := spec.Type.(*ast.StructType)
			if !ok || !slices.ContainsFunc(s.Fields.List, func(f *ast.Field) bool {
				return types.ExprString(f.Type) == "nocopy.NoCopy"
			}) {
				t.Errorf("%s: %s must not be copied, and has no field NoCopy", name, spec.Name.Name)
			}
		}
	})
	if found < 5 {
		t.Errorf("only %d types found", found)
	}
}
