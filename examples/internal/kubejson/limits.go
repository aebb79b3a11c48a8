package kubejson

import (
	"fmt"

	"github.com/go-tolerate/tolerate/internal/apijson"
	"github.com/go-tolerate/tolerate/validate"
)

// The limits of what is decoded of one object, and of what is reported about it:
// a problem takes hundreds of bytes for three bytes of input.
const (
	mostElements = 10_000  // in a list of taints or tolerations
	mostFields   = 100_000 // in all elements of it
	mostProblems = 20      // of an object; the rest is counted
)

// checkSize reports a list that is too long to be decoded.
func checkSize(list apijson.Field, path string) error {
	if list.Kind != apijson.Other || list.Text[0] != '[' || len(list.Text) < 2*mostElements {
		return nil
	}
	s, err := apijson.OpenList([]byte(list.Text), path)
	if err != nil {
		return err
	}
	elements, fields := 0, 0
	for s.More() {
		if elements++; elements > mostElements {
			return &validate.Problem{Path: path, Err: fmt.Errorf("more than %d elements", mostElements)}
		}
		element := s
		s.Value()
		if !element.Enter('{') {
			continue
		}
		for element.More() {
			if fields++; fields > mostFields {
				return &validate.Problem{Path: path, Err: fmt.Errorf("more than %d fields in its elements", mostFields)}
			}
			element.Name()
			element.Value()
		}
	}
	return nil
}
