package tolerate_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/go-tolerate/tolerate"

// floors are the library's rooms, lowest first.
var floors = map[string]int{"validate": 1, "taint": 2, "toleration": 3, "match": 4}

// siblings are the rooms that may import another one beside them.
var siblings = map[string]string{
	"toleration/admission": "toleration/cover",
	"toleration/policy":    "toleration/cover",
	"match/impact":         "match/eviction",
}

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

// wrong tells why a file in the directory may not import that package.
func wrong(dir, imported string, test, external bool) string {
	room, _, _ := strings.Cut(dir, "/")
	floor := floors[room]
	if floor == 0 {
		return "" // bench, examples: go.mod says what they may have
	}
	other, ours := strings.CutPrefix(imported, module+"/")
	first, _, _ := strings.Cut(other, "/")
	switch {
	case !ours && !strings.Contains(first, "."): // the standard library
		return ""
	case test && external:
		return ""
	case !ours && !test:
		return "the library imports the standard library alone"
	case ours && floors[first] == 0:
		return "only external tests import it"
	case ours && !test && floors[first] >= floor && other != path.Dir(dir) && other != siblings[dir]:
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
		{"taint", "golang.org/x/exp/ebnf", false, false, false},
		{"taint", lib + "validate", false, false, true},
		{"taint", lib + "validate/apijson", false, false, true},
		{"taint", lib + "toleration", false, false, false},
		{"taint", lib + "bench/gen", false, false, false},
		{"taint", lib + "bench/gen", true, false, false},
		{"taint", lib + "bench/gen", true, true, true},
		{"taint", "github.com/google/go-cmp/cmp", true, true, true},
		{"validate/apijson", lib + "validate", false, false, true},
		{"match/eviction", lib + "match", false, false, true},
		{"match/eviction", lib + "match/fleet", false, false, false},
		{"match/impact", lib + "match/eviction", false, false, true},
		{"match/eviction", lib + "match/impact", false, false, false},
		{"toleration/policy", lib + "toleration/cover", false, false, true},
		{"toleration/policy", lib + "toleration/admission", false, false, false},
		{"toleration/cover", lib + "toleration/policy", false, false, false},
		{"match/internal/reference", lib + "match", false, false, false},
		{"match/internal/reference", lib + "match", true, false, false},
		{"match/internal/reference", lib + "toleration", false, false, true},
		{"bench/gen", "pgregory.net/rapid", false, false, true},
		{"examples/whypending", lib + "match", false, false, true},
	} {
		if reason := wrong(tt.dir, tt.imported, tt.test, tt.external); (reason == "") != tt.allowed {
			t.Errorf("%s imports %s (test %v, external %v): %q, want allowed: %v", tt.dir, tt.imported, tt.test, tt.external, reason, tt.allowed)
		}
	}
}
