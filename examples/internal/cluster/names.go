package cluster

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/go-tolerate/tolerate/examples/internal/resource"
	"github.com/go-tolerate/tolerate/internal/apijson"
	"github.com/go-tolerate/tolerate/internal/problem"
)

// check returns an error for a name in an Object that occurs twice, or is that of a field
// in another case, which package json accepts, and for what is no quantity.
func check(object []byte) error {
	s, err := apijson.NewScanner(object)
	if err == nil {
		err = shapes.check(&s, "")
	}
	return err
}

var (
	quantity = reflect.TypeFor[resource.Quantity]()
	shapes   = shapeOf(reflect.TypeFor[Object]())
)

// A shape is what package json reads into a type: a list, a map, a struct, a quantity, or
// anything else, whose shape is nil.
type shape struct {
	elem     *shape            // of a list or a map
	fields   map[string]*shape // of a struct, by their names in JSON
	quantity bool
}

func shapeOf(t reflect.Type) *shape {
	if t == quantity {
		return &shape{quantity: true}
	}
	switch t.Kind() {
	case reflect.Pointer:
		return shapeOf(t.Elem())
	case reflect.Slice, reflect.Map:
		return &shape{elem: shapeOf(t.Elem())}
	case reflect.Struct:
		fields := map[string]*shape{}
		for _, f := range reflect.VisibleFields(t) {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if name == "" {
				name = strings.ToLower(f.Name[:1]) + f.Name[1:]
			}
			if f.IsExported() && name != "-" {
				fields[name] = shapeOf(f.Type)
			}
		}
		return &shape{fields: fields}
	}
	return nil
}

// check checks the next value, which package json has read. Keys of maps are data.
func (x *shape) check(s *apijson.Scanner, path string) error {
	switch {
	case x != nil && s.Enter('['):
		for i := 0; s.More(); i++ {
			if err := x.elem.check(s, problem.Index(path, i)); err != nil {
				return err
			}
		}
	case x != nil && s.Enter('{'):
		for seen := map[string]bool{}; s.More(); {
			name, next := s.Name(), x.elem
			if err := checkName(x.fields, seen, name); err != nil {
				return fmt.Errorf("%s%w", strings.TrimPrefix(path+": ", ": "), err)
			}
			if x.fields != nil {
				next = x.fields[name]
			}
			if err := next.check(s, strings.TrimPrefix(path+"."+name, ".")); err != nil {
				return err
			}
		}
	default:
		if v := s.Value(); x != nil && x.quantity && new(resource.Quantity).UnmarshalJSON([]byte(v.Text)) != nil {
			return fmt.Errorf("%s: quantity %.60q is not allowed", path, v.Text)
		}
	}
	return nil
}

// checkName checks the name of a member of an object that has these fields.
func checkName(fields map[string]*shape, seen map[string]bool, name string) error {
	if seen[name] {
		return fmt.Errorf("field %.100q occurs twice", name)
	}
	seen[name] = true
	for field := range fields {
		if name != field && strings.EqualFold(name, field) {
			return fmt.Errorf("unknown field %.100q, did you mean %s?", name, field)
		}
	}
	return nil
}
