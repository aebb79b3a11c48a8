package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"os"
	"path"
	"strconv"
	"strings"
)

// A swap names one function of Kubernetes and the body that takes its place.
type swap struct {
	module string // module path
	file   string // in the module
	name   string // function, or Type.Method
	body   string // statements; they see the function's own parameter names
}

// adapters are the packages that a body may use, by the name it uses them under.
var adapters = map[string]string{
	"tolerateadapter":   "github.com/go-tolerate/tolerate/bench/kubernetes/adapter",
	"tolerateobjects":   "github.com/go-tolerate/tolerate/bench/kubernetes/adapter/objects",
	"tolerateadmission": "github.com/go-tolerate/tolerate/bench/kubernetes/adapter/admission",
	"tolerategates":     "github.com/go-tolerate/tolerate/bench/kubernetes/adapter/gates",
}

// rewrite returns the text of an upstream file with the bodies swapped, so
// that no upstream text has to be kept in this repository. With keep, the
// bodies stay and only count their calls: what upstream itself does under the
// same overlay.
func rewrite(filename string, swaps []swap, keep bool) ([]byte, error) {
	src, err := os.ReadFile(filename)
	if err != nil {
		return nil, err
	}
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, filename, src, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	offset := func(p token.Pos) int { return fset.Position(p).Offset }

	// Bodies from the last to the first, so that offsets stay good.
	out := src
	need := map[string]bool{}
	done := map[string]bool{}
	for i := len(file.Decls) - 1; i >= 0; i-- {
		fn, ok := file.Decls[i].(*ast.FuncDecl)
		if !ok || fn.Body == nil {
			continue
		}
		for _, s := range swaps {
			if s.name != funcName(fn) {
				continue
			}
			done[s.name] = true
			body := "\ntolerateadapter.Called(" + strconv.Quote(s.name) + ")"
			if !keep {
				body += s.body + "\n"
			} else {
				body += string(src[offset(fn.Body.Lbrace)+1 : offset(fn.Body.Rbrace)])
			}
			for name := range adapters {
				if strings.Contains(body, name+".") {
					need[name] = true
				}
			}
			out = bytes.Join([][]byte{out[:offset(fn.Body.Lbrace)+1], []byte(body), out[offset(fn.Body.Rbrace):]}, nil)
		}
	}
	for _, s := range swaps {
		if !done[s.name] {
			return nil, fmt.Errorf("%s: no function %s", filename, s.name)
		}
	}
	var imports strings.Builder
	for name := range need {
		fmt.Fprintf(&imports, "\nimport %s %q\n", name, adapters[name])
	}
	end := offset(file.Name.End())
	out = bytes.Join([][]byte{out[:end], []byte(imports.String()), out[end:]}, nil)
	return blankUnused(filename, file, out)
}

func funcName(fn *ast.FuncDecl) string {
	if fn.Recv == nil {
		return fn.Name.Name
	}
	typ := fn.Recv.List[0].Type
	if star, ok := typ.(*ast.StarExpr); ok {
		typ = star.X
	}
	if id, ok := typ.(*ast.Ident); ok {
		return id.Name + "." + fn.Name.Name
	}
	return fn.Name.Name
}

// blankUnused renames to _ the imports that only the old bodies used.
func blankUnused(filename string, before *ast.File, src []byte) ([]byte, error) {
	fset := token.NewFileSet()
	after, err := parser.ParseFile(fset, filename, src, parser.ParseComments)
	if err != nil {
		return nil, fmt.Errorf("%s, swapped: %w", filename, err)
	}
	was, is := selected(before), selected(after)
	for _, spec := range after.Imports {
		name := importName(spec)
		if was[name] && !is[name] {
			spec.Name = ast.NewIdent("_")
		}
	}
	var buf bytes.Buffer
	err = format.Node(&buf, fset, after)
	return buf.Bytes(), err
}

// selected returns every x of an x.y in the file.
func selected(file *ast.File) map[string]bool {
	names := map[string]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok {
			if id, ok := sel.X.(*ast.Ident); ok {
				names[id.Name] = true
			}
		}
		return true
	})
	return names
}

// importName is the name that an import is used under: upstream names all whose
// last path element is not the package's name, but for versions (klog/v2).
func importName(spec *ast.ImportSpec) string {
	if spec.Name != nil {
		return spec.Name.Name
	}
	p, _ := strconv.Unquote(spec.Path.Value)
	last := path.Base(p)
	if len(last) > 1 && last[0] == 'v' && strings.Trim(last[1:], "0123456789") == "" {
		last = path.Base(path.Dir(p))
	}
	return last
}
