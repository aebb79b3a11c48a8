// Package problem collects problems and their paths.
package problem

import (
	"strconv"

	"github.com/go-tolerate/tolerate/validate"
)

// Most is how many problems of a list are collected, so that a text that a stranger sends
// costs bounded memory.
const Most = 10_000

// Append moves the problems of err to ps and makes them problems of the field at path:
// path is put before their own paths, and Func and Input are cleared. An error of another
// package becomes a problem without a rule. A nil err adds nothing. Do not use err
// afterwards: its problems are changed.
//
//	ps = problem.Append(ps, "spec.taints[2]", err)
func Append(ps validate.Problems, path string, err error) validate.Problems {
	switch err := err.(type) {
	case nil:
	case validate.Problems:
		for _, p := range err {
			ps = append(ps, at(path, p))
		}
	case *validate.Problem:
		if err != nil {
			ps = append(ps, at(path, err))
		}
	default:
		ps = append(ps, &validate.Problem{Path: path, Err: err})
	}
	return ps
}

// at makes p a problem of the field at path.
func at(path string, p *validate.Problem) *validate.Problem {
	p.Func, p.Input = "", ""
	switch {
	case path == "":
	case p.Path == "":
		p.Path = path
	case p.Path[0] == '[':
		p.Path = path + p.Path
	default:
		p.Path = path + "." + p.Path
	}
	return p
}

// Index returns the path of element i of the list at path.
func Index(path string, i int) string {
	return path + "[" + strconv.Itoa(i) + "]"
}

// In sets Func of the problems of err to the name of a function, and returns
// err.
func In(caller string, err error) error {
	if ps, ok := err.(validate.Problems); ok {
		for _, p := range ps {
			p.Func = caller
		}
	}
	return err
}

// Must returns v, or panics with err.
func Must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
