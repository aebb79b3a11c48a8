package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// texts writes the functions that are swapped, and those that package upstream links, as
// this version of Kubernetes has them.
func texts(w io.Writer) error {
	type function struct{ pkg, name string } // as the linker has it, without (*)
	var functions []function
	for _, s := range swaps {
		functions = append(functions, function{s.Module + "/" + filepath.ToSlash(filepath.Dir(s.File)), s.Func})
	}
	files, err := filepath.Glob("upstream/*.go")
	if err != nil {
		return err
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		for _, m := range regexp.MustCompile(`(?m)^//go:linkname \w+ (.*/[\w-]+)\.(\S+)$`).FindAllSubmatch(text, -1) {
			functions = append(functions, function{string(m[1]), strings.NewReplacer("(*", "", ")", "").Replace(string(m[2]))})
		}
	}
	dirs := map[string]string{}
	for i, f := range functions {
		if dirs[f.pkg] == "" {
			out, err := exec.Command("go", "list", "-f", "{{.Dir}}", f.pkg).Output()
			if err != nil {
				return fmt.Errorf("go list %s: %w", f.pkg, err)
			}
			dirs[f.pkg] = strings.TrimSpace(string(out))
		}
		if slices.Contains(functions[:i], f) {
			continue
		}
		text, err := body(dirs[f.pkg], f.name)
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "%s %s\n%s\n\n", f.pkg, f.name, text)
	}
	return nil
}

// body returns the text of the function or method with that name.
func body(dir, name string) (string, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return "", err
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return "", err
		}
		fset := token.NewFileSet()
		parsed, err := parser.ParseFile(fset, file, text, parser.SkipObjectResolution)
		if err != nil {
			return "", err
		}
		for _, d := range parsed.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			full := f.Name.Name
			if f.Recv != nil {
				of := f.Recv.List[0].Type
				if p, ok := of.(*ast.StarExpr); ok {
					of = p.X
				}
				full = fmt.Sprint(of, ".", full)
			}
			if full == name {
				return string(text[fset.Position(f.Pos()).Offset:fset.Position(f.End()).Offset]), nil
			}
		}
	}
	return "", fmt.Errorf("%s has no function %s", dir, name)
}
