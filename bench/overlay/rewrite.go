package overlay

import (
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/scanner"
	"go/token"
	"go/types"
	"maps"
	"os"
	"slices"
	"strings"
)

// The package that rewritten functions call, and its name in their files.
const (
	hookPath = "github.com/go-tolerate/tolerate/bench/overlay/hook"
	hookName = "toleratehook"
)

// rewrite returns the text of the file with both bodies in each swapped function: the
// original one, so that its imports remain in use, and then the new one. It also
// returns how many lines of code were swapped.
func rewrite(filename string, swaps []Swap, imports map[string]string) (text []byte, lines int, err error) {
	src, err := os.ReadFile(filename)
	if err != nil {
		return nil, 0, err
	}
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, filename, src, parser.ParseComments)
	if err != nil {
		return nil, 0, err
	}
	offset := func(p token.Pos) int { return fset.Position(p).Offset }

	of := map[string][]Swap{} // by function
	for _, s := range swaps {
		of[s.Func] = append(of[s.Func], s)
	}
	head := offset(file.Name.End())
	last := head
	var out strings.Builder // what follows the imports
	for _, decl := range file.Decls {
		fn, ok := decl.(*ast.FuncDecl)
		if !ok || fn.Body == nil {
			continue
		}
		name := funcName(fn)
		if of[name] == nil {
			continue
		}
		open, end := offset(fn.Body.Lbrace)+1, offset(fn.Body.Rbrace)
		original := string(src[open:end])
		body, n, err := swapped(original, fset.Position(fn.Body.Lbrace).Line, of[name])
		if err != nil {
			return nil, 0, fmt.Errorf("%s: %w", filename, err)
		}
		lines += n
		delete(of, name)
		if fn.Type.Results == nil {
			original += "\nreturn\n" // with results, the body ends in a terminating statement
		}
		out.Write(src[last:open])
		fmt.Fprintf(&out, "\n%s.Called(%q)\nif %s.Original {%s}\n%s\n", hookName, name, hookName, original, body)
		last = end
	}
	for name := range of {
		return nil, 0, fmt.Errorf("%s: no function %s", filename, name)
	}
	out.Write(src[last:])
	if file, err = parser.ParseFile(fset, filename, string(src[:head])+out.String(), 0); err != nil {
		return nil, 0, fmt.Errorf("%s, rewritten: %w", filename, err)
	}
	free := make(map[string]bool) // names that are no variables of the functions
	for _, name := range file.Unresolved {
		free[name.Name] = true
	}
	begin := fmt.Sprintf("%s\nimport %s %q\n", src[:head], hookName, hookPath)
	for _, name := range slices.Sorted(maps.Keys(imports)) {
		if free[name] && slices.ContainsFunc(swaps, func(s Swap) bool { return strings.Contains(s.Body, name+".") }) {
			begin += fmt.Sprintf("import %s %q\n", name, imports[name])
		}
	}
	text, err = format.Source([]byte(begin + out.String()))
	if err != nil {
		return nil, 0, fmt.Errorf("%s, rewritten: %w", filename, err)
	}
	return text, lines, nil
}

// swapped returns a body whose first line is the file's line first, after the swaps, and
// how many lines of code they took.
func swapped(body string, first int, swaps []Swap) (string, int, error) {
	text, lines := strings.SplitAfter(body, "\n"), 0
	for _, s := range swaps {
		from, to := s.Lines[0]-first, s.Lines[1]-first+1
		if s.Lines == [2]int{} {
			from, to = 0, len(text)
		}
		if from < 0 || from >= to || to > len(text) {
			return "", 0, fmt.Errorf("lines %d to %d are not in %s", s.Lines[0], s.Lines[1], s.Func)
		}
		lines += Lines(strings.Join(text[from:to], ""))
		clear(text[from:to])
		text[from] = s.Body + "\n"
	}
	return strings.TrimSpace(strings.Join(text, "")), lines, nil
}

// funcName returns the name of the function in the form of Swap.Func.
func funcName(fn *ast.FuncDecl) string {
	if fn.Recv == nil {
		return fn.Name.Name
	}
	typ, _, _ := strings.Cut(types.ExprString(fn.Recv.List[0].Type), "[")
	return strings.TrimPrefix(typ, "*") + "." + fn.Name.Name
}

// Lines returns how many lines of the code have a token, which excludes blank lines and
// lines that contain only a comment.
func Lines(code string) int {
	lines := map[int]bool{}
	fset := token.NewFileSet()
	file := fset.AddFile("", -1, len(code))
	var s scanner.Scanner
	s.Init(file, []byte(code), nil, 0)
	for {
		pos, tok, lit := s.Scan()
		if tok == token.EOF {
			return len(lines)
		}
		if tok == token.SEMICOLON && lit == "\n" {
			continue // inserted
		}
		for i := range strings.Count(lit, "\n") + 1 { // a raw string can have several lines
			lines[file.Line(pos)+i] = true
		}
	}
}
