package main

import (
	"bufio"
	"encoding/json"
	"time"

	"github.com/go-tolerate/tolerate/examples/internal/kubejson"
)

// The types below are the JSON output; the package comment describes it.

type podJSON struct {
	Namespace   string `json:"namespace,omitempty"`
	Name        string `json:"name"`
	Node        string `json:"node,omitempty"`
	Phase       string `json:"phase,omitempty"`
	Terminating bool   `json:"terminating,omitempty"`
	Static      bool   `json:"static,omitempty"`

	MayRun         int           `json:"mayRun"`
	RatherNot      int           `json:"ratherNot"`
	MayNot         int           `json:"mayNot"`
	Unknown        int           `json:"unknown"`
	FitsNowhere    bool          `json:"fitsNowhere,omitempty"`
	Reasons        []reasonJSON  `json:"reasons,omitempty"`
	MoreReasons    int           `json:"moreReasons,omitempty"`
	UnknownBecause string        `json:"unknownBecause,omitempty"`
	Fix            *fixJSON      `json:"fix,omitempty"`
	Eviction       *evictionJSON `json:"eviction,omitempty"`
	Claims         []claimJSON   `json:"claims,omitempty"`
	MoreClaims     int           `json:"moreClaims,omitempty"`
	Nodes          []pairJSON    `json:"nodes,omitempty"`
}

type reasonJSON struct {
	Verdict verdictJSON `json:"verdict"`
	Taint   string      `json:"taint"`
	Nodes   int         `json:"nodes"`
}

type fixJSON struct {
	Nodes       int        `json:"nodes"`
	Taints      []missJSON `json:"taints"`
	MoreTaints  int        `json:"moreTaints,omitempty"`
	Tolerations []any      `json:"tolerations"`
}

type missJSON struct {
	Taint    string `json:"taint"`
	Miss     string `json:"miss"`
	Nearest  string `json:"nearest,omitempty"`
	Misspelt string `json:"misspelt,omitempty"`
	Passing  bool   `json:"passing,omitempty"`
	Add      string `json:"add"`
}

type evictionJSON struct {
	When       string    `json:"when"`
	Taint      string    `json:"taint,omitempty"`
	Toleration string    `json:"toleration,omitempty"`
	Seconds    *int64    `json:"seconds,omitempty"`
	TaintAdded time.Time `json:"taintAdded,omitzero"`
	At         time.Time `json:"at,omitzero"`
	Because    string    `json:"because,omitempty"`
}

type pairJSON struct {
	Node            string        `json:"node"`
	Verdict         verdictJSON   `json:"verdict"`
	Bound           bool          `json:"bound,omitempty"`
	Untolerated     []string      `json:"untolerated,omitempty"`
	MoreUntolerated int           `json:"moreUntolerated,omitempty"`
	Eviction        *evictionJSON `json:"eviction,omitempty"`
}

type unknownNodeJSON struct {
	Name    string `json:"name"`
	Because string `json:"because"`
}

type problemJSON struct {
	Source  string `json:"source"`
	Line    int    `json:"line,omitempty"`
	Place   string `json:"place,omitempty"`
	Object  string `json:"object,omitempty"`
	Path    string `json:"path,omitempty"`
	Message string `json:"message"`
}

type summaryJSON struct {
	Judges       string `json:"judges"`
	Sample       bool   `json:"sample,omitempty"`
	Nodes        int    `json:"nodes"`
	UnknownNodes int    `json:"unknownNodes"`
	Pods         int    `json:"pods"`
	Finished     int    `json:"finished"`
	Unbound      int    `json:"unbound"`
	FitNowhere   int    `json:"fitNowhere"`
	GoNow        int    `json:"goNow"`
	GoLater      int    `json:"goLater"`
	UnknownPods  int    `json:"unknownPods"`
}

type verdictJSON verdict

var verdictNames = [...]string{"unknown", "mayRun", "ratherNot", "mayNot"}

func (v verdictJSON) MarshalText() ([]byte, error) { return []byte(verdictNames[v]), nil }

// writeJSON writes pod by pod, so that memory does not follow the output.
func (r *report) writeJSON(w *bufio.Writer) error {
	j := jsonWriter{Writer: w}
	j.text("{")
	j.open("pods", "[")
	for i, p := range r.shown {
		r.progress.judged("writing", i, len(r.shown))
		j.element(r.podJSON(p))
	}
	j.close("]")
	j.open("unknownNodes", "[")
	for _, n := range r.unknown {
		j.element(unknownNodeJSON{n.name, n.because})
	}
	j.close("]")
	if unknown := r.unknownDevices(); len(unknown) > 0 {
		j.member("unknownDevices", unknown)
	}
	j.problems("problems", r.problems)
	j.problems("warnings", r.warnings)
	j.member("summary", summaryJSON{
		Judges: "taints and tolerations only", Sample: r.sample,
		Nodes: len(r.nodes), UnknownNodes: len(r.unknown),
		Pods: len(r.shown), Finished: r.finished, Unbound: r.unbound, FitNowhere: len(r.fitNowhere),
		GoNow: len(r.goNow), GoLater: len(r.goLater), UnknownPods: r.unsurePods,
	})
	j.text("\n}\n")
	return j.err
}

