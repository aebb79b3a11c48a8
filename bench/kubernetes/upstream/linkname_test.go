//go:build !k134 && !k135

package upstream_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A source type-checks packages without the bodies of their functions. It reads what they
// import from the build cache.
type source struct {
	t       *testing.T
	fset    *token.FileSet
	listed  map[string]listed
	imports types.Importer
	checked map[string]*types.Package
}

// A listed is a package that the go command lists.
type listed struct {
	ImportPath, Dir, Export string
	GoFiles                 []string
	ImportMap               map[string]string
}

func newSource(t *testing.T) *source {
	t.Helper()
	cmd := exec.Command("go", "list", "-export", "-deps", "-json=ImportPath,Dir,Export,GoFiles,ImportMap", ".")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	s := &source{t, token.NewFileSet(), map[string]listed{}, nil, map[string]*types.Package{}}
	for dec := json.NewDecoder(bytes.NewReader(out)); dec.More(); {
		var p listed
		if err := dec.Decode(&p); err != nil {
			t.Fatal(err)
		}
		s.listed[p.ImportPath] = p
	}
	s.imports = importer.ForCompiler(s.fset, "gc", func(path string) (io.ReadCloser, error) { return os.Open(s.listed[path].Export) })
	return s
}

// files parses the files of a package.
func (s *source) files(path string) (files []*ast.File) {
	p := s.listed[path]
	for _, name := range p.GoFiles {
		f, err := parser.ParseFile(s.fset, filepath.Join(p.Dir, name), nil, parser.ParseComments)
		if err != nil {
			s.t.Fatal(err)
		}
		files = append(files, f)
	}
	return files
}

// check returns the package with these files.
func (s *source) check(path string, files ...*ast.File) *types.Package {
	if s.checked[path] == nil {
		config := types.Config{Importer: s.imports, IgnoreFuncBodies: true, FakeImportC: true, Error: func(error) {}} // of imports that only bodies use
		s.checked[path], _ = config.Check(path, s.fset, files, nil)
	}
	return s.checked[path]
}

// function returns the function or method with the name that the linker has for it, such
// as "p.f" and "p.(*T).f", with its receiver as first parameter.
func (s *source) function(symbol string) (*types.Signature, error) {
	slash := strings.LastIndex(symbol, "/") + 1
	name, member, _ := strings.Cut(symbol[slash:], ".")
	path := symbol[:slash] + name
	if s.listed[path].Dir == "" {
		return nil, fmt.Errorf("no package %s", path)
	}
	scope := s.check(path, s.files(path)...).Scope()
	holder, method, isMethod := strings.Cut(member, ".")
	if !isMethod {
		if f, ok := scope.Lookup(member).(*types.Func); ok {
			return f.Signature(), nil
		}
		return nil, fmt.Errorf("no function %s", symbol)
	}
	of := scope.Lookup(strings.Trim(holder, "(*)"))
	if of == nil {
		return nil, fmt.Errorf("no type of %s", symbol)
	}
	f, _, _ := types.LookupFieldOrMethod(of.Type(), true, of.Pkg(), method)
	m, ok := f.(*types.Func)
	if !ok {
		return nil, fmt.Errorf("no method %s", symbol)
	}
	sig := m.Signature()
	var params []*types.Var
	params = append(params, sig.Recv())
	for v := range sig.Params().Variables() {
		params = append(params, v)
	}
	return types.NewSignatureType(nil, nil, nil, types.NewTuple(params...), sig.Results(), sig.Variadic()), nil
}

// differs describes how the declaration differs from the function.
func differs(declared, function *types.Signature) error {
	of := func(s *types.Signature) (list []*types.Var) {
		for v := range s.Params().Variables() {
			list = append(list, v)
		}
		for v := range s.Results().Variables() {
			list = append(list, v)
		}
		return list
	}
	ours, theirs := of(declared), of(function)
	if len(ours) != len(theirs) || declared.Params().Len() != function.Params().Len() || declared.Variadic() != function.Variadic() {
		return fmt.Errorf("declared as %v, and is %v", declared, function)
	}
	for i := range ours {
		if !same(ours[i].Type(), theirs[i].Type()) {
			return fmt.Errorf("declared with %v, and has %v", ours[i].Type(), theirs[i].Type())
		}
	}
	return nil
}

