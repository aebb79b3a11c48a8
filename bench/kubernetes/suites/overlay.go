package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// The folder for everything that is made, and ignored by git. The go command
// refuses to overlay files beneath its module cache, so the modules are linked
// here and required by folder.
const up = "up"

// prepare makes up/: a link for each module, the rewritten files, overlay.json,
// and a go.mod (with its go.sum) that differs from ours in the replaces only.
func prepare(dir string, swaps []swap, keep bool) error {
	root := filepath.Join(dir, up)
	if err := os.RemoveAll(root); err != nil {
		return err
	}
	byModule := map[string]map[string][]swap{}
	for _, s := range swaps {
		if byModule[s.module] == nil {
			byModule[s.module] = map[string][]swap{}
		}
		byModule[s.module][s.file] = append(byModule[s.module][s.file], s)
	}

	mod, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil {
		return err
	}
	sum, err := os.ReadFile(filepath.Join(dir, "go.sum"))
	if err != nil {
		return err
	}
	modfile := filepath.Join(root, "ov.mod")
	if err := write(modfile, mod); err != nil {
		return err
	}
	if err := write(filepath.Join(root, "ov.sum"), sum); err != nil {
		return err
	}

	replace := map[string]string{}
	for _, module := range slices.Sorted(maps.Keys(byModule)) {
		from, err := moduleDir(dir, module)
		if err != nil {
			return err
		}
		link := filepath.Join(root, filepath.FromSlash(module))
		if err := os.MkdirAll(filepath.Dir(link), 0o777); err != nil {
			return err
		}
		if err := os.Symlink(from, link); err != nil {
			return err
		}
		edit := exec.Command("go", "mod", "edit", "-replace="+module+"=./"+up+"/"+module, modfile)
		edit.Dir = dir
		if out, err := edit.CombinedOutput(); err != nil {
			return fmt.Errorf("go mod edit: %w\n%s", err, out)
		}
		for file, swaps := range byModule[module] {
			text, err := rewrite(filepath.Join(link, filepath.FromSlash(file)), swaps, keep)
			if err != nil {
				return err
			}
			made := filepath.Join(root, "_made", filepath.FromSlash(module), filepath.FromSlash(file))
			if err := write(made, text); err != nil {
				return err
			}
			replace[filepath.Join(link, filepath.FromSlash(file))] = made
		}
	}
	overlay, err := json.MarshalIndent(map[string]any{"Replace": replace}, "", "\t")
	if err != nil {
		return err
	}
	return write(filepath.Join(root, "overlay.json"), overlay)
}

func write(name string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}
	return os.WriteFile(name, data, 0o666)
}

// moduleDir is where the go command keeps a module that our go.mod requires.
func moduleDir(dir, module string) (string, error) {
	cmd := exec.Command("go", "mod", "download", "-json", module)
	cmd.Dir = dir
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
	if strings.TrimSpace(info.Dir) == "" {
		return "", fmt.Errorf("go mod download %s: no folder", module)
	}
	return info.Dir, nil
}
