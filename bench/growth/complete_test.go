package growth_test

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

// without lists the functions that need no row although a parameter or the receiver is
// a list.
var without = map[string]string{
	"taint.List.Equal":      "is ==, element by element",
	"toleration.List.Equal": "is ==, element by element",
	"match.Result.First":    "there are three effects",
}

// TestRows tests that each exported function with a list among its parameters, or as
// its receiver, has a row or is excepted by without, and that all rows and exceptions
// name exported functions.
func TestRows(t *testing.T) {
	measured := map[string]bool{}
	for _, r := range rows {
		name, _, _ := strings.Cut(r.name, ",")
		measured[name] = true
	}
	all := functions(t)
	for name := range measured {
		if _, ok := all[name]; !ok {
			t.Errorf("the row %s names no exported function", name)
		}
	}
	for name := range without {
		if list, ok := all[name]; !ok || !list {
			t.Errorf("%s is excepted and no exported function with a list", name)
		}
	}
	found := 0
	for name, list := range all {
		if !list {
			continue
		}
		// Append... and its twin share their code.
		twin := strings.Replace(name, ".Append", ".", 1)
		if without[name] != "" || without[twin] != "" {
			continue
		}
		found++
		if !measured[name] && !measured[twin] && !measured[twin+"List"] {
			t.Errorf("%s has no row", name)
		}
	}
	if found < 50 {
		t.Errorf("only %d functions found", found)
	}
}

// functions returns the exported functions and methods of the library, as the
// rows name them, and whether each has a list among its parameters.
func functions(t *testing.T) map[string]bool {
	all := map[string]bool{}
	for _, room := range []string{"validate", "taint", "toleration", "match"} {
		err := filepath.WalkDir(filepath.Join("..", "..", room), func(dir string, d fs.DirEntry, err error) error {
			switch {
			case err != nil || !d.IsDir():
				return err
			case d.Name() == "internal", d.Name() == "testdata":
				return fs.SkipDir
			}
			if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
				return fs.SkipDir
			}
			files, err := filepath.Glob(filepath.Join(dir, "*.go"))
			if err != nil {
				return err
			}
			for _, name := range files {
				if strings.HasSuffix(name, "_test.go") {
					continue
				}
				f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
				if err != nil {
					return err
				}
				for _, decl := range f.Decls {
					if fn, ok := decl.(*ast.FuncDecl); ok && exported(fn) {
						all[f.Name.Name+"."+receiver(fn)+fn.Name.Name] = takesList(fn)
					}
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return all
}

func exported(fn *ast.FuncDecl) bool {
	return fn.Name.IsExported() && (fn.Recv == nil || ast.IsExported(strings.TrimSuffix(receiver(fn), ".")))
}

func takesList(fn *ast.FuncDecl) bool {
	switch fn.Name.Name {
	case "AppendText", "AppendJSON", "UnmarshalText", "UnmarshalJSON", "UnmarshalYAML", "UnmarshalBinary":
		return false // of one value, or what Decode and ParseList do
	case "GoString", "MarshalText", "MarshalYAML": // what String and MarshalJSON do
		return false
	}
	if receiver(fn) == "List." {
		return true
	}
	for _, p := range fn.Type.Params.List {
		s := types.ExprString(p.Type)
		if strings.HasPrefix(s, "[]") || strings.HasPrefix(s, "...") || s == "List" || strings.HasSuffix(s, ".List") {
			return true
		}
	}
	return false
}

// receiver returns the name of a method's type and a dot.
func receiver(fn *ast.FuncDecl) string {
	if fn.Recv == nil {
		return ""
	}
	name := strings.TrimPrefix(types.ExprString(fn.Recv.List[0].Type), "*")
	name, _, _ = strings.Cut(name, "[")
	return name + "."
}
