package cluster

import (
	"bufio"
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	yamlv3 "go.yaml.in/yaml/v3"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/yaml"

	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/cli"
	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/kubejson"
)

// Sample is a small cluster in YAML.
//
//go:embed sample.yaml
var Sample string

// Options are where a cluster is read from: its API server, unless there are files or it
// is the sample.
type Options struct {
	Filenames []string
	Recursive bool
	Sample    bool

	Namespace string // of the pods that are read; empty means all
	Selector  string // of the labels of the pods that are read

	// Seen, if not nil, is called for each object of files and the sample, with all of
	// its metadata, spec and status. It reports whether the object is used, so that no
	// warning is needed if it is of another kind.
	Seen func(*kubejson.Object) bool
}

// AddFlags adds --filename, --recursive and --sample.
func (o *Options) AddFlags(c *cobra.Command) {
	f := c.Flags()
	f.StringSliceVarP(&o.Filenames, "filename", "f", nil, "Files or directories with the nodes and pods, in JSON or YAML, instead of the cluster; - is standard input")
	f.BoolVarP(&o.Recursive, "recursive", "R", false, "Read the directories of --filename recursively")
	f.BoolVar(&o.Sample, "sample", false, "Use a sample cluster")
	c.MarkFlagsMutuallyExclusive("filename", "sample")
}

// Live reports whether the API server is used.
func (o *Options) Live() bool { return len(o.Filenames) == 0 && !o.Sample }

func (o *Options) objects(ctx context.Context, env *cli.Env, more []string) (iter.Seq2[*kubejson.Object, error], error) {
	switch {
	case o.Sample:
		return documents("sample", strings.NewReader(Sample), more), nil
	case o.Live():
		return o.live(ctx, env, more)
	}
	names, err := files(o.Filenames, o.Recursive)
	return func(yield func(*kubejson.Object, error) bool) {
		for _, name := range names {
			for o, err := range file(env, name, more) {
				if ctx.Err() != nil || !yield(o, err) {
					return
				}
			}
		}
	}, err
}

// live returns the nodes and pods from the API server.
func (o *Options) live(ctx context.Context, env *cli.Env, more []string) (iter.Seq2[*kubejson.Object, error], error) {
	client, err := env.Client()
	if err != nil {
		return nil, err
	}
	pods := "/api/v1/pods"
	if o.Namespace != "" {
		pods = "/api/v1/namespaces/" + o.Namespace + "/pods"
	}
	return func(yield func(*kubejson.Object, error) bool) {
		for _, list := range []struct{ path, selector string }{{"/api/v1/nodes", ""}, {pods, o.Selector}} {
			for o, err := range pages(ctx, client, list.path, list.selector, more) {
				if apierrors.IsForbidden(err) && list.path == "/api/v1/nodes" {
					err = &nodesError{err}
				}
				if !yield(o, err) {
					return
				}
			}
		}
	}, nil
}

// A nodesError is why the API server does not list the nodes.
type nodesError struct{ error }

// pages returns the objects of a list that the API server has, which is requested in
// parts.
func pages(ctx context.Context, client rest.Interface, path, selector string, more []string) iter.Seq2[*kubejson.Object, error] {
	return func(yield func(*kubejson.Object, error) bool) {
		for next := ""; ; {
			stream, err := client.Get().AbsPath(path).Param("limit", "500").Param("labelSelector", selector).Param("continue", next).Stream(ctx)
			if err != nil {
				yield(nil, err)
				return
			}
			next = ""
			for o, err := range kubejson.Objects("the API server's "+path, stream, more...) {
				var part *kubejson.PartError
				var p *kubejson.Problem
				switch {
				case errors.As(err, &part):
					next = part.Continue
					continue
				case errors.As(err, &p) && p.Object == "": // of the list, not of an object in it
					err = fmt.Errorf("reading %s: %w", path, p.Err)
				}
				if !yield(o, err) {
					stream.Close()
					return
				}
			}
			stream.Close()
			if next == "" {
				return
			}
		}
	}
}

// files returns the names of the files, those in directories sorted.
func files(names []string, recursive bool) (all []string, err error) {
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
		err = filepath.WalkDir(name+string(filepath.Separator), func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() && filepath.Clean(path) != filepath.Clean(name) && !recursive:
				return fs.SkipDir
			case !d.IsDir() && slices.Contains([]string{".json", ".yaml", ".yml"}, filepath.Ext(path)):
				if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() { // a pipe could block
					return errors.Join(fmt.Errorf("%s: not a regular file", path), err)
				}
				all = append(all, path)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		if len(all) == before {
			return nil, fmt.Errorf("%s: the directory has no .json, .yaml or .yml files", name)
		}
	}
	return all, nil
}

func file(env *cli.Env, name string, more []string) iter.Seq2[*kubejson.Object, error] {
	return func(yield func(*kubejson.Object, error) bool) {
		r, source := env.In, "standard input"
		if name != "-" {
			f, err := os.Open(name)
			if err != nil {
				yield(nil, err)
				return
			}
			defer f.Close()
			r, source = f, name
		}
		documents(source, r, more)(yield)
	}
}

