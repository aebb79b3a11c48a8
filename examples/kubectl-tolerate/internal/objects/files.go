package objects

import (
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Files returns the names of files, those in directories sorted.
func Files(names []string, recursive bool) (all []string, err error) {
	for _, name := range names {
		if strings.HasPrefix(name, "http://") || strings.HasPrefix(name, "https://") {
			return nil, fmt.Errorf("%s: addresses are not read; use curl and -f -", name)
		}
		info, err := os.Stat(name)
		if name == "-" || err == nil && !info.IsDir() {
			all = append(all, name)
			continue
		} else if err != nil {
			return nil, err
		}
		before := len(all)
		err = filepath.WalkDir(name+"/", func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() && path != name+"/" && !recursive:
				return fs.SkipDir
			case d.IsDir() || !slices.Contains([]string{".json", ".yaml", ".yml"}, filepath.Ext(path)):
				return nil
			}
			all = append(all, path)
			if info, err = os.Stat(path); err == nil && !info.Mode().IsRegular() {
				err = fmt.Errorf("%s: not a regular file", path) // a pipe could block
			}
			return err
		})
		if err == nil && len(all) == before {
			err = fmt.Errorf("%s: the directory has no .json, .yaml or .yml files", name)
		}
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

// ReadFile is Read for a file, or for stdin if the name is -. An error that is no [*Problem]
// is of the file.
func ReadFile(name string, stdin io.Reader) iter.Seq2[*Object, error] {
	return func(yield func(*Object, error) bool) {
		if name == "-" {
			Read("standard input", stdin)(yield)
			return
		}
		f, err := os.Open(name)
		if err != nil {
			yield(nil, err)
			return
		}
		defer f.Close()
		Read(name, f)(yield)
	}
}
