// Package recorded has the answers of Kubernetes that bench/kubernetes records. Only
// tests import it. README.md describes the files.
package recorded

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"reflect"
	"slices"
	"testing"
)

// Format is the version of the format, and Version that of the cases (README.md).
const Format, Version = 1, 1

// A Header is the first line of a recording.
type Header struct {
	Format     int    `json:"format"`
	Version    int    `json:"version"`
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

//go:embed kubernetes-*.jsonl.gz
var files embed.FS

// minors are the versions that are recorded.
var minors = []string{"1.34", "1.35", "1.36", "1.37"}

// Name returns the name of the recording of a minor version of Kubernetes.
func Name(minor string) string { return "kubernetes-" + minor + ".jsonl.gz" }

// A line is every line except the first.
type line[C any] struct {
	Kind  string   `json:"kind"`
	Rules []string `json:"rules"`
	Case  C        `json:"case"`
}

// Each calls f with every recorded case of the kind, and fails the test if f returns an
// error. There must be a recording of each version, with as many cases of the kind as its
// header states.
func Each[C any](t *testing.T, kind string, f func(h Header, c C) error) {
	t.Helper()
	for _, minor := range minors {
		t.Run(minor, func(t *testing.T) {
			h, lines, err := read(files, Name(minor), kind)
			if err != nil {
				t.Fatal(err)
			}
			failed := 0
			for i, text := range lines {
				var l line[C]
				if err := json.Unmarshal(text, &l); err != nil {
					t.Fatalf("%s %d: %v", kind, i, err)
				}
				if err := f(h, l.Case); err != nil {
					t.Errorf("%s %d: %v\n%s", kind, i, err, text)
					if failed++; failed == 5 {
						t.Fatal("and perhaps more")
					}
				}
			}
		})
	}
}

// read returns a recording's header and its lines of a kind. It returns an error if their
// number is not that of the header.
func read(files fs.FS, name, kind string) (h Header, lines [][]byte, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("%s: %w", name, err)
		}
	}()
	text, err := fs.ReadFile(files, name)
	if err != nil {
		return h, nil, err
	}
	z, err := gzip.NewReader(bytes.NewReader(text))
	if err != nil {
		return h, nil, err
	}
	in := bufio.NewScanner(z)
	in.Buffer(nil, 1<<20)
	in.Scan()
	if err := json.Unmarshal(in.Bytes(), &h); err != nil || h.Format != Format {
		return h, nil, cmp.Or(err, fmt.Errorf("format %d, want %d", h.Format, Format))
	}
	for in.Scan() {
		if bytes.HasPrefix(in.Bytes(), []byte(`{"kind":"`+kind+`",`)) {
			lines = append(lines, slices.Clone(in.Bytes()))
		}
	}
	if n := h.Cases[kind]; in.Err() == nil && (n != len(lines) || n == 0) {
		return h, nil, fmt.Errorf("%d cases of the kind %q, want %d", len(lines), kind, n)
	}
	return h, lines, in.Err()
}

// A Kind is all cases of one kind.
type Kind struct {
	Name  string
	Cases []any
}

// Write writes a recording, which depends only on the arguments.
func Write(w io.Writer, h Header, kinds []Kind) error {
	h.Format, h.Version, h.Cases = Format, Version, map[string]int{}
	for _, k := range kinds {
		h.Cases[k.Name] = len(k.Cases)
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	err := enc.Encode(h)
	for _, k := range kinds {
		for _, c := range k.Cases {
			err = errors.Join(err, enc.Encode(line[any]{k.Name, rules(c), c}))
		}
	}
	return err
}
