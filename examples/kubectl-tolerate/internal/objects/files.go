package objects

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Files returns the names of files, those in directories sorted. Files and directories whose
// path or last name matches a pattern of package path/filepath are excluded.
func Files(names []string, recursive bool, exclude ...string) (all []string, err error) {
	for _, pattern := range exclude {
		if _, err := filepath.Match(pattern, ""); err != nil {
			return nil, fmt.Errorf("%s: %w", pattern, err)
		}
	}
	excluded := func(path string) bool {
		return slices.ContainsFunc(exclude, func(pattern string) bool {
			whole, _ := filepath.Match(filepath.Clean(pattern), filepath.Clean(path))
			last, _ := filepath.Match(filepath.Clean(pattern), filepath.Base(path))
			return whole || last
		})
	}
	for _, name := range names {
		if excluded(name) {
			continue
		}
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
			case d.IsDir() && path != name+"/" && (!recursive || d.Name() == ".git" || excluded(path)):
				return fs.SkipDir
			case d.IsDir() || !slices.Contains([]string{".json", ".yaml", ".yml"}, filepath.Ext(path)) || excluded(path):
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
// is of the file. The iterator ends with the context, even while a pipe is silent.
func ReadFile(ctx context.Context, name string, stdin io.Reader) iter.Seq2[*Object, error] {
	return func(yield func(*Object, error) bool) {
		r, w := io.Pipe()
		defer r.Close()
		defer context.AfterFunc(ctx, func() { r.Close() })()
		source := name
		if name == "-" {
			source = "standard input"
		}
		go func() { w.CloseWithError(copyFile(w, name, stdin)) }()
		for o, err := range Read(source, r) {
			if file := (*fs.PathError)(nil); errors.As(err, &file) {
				o, err = nil, file
			}
			if ctx.Err() != nil || !yield(o, err) {
				return
			}
		}
	}
}

// copyFile copies the file, or stdin if the name is -.
func copyFile(w io.Writer, name string, stdin io.Reader) error {
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return err
		}
		defer f.Close()
		stdin = f
	}
	_, err := io.Copy(w, stdin)
	return err
}
