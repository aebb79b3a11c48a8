package tolerate_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestNotCopied tests that every type whose documentation says that it must not
// be copied has a field by which vet reports copies.
func TestNotCopied(t *testing.T) {
	found := 0
	for room := range floors {
		err := filepath.WalkDir(room, func(name string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() && nested(name), d.Name() == "testdata":
				return fs.SkipDir
			case d.IsDir() || filepath.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go"):
				return nil
			}
			f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
			if err != nil {
				return err
			}
			for _, decl := range f.Decls {
				gen, ok := decl.(*ast.GenDecl)
				if !ok || gen.Tok != token.TYPE || !strings.Contains(flat(gen.Doc.Text()), "not be copied") {
					continue
				}
				spec := gen.Specs[0].(*ast.TypeSpec)
				found++
				if s, ok := spec.Type.(*ast.StructType); !ok || !guarded(s) {
					t.Errorf("%s: %s must not be copied, and has no field noCopy", name, spec.Name.Name)
				}
			}
			return nil
		})
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
	}
	if found < 1 {
		t.Errorf("only %d types found", found)
	}
}

// flat is a text on one line.
func flat(s string) string { return strings.Join(strings.Fields(s), " ") }

func guarded(s *ast.StructType) bool {
	for _, f := range s.Fields.List {
		if types.ExprString(f.Type) == "noCopy" {
			return true
		}
	}
	return false
}
