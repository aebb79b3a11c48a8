// Package overlay runs the unchanged tests of other modules with new bodies in
// the place of some of their functions.
//
// It rewrites the files of these functions ([Swap]) and passes them to the go
// command's -overlay. A rewritten function has both bodies, and package hook
// selects one of them when it is called, so that one build runs the tests before
// and after the swap, and one process benchmarks both. No text of the other
// modules is stored in this repository.
package overlay

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// A Swap is a function of another module, or some of its lines, and what takes their place.
type Swap struct {
	Module string
	File   string // relative to the module
	Func   string // the function's name, or Type.Method
	Lines  [2]int // the first and last line in the file; the whole body if omitted
	Body   string // statements; they see the function's parameters and results
}

// An Overlay is a set of swaps.
type Overlay struct {
	Dir      string // the folder of the go.mod that requires the modules
	Swaps    []Swap
	Files    map[string]string // files that are added to modules with a swap: from files in Dir, by module and name
	Imports  map[string]string // import paths that a body may use, by the name that it uses
	Original bool              // Test runs the original bodies; then no test must fail
	Progress io.Writer         // gets what go commands print, and which suites run again; not nil
}

// up is the folder in Overlay.Dir for everything that Prepare writes; git ignores
// it. The go command overlays no files in its module cache, so up has links to
// the modules, and they are required by folder.
const up = "up"

// Prepare writes what Test needs: a link to each module, the rewritten files,
// overlay.json, and a go.mod and go.sum that differ from those in Dir, or from those that
// the -modfile of GOFLAGS names, in the replace directives only. It returns how many lines of code are swapped.
func (o Overlay) Prepare() (lines int, err error) {
	files := map[string][]Swap{} // by where the file is linked
	modules := map[string]bool{}
	for _, s := range o.Swaps {
		file := o.linked(s.Module + "/" + s.File)
		files[file] = append(files[file], s)
		modules[s.Module] = true
	}
	if err := os.RemoveAll(filepath.Join(o.Dir, up)); err != nil {
		return 0, err
	}
	modfile, err := o.command("list", "-m", "-f", "{{.GoMod}}").Output() // -modfile of GOFLAGS, or else go.mod
	if err != nil {
		return 0, fmt.Errorf("go list -m: %w", err)
	}
	for _, ext := range []string{".mod", ".sum"} {
		data, err := os.ReadFile(strings.TrimSuffix(strings.TrimSpace(string(modfile)), ".mod") + ext)
		if err != nil {
			return 0, err
		}
		if err := write(o.linked("ov"+ext), data); err != nil {
			return 0, err
		}
	}
	if err := o.link(slices.Sorted(maps.Keys(modules))); err != nil {
		return 0, err
	}
	replace := map[string]string{}
	for file, swaps := range files {
		text, n, err := rewrite(file, swaps, o.Imports)
		if err != nil {
			return 0, err
		}
		lines += n
		replace[file] = o.linked("_made/" + swaps[0].Module + "/" + swaps[0].File)
		if err := write(replace[file], text); err != nil {
			return 0, err
		}
	}
	for name, from := range o.Files {
		replace[o.linked(name)] = filepath.Join(o.Dir, filepath.FromSlash(from))
	}
	text, err := json.MarshalIndent(map[string]any{"Replace": replace}, "", "\t")
	if err != nil {
		return 0, err
	}
	return lines, write(o.linked("overlay.json"), text)
}

// linked returns the path of a file beneath up, where a module's name is its folder.
func (o Overlay) linked(file string) string {
	return filepath.Join(o.Dir, up, filepath.FromSlash(file))
}

// link makes links to the modules in the module cache, and requires the modules there.
func (o Overlay) link(modules []string) error {
	out, err := o.command(append([]string{"mod", "download", "-json"}, modules...)...).Output()
	if err != nil {
		return fmt.Errorf("go mod download: %w\n%s", err, out)
	}
	edit := []string{"mod", "edit"}
	for dec := json.NewDecoder(bytes.NewReader(out)); dec.More(); {
		var m struct{ Path, Dir string }
		if err := dec.Decode(&m); err != nil {
			return err
		}
		link := o.linked(m.Path)
		if err := os.MkdirAll(filepath.Dir(link), 0o777); err != nil {
			return err
		}
		if err := os.Symlink(m.Dir, link); err != nil {
			return err
		}
		edit = append(edit, "-replace="+m.Path+"=./"+up+"/"+m.Path)
	}
	return o.command(append(edit, up+"/ov.mod")...).Run()
}

// command returns a go command in o.Dir.
func (o Overlay) command(args ...string) *exec.Cmd {
	cmd := exec.Command("go", args...)
	cmd.Dir, cmd.Stderr = o.Dir, o.Progress
	return cmd
}

func write(name string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}
	return os.WriteFile(name, data, 0o666)
}
