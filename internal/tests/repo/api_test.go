package repo_test

import (
	"flag"
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write api.txt")

// TestAPI compares the exported declarations of the library with api.txt.
func TestAPI(t *testing.T) {
	lines := []string{"# The exported API of the library. Generated: go test ./internal/tests/repo -run TestAPI -update"}
	context := build.Default // every machine writes the same file
	context.GOOS, context.GOARCH = "linux", "amd64"
	eachFile(t, func(name string, f *ast.File) {
		dir := filepath.Dir(name)
		if ok, err := context.MatchFile(dir, filepath.Base(name)); err != nil || !ok || inInternal(dir) {
			return
		}
		for _, decl := range f.Decls {
			for _, line := range exported(decl) {
				lines = append(lines, "pkg "+module+"/"+filepath.ToSlash(dir)+", "+line)
			}
		}
	})
	slices.Sort(lines)
	if *update {
		if err := os.WriteFile("api.txt", []byte(strings.Join(lines, "\n")+"\n"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(strings.Split(strings.TrimSuffix(read(t, "api.txt"), "\n"), "\n"), lines); diff != "" {
		t.Errorf("api.txt mismatch (-want +got):\n%sIf the change is intended: go test ./internal/tests/repo -run TestAPI -update", diff)
	}
}

// exported returns a line for each exported name of a declaration.
func exported(decl ast.Decl) (lines []string) {
	linef := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	switch d := decl.(type) {
	case *ast.FuncDecl:
		name := d.Name.Name + strings.TrimPrefix(types.ExprString(d.Type), "func")
		switch {
		case !d.Name.IsExported():
		case d.Recv == nil:
			linef("func %s", name)
		default:
			receiver, _, _ := strings.Cut(types.ExprString(d.Recv.List[0].Type), "[")
			if ast.IsExported(strings.TrimPrefix(receiver, "*")) {
				linef("method (%s) %s", receiver, name)
			}
		}
	case *ast.GenDecl:
		var last *ast.ValueSpec // what a constant without a value repeats
		for i, spec := range d.Specs {
			switch s := spec.(type) {
			case *ast.ValueSpec:
				if len(s.Values) > 0 {
					last = s
				}
				for j, n := range s.Names {
					line := d.Tok.String() + " " + n.Name
					if last != nil && last.Type != nil {
						line += " " + types.ExprString(last.Type)
					}
					if d.Tok == token.CONST {
						value := strings.ReplaceAll(types.ExprString(last.Values[j]), "iota", strconv.Itoa(i))
						if v, err := types.Eval(token.NewFileSet(), nil, token.NoPos, value); err == nil { // not of an internal package
							line += " = " + v.Value.String()
						}
					}
					if n.IsExported() {
						linef("%s", line)
					}
				}
			case *ast.TypeSpec:
				if s.Name.IsExported() {
					lines = append(lines, typeLines(s)...)
				}
			}
		}
	}
	return lines
}

func typeLines(s *ast.TypeSpec) []string {
	st, ok := s.Type.(*ast.StructType)
	if !ok {
		return []string{"type " + s.Name.Name + " " + types.ExprString(s.Type)}
	}
	head := "type " + s.Name.Name + " struct"
	lines := []string{head}
	for _, f := range st.Fields.List {
		for _, n := range f.Names {
			if n.IsExported() {
				lines = append(lines, head+", "+n.Name+" "+types.ExprString(f.Type))
			}
		}
		if f.Names == nil {
			lines = append(lines, head+", embedded "+types.ExprString(f.Type))
		}
	}
	return lines
}

// representations are the only types of internal packages that the public API names: its
// own types are defined by them, and their fields and methods cannot be reached outside
// the module.
var representations = []string{
	"taint, type Taint value.Taint", "toleration, type Toleration value.Toleration",
}

// A change of the representation, or of anything else in an internal package, breaks no
// importer: the public API names no such type, and no interned string.
func TestAPI_sealed(t *testing.T) {
	hidden := []string{"unique"}
	eachFile(t, func(name string, f *ast.File) {
		if inInternal(filepath.Dir(name)) && !slices.Contains(hidden, f.Name.Name) {
			hidden = append(hidden, f.Name.Name)
		}
	})
	names := regexp.MustCompile(`\b(` + strings.Join(hidden, "|") + `)\.`)
	allowed := 0
	for line := range strings.Lines(read(t, "api.txt")) {
		line = strings.TrimPrefix(strings.TrimSpace(line), "pkg "+module+"/")
		switch {
		case slices.Contains(representations, line):
			allowed++
		case names.MatchString(line):
			t.Errorf("the API names an internal package: %s", line)
		}
	}
	if allowed != len(representations) || !names.MatchString(representations[0]) {
		t.Errorf("%d of %d representations found", allowed, len(representations))
	}
}

func inInternal(dir string) bool {
	return strings.Contains("/"+filepath.ToSlash(dir)+"/", "/internal/")
}

// eachFile calls f for each file of the library and of what it imports that is not a
// test, also in nested modules.
func eachFile(t *testing.T, f func(name string, file *ast.File)) {
	t.Helper()
	files := 0
	for room := range floors {
		err := filepath.WalkDir(room, func(name string, d os.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.Name() == "testdata" || room == "internal" && filepath.ToSlash(name)+"/" == testSupport:
				return filepath.SkipDir
			case d.IsDir() || filepath.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go"):
				return nil
			}
			parsed, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
			if err != nil {
				return err
			}
			files++
			f(name, parsed)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if files < 50 {
		t.Errorf("only %d files", files)
	}
}
