// Package convert converts lists between the API's structs and the library's values.
package convert

import (
	"strconv"

	"github.com/go-tolerate/tolerate/validate"
)

// Problems returns the error of a constructor, which has no other type.
func Problems(err error) validate.Problems {
	if err == nil {
		return nil
	}
	return err.(validate.Problems)
}

// In returns the problems as an error of the function of that name.
func In(name string, ps validate.Problems) error {
	for _, p := range ps {
		p.Func = name
	}
	return ps.Err()
}

// Values returns the value of each struct, and the problems of all with their paths in
// the list at path.
func Values[C, V any](list []C, path string, value func(*C) (V, validate.Problems)) ([]V, validate.Problems) {
	if list == nil {
		return nil, nil
	}
	var all validate.Problems
	values := make([]V, len(list))
	for i := range list {
		v, ps := value(&list[i])
		values[i] = v
		for _, p := range ps {
			p.Func, p.Path = "", path+"["+strconv.Itoa(i)+"]."+p.Path
		}
		all = append(all, ps...)
	}
	return values, all
}

// Structs returns the struct of each value.
func Structs[V, C any](values []V, of func(V) C) []C {
	if values == nil {
		return nil
	}
	list := make([]C, len(values))
	for i, v := range values {
		list[i] = of(v)
	}
	return list
}