// same reports whether the types are identical, by their names or by the types that they
// are aliases of, or whether ours is a struct of this package that has the fields of
// theirs; behind a pointer, the first fields suffice.
func same(ours, theirs types.Type) bool {
	if types.Identical(ours, theirs) || types.TypeString(ours, nil) == types.TypeString(theirs, nil) {
		return true
	}
	p, pointer := ours.(*types.Pointer)
	q, both := theirs.(*types.Pointer)
	if pointer != both {
		return false
	}
	if pointer {
		ours, theirs = p.Elem(), q.Elem()
	}
	a, mine := ours.Underlying().(*types.Struct)
	b, its := theirs.Underlying().(*types.Struct)
	named, ok := ours.(*types.Named)
	if !ok || !mine || !its || named.Obj().Pkg().Name() != "upstream" || a.NumFields() > b.NumFields() || !pointer && a.NumFields() != b.NumFields() {
		return false
	}
	sizes := types.SizesFor("gc", "amd64")
	for i := range a.NumFields() {
		f, g := a.Field(i), b.Field(i)
		if f.Name() == "_" && sizes.Sizeof(f.Type()) == sizes.Sizeof(g.Type()) {
			continue // it is not read
		}
		if f.Name() != g.Name() || types.TypeString(f.Type(), nil) != types.TypeString(g.Type(), nil) {
			return false
		}
	}
	return true
}

const this = "github.com/go-tolerate/tolerate/bench/kubernetes/upstream"

// The compiler does not compare the declaration of a linked function with the function:
// with another type, it compiles, and reads the memory of the wrong one.
func TestLinknames(t *testing.T) {
	s := newSource(t)
	files := s.files(this)
	scope, links := s.check(this, files...).Scope(), 0
	for _, f := range files {
		for _, group := range f.Comments {
			for _, c := range group.List {
				words := strings.Fields(c.Text)
				if words[0] != "//go:linkname" {
					continue
				}
				links++
				function, err := s.function(words[2])
				if err == nil {
					err = differs(scope.Lookup(words[1]).(*types.Func).Signature(), function)
				}
				if err != nil {
					t.Errorf("%s: %v", words[1], err)
				}
			}
		}
	}
	if links < 10 {
		t.Errorf("only %d linked functions were compared", links)
	}
}

// What another version declares is found: the slice is one of the API or one of draapi.
func TestLinknames_differ(t *testing.T) {
	s := newSource(t)
	const tracker, eviction = "k8s.io/dynamic-resource-allocation/resourceslice/tracker.", "k8s.io/kubernetes/pkg/controller/tainteviction."
	found := 0
	for i, tt := range []struct{ symbol, declared string }{
		{tracker + "(*Tracker).applyPatches", "(t *tracker.Tracker, ctx context.Context, slice *resourcev1.ResourceSlice, rules []*upstream.DeviceTaintRule) (*resourcev1.ResourceSlice, error)"},
		{tracker + "(*Tracker).applyPatches", "(t *tracker.Tracker, ctx context.Context, slice *draapi.ResourceSlice, rules []*upstream.DeviceTaintRule) (*draapi.ResourceSlice, error)"},
		{tracker + "(*Tracker).applyPatches", "(t *tracker.Tracker, ctx context.Context)"},
		{tracker + "(*Tracker).renamed", "()"},
		{eviction + "getNoExecuteTaints", "(taints []corev1.Toleration) []corev1.Taint"},
		{eviction + "(*Controller).handleNodeUpdate", "(c *tainteviction.Controller, ctx context.Context, item item)"},
	} {
		f, err := parser.ParseFile(s.fset, "f.go", `package upstream
			import (
				"context"
				corev1 "k8s.io/api/core/v1"
				resourcev1 "k8s.io/api/resource/v1"
				"github.com/go-tolerate/tolerate/bench/kubernetes/upstream"
				draapi "k8s.io/dynamic-resource-allocation/api"
				"k8s.io/dynamic-resource-allocation/resourceslice/tracker"
				"k8s.io/kubernetes/pkg/controller/tainteviction"
			)
			type item struct{ nodeName, other string }
			func f`+tt.declared, 0)
		if err != nil {
			t.Fatal(err)
		}
		declared := s.check(fmt.Sprint(this, i), f).Scope().Lookup("f").(*types.Func).Signature()
		function, err := s.function(tt.symbol)
		if err == nil {
			err = differs(declared, function)
		}
		if err != nil {
			t.Log(err)
			found++
		}
	}
	if found != 5 {
		t.Errorf("%d of 5 wrong declarations are found", found)
	}
}
