package main

import (
	_ "embed"
	"errors"
	"io"
	"os"
	"strings"

	"github.com/go-tolerate/tolerate/examples/internal/kubejson"
)

//go:embed sample.json
var sample string

type pod struct {
	kubejson.Pod
	problems []*kubejson.Problem
}

func (p *pod) fullName() string {
	if p.Namespace == "" {
		return p.Name
	}
	return p.Namespace + "/" + p.Name
}

// load reads all that the options name.
func load(opts options, stdin io.Reader) *cluster {
	c := &cluster{sample: opts.sample}
	if opts.sample {
		c.read("embedded sample", strings.NewReader(sample), opts)
		return c
	}
	files := opts.files
	if len(files) == 0 {
		files = []string{"-"}
	}
	for _, name := range files {
		c.readFile(name, &stdin, opts)
	}
	if len(c.nodes) == 0 && len(c.problems) == 0 {
		c.report("input", errors.New("there is no node in it"))
	}
	return c
}

func (c *cluster) report(source string, err error) {
	c.problems = append(c.problems, &kubejson.Problem{Source: source, Err: err})
}

// readFile reads a file, or standard input, which is there only once.
func (c *cluster) readFile(name string, stdin *io.Reader, opts options) {
	if name == "-" {
		if *stdin == nil {
			c.report("stdin", errors.New("there is no standard input, or none any more"))
			return
		}
		c.read("stdin", *stdin, opts)
		*stdin = nil
		return
	}
	f, err := os.Open(name)
	if err != nil {
		var path *os.PathError
		if errors.As(err, &path) {
			err = path.Err
		}
		c.report(name, err)
		return
	}
	defer f.Close() // it was only read
	c.read(name, f, opts)
}

func (c *cluster) read(source string, r io.Reader, opts options) {
	for o, err := range kubejson.Objects(source, r) {
		var p *kubejson.Problem
		switch {
		case errors.As(err, &p):
			c.problems = append(c.problems, p)
		case o.Is("Node"):
			n, warnings := newNode(o)
			c.nodes = append(c.nodes, n)
			c.warnings = append(c.warnings, warnings...)
		case o.Is("Pod") && opts.dryRun:
			p, warnings := newPod(o)
			c.pods = append(c.pods, p)
			c.problems = append(c.problems, p.problems...)
			c.warnings = append(c.warnings, warnings...)
		}
	}
}

func newPod(o *kubejson.Object) (p *pod, warnings []*kubejson.Problem) {
	read, err := o.Pod()
	return &pod{Pod: read, problems: o.Problems(err)}, o.Problems(read.Ignored.Err())
}