// These limit a YAML document: its bytes, with aliases resolved too, and its values, each
// of which takes 200 bytes of memory.
const (
	maxDocument = 16 << 20
	maxValues   = 2_000_000
)

// documents returns the objects of an input in JSON or YAML. The line of an object in
// YAML is that of its document.
func documents(source string, r io.Reader, more []string) iter.Seq2[*kubejson.Object, error] {
	buffered := bufio.NewReaderSize(r, 64<<10)
	begin, _ := buffered.Peek(512)
	begin = bytes.TrimSpace(bytes.TrimPrefix(begin, []byte("\ufeff")))
	if len(begin) == 0 || strings.IndexByte("{[N\xff\xfe", begin[0]) >= 0 { // package kubejson reports what is neither
		return kubejson.Objects(source, buffered, more...)
	}
	return func(yield func(*kubejson.Object, error) bool) {
		limited := &io.LimitedReader{R: buffered}
		in := utilyaml.NewYAMLReader(bufio.NewReader(limited))
		line := 1
		for number := 1; ; number++ {
			limited.N = maxDocument
			document, err := in.Read()
			if limited.N <= 0 {
				err = fmt.Errorf("document %d is larger than %d MiB; use JSON", number, maxDocument>>20)
			}
			if err == io.EOF {
				return
			}
			var text []byte
			if end := endMarker.FindIndex(document); err == nil && end != nil && remains.Match(document[end[1]:]) {
				err = errors.New(`text behind the line "..."; begin the next document with ---`)
			}
			if err == nil {
				err = checkSize(document)
			}
			if err == nil && len(bytes.TrimSpace(document)) > 0 {
				text, err = yaml.YAMLToJSONStrict(document)
			}
			if err != nil {
				yield(nil, &kubejson.Problem{Source: source, Line: line, Err: err})
				return
			}
			at := line
			line += bytes.Count(document, []byte{'\n'}) + 1
			if text == nil || string(text) == "null" {
				continue
			}
			for o, err := range objectsAt(source, at, text, more) {
				if !yield(o, err) {
					return
				}
			}
		}
	}
}

// A line "..." ends a document. Only comments can follow it.
var (
	endMarker = regexp.MustCompile(`(?m)^\.\.\.([ \t\r].*)?$`)
	remains   = regexp.MustCompile(`(?m)^[ \t\r]*[^# \t\r\n]`)
)

// checkSize returns an error if a YAML document has too many values, or if it is too large
// with its aliases resolved.
func checkSize(document []byte) error {
	values := 0
	for _, c := range document {
		if strings.IndexByte(",:[{-?", c) >= 0 { // what can begin a value
			values++
		}
	}
	if values > maxValues {
		return fmt.Errorf("the document has more than %d values; use JSON", maxValues)
	}
	if bytes.IndexByte(document, '*') < 0 { // it has no alias
		return nil
	}
	var root yamlv3.Node
	if err := yamlv3.Unmarshal(document, &root); err != nil {
		return err
	}
	sizes := make(map[*yamlv3.Node]int) // of what has an anchor
	var size func(n *yamlv3.Node) (int, error)
	size = func(n *yamlv3.Node) (sum int, err error) {
		if n.Kind == yamlv3.AliasNode {
			if sum = sizes[n.Alias]; sum == 0 {
				return 0, fmt.Errorf("the alias *%s is within its own anchor", n.Value)
			}
			return sum, nil
		}
		sum = 1 + len(n.Value)
		for _, child := range n.Content {
			below, err := size(child)
			if err != nil {
				return 0, err
			}
			if sum += below; sum > maxDocument {
				return 0, fmt.Errorf("the document is larger than %d MiB with its aliases resolved; split it", maxDocument>>20)
			}
		}
		if n.Anchor != "" {
			sizes[n] = sum
		}
		return sum, nil
	}
	_, err := size(&root)
	return err
}

// Complete returns the names of nodes or pods for shell completion.
func Complete(ctx context.Context, env *cli.Env, resource string) ([]string, cobra.ShellCompDirective) {
	namespace, _, err := env.Namespace()
	client, clientErr := env.Client()
	if err != nil || clientErr != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	var list metav1.PartialObjectMetadataList
	request := client.Get().AbsPath("/api/v1").Resource(resource).NamespaceIfScoped(namespace, resource != "nodes").Param("limit", "500")
	text, err := request.SetHeader("Accept", "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json").DoRaw(ctx)
	if err != nil || json.Unmarshal(text, &list) != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	var names []string
	for _, o := range list.Items {
		names = append(names, o.Name)
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// objectsAt returns the objects in a JSON text. Their line is that of the text.
func objectsAt(source string, line int, text []byte, more []string) iter.Seq2[*kubejson.Object, error] {
	return func(yield func(*kubejson.Object, error) bool) {
		for o, err := range kubejson.Objects(source, bytes.NewReader(text), more...) {
			var p *kubejson.Problem
			if errors.As(err, &p) {
				p.Line = line
			} else if err == nil {
				o.Line = line
			}
			if !yield(o, err) {
				return
			}
		}
	}
}