func (r *report) podJSON(p *pod) podJSON {
	n := r.nodesOf(p)
	out := podJSON{
		Namespace: p.Namespace, Name: p.Name, Node: p.Node, Phase: p.Phase, Terminating: p.Terminating, Static: p.Static,
		MayRun: n[mayRun], RatherNot: n[ratherNot], MayNot: n[mayNot], Unknown: n[unknown],
		FitsNowhere: r.fitsNowhere(p), UnknownBecause: p.because,
	}
	for _, re := range r.judge.reasons(p) {
		out.Reasons = append(out.Reasons, reasonJSON{verdictJSON(re.verdict), r.taint(re.taint), re.nodes})
	}
	if d := r.judge.decision(p); d.taints > len(out.Reasons) {
		out.MoreReasons = d.taints - len(out.Reasons)
	}
	if out.FitsNowhere {
		out.Fix = r.fixJSON(p)
	}
	out.Claims, out.MoreClaims = r.claims(p)
	if p.Node != "" {
		out.Eviction = r.evictionJSON(r.evictPod(p))
	}
	for _, n := range r.pairNodes {
		pr := judgePair(p, n, r.opts.reasons)
		pair := pairJSON{Node: n.name, Verdict: verdictJSON(pr.verdict), Bound: pr.bound, MoreUntolerated: pr.more}
		for _, t := range pr.untolerated {
			pair.Untolerated = append(pair.Untolerated, r.taint(t))
		}
		switch {
		case pr.bound:
			pair.Eviction = out.Eviction
		case pr.verdict != unknown && pr.eviction.when != never:
			pair.Eviction = r.evictionJSON(pr.eviction)
		}
		out.Nodes = append(out.Nodes, pair)
	}
	return out
}

func (r *report) fixJSON(p *pod) *fixJSON {
	f := r.judge.fix(p.class)
	out := &fixJSON{Nodes: f.nodes, MoreTaints: f.more}
	for _, m := range r.judge.explain(p.class, f.taints) {
		out.Taints = append(out.Taints, missJSON{
			Taint: r.taint(m.Taint), Miss: m.Miss.String(), Nearest: r.toleration(m.Toleration),
			Misspelt: r.toleration(m.similar), Passing: passing.Has(m.Taint), Add: r.toleration(m.Addition()),
		})
		out.Tolerations = append(out.Tolerations, r.tolerationJSON(m.Addition()))
	}
	return out
}

func (r *report) evictionJSON(e eviction) *evictionJSON {
	out := &evictionJSON{When: e.when.String(), Because: e.because, At: e.at, TaintAdded: e.taint.TimeAdded()}
	if e.when == now || e.when == later {
		out.Taint = r.taint(e.taint)
		seconds := e.seconds
		out.Seconds = &seconds
	}
	out.Toleration = r.toleration(e.toleration)
	return out
}

// A jsonWriter writes one indented object, member by member.
type jsonWriter struct {
	*bufio.Writer
	err     error
	members int
	empty   bool // nothing is in the list yet
}

func (j *jsonWriter) text(s string) {
	if j.err == nil {
		_, j.err = j.WriteString(s)
	}
}

func (j *jsonWriter) name(name string) {
	if j.members++; j.members > 1 {
		j.text(",")
	}
	j.text("\n  \"" + name + "\": ")
}

func (j *jsonWriter) open(name, bracket string) {
	j.name(name)
	j.text(bracket)
	j.empty = true
}

func (j *jsonWriter) close(bracket string) {
	if !j.empty {
		j.text("\n  ")
	}
	j.text(bracket)
}

func (j *jsonWriter) problems(name string, problems []*kubejson.Problem) {
	j.open(name, "[")
	for _, p := range problems {
		j.element(problemJSON{p.Source, p.Line, p.Place, p.Object, p.Path, p.Err.Error()})
	}
	j.close("]")
}

func (j *jsonWriter) element(v any) {
	if !j.empty {
		j.text(",")
	}
	j.empty = false
	j.text("\n    ")
	j.value(v, "    ")
}

func (j *jsonWriter) member(name string, v any) {
	j.name(name)
	j.value(v, "  ")
}

func (j *jsonWriter) value(v any, prefix string) {
	if j.err != nil {
		return
	}
	var b []byte
	if b, j.err = json.MarshalIndent(v, prefix, "  "); j.err == nil {
		_, j.err = j.Write(b)
	}
}
