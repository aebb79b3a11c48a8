package main

import (
	_ "embed"
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

//go:embed sample.yaml
var sample string

const (
	sampleName = "sample.yaml"
	stdinName  = "<stdin>"
	// maxInput is how large one input may be. A tree of its nodes takes about
	// thirty times as much memory.
	maxInput = 64 << 20
)

// An input is the text of one file, or why there is none.
type input struct {
	name string
	text string
	file string // to write to; empty when there is none
	err  error
}

var extensions = []string{".yaml", ".yml", ".json"}

// inputs yields what is to be read: files, what lies in directories, standard
// input as "-", or without any arguments too; and on a terminal the sample.
func inputs(args []string, stdin io.Reader) iter.Seq[input] {
	return func(yield func(input) bool) {
		if len(args) == 0 {
			if terminal(stdin) {
				yield(input{name: sampleName, text: sample})
				return
			}
			args = []string{"-"}
		}
		for _, arg := range args {
			if arg == "-" {
				text, err := read(stdin)
				if !yield(input{name: stdinName, text: text, err: err}) {
					return
				}
				continue
			}
			// A file that is named is read whatever it is called, and a link that is
			// named leads to its directory.
			root := arg
			if info, err := os.Stat(arg); err == nil && info.IsDir() {
				root += string(filepath.Separator)
			}
			more := true
			err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
				hidden := strings.HasPrefix(filepath.Base(name), ".") && name != root
				switch {
				case err != nil:
					more = yield(input{name: name, err: err})
				case d.IsDir() && hidden:
					return fs.SkipDir
				case d.IsDir() || name != root && (hidden || !slices.Contains(extensions, filepath.Ext(name)) || !regular(name, d)):
					return nil
				default:
					more = yield(open(name))
				}
				if !more {
					return fs.SkipAll
				}
				return nil
			})
			if err != nil && !yield(input{name: arg, err: err}) || !more {
				return
			}
		}
	}
}

// regular reports whether a file of a directory is one that can be read: not a
// pipe or a device, nor a link to a directory.
func regular(name string, d fs.DirEntry) bool {
	if d.Type().IsRegular() {
		return true
	}
	info, err := os.Stat(name)
	return d.Type()&fs.ModeSymlink != 0 && err == nil && info.Mode().IsRegular()
}

func open(name string) input {
	f, err := os.Open(name)
	if err != nil {
		return input{name: name, err: err}
	}
	text, err := read(f)
	return input{name: name, text: text, file: name, err: errors.Join(err, f.Close())}
}

// read returns the whole text.
func read(r io.Reader) (string, error) {
	if r == nil {
		return "", errors.New("there is no standard input")
	}
	data, err := io.ReadAll(io.LimitReader(r, maxInput+1))
	if err == nil && len(data) > maxInput {
		err = fmt.Errorf("larger than %d MiB", maxInput>>20)
	}
	if err != nil {
		return "", err
	}
	return string(data), nil
}

// terminal reports whether v is a terminal; nil is one, and so is any other
// character device, such as /dev/null.
func terminal(v any) bool {
	f, ok := v.(*os.File)
	if !ok {
		return v == nil
	}
	info, err := f.Stat()
	return err != nil || info.Mode()&os.ModeCharDevice != 0
}

// replace writes a file anew, in one step: whoever reads it meets the old text
// or the new one. A link stays one.
func replace(name, text string) (err error) {
	name, err = filepath.EvalSymlinks(name)
	if err != nil {
		return err
	}
	info, err := os.Stat(name)
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+".*")
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	err = errors.Join(err, f.Chmod(info.Mode().Perm()), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		err = errors.Join(err, os.Remove(f.Name()))
	}
	return err
}
