package cluster

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strings"
	"time"

	"github.com/spf13/cobra"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/cli"
	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/objects"
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
	Refusals  bool   // from the API server, also read which workloads cannot create pods
	Daemons   bool   // also read the DaemonSets whose pods are read
	every     bool   // from the API server, list also pods that are not selected, to count those of DaemonSets
	Waiting   bool   // also read what pods can wait for: claims, devices, pools of nodes

	Volumes bool // also read volumes, and what pods request and nodes have

	Lenient bool // pods that the API server does not list are a PodsErr

	// EventsTime is how long this may take; zero means 10 s. Large clusters have an etcd for
	// events alone, which can be slow or down when the rest works.
	EventsTime time.Duration

	// Seen, if not nil, is called for each object. It reports whether the object is used, so
	// that no warning is needed if it is of another kind. What is listed again is seen again.
	Seen func(*objects.Object) bool
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

func (o *Options) objects(ctx context.Context, env *cli.Env) (iter.Seq2[*objects.Object, error], error) {
	switch {
	case o.Sample:
		return objects.Read("sample", strings.NewReader(Sample)), nil
	case o.Live():
		return o.live(ctx, env)
	}
	names, err := objects.Files(o.Filenames, o.Recursive)
	return func(yield func(*objects.Object, error) bool) {
		for _, name := range names {
			for o, err := range objects.ReadFile(ctx, name, env.In) {
				if !yield(o, err) {
					return
				}
			}
		}
	}, err
}

// path returns where the API server has a resource of the namespaces.
func (o *Options) path(resource string) string {
	if o.Namespace == "" {
		return "/api/v1/" + resource
	}
	return "/api/v1/namespaces/" + o.Namespace + "/" + resource
}

// live returns the pods and nodes from the API server. Nodes are last: the node of a pod is
// among them unless it was deleted.
func (o *Options) live(ctx context.Context, env *cli.Env) (iter.Seq2[*objects.Object, error], error) {
	client, err := env.Client()
	if err != nil {
		return nil, err
	}
	return func(yield func(*objects.Object, error) bool) {
		selector, lenient := o.Selector, o.Lenient
		if o.every {
			selector = ""
		}
		for _, list := range []struct{ path, selector string }{{o.path("pods"), selector}, {"/api/v1/nodes", ""}} {
			empty := o.Namespace != "" && list.path != "/api/v1/nodes"
			for o, err := range pages(ctx, client, list.path, list.selector, "") {
				if nodes := list.path == "/api/v1/nodes"; apierrors.IsForbidden(err) && (nodes || lenient) {
					err = &listError{err, nodes}
				}
				if empty = empty && err == nil && strings.HasSuffix(o.Kind, "List"); !yield(o, err) {
					return
				}
			}
			if empty { // as is the list of a namespace that does not exist
				if err := client.Get().AbsPath("/api/v1/namespaces", o.Namespace).Do(ctx).Error(); apierrors.IsNotFound(err) {
					yield(nil, err)
					return
				}
			}
		}
	}, nil
}

// A listError is why the API server does not list the nodes, or the pods.
type listError struct {
	error
	nodes bool
}

// pages returns the objects of a list that the API server has, which is requested in
// parts.
func pages(ctx context.Context, client rest.Interface, path, labels, fields string) iter.Seq2[*objects.Object, error] {
	return func(yield func(*objects.Object, error) bool) {
		seen := make(map[string]bool) // values of continue
		for next := ""; ; {
			stream, err := client.Get().AbsPath(path).Param("limit", "500").Param("labelSelector", labels).Param("fieldSelector", fields).Param("continue", next).Stream(ctx)
			if err != nil {
				yield(nil, err)
				return
			}
			next = ""
			for o, err := range objects.Read("the API server's "+path, stream) {
				if p := new(objects.Problem); errors.As(err, &p) && p.Object == "" { // no list
					err = fmt.Errorf("reading %s: %w", path, p.Err)
				}
				if err == nil && o.Continue != "" {
					next = o.Continue
				} else if !yield(o, err) {
					stream.Close()
					return
				}
			}
			stream.Close()
			if next == "" {
				return
			}
			if seen[next] {
				yield(nil, fmt.Errorf("reading %s: the API server repeats a part of the list", path))
				return
			}
			seen[next] = true
		}
	}
}

// Complete returns the shell completion of the names of nodes or pods.
func Complete(env *cli.Env, resource string) cobra.CompletionFunc {
	return func(c *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
		namespace, _, err := env.Loader().Namespace()
		client, clientErr := env.Client()
		if err != nil || clientErr != nil {
			return nil, cobra.ShellCompDirectiveError
		}
		var list metav1.PartialObjectMetadataList
		request := client.Get().AbsPath("/api/v1").Resource(resource).NamespaceIfScoped(namespace, resource != "nodes").Param("limit", "500")
		text, err := request.SetHeader("Accept", "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json").DoRaw(c.Context())
		if err != nil || json.Unmarshal(text, &list) != nil {
			return nil, cobra.ShellCompDirectiveError
		}
		var names []string
		for _, o := range list.Items {
			names = append(names, o.Name)
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	}
}
