package main

import (
	"fmt"
	"strconv"

	"github.com/go-tolerate/tolerate/examples/internal/kubejson"
)

// A report is the content of the output, in either form.
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

// newReport fails when something requested by name is not there.
func newReport(c *cluster, opts options, progress *progress) (*report, error) {
	r := &report{cluster: c, opts: opts, judge: newJudge(c.classes, opts.reasons), progress: progress}
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
	if err := r.checkWork(); err != nil {
		return nil, err
	}
	if err := r.checkClaims(); err != nil {
		return nil, err
	}
	reasons := 0
	for i, p := range r.shown {
		if n := r.judge.decision(p).taints; opts.reasons == 0 {
			reasons += n
		} else {
			reasons += min(n, opts.reasons)
		}
		claims, _ := r.claims(p)
		if reasons += lines(claims); reasons > mostWritten {
			return nil, fmt.Errorf("-reasons %d: more than %d reasons in all; choose fewer, or a -pod", opts.reasons, mostWritten)
		}
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

// checkWork refuses what would take hours: all lists of tolerations are compared
// with all taints.
func (r *report) checkWork() error {
	lists := map[*podClass]bool{}
	for _, p := range r.shown {
		if p.class != nil {
			lists[p.class] = true
		}
	}
	if work := int64(r.judge.work()); len(lists) > 0 && work > mostWork/int64(len(lists)) {
		return fmt.Errorf("%d different lists of tolerations and %d different taints are too many to compare; choose a -pod", len(lists), len(r.judge.taints))
	}
	if len(r.shown) > 1 && len(r.pairNodes) > mostPairs/len(r.shown) {
		return fmt.Errorf("-pod %q: %d pods of that name and %d nodes are too many pairs; choose a namespace or a -node", r.opts.pod, len(r.shown), len(r.pairNodes))
	}
	return nil
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

// count returns the number with the noun, which takes an s except for one.
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
