package main

import (
	"fmt"
	"strconv"

	"github.com/go-tolerate/tolerate/examples/internal/kubejson"
)

// A report is what is to be told, in either form.
type report struct {
	*cluster
	opts     options
	judge    *judge
	progress *progress

	shown      []*pod  // in the input's order
	pairNodes  []*node // that each pod is compared with one by one
	finished   int     // pods left out
	unbound    int     // pods that wait for a node
	unsurePods int
	fitNowhere []*pod
	goNow      []*pod
	goLater    []*pod
}

// newReport fails when what is asked for by name is not there.
func newReport(c *cluster, opts options, progress *progress) (*report, error) {
	most := opts.reasons
	if opts.json {
		most = 0
	}
	r := &report{cluster: c, opts: opts, judge: newJudge(c.classes, most), progress: progress}
	if opts.redact {
		r.judge.mergeValues()
	}
	r.shown, r.finished = c.unfinished()
	if err := r.selectPods(); err != nil {
		return nil, err
	}
	switch n := c.byName[opts.node]; {
	case opts.node != "" && n == nil:
		return nil, fmt.Errorf("-node %q: no such node in the input", opts.node)
	case opts.node != "":
		r.pairNodes = []*node{n}
	case opts.pod != "":
		r.pairNodes = c.nodes
	}
	for i, p := range r.shown {
		progress.judged("judging", i, len(r.shown))
		if p.waits() {
			r.unbound++
		}
		if p.because != "" {
			r.unsurePods++
		}
		if r.fitsNowhere(p) {
			r.fitNowhere = append(r.fitNowhere, p)
		}
		switch c.evictPod(p).when {
		case now:
			r.goNow = append(r.goNow, p)
		case later:
			r.goLater = append(r.goLater, p)
		}
	}
	return r, nil
}

func (r *report) selectPods() error {
	if r.opts.pod == "" {
		return nil
	}
	var found []*pod
	for _, p := range r.shown {
		if p.called(r.opts.pod) {
			found = append(found, p)
		}
	}
	if found == nil {
		for _, p := range r.pods {
			if p.called(r.opts.pod) {
				return fmt.Errorf("-pod %q: it is finished (%s), so it is left out", r.opts.pod, p.Phase)
			}
		}
		return fmt.Errorf("-pod %q: no such pod in the input", r.opts.pod)
	}
	r.shown = found
	return nil
}

// nodesOf returns the numbers of nodes by verdict: all of them together are the
// nodes of the input.
func (r *report) nodesOf(p *pod) [4]int {
	nodes := r.judge.decision(p).nodes
	nodes[unknown] = len(r.nodes) - nodes[mayRun] - nodes[ratherNot] - nodes[mayNot]
	return nodes
}

// fitsNowhere reports whether the pod waits for a node and every node is known
// not to take it.
func (r *report) fitsNowhere(p *pod) bool {
	return p.waits() && p.because == "" && len(r.nodes) > 0 && r.nodesOf(p)[mayNot] == len(r.nodes)
}

// count returns the number with the noun, which takes an s but for one.
func count(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return strconv.Itoa(n) + " " + noun
}

// name returns a name as it may be shown.
func name(s string) string {
	if s == "" {
		return "<none>"
	}
	return kubejson.Printable(s)
}
