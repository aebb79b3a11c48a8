package main

import "github.com/go-tolerate/tolerate/match/lint"

// clusterRules need a whole cluster.
var clusterRules = []lint.Check{lint.UnneededToleration, lint.UntoleratedTaint}

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

// findings returns the findings in the cluster, each at its first occurrence,
// with any severity.
func (c *cluster) findings(opts config) []*finding {
	var r result
	opts.severity = lint.Info
	for _, f := range c.Findings(lint.Options{Skip: opts.skip}) {
		lists := c.pods
		if f.Check == lint.UntoleratedTaint {
			lists = c.nodes
		}
		opts.report(&r, lists[f.First], f.Position.Index, &finding{severity: f.Severity, rule: f.Check.String(), message: f.Message()})
	}
	return r.findings
}
