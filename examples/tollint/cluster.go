package main

import "github.com/go-tolerate/tolerate/match/lint"

// clusterRules are about a whole cluster.
var clusterRules = []lint.Rule{lint.UnneededToleration, lint.UntoleratedTaint}

// A cluster is the lists of all inputs together.
type cluster struct {
	lint.Cluster
	nodes, pods []*checked
}

func (c *cluster) add(lists []*checked) {
	for _, l := range lists {
		if l.place.taints {
			c.nodes = append(c.nodes, l)
			c.AddNode(l.taints)
		} else {
			c.pods = append(c.pods, l)
			c.AddPod(l.tolerations)
		}
	}
}

// findings returns what is found in the cluster as a whole, each thing where it
// was met first. Whoever asks for it wants to see it, however little it means.
func (c *cluster) findings(opts config) []*finding {
	var r result
	opts.severity = lint.Info
	for _, f := range c.Findings(lint.Options{Skip: opts.skip}) {
		lists := c.pods
		if f.Rule == lint.UntoleratedTaint {
			lists = c.nodes
		}
		opts.tell(&r, lists[f.First.Owner], f.First.Index, &finding{severity: f.Severity, rule: f.Rule.Name(), message: f.Message()})
	}
	return r.findings
}
