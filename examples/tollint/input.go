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

	"github.com/go-tolerate/tolerate/examples/internal/terminal"
)

//go:embed sample.yaml
var sample string

const (
	sampleName = "sample.yaml"
	stdinName  = "<stdin>"
	// maxInput limits the size of one input. The tree of its nodes takes about
	// sixty times as much memory.
	maxInput = 64 << 20
)

// An input is the text of one file, or the error of reading it.
type input struct {
	name string
	text string
	file string // to write to, if any
	dir  string // the argument in whose tree it was found, if it is not an argument
	end  bool   // this is the end of the directory with this name
	err  error
}

var extensions = []string{".yaml", ".yml", ".json"}

// inputs yields the files, the files in the directories, and standard input for
// "-". Without arguments it yields standard input, or the sample on a terminal.
func inputs(args []string, stdin io.Reader) iter.Seq[input] {
	return func(yield func(input) bool) {
		if len(args) == 0 {
			if terminal.Is(stdin) {
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
			// A file that is an argument can have any extension, and a link that is an
			// argument is followed to its directory.
			root, dir := arg, ""
			if info, err := os.Stat(arg); err == nil && info.IsDir() {
				root, dir = arg+string(filepath.Separator), arg
			}
			// Hidden files and directories are read, as kubectl -R reads them.
			more := true
			err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
				switch {
				case err != nil:
					more = yield(input{name: name, dir: dir, err: err})
				case d.IsDir(), name != root && (!slices.Contains(extensions, filepath.Ext(name)) || !regular(name, d)):
					return nil
				default:
					in := open(name)
					in.dir = dir
					more = yield(in)
				}
				if !more {
					return fs.SkipAll
				}
				return nil
			})
			if err != nil && !yield(input{name: arg, err: err}) || !more {
				return
			}
			if dir != "" && !yield(input{name: arg, end: true}) {
				return
			}
		}
	}
}

// regular reports whether an entry of a directory is a regular file or a link to
// one.
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

// replace replaces the text of a file in one step: a reader sees the old text or
// the new one. A link remains a link.
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
