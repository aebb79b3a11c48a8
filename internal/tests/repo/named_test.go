package repo_test

import (
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// A comment names a benchmark of its own package, or says in which folder it is. It says in
// which file an example is, except one in the package's example_test.go.
func TestNamed(t *testing.T) {
	functions := map[string]string{} // of tests, by folder
	var comments []struct{ name, text string }
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || d.Name() == ".git" || d.Name() == "up"):
			return fs.SkipDir
		case !d.Type().IsRegular() || filepath.Ext(name) != ".go":
			return nil
		}
		name = filepath.ToSlash(name)
		code := read(t, name)
		if strings.HasSuffix(name, "_test.go") {
			for _, f := range regexp.MustCompile(`(?m)^func (Benchmark|Example)\w*`).FindAllString(code, -1) {
				functions[filepath.Dir(name)] += f + " " + filepath.Base(name) + "\n"
			}
		}
		for _, c := range regexp.MustCompile(`(?m)(^|\s)//.*(\n\s*//.*)*`).FindAllString(code, -1) {
			comments = append(comments, struct{ name, text string }{name, regexp.MustCompile(`\s*\n\s*// ?`).ReplaceAllString(c, " ")})
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	benchmarks, examples := 0, 0
	for _, c := range comments {
		for _, m := range regexp.MustCompile(`\b(Benchmark[A-Z]\w*)( in ([a-z]+(/[a-z]+)*))?`).FindAllStringSubmatch(c.text, -1) {
			benchmarks++
			if dir := filepath.Dir(c.name); !strings.Contains(functions[dir], "func "+m[1]+" ") && !strings.Contains(functions[m[3]], "func "+m[1]+" ") {
				t.Errorf("%s: %s is not in this package, nor in the folder %q", c.name, m[1], m[3])
			}
		}
		for _, m := range regexp.MustCompile(`the example ([A-Z]\w*)( in (\w+\.go))?`).FindAllStringSubmatch(c.text, -1) {
			examples++
			file := m[3]
			if file == "" {
				file = "example_test.go"
			}
			if want := "func Example_" + strings.ToLower(m[1][:1]) + m[1][1:] + " " + file + "\n"; !strings.Contains(functions[filepath.Dir(c.name)], want) {
				t.Errorf("%s: the example %s is not in %s", c.name, m[1], file)
			}
		}
	}
	if benchmarks < 10 || examples < 3 {
		t.Errorf("only %d benchmarks and %d examples found", benchmarks, examples)
	}
}
