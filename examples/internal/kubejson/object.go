package kubejson

import (
	"slices"
	"strings"

	"github.com/go-tolerate/tolerate/internal/apijson"
	"github.com/go-tolerate/tolerate/validate"
)

// An Object is one object of the input. Its JSON is known to be valid, and it
// has a kind; nothing else of it has been looked at.
type Object struct {
	Source string // the file, as the caller named it
	Line   int    // where the object begins, from 1
	Place  string // in a list, such as "items[3]"; empty on its own

	APIVersion string // may be empty
	Kind       string
	Namespace  string // may be empty
	Name       string // may be empty, or end in "*" when it is still to be generated

	// Raw is the object's JSON. It is valid until the next object is read.
	Raw []byte

	scan apijson.Scanner // over a copy of Raw
}

// String returns the kind and the name, such as "Pod shop/web-1".
func (o *Object) String() string {
	switch {
	case o.Kind == "":
		return o.FullName()
	case o.Name == "":
		return o.Kind
	}
	return o.Kind + " " + o.FullName()
}

// FullName returns the name, with the namespace and a slash before it when
// there is one.
func (o *Object) FullName() string {
	if o.Namespace == "" {
		return o.Name
	}
	return o.Namespace + "/" + o.Name
}

// Is reports whether the object is of that kind in the core group, version v1.
// An object without apiVersion counts as such.
func (o *Object) Is(kind string) bool {
	return o.Kind == kind && (o.APIVersion == "v1" || o.APIVersion == "")
}

// Fields returns the value at each of the paths, such as "spec.nodeName";
// absent where there is none. Member names are case-sensitive. The problems are
// the members on the way to a path that are not objects, and the names on the
// way to a path, its last name included, that are repeated: readers of JSON
// differ in what they make of those, and kubectl never writes them. The fields
// are then those of the first member of that name.
//
// Texts in the fields share the object's memory: clone what is to stay.
func (o *Object) Fields(paths ...string) ([]apijson.Field, validate.Problems) {
	f := finder{paths: paths, found: make([]apijson.Field, len(paths))}
	scan := o.scan
	scan.Enter('{')
	f.members(&scan, "")
	return f.found, f.problems
}

type finder struct {
	paths    []string
	found    []apijson.Field
	problems validate.Problems
}

// members reads the members of the object that scan has entered.
func (f *finder) members(scan *apijson.Scanner, prefix string) {
	var room [8]string
	seen := room[:0] // the names on the way to a path
	for scan.More() {
		name := scan.Name()
		path := prefix + name
		wanted, below := f.look(path)
		switch {
		case wanted < 0 && !below, strings.Contains(name, "."): // a dot in a name leads nowhere
			scan.Value()
		case slices.Contains(seen, name):
			f.repeated(path, scan.Value())
		case wanted >= 0:
			seen = append(seen, name)
			f.found[wanted] = scan.Value()
		case scan.Enter('{'):
			seen = append(seen, name)
			f.members(scan, path+".")
		default:
			seen = append(seen, name)
			if v := scan.Value(); v.Kind != apijson.Absent {
				f.problems = append(f.problems, &validate.Problem{Path: path, Value: v.Raw(), Rule: validate.NotObject})
			}
		}
	}
}

// repeated reports a name that is repeated, once however often it is.
func (f *finder) repeated(path string, value apijson.Field) {
	for _, p := range f.problems {
		if p.Path == path && p.Rule == validate.FieldRepeated {
			return
		}
	}
	f.problems = append(f.problems, &validate.Problem{Path: path, Value: value.Raw(), Rule: validate.FieldRepeated})
}

// look returns the index of path, -1 when it is not looked for, and whether a
// path below it is.
func (f *finder) look(path string) (wanted int, below bool) {
	wanted = -1
	for i, p := range f.paths {
		if rest, ok := strings.CutPrefix(p, path); !ok {
			continue
		} else if rest == "" {
			wanted = i
		} else if rest[0] == '.' {
			below = true
		}
	}
	return wanted, below
}

// name returns the name by which the object is called.
func name(name, generate string) string {
	if name == "" && generate != "" {
		return generate + "*"
	}
	return name
}

// identify reads what the object is called. Wrong types are reported by the
// methods that read the object, so here they are as good as nothing.
func (o *Object) identify() {
	f, _ := o.Fields("apiVersion", "kind", "metadata.namespace", "metadata.name", "metadata.generateName")
	text := func(i int) string { s, _ := f[i].AsString("", nil); return strings.Clone(s) }
	o.APIVersion, o.Kind, o.Namespace = text(0), text(1), text(2)
	o.Name = name(text(3), text(4))
}
