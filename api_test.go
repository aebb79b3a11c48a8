package tolerate_test

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/printer"
	"go/token"
	"go/types"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/go-tolerate/tolerate/internal/golden"
)

// The methods that a Go program expects of a value. They are listed, but not
// counted as something that a user has to learn.
var standardMethods = strings.Fields(`String GoString Equal Compare IsZero IsValid Len Error Unwrap LogValue
	AppendText MarshalText UnmarshalText AppendJSON MarshalJSON UnmarshalJSON MarshalYAML UnmarshalYAML
	AppendBinary MarshalBinary UnmarshalBinary`)

// TestAPI compares the exported names of the library with api.txt.
func TestAPI(t *testing.T) {
	pkgs, err := libraryPackages()
	if err != nil {
		t.Fatal(err)
	}
	l := newLoader()
	var a api
	for _, path := range pkgs {
		pkg, err := l.Import(path)
		if err != nil {
			t.Fatal(err)
		}
		a.add(pkg)
	}
	if text := a.text(); strings.Contains(text, "invalid type") {
		t.Errorf("an exported declaration needs more of another module than a name:\n%s", text)
	} else {
		golden.Check(t, "api.txt", text)
	}
}

// libraryPackages returns the import paths of the packages that a user may
// import, also those of nested modules, sorted.
func libraryPackages() ([]string, error) {
	var pkgs []string
	for room := range floors {
		if room == "internal" {
			continue
		}
		err := filepath.WalkDir(room, func(name string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case !d.IsDir():
				return nil
			case d.Name() == "testdata", d.Name() == "internal":
				return fs.SkipDir
			}
			_, err = sources.ImportDir(name, 0)
			var none *build.NoGoError
			if errors.As(err, &none) {
				return nil
			}
			pkgs = append(pkgs, module+"/"+filepath.ToSlash(name))
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	slices.Sort(pkgs)
	return pkgs, nil
}

// sources chooses files for one platform, so that every machine writes the
// same api.txt.
var sources = func() build.Context {
	c := build.Default
	c.GOOS, c.GOARCH, c.CgoEnabled = "linux", "amd64", false
	return c
}()

// A loader type-checks the declarations of this repository's packages and of the
// standard library from their source. Of the packages of others, which only nested
// modules import, it declares the names that are used: see declare.
type loader struct {
	fset *token.FileSet
	pkgs map[string]*types.Package
}

func newLoader() *loader {
	return &loader{token.NewFileSet(), map[string]*types.Package{"unsafe": types.Unsafe}}
}

func (l *loader) Import(path string) (*types.Package, error) {
	if pkg := l.pkgs[path]; pkg != nil {
		return pkg, nil
	}
	found, err := sources.ImportDir(folder(path), 0)
	if err != nil {
		return nil, err
	}
	var files []*ast.File
	for _, name := range found.GoFiles {
		f, err := parser.ParseFile(l.fset, filepath.Join(found.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	return l.check(path, files)
}

// folder returns where a package's source is: in this repository, or in the
// standard library. It is "" for the packages of others.
func folder(path string) string {
	if dir, ours := strings.CutPrefix(path, module+"/"); ours {
		return filepath.FromSlash(dir)
	}
	for _, root := range []string{"src", "src/vendor"} {
		dir := filepath.Join(sources.GOROOT, root, path)
		if _, err := os.Stat(dir); err == nil {
			return dir
		}
	}
	return ""
}

func (l *loader) check(path string, files []*ast.File) (*types.Package, error) {
	config := types.Config{Importer: l, IgnoreFuncBodies: true, Sizes: types.SizesFor("gc", sources.GOARCH)}
	if l.declare(files) {
		config.Error = func(error) {} // the rest of a name: what an exported declaration needs of it shows as an invalid type
	}
	pkg, err := config.Check(path, l.fset, files, nil)
	if config.Error != nil {
		err = nil
	}
	l.pkgs[path] = pkg
	return pkg, err
}

// declare declares as types the names that the files use of the packages of others,
// so that signatures can be written without the source of those packages. It reports
// whether there are any.
func (l *loader) declare(files []*ast.File) (found bool) {
	for _, f := range files {
		others := map[string]*types.Package{}
		for _, spec := range f.Imports {
			path, err := strconv.Unquote(spec.Path.Value)
			if err != nil || folder(path) != "" {
				continue
			}
			name := filepath.Base(path)
			if spec.Name != nil {
				name = spec.Name.Name
			}
			if l.pkgs[path] == nil {
				l.pkgs[path] = types.NewPackage(path, name)
				l.pkgs[path].MarkComplete()
			}
			others[name], found = l.pkgs[path], true
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok {
				if x, ok := s.X.(*ast.Ident); ok && others[x.Name] != nil {
					o := types.NewTypeName(token.NoPos, others[x.Name], s.Sel.Name, nil)
					types.NewNamed(o, types.NewStruct(nil, nil), nil)
					o.Pkg().Scope().Insert(o)
				}
			}
			return true
		})
	}
	return found
}

// An api collects the lines of api.txt.
type api struct {
	lines                               []string
	consts, vars, types, funcs, methods int
	pkg                                 *types.Package
}

func (a *api) add(pkg *types.Package) {
	a.pkg = pkg
	a.lines = append(a.lines, "pkg "+pkg.Path())
	for _, name := range pkg.Scope().Names() {
		if !token.IsExported(name) {
			continue
		}
		switch o := pkg.Scope().Lookup(name).(type) {
		case *types.Const:
			a.consts++
			declared := ""
			if b, ok := o.Type().(*types.Basic); !ok || b.Info()&types.IsUntyped == 0 {
				declared = " " + a.string(o.Type())
			}
			a.linef("const %s%s = %s", name, declared, o.Val().ExactString())
		case *types.Var:
			a.vars++
			a.linef("var %s %s", name, a.string(o.Type()))
		case *types.Func:
			a.funcs++
			a.linef("func %s%s", name, a.signature(o.Type()))
		case *types.TypeName:
			a.types++
			a.addType(o)
		}
	}
}

func (a *api) addType(o *types.TypeName) {
	if o.IsAlias() {
		a.linef("type %s = %s", o.Name(), a.string(types.Unalias(o.Type())))
		return
	}
	name := o.Name()
	switch u := o.Type().Underlying().(type) {
	case *types.Struct:
		a.linef("type %s struct", name)
		if types.Comparable(o.Type()) {
			a.linef("type %s struct, comparable", name)
		}
		for f := range u.Fields() {
			switch {
			case !f.Exported():
			case f.Embedded():
				a.linef("type %s struct, embedded %s", name, a.string(f.Type()))
			default:
				a.linef("type %s struct, %s %s", name, f.Name(), a.string(f.Type()))
			}
		}
	case *types.Interface:
		a.linef("type %s interface", name)
		for m := range u.Methods() {
			if m.Exported() {
				a.linef("type %s interface, %s%s", name, m.Name(), a.signature(m.Type()))
			} else {
				a.linef("type %s interface, unexported method", name)
			}
		}
	default:
		a.linef("type %s %s", name, a.string(u))
	}
	if !types.IsInterface(o.Type()) {
		a.addMethods(o)
	}
}

// addMethods adds the methods of a type, also those of its embedded fields,
// which are not counted.
func (a *api) addMethods(o *types.TypeName) {
	values := types.NewMethodSet(o.Type())
	for m := range types.NewMethodSet(types.NewPointer(o.Type())).Methods() {
		if !m.Obj().Exported() {
			continue
		}
		receiver := "*" + o.Name()
		if values.Lookup(m.Obj().Pkg(), m.Obj().Name()) != nil {
			receiver = o.Name()
		}
		a.linef("method (%s) %s%s", receiver, m.Obj().Name(), a.signature(m.Type()))
		if len(m.Index()) == 1 && !slices.Contains(standardMethods, m.Obj().Name()) {
			a.methods++
		}
	}
}

func (a *api) linef(format string, args ...any) {
	a.lines = append(a.lines, "pkg "+a.pkg.Path()+", "+fmt.Sprintf(format, args...))
}

// string returns a type as this package's source writes it, without the names
// of parameters, which callers do not depend on.
func (a *api) string(t types.Type) string {
	s := types.TypeString(t, func(p *types.Package) string {
		if p == a.pkg {
			return ""
		}
		return p.Name()
	})
	if !strings.Contains(s, "func(") {
		return s
	}
	expr, err := parser.ParseExpr(s)
	if err != nil {
		panic(err) // go/types prints what go/parser reads
	}
	ast.Inspect(expr, func(n ast.Node) bool {
		if f, ok := n.(*ast.FuncType); ok {
			unname(f.Params)
			unname(f.Results)
		}
		return true
	})
	var b bytes.Buffer
	if err := printer.Fprint(&b, token.NewFileSet(), expr); err != nil {
		panic(err)
	}
	return b.String()
}

// signature returns the type of a function without its "func".
func (a *api) signature(t types.Type) string {
	s := t.(*types.Signature)
	var params []string
	for p := range s.TypeParams().TypeParams() {
		params = append(params, p.Obj().Name()+" "+a.string(p.Constraint()))
	}
	plain := types.NewSignatureType(nil, nil, nil, s.Params(), s.Results(), s.Variadic())
	rest := strings.TrimPrefix(a.string(plain), "func")
	if params == nil {
		return rest
	}
	return "[" + strings.Join(params, ", ") + "]" + rest
}

func unname(list *ast.FieldList) {
	if list == nil {
		return
	}
	var fields []*ast.Field
	for _, f := range list.List {
		for range max(1, len(f.Names)) {
			fields = append(fields, &ast.Field{Type: f.Type})
		}
	}
	list.List = fields
}

func (a *api) text() string {
	slices.Sort(a.lines)
	return fmt.Sprintf(`# The exported API of the library. Generated: go test . -run TestAPI -update
#
# %d variables, types and functions.
# %d methods, besides the standard ones (String, GoString, Equal, Compare, IsZero, IsValid, Len, Error,
# Unwrap, LogValue, and those of text, JSON, YAML and binary data).
# %d constants.

%s
`, a.vars+a.types+a.funcs, a.methods, a.consts, strings.Join(a.lines, "\n"))
}

// Every kind of declaration has its line, and what is not exported has none.
func TestAPI_lines(t *testing.T) {
	const source = `package p

import (
	"time"

	corev1 "example.com/api/core/v1"
)

const (
	A = "a"
	B Kind = iota
	c = 1
)

var V, w int

var max = corev1.Max + 1 // no exported declaration depends on it

type (
	Kind uint8
	Opaque struct{ n int }
	Open struct {
		Opaque
		X, Y *time.Time
		F    func(name string) (err error)
		z    int
	}
	Face interface {
		M(n int) string
		m()
	}
	Alias = time.Duration
	Box[T any] struct{ v T }
	hidden struct{ X int }
)

func (k Kind) String() string             { return "" }
func (o Opaque) Get(i, j int) (n int)     { return 0 }
func (o *Opaque) Set(yield func(n int) bool) {}
func (b *Box[T]) Put(v T)                 {}
func (hidden) Exported()                  {}
func (o Opaque) get()                     {}

func F(at time.Time, kinds ...Kind) (k Kind, err error) { return }
func G[K comparable, V []K](m map[K]V) (keys []K)       { return nil }
func H(t *corev1.Taint, f func(corev1.Taint)) []corev1.Taint { return corev1.List() }
func g()                                                {}
`
	l := newLoader()
	f, err := parser.ParseFile(l.fset, "p.go", source, 0)
	if err != nil {
		t.Fatal(err)
	}
	pkg, err := l.check("example.com/p", []*ast.File{f})
	if err != nil {
		t.Fatal(err)
	}
	var a api
	a.add(pkg)
	got := a.text()
	for _, want := range []string{
		"# 10 variables, types and functions.\n",
		"# 3 methods, besides",
		"# 2 constants.\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in the heading", want)
		}
	}
	_, got, _ = strings.Cut(got, "\n\n")
	const want = `pkg example.com/p
pkg example.com/p, const A = "a"
pkg example.com/p, const B Kind = 1
pkg example.com/p, func F(time.Time, ...Kind) (Kind, error)
pkg example.com/p, func G[K comparable, V []K](map[K]V) []K
pkg example.com/p, func H(*corev1.Taint, func(corev1.Taint)) []corev1.Taint
pkg example.com/p, method (*Box) Put(T)
pkg example.com/p, method (*Opaque) Set(func(int) bool)
pkg example.com/p, method (*Open) Set(func(int) bool)
pkg example.com/p, method (Kind) String() string
pkg example.com/p, method (Opaque) Get(int, int) int
pkg example.com/p, method (Open) Get(int, int) int
pkg example.com/p, type Alias = time.Duration
pkg example.com/p, type Box struct
pkg example.com/p, type Face interface
pkg example.com/p, type Face interface, M(int) string
pkg example.com/p, type Face interface, unexported method
pkg example.com/p, type Kind uint8
pkg example.com/p, type Opaque struct
pkg example.com/p, type Opaque struct, comparable
pkg example.com/p, type Open struct
pkg example.com/p, type Open struct, F func(string) error
pkg example.com/p, type Open struct, X *time.Time
pkg example.com/p, type Open struct, Y *time.Time
pkg example.com/p, type Open struct, embedded Opaque
pkg example.com/p, var V int
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("lines of the example mismatch (-want +got):\n%s", diff)
	}
}
