package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/go-tolerate/tolerate/internal/golden"
)

// TestCases runs the program for each file of testdata. The first lines are a
// comment and "tollint" with the arguments. Then there are the files of the working
// directory, the output (stdout, stderr), the exit status, and the files that
// change (after/...).
func TestCases(t *testing.T) {
	cases, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(cases) == 0 {
		t.Fatal("no cases", err)
	}
	for _, name := range cases {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txt"), func(t *testing.T) {
			data, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			file, err := filepath.Abs(name)
			if err != nil {
				t.Fatal(err)
			}
			golden.Check(t, file, string(txtar.Format(runCase(t, txtar.Parse(data)))))
		})
	}
}

// runCase runs the program and returns the case with its results.
func runCase(t *testing.T, a *txtar.Archive) *txtar.Archive {
	t.Helper()
	t.Chdir(t.TempDir())
	got := &txtar.Archive{Comment: a.Comment}
	given := make(map[string]string)
	stdin := ""
	for _, f := range a.Files {
		switch {
		case f.Name == "stdout", f.Name == "stderr", f.Name == "status", strings.HasPrefix(f.Name, "after/"):
			continue
		case f.Name == "stdin":
			stdin = string(f.Data)
		default:
			given[f.Name] = string(f.Data)
			if err := os.MkdirAll(filepath.Dir(f.Name), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(f.Name, f.Data, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		got.Files = append(got.Files, f)
	}
	var args []string
	for line := range strings.Lines(string(a.Comment)) {
		if fields := strings.Fields(line); len(fields) > 0 && fields[0] == "$" {
			args = fields[2:]
		}
	}
	var stdout, stderr bytes.Buffer
	status := run(args, strings.NewReader(stdin), &stdout, &stderr)
	add := func(name, text string) {
		if text != "" {
			got.Files = append(got.Files, txtar.File{Name: name, Data: []byte(text)})
		}
	}
	add("stdout", stdout.String())
	add("stderr", stderr.String())
	add("status", fmt.Sprintln(status))
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(name)
		if name = filepath.ToSlash(name); string(data) != given[name] {
			add("after/"+name, string(data))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return got
}
