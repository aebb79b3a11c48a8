package tolerate_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// representations are the only types of internal packages that the public API
// names: its own types are defined by them, and their fields and methods cannot be
// reached outside the module.
var representations = map[string]string{"taint.Taint": "value.Taint", "toleration.Toleration": "value.Toleration"}

// A change of the representation, or of anything else in an internal package,
// breaks no importer: the public API names no such type, and no interned string.
func TestSealed(t *testing.T) {
	seen := make(map[string]bool)
	for _, room := range []string{"validate", "taint", "toleration", "match"} {
		err := filepath.WalkDir(room, func(name string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() && (d.Name() == "internal" || d.Name() == "testdata" || nested(name)):
				return fs.SkipDir
			case d.IsDir() || filepath.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go"):
				return nil
			}
			f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			for named, used := range leaks(f) {
				seen[named] = true
				for _, u := range used {
					if representations[named] != u {
						t.Errorf("%s: %s exports %s", name, named, u)
					}
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for named := range representations {
		if !seen[named] {
			t.Errorf("%s is not defined by its representation", named)
		}
	}
}

// leaks returns for each exported name of the file the types that it exports of
// internal packages and of package unique.
func leaks(f *ast.File) map[string][]string {
	hidden := make(map[string]bool)
	for _, spec := range f.Imports {
		imported, _ := strconv.Unquote(spec.Path.Value)
		if imported == "unique" || strings.HasPrefix(imported, module) && strings.Contains(imported+"/", "/internal/") {
			hidden[path.Base(imported)] = true
		}
	}
	found := make(map[string][]string)
	look := func(named string, n ast.Node) {
		ast.Inspect(n, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.Field: // of a struct
				if len(n.Names) > 0 && !slices.ContainsFunc(n.Names, (*ast.Ident).IsExported) {
					return false
				}
			case *ast.SelectorExpr:
				if x, ok := n.X.(*ast.Ident); ok && hidden[x.Name] {
					named := f.Name.Name + "." + named
					found[named] = append(found[named], x.Name+"."+n.Sel.Name)
				}
			}
			return true
		})
	}
	for _, decl := range f.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			if !d.Name.IsExported() {
				continue
			}
			for _, list := range []*ast.FieldList{d.Type.TypeParams, d.Type.Params, d.Type.Results} {
				for i := 0; list != nil && i < len(list.List); i++ {
					look(d.Name.Name, list.List[i].Type)
				}
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch s := spec.(type) {
				case *ast.TypeSpec:
					if s.Name.IsExported() {
						look(s.Name.Name, s.Type)
					}
				case *ast.ValueSpec:
					if s.Names[0].IsExported() && s.Type != nil {
						look(s.Names[0].Name, s.Type)
					}
				}
			}
		}
	}
	return found
}

func TestLeaks(t *testing.T) {
	const src = `package p
import ("unique"; "github.com/go-tolerate/tolerate/internal/value"; "github.com/go-tolerate/tolerate/validate")
type A value.Taint
type B struct { a unique.Handle[string]; C value.Toleration }
func (B) D(value.Taint) unique.Handle[string] { return e() }
func e() unique.Handle[string] { return value.Taint{}.KeyHandle() }
func F(validate.Rule) { value.NewTaint("", "", 0) }
var G value.Taint
`
	f, err := parser.ParseFile(token.NewFileSet(), "p.go", src, 0)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"p.A": "value.Taint", "p.B": "value.Toleration", "p.D": "value.Taint unique.Handle", "p.G": "value.Taint"}
	got := leaks(f)
	for named, used := range want {
		if strings.Join(got[named], " ") != used {
			t.Errorf("%s exports %q, want %s", named, got[named], used)
		}
	}
	if len(got) != len(want) {
		t.Errorf("leaks: %v, want %v", got, want)
	}
}
