package cluster_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/cli"
	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/cluster"
)

func TestRead_sample(t *testing.T) {
	var out, errOut bytes.Buffer
	env := cli.NewEnv(strings.NewReader(""), &out, &errOut)
	c, err := cluster.Read(t.Context(), env, &cluster.Options{Sample: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Report(env); err != nil || errOut.Len() > 0 {
		t.Errorf("%v, %s", err, &errOut)
	}
	if len(c.Nodes) != 8 || len(c.Pods) != 10 {
		t.Errorf("%d nodes, %d pods", len(c.Nodes), len(c.Pods))
	}
	admitted := 0
	for _, n := range c.Nodes {
		for _, p := range c.Pods {
			if p.Name == "train-1" && p.Placement.Admits(n) {
				admitted++
			}
		}
	}
	if admitted != 2 {
		t.Errorf("admitted by %d nodes, want 2", admitted)
	}
}

func TestRead_json(t *testing.T) {
	env := cli.NewEnv(strings.NewReader(`{"kind":"Node","metadata":{"name":"n"}}{"kind":"Pod","metadata":{"name":"p"},"spec":{"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[{"matchExpressions":[{"key":"a","operator":"In","values":["b"]}]}]}}}}}`), &bytes.Buffer{}, &bytes.Buffer{})
	c, err := cluster.Read(t.Context(), env, &cluster.Options{Filenames: []string{"-"}})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Report(env); err != nil {
		t.Error(c.Problems)
	}
	if p := c.Pods[0]; p.Placement.Admits(c.Nodes[0]) {
		t.Error("admitted", p.Placement.Text)
	}
}
