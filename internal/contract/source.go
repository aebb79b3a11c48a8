package contract

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"reflect"
	"strconv"
	"time"
)

// evaluate returns the value of a Go expression of the kinds that GoString
// writes: calls of functions and methods, literals, and a function literal of
// assignments and a return. Names are those of package time and of source.
func evaluate(expr string, source map[string]any) (result any, err error) {
	tree, err := parser.ParseExpr(expr)
	if err != nil {
		return nil, err
	}
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%v", p)
		}
	}()
	names := map[string]any{"time.Date": time.Date, "time.UTC": time.UTC, "time.Unix": time.Unix}
	for m := time.January; m <= time.December; m++ {
		names["time."+m.String()] = m
	}
	for name, v := range source {
		names[name] = v
	}
	s := scope{names, make(map[string]reflect.Value)}
	return s.value(tree).Interface(), nil
}

type scope struct {
	names map[string]any
	vars  map[string]reflect.Value
}

// value panics if it does not know the kind of the expression.
func (s scope) value(e ast.Expr) reflect.Value {
	switch e := e.(type) {
	case *ast.BasicLit:
		return literal(e)
	case *ast.ParenExpr:
		return s.value(e.X)
	case *ast.UnaryExpr:
		if n := s.value(e.X); e.Op == token.SUB && n.CanInt() {
			return reflect.ValueOf(int(-n.Int()))
		}
	case *ast.Ident:
		if v, ok := s.vars[e.Name]; ok {
			return v
		}
	case *ast.SelectorExpr:
		if v, ok := s.named(e); ok {
			return v
		}
		if m := s.value(e.X).MethodByName(e.Sel.Name); m.IsValid() {
			return m
		}
		panic("no method " + e.Sel.Name)
	case *ast.CallExpr:
		if out := s.call(e); len(out) == 1 {
			return out[0]
		}
		panic("not one result")
	case *ast.CompositeLit:
		return s.composite(e)
	}
	panic(fmt.Sprintf("cannot evaluate %T", e))
}

func literal(e *ast.BasicLit) reflect.Value {
	var v any
	var err error
	switch e.Kind {
	case token.STRING:
		v, err = strconv.Unquote(e.Value)
	case token.INT:
		v, err = strconv.Atoi(e.Value)
	default:
		panic("cannot evaluate " + e.Value)
	}
	if err != nil {
		panic(err)
	}
	return reflect.ValueOf(v)
}

// named returns the value of package.Name.
func (s scope) named(e ast.Expr) (reflect.Value, bool) {
	sel, ok := e.(*ast.SelectorExpr)
	if !ok {
		return reflect.Value{}, false
	}
	pkg, ok := sel.X.(*ast.Ident)
	if !ok {
		return reflect.Value{}, false
	}
	v, ok := s.names[pkg.Name+"."+sel.Sel.Name]
	return reflect.ValueOf(v), ok
}

func (s scope) call(e *ast.CallExpr) []reflect.Value {
	if f, ok := e.Fun.(*ast.FuncLit); ok && len(e.Args) == 0 {
		return []reflect.Value{s.run(f.Body.List)}
	}
	f := s.value(e.Fun)
	args := make([]reflect.Value, len(e.Args))
	for i, arg := range e.Args {
		args[i] = s.value(arg)
		if in := f.Type().In(i); args[i].CanInt() && in.Kind() != reflect.String {
			args[i] = args[i].Convert(in) // a constant
		}
	}
	return f.Call(args)
}

// run executes assignments and the return at the end.
func (s scope) run(body []ast.Stmt) reflect.Value {
	for _, stmt := range body {
		switch stmt := stmt.(type) {
		case *ast.AssignStmt:
			for i, v := range s.call(stmt.Rhs[0].(*ast.CallExpr)) {
				s.vars[stmt.Lhs[i].(*ast.Ident).Name] = v
			}
		case *ast.ReturnStmt:
			return s.value(stmt.Results[0])
		default:
			panic(fmt.Sprintf("cannot execute %T", stmt))
		}
	}
	panic("no return")
}

// composite returns a struct's zero value or a slice.
func (s scope) composite(e *ast.CompositeLit) reflect.Value {
	array, ok := e.Type.(*ast.ArrayType)
	if !ok {
		v, ok := s.named(e.Type)
		if ok && v.Kind() == reflect.Slice {
			return s.elements(v.Type(), e.Elts)
		}
		if !ok || len(e.Elts) > 0 {
			panic("an unknown type, or a field that nobody outside the package can set")
		}
		return reflect.Zero(v.Type())
	}
	elem, ok := s.named(array.Elt)
	if !ok {
		panic("a list of an unknown type")
	}
	return s.elements(reflect.SliceOf(elem.Type()), e.Elts)
}

func (s scope) elements(list reflect.Type, elts []ast.Expr) reflect.Value {
	v := reflect.MakeSlice(list, 0, len(elts))
	for _, elt := range elts {
		v = reflect.Append(v, s.value(elt))
	}
	return v
}
