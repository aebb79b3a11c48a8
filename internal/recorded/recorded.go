// Package recorded reads the answers of Kubernetes that bench/kubernetes records. Only
// tests import it. README.md describes the files.
package recorded

import (
	"bufio"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
)

// Format is the version of the format. It changes when a reader of the old one
// would misread a file.
const Format = 1

// A Header is the first line of a recording.
type Header struct {
	Format     int    `json:"format"`
	Kubernetes string `json:"kubernetes"` // the version, such as "1.37.0"
	// Numeric reports whether that version has the operators Lt and Gt, behind
	// a feature gate.
	Numeric bool   `json:"numeric"`
	Seed    uint64 `json:"seed"`
	// Cases holds how many cases there are of each kind.
	Cases map[string]int `json:"cases"`
}

// A Taint has the API's fields. TimeAdded is a time of RFC 3339.
type Taint struct {
	Key       string `json:"key"`
	Value     string `json:"value,omitempty"`
	Effect    string `json:"effect"`
	TimeAdded string `json:"timeAdded,omitempty"`
}

// A Toleration has the API's fields.
type Toleration struct {
	Key      string `json:"key,omitempty"`
	Operator string `json:"operator,omitempty"`
	Value    string `json:"value,omitempty"`
	Effect   string `json:"effect,omitempty"`
	Seconds  *int64 `json:"tolerationSeconds,omitempty"`
}

// Equal reports whether all fields are the same.
func (t Toleration) Equal(u Toleration) bool { return reflect.DeepEqual(t, u) }

// versions are those that are recorded.
var versions = []string{"1.34", "1.35", "1.36", "1.37"}

// files returns the names of the recordings in a directory. It returns an error if they
// are not those of the versions.
func files(dir string) ([]string, error) {
	names, err := filepath.Glob(filepath.Join(dir, "kubernetes-*.jsonl.gz"))
	if err != nil {
		return nil, err
	}
	var want []string
	for _, v := range versions {
		want = append(want, filepath.Join(dir, "kubernetes-"+v+".jsonl.gz"))
	}
	if !slices.Equal(names, want) {
		return nil, fmt.Errorf("the recordings are %v, want %v", names, want)
	}
	return names, nil
}

// Each calls f with every recorded case of the kind, from each recording under
// testdata, and fails the test if f returns an error. There must be a recording of each
// version, with as many cases of the kind as its header states.
func Each[C any](t *testing.T, kind string, f func(h Header, c C) error) {
	t.Helper()
	names, err := files("testdata")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		t.Run(filepath.Base(name), func(t *testing.T) {
			h, lines, err := Read(name)
			if err != nil {
				t.Fatal(err)
			}
			if len(lines[kind]) == 0 {
				t.Fatalf("no cases of the kind %q", kind)
			}
			failed := 0
			for i, line := range lines[kind] {
				var c C
				if err := json.Unmarshal(line, &c); err != nil {
					t.Fatalf("%s %d: %v", kind, i, err)
				}
				if err := f(h, c); err != nil {
					t.Errorf("%s %d: %v\n%s", kind, i, err, line)
					if failed++; failed == 5 {
						t.Fatal("and perhaps more")
					}
				}
			}
		})
	}
}

// A line is every line except the first.
type line[C any] struct {
	Kind string `json:"kind"`
	Case C      `json:"case"`
}

// Read reads a recording: its header, and its cases by kind, in the order of the file.
// It returns an error if their numbers are not those of the header.
func Read(name string) (h Header, cases map[string][]json.RawMessage, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("%s: %w", name, err)
		}
	}()
	f, err := os.Open(name)
	if err != nil {
		return h, nil, err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return h, nil, err
	}
	dec := json.NewDecoder(bufio.NewReader(z))
	if err := dec.Decode(&h); err != nil || h.Format != Format {
		return h, nil, cmp.Or(err, fmt.Errorf("format %d, want %d", h.Format, Format))
	}
	cases = map[string][]json.RawMessage{}
	for {
		var l line[json.RawMessage]
		if err := dec.Decode(&l); err == io.EOF {
			break
		} else if err != nil {
			return h, nil, err
		}
		cases[l.Kind] = append(cases[l.Kind], l.Case)
	}
	for _, kind := range slices.Sorted(maps.Keys(h.Cases)) {
		if n := len(cases[kind]); n != h.Cases[kind] {
			return h, nil, fmt.Errorf("%d cases of the kind %q, want %d", n, kind, h.Cases[kind])
		}
	}
	return h, cases, nil
}

// Write writes a recording, which depends only on the arguments.
func Write(w io.Writer, h Header, kinds []Kind) error {
	h.Format, h.Cases = Format, map[string]int{}
	for _, k := range kinds {
		h.Cases[k.Name] = len(k.Cases)
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	err := enc.Encode(h)
	for _, k := range kinds {
		for _, c := range k.Cases {
			err = errors.Join(err, enc.Encode(line[any]{k.Name, c}))
		}
	}
	return err
}

// A Kind is all cases of one kind.
type Kind struct {
	Name  string
	Cases []any
}
