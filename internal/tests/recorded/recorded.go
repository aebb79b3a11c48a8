// Package recorded reads the answers that bench/recorded has. Only tests
// import it, and the recorder.
package recorded

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// Format is the version of the format, and Version that of the cases.
const Format, Version = 1, 3

// A Header is the first line of a recording.
type Header struct {
	Format     int            `json:"format"`
	Version    int            `json:"version"`
	Kubernetes string         `json:"kubernetes,omitempty"` // the version, such as "1.37.0"
	Numeric    bool           `json:"numeric"`              // whether that version has Lt and Gt
	Seed       uint64         `json:"seed,omitempty"`
	Cases      map[string]int `json:"cases"` // how many of each kind
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
func (u Toleration) Equal(v Toleration) bool { return reflect.DeepEqual(u, v) }

// Numeric reports whether the operator is Lt or Gt.
func (u Toleration) Numeric() bool { return u.Operator == "Lt" || u.Operator == "Gt" }

// A Line is every line except the first: a case, which is of a type of this package.
type Line[C any] struct {
	Kind  string   `json:"kind"`
	ID    string   `json:"id"`
	Rules []string `json:"rules"`
	Case  C        `json:"case"`
}

// Name returns the name of the recording of a minor version.
func Name(minor string) string { return "kubernetes-" + minor + ".jsonl.gz" }

// Policies is the name of the file of policies, whose answers are the library's.
const Policies = "tolerate-policies.jsonl.gz"

// Each calls f with every recorded case of the kind, and fails the test if f returns an
// error. There must be a recording of each version, with as many cases of the kind as its
// header states. Devices are recorded from 1.36.
func Each[C any](t *testing.T, kind string, f func(h Header, c C) error) {
	t.Helper()
	dir := "bench/recorded" // from the root
	for _, err := os.Stat(dir); err != nil && len(dir) < 50; _, err = os.Stat(dir) {
		dir = filepath.Join("..", dir)
	}
	names := []string{Name("1.34"), Name("1.35"), Name("1.36"), Name("1.37"), Name("1.38-beta")}
	switch {
	case strings.HasSuffix(kind, "-device"):
		names = names[2:]
	case kind == "policy":
		names = []string{Policies}
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			h, lines, err := read(filepath.Join(dir, name), kind)
			if err != nil {
				t.Fatal(err)
			}
			for i, text := range lines {
				var l Line[C]
				err := json.Unmarshal(text, &l)
				if err == nil {
					err = f(h, l.Case)
				}
				if err != nil {
					t.Fatalf("%s %d: %v\n%s", kind, i, err, text)
				}
			}
		})
	}
}

// read returns a recording's header and its lines of a kind. It returns an error if their
// number is not that of the header.
func read(name, kind string) (h Header, lines [][]byte, err error) {
	lines, err = Lines(name)
	if err != nil {
		return h, nil, err
	}
	if err := json.Unmarshal(lines[0], &h); err != nil || h.Format != Format {
		return h, nil, cmp.Or(err, fmt.Errorf("format %d, want %d", h.Format, Format))
	}
	lines = slices.DeleteFunc(lines, func(l []byte) bool { return !bytes.HasPrefix(l, []byte(`{"kind":"`+kind+`",`)) })
	if n := h.Cases[kind]; n != len(lines) || n == 0 {
		return h, nil, fmt.Errorf("%d cases of the kind %q, want %d", len(lines), kind, n)
	}
	return h, lines, nil
}

// Lines returns the lines of a recording, at least one.
func Lines(name string) ([][]byte, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(z)
	return bytes.Split(bytes.TrimSpace(text), []byte("\n")), err
}

// Write writes a recording to the file. It depends only on the arguments; Write sets the
// other fields of the header, and the rules of the lines.
func Write(name string, h Header, lines []Line[any]) error {
	h.Format, h.Version, h.Cases = Format, Version, map[string]int{}
	for _, l := range lines {
		h.Cases[l.Kind]++
	}
	var b bytes.Buffer
	z, _ := gzip.NewWriterLevel(&b, gzip.BestCompression) // a valid level
	enc := json.NewEncoder(z)
	enc.SetEscapeHTML(false)
	err := enc.Encode(h)
	for _, l := range lines {
		l.Rules = rules(l.Kind, l.Case)
		err = errors.Join(err, enc.Encode(l))
	}
	if err = errors.Join(err, z.Close()); err != nil {
		return err
	}
	return os.WriteFile(name, b.Bytes(), 0o666)
}
