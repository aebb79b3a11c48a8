package main

import (
	_ "embed"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"strings"
	"time"

	"github.com/go-tolerate/tolerate/examples/internal/kubejson"
	"github.com/go-tolerate/tolerate/examples/internal/terminal"
)

var (
	//go:embed sample.json
	sample string
	//go:embed sample-devices.json
	sampleDevices string
)

// An input is one file, already open; size is -1 where it is not known.
type input struct {
	name   string
	size   int64
	sample bool
	io.Reader
}

const stdinName = "stdin"

// inputs opens what is to be read, one after the other. What cannot be opened
// is an error, and the next comes nevertheless. Each input is closed when the
// next is requested.
func inputs(opts options, stdin io.Reader, stderr io.Writer) iter.Seq2[input, error] {
	return func(yield func(input, error) bool) {
		if opts.sampleDevices {
			yield(input{"embedded sample", int64(len(sampleDevices)), true, strings.NewReader(sampleDevices)}, nil)
			return
		}
		if opts.sample || len(opts.files) == 0 && terminal.Is(stdin) {
			yield(input{"embedded sample", int64(len(sample)), true, strings.NewReader(sample)}, nil)
			return
		}
		files, stdinSize := opts.files, sizeOf(stdin)
		if len(files) == 0 {
			files = []string{"-"}
			timer := time.AfterFunc(patience, func() {
				fmt.Fprintln(stderr, "whypending: waiting for standard input (-sample shows a sample cluster, -help tells more)")
			})
			defer timer.Stop()
			stdin = &firstRead{timer, stdin}
		}
		stdinUsed := false
		for _, name := range files {
			switch {
			case name != "-":
				if !yieldFile(name, yield) {
					return
				}
			case stdinUsed:
				if !yield(input{name: stdinName}, errors.New("standard input is named twice")) {
					return
				}
			case stdin == nil:
				if !yield(input{name: stdinName}, errors.New("there is no standard input")) {
					return
				}
			default:
				stdinUsed = true
				if !yield(input{stdinName, stdinSize, false, stdin}, nil) {
					return
				}
			}
		}
	}
}

// patience is how long standard input may keep silent when it was not
// requested by name: a program that waits silently looks dead.
const patience = 3 * time.Second

// A firstRead stops the timer once there is something to read.
type firstRead struct {
	*time.Timer
	io.Reader
}

func (r *firstRead) Read(b []byte) (int, error) {
	n, err := r.Reader.Read(b)
	r.Stop()
	return n, err
}

func yieldFile(name string, yield func(input, error) bool) bool {
	f, err := os.Open(name)
	if err != nil {
		return yield(input{name: name}, unpath(err))
	}
	defer f.Close() // it was only read
	if info, err := f.Stat(); err == nil && info.IsDir() {
		return yield(input{name: name}, errors.New("is a directory"))
	}
	return yield(input{name, sizeOf(f), false, f}, nil)
}

// unpath takes the file's name out of an error that is reported with it.
func unpath(err error) error {
	var path *os.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}

func sizeOf(r io.Reader) int64 {
	if f, ok := r.(*os.File); ok {
		if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
			return info.Size()
		}
	}
	return -1
}

// mostProblems are printed on standard error; all are in the JSON output.
const mostProblems = 50

// writeProblems writes what each is called, a problem or a warning, only where
// they are counted; prefix distinguishes them before that.
func writeProblems(w io.Writer, prefix, noun string, problems []*kubejson.Problem) {
	for i, p := range problems {
		if i == mostProblems {
			fmt.Fprintf(w, "whypending: and %s more (-o json has all)\n", count(len(problems)-i, noun))
			return
		}
		fmt.Fprintf(w, "whypending: %s%v\n", prefix, p)
	}
}
