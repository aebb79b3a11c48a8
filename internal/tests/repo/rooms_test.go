package repo_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/go-tolerate/tolerate"

// floors are the top-level folders of the library, lowest first.
var floors = map[string]int{"internal": 1, "validate": 1, "taint": 2, "toleration": 3, "match": 4}

// siblings are the rooms that may import others that are not below them.
var siblings = map[string]string{
	"internal/apijson":          "validate internal/problem", // they return Problems, and the packages above validate share them
	"internal/enum":             "validate",
	"internal/problem":          "validate",
	"internal/value":            "internal/syntax", // Lt and Gt compare integers
	"validate":                  "internal/nearest internal/syntax",
	"toleration/admission":      "toleration/cover",
	"toleration/cover":          "toleration/internal/cells",
	"toleration/policy":         "toleration/cover toleration/internal/cells",
	"toleration/internal/cells": "toleration",
	"match/impact":              "match/eviction",        // what changes between two decisions
	"match":                     "match/internal/choose", // which toleration decides; package eviction needs it too
	"match/eviction":            "match/internal/choose match/internal/stamp",
}

// testSupport has the packages that only tests, each other and bench import. They may import the
// packages that they help to test.
const testSupport = "internal/tests/"

// The promise that the library imports the standard library alone, and which
// of its packages may import which (CONTRIBUTING.md).
func TestRooms(t *testing.T) {
	files := 0
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != "." && nested(name), d.Name() == "testdata":
			return fs.SkipDir
		case d.IsDir() || filepath.Ext(name) != ".go":
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		files++
		test := strings.HasSuffix(name, "_test.go")
		external := strings.HasSuffix(f.Name.Name, "_test")
		for _, spec := range f.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			if reason := wrong(filepath.ToSlash(filepath.Dir(name)), imported, test, external); reason != "" {
				t.Errorf("%s imports %s: %s", name, imported, reason)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if files < 10 {
		t.Errorf("only %d files seen", files)
	}
}

// nested reports whether a directory is another module.
func nested(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "go.mod"))
	return err == nil
}

// wrong returns why a file in the directory must not import that package, or "".
func wrong(dir, imported string, test, external bool) string {
	room, _, _ := strings.Cut(dir, "/")
	floor := floors[room]
	if floor == 0 || strings.HasPrefix(dir, testSupport) {
		return "" // go.mod lists what they may have
	}
	other, ours := strings.CutPrefix(imported, module+"/")
	first, _, _ := strings.Cut(other, "/")
	switch {
	case !ours && !strings.Contains(first, "."): // the standard library
		return ""
	case ours && !test && strings.HasPrefix(other, testSupport):
		return "only tests import it"
	case test && external:
		return ""
	case !ours && !test:
		return "the library imports the standard library alone"
	case ours && floors[first] == 0:
		return "only external tests import it"
	case ours && !test && floors[first] >= floor && other != path.Dir(dir) && !slices.Contains(strings.Fields(siblings[dir]), other):
		return "a package imports lower floors and its own parent"
	case ours && dir == "match/internal/reference" && first == "match":
		return "the reference shares nothing with what it judges"
	}
	return ""
}

func TestWrong(t *testing.T) {
	const lib = module + "/"
	for _, tt := range []struct {
		dir, imported  string
		test, external bool
		allowed        bool
	}{
		{"validate", "net/netip", false, false, true},
		{"validate", "example.com/x", false, false, false},
		{"taint", "github.com/google/go-cmp/cmp", true, true, true},
		{"internal/tests/gen", "pgregory.net/rapid", false, false, true},
		{"examples/whypending", lib + "match", false, false, true},
		{"taint", lib + "internal/tests/gen", false, false, false}, // test support
		{"taint", lib + "internal/tests/gen", true, true, true},
		{"internal/tests/gen", lib + "taint", false, false, true},
		{"taint", lib + "bench/workload", true, false, false}, // in no room
		{"taint", lib + "bench/workload", true, true, true},
		{"taint", lib + "validate", false, false, true}, // a lower floor
		{"taint", lib + "toleration", false, false, false},
		{"internal/nearest", lib + "validate", false, false, false},
		{"match/eviction", lib + "match", false, false, true},        // the parent
		{"match/impact", lib + "match/eviction", false, false, true}, // a sibling
		{"match/eviction", lib + "match/impact", false, false, false},
		{"match/internal/reference", lib + "match", true, false, false},
		{"match/internal/reference", lib + "toleration", false, false, true},
	} {
		if reason := wrong(tt.dir, tt.imported, tt.test, tt.external); (reason == "") != tt.allowed {
			t.Errorf("%s imports %s (test %v, external %v): %q, want allowed: %v", tt.dir, tt.imported, tt.test, tt.external, reason, tt.allowed)
		}
	}
}
