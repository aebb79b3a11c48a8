package main

import (
	"encoding/json"
	"io"
	"strings"
	"time"

	"github.com/go-tolerate/tolerate/examples/internal/kubejson"
	"github.com/go-tolerate/tolerate/match/eviction"
	"github.com/go-tolerate/tolerate/taint"
)

// The output for programs, as the manual describes it.
type (
	output struct {
		Now       time.Time        `json:"now"`
		Nodes     []nodeOutput     `json:"nodes"`
		Evictions []evictionOutput `json:"evictions"`
		Waiting   []waitingOutput  `json:"waiting"`
		Summary   summaryOutput    `json:"summary"`
		Problems  []problemOutput  `json:"problems"`
		Warnings  []problemOutput  `json:"warnings"`
	}
	nodeOutput struct {
		Name    string         `json:"name"`
		Outcome string         `json:"outcome"`
		Changes []changeOutput `json:"changes"`
	}
	changeOutput struct {
		Kind   string      `json:"kind"`
		Before taint.Taint `json:"before,omitzero"`
		After  taint.Taint `json:"after,omitzero"`
	}
	evictionOutput struct {
		Namespace  string    `json:"namespace,omitempty"`
		Name       string    `json:"name"`
		Node       string    `json:"node"`
		Kind       string    `json:"kind"`
		Before     time.Time `json:"before,omitzero"`
		At         time.Time `json:"at,omitzero"`
		Taint      string    `json:"taint,omitempty"`
		Toleration string    `json:"toleration,omitempty"`
		Fits       int       `json:"fits"`
	}
	waitingOutput struct {
		Namespace string `json:"namespace,omitempty"`
		Name      string `json:"name"`
		Kind      string `json:"kind"`
		Before    int    `json:"before"`
		After     int    `json:"after"`
		Gained    string `json:"gained,omitempty"`
		Lost      string `json:"lost,omitempty"`
		KeptOutBy string `json:"keptOutBy,omitempty"`
	}
	summaryOutput struct {
		Sample    bool `json:"sample,omitempty"`
		Nodes     int  `json:"nodes"`
		Chosen    int  `json:"chosen"`
		Running   int  `json:"running"`
		Waiting   int  `json:"waiting"`
		DueAnyway int  `json:"dueAnyway"`
		LeftOut   int  `json:"leftOut"`
	}
	problemOutput struct {
		Source  string `json:"source"`
		Line    int    `json:"line,omitempty"`
		Place   string `json:"place,omitempty"`
		Object  string `json:"object,omitempty"`
		Path    string `json:"path,omitempty"`
		Message string `json:"message"`
	}
)

// writeJSON writes the report for programs.
func writeJSON(w io.Writer, c *cluster, r *report) error {
	out := output{
		Now:       r.opts.now,
		Nodes:     []nodeOutput{},
		Evictions: []evictionOutput{},
		Waiting:   []waitingOutput{},
		Summary:   summaryOutput{c.sample, len(c.nodes), len(c.chosen), r.running, r.waits, r.dueAnyway, r.leftOut},
		Problems:  problemsOutput(c.problems),
		Warnings:  problemsOutput(c.warnings),
	}
	for _, n := range c.chosen {
		changes := []changeOutput{}
		for _, change := range taint.Difference(n.before.Taints, n.after.Taints) {
			changes = append(changes, changeOutput{change.Kind().String(), change.Before, change.After})
		}
		out.Nodes = append(out.Nodes, nodeOutput{n.name, n.outcome.String(), changes})
	}
	for _, e := range r.evictions {
		t, u := r.decider(e)
		o := evictionOutput{
			Namespace: e.Namespace, Name: e.Name, Node: e.pod.Node,
			Kind:  strings.ToLower(e.Kind.String()),
			Taint: t.String(), Toleration: u.String(), Fits: e.fits,
		}
		if e.Kind == eviction.Due {
			o.Kind = "now"
		}
		o.Before, o.At = deadline(e.Before, r.opts.now), deadline(e.After, r.opts.now)
		out.Evictions = append(out.Evictions, o)
	}
	for _, w := range r.waiting {
		o := waitingOutput{
			Namespace: w.Namespace, Name: w.Name, Kind: strings.ToLower(w.Kind().String()),
			Before: w.Before, After: w.After(), KeptOutBy: r.keptOut(w).String(),
		}
		if w.Gained > 0 {
			o.Gained = r.nodes[w.FirstGained].name
		}
		if w.Lost > 0 {
			o.Lost = r.nodes[w.FirstLost].name
		}
		out.Waiting = append(out.Waiting, o)
	}
	data, err := json.MarshalIndent(out, "", "  ")
	if err != nil {
		return err
	}
	_, err = w.Write(append(data, '\n'))
	return err
}

// deadline returns when the pod is evicted; now if that has passed. It is the zero time
// beyond the year 9999, which JSON cannot hold.
func deadline(d eviction.Decision, now time.Time) time.Time {
	at, _ := d.Deadline()
	if d.Kind() == eviction.Now {
		return now
	}
	if beyond(at) {
		return time.Time{}
	}
	return at
}

func problemsOutput(problems []*kubejson.Problem) []problemOutput {
	out := []problemOutput{}
	for _, p := range problems {
		out = append(out, problemOutput{p.Source, p.Line, p.Place, p.Object, p.Path, p.Err.Error()})
	}
	return out
}
