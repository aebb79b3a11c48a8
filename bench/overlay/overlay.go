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
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
)

// A Swap is a function of another module and the body that takes its place.
type Swap struct {
	Module string
	File   string // relative to the module
	Func   string // the function's name, or Type.Method
	Body   string // statements; they see the function's parameters and results
}

// A File is a file that is added to another module.
type File struct {
	Module string
	Name   string // relative to the module
	From   string // relative to Overlay.Dir
}

// An Overlay is a set of swaps.
type Overlay struct {
	Dir     string // the folder of the go.mod that requires the modules
	Swaps   []Swap
	Files   []File
	Imports map[string]string // import paths that a body may use, by the name that it uses
}

// up is the folder in Overlay.Dir for everything that Prepare writes; git ignores
// it. The go command overlays no files in its module cache, so up has links to
// the modules, and they are required by folder.
const up = "up"

// Prepare writes what Test needs: a link to each module, the rewritten files,
// overlay.json, and a go.mod and go.sum that differ from those in Dir in the
// replace directives only. It returns how many lines of code the original bodies
// have.
func (o Overlay) Prepare() (lines int, err error) {
	root := filepath.Join(o.Dir, up)
	if err := os.RemoveAll(root); err != nil {
		return 0, err
	}
	for from, to := range map[string]string{"go.mod": "ov.mod", "go.sum": "ov.sum"} {
		data, err := os.ReadFile(filepath.Join(o.Dir, from))
		if err != nil {
			return 0, err
		}
		if err := write(filepath.Join(root, to), data); err != nil {
			return 0, err
		}
	}
	replace := map[string]string{} // the files of overlay.json
	files := map[string]map[string][]Swap{}
	for _, s := range o.Swaps {
		if files[s.Module] == nil {
			files[s.Module] = map[string][]Swap{}
		}
		files[s.Module][s.File] = append(files[s.Module][s.File], s)
	}
	for _, module := range slices.Sorted(maps.Keys(files)) {
		if err := o.link(module); err != nil {
			return 0, err
		}
		for name, swaps := range files[module] {
			link := o.linked(module, name)
			text, n, err := rewrite(link, swaps, o.Imports)
			if err != nil {
				return 0, err
			}
			lines += n
			replace[link] = filepath.Join(root, "_made", filepath.FromSlash(module), filepath.FromSlash(name))
			if err := write(replace[link], text); err != nil {
				return 0, err
			}
		}
	}
	for _, f := range o.Files {
		if files[f.Module] == nil {
			return 0, fmt.Errorf("%s is added to %s, which has no swap", f.From, f.Module)
		}
		replace[o.linked(f.Module, f.Name)] = filepath.Join(o.Dir, filepath.FromSlash(f.From))
	}
	text, err := json.MarshalIndent(map[string]any{"Replace": replace}, "", "\t")
	if err != nil {
		return 0, err
	}
	return lines, write(filepath.Join(root, "overlay.json"), text)
}

// linked returns the path of a module's file beneath up.
func (o Overlay) linked(module, file string) string {
	return filepath.Join(o.Dir, up, filepath.FromSlash(module), filepath.FromSlash(file))
}

// link makes the module's link, and requires the module there.
func (o Overlay) link(module string) error {
	from, err := o.moduleDir(module)
	if err != nil {
		return err
	}
	link := o.linked(module, "")
	if err := os.MkdirAll(filepath.Dir(link), 0o777); err != nil {
		return err
	}
	if err := os.Symlink(from, link); err != nil {
		return err
	}
	edit := exec.Command("go", "mod", "edit", "-replace="+module+"=./"+up+"/"+module, filepath.Join(up, "ov.mod"))
	edit.Dir = o.Dir
	if out, err := edit.CombinedOutput(); err != nil {
		return fmt.Errorf("go mod edit: %w\n%s", err, out)
	}
	return nil
}

// moduleDir returns the folder of a required module in the module cache.
func (o Overlay) moduleDir(module string) (string, error) {
	cmd := exec.Command("go", "mod", "download", "-json", module)
	cmd.Dir = o.Dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("go mod download %s: %w\n%s%s", module, err, out, stderr.Bytes())
	}
	var info struct{ Dir string }
	if err := json.Unmarshal(out, &info); err != nil {
		return "", err
	}
	if info.Dir == "" {
		return "", fmt.Errorf("go mod download %s: no folder", module)
	}
	return info.Dir, nil
}

func write(name string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}
	return os.WriteFile(name, data, 0o666)
}
