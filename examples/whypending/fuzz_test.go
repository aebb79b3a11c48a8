package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// FuzzRun proves, for any input, that the program's own claims agree: each pod
// is compared with each node once, what is unknown is nothing else, what is to
// be added helps, and the exit status says what the output does, with values and
// without.
func FuzzRun(f *testing.F) {
	files, err := filepath.Glob("testdata/*.json")
	if err != nil || len(files) == 0 {
		f.Fatal(files, err)
	}
	for _, file := range append(files, "sample-devices.json") {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(data))
	}
	f.Fuzz(func(t *testing.T, input string) {
		got := runWith(input, "-o", "json")
		var out struct {
			Pods         []podOutput
			UnknownNodes []struct{ Name, Because string }
			Problems     []struct{ Source, Message string }
			Warnings     []struct{ Source, Message string }
			Summary      struct{ Nodes, UnknownNodes, Pods, Unbound, FitNowhere, UnknownPods int }
		}
		if err := json.Unmarshal([]byte(got.Stdout), &out); err != nil {
			t.Fatalf("%v\n%s", err, got)
		}
		s := out.Summary
		nowhere, unknownPods := 0, 0
		for _, p := range out.Pods {
			p.check(t, s.Nodes, s.UnknownNodes)
			if p.FitsNowhere {
				nowhere++
			}
			if p.UnknownBecause != "" {
				unknownPods++
			}
		}
		if nowhere != s.FitNowhere || unknownPods != s.UnknownPods || len(out.UnknownNodes) != s.UnknownNodes || len(out.Pods) != s.Pods {
			t.Errorf("the summary differs from what it sums up\n%s", got)
		}
		want := statusFits
		switch {
		case len(out.Problems) > 0:
			want = statusBad
		case nowhere > 0:
			want = statusPending
		}
		if got.Status != want || (got.Stderr != "") != (len(out.Problems)+len(out.Warnings) > 0) {
			t.Errorf("want status %d\n%s", want, got)
		}
		var hidden struct {
			Pods []struct{ MayRun, RatherNot, MayNot, Unknown int }
		}
		redacted := runWith(input, "-o", "json", "-redact")
		if err := json.Unmarshal([]byte(redacted.Stdout), &hidden); err != nil || redacted.Status != got.Status || len(hidden.Pods) != len(out.Pods) {
			t.Errorf("without values: %v %s\nwith them: %s", err, redacted, got)
		}
		for i, p := range hidden.Pods {
			if q := out.Pods[i]; p.MayRun != q.MayRun || p.RatherNot != q.RatherNot || p.MayNot != q.MayNot || p.Unknown != q.Unknown {
				t.Errorf("without values: %+v, with them: %+v", p, q)
			}
		}
		if text := runWith(input); text.Status != got.Status || text.Stderr != got.Stderr {
			t.Errorf("as text: %s\nas JSON: %s", text, got)
		}
	})
}

type podOutput struct {
	Name, Node, UnknownBecause         string
	MayRun, RatherNot, MayNot, Unknown int
	FitsNowhere                        bool
	Reasons                            []struct {
		Verdict, Taint string
		Nodes          int
	}
	Fix *struct {
		Nodes       int
		Taints      []struct{ Taint, Miss, Nearest, Misspelt, Add string }
		Tolerations toleration.List
	}
	Claims   []claimJSON
	Eviction *struct {
		When, Taint string
		Seconds     *int64
	}
}

// checkClaims proves that each device of a driver is counted once, and has a reason if
// it is tainted.
func (p podOutput) checkClaims(t *testing.T) {
	t.Helper()
	for _, c := range p.Claims {
		if c.UnknownBecause != "" && (c.Requests != nil || c.Allocated) {
			t.Errorf("%+v is unknown and decided", c)
		}
		for _, q := range c.Requests {
			for _, d := range q.Drivers {
				reasons := 0
				for _, r := range d.Reasons {
					if reasons += r.Devices; r.Taint == "" || r.Devices < 1 || r.Devices > d.Devices {
						t.Errorf("%+v has the reason %+v", d, r)
					}
				}
				if d.Allocatable+d.Tainted+d.Unknown != d.Devices || d.MoreReasons == 0 && reasons < d.Tainted || d.Tainted == 0 && reasons > 0 {
					t.Errorf("the devices of %+v do not add up", d)
				}
			}
		}
	}
}

func (p podOutput) check(t *testing.T, nodes, unknownNodes int) {
	t.Helper()
	p.checkClaims(t)
	unknown := unknownNodes
	if p.UnknownBecause != "" {
		unknown = nodes
	}
	mayNot, ratherNot := 0, 0
	for _, r := range p.Reasons {
		switch r.Verdict {
		case "mayNot":
			mayNot += r.Nodes
		case "ratherNot":
			ratherNot += r.Nodes
		}
		if r.Nodes < 1 || r.Taint == "" {
			t.Errorf("%+v: a reason for nothing", p)
		}
	}
	if p.Fix != nil {
		if p.Fix.Nodes < 1 || p.Fix.Nodes > nodes || len(p.Fix.Taints) == 0 || len(p.Fix.Taints) != len(p.Fix.Tolerations) {
			t.Errorf("%+v: fix %+v", p, p.Fix)
		}
		for i, m := range p.Fix.Taints {
			one, err := taint.Parse(m.Taint)
			add := p.Fix.Tolerations[i]
			if err != nil || !add.Tolerates(one) || m.Add != add.String() || m.Miss == "" || (m.Miss == "OtherKey") != (m.Nearest == "") || m.Misspelt != "" && m.Nearest != "" {
				t.Errorf("%+v: fix %+v", p, m)
			}
		}
	}
	switch {
	case p.Name == "":
		t.Errorf("%+v: no name", p)
	case p.MayRun+p.RatherNot+p.MayNot+p.Unknown != nodes || p.Unknown != unknown:
		t.Errorf("%+v: of %d nodes %d are unknown", p, nodes, unknownNodes)
	case mayNot < p.MayNot || ratherNot < p.RatherNot || p.MayNot == 0 && mayNot > 0 || p.RatherNot == 0 && ratherNot > 0:
		t.Errorf("%+v: the reasons are too few or too many", p)
	case p.FitsNowhere != (p.Fix != nil):
		t.Errorf("%+v: fits nowhere, and its fix", p)
	case p.FitsNowhere && (p.Node != "" || p.MayNot != nodes || nodes == 0):
		t.Errorf("%+v: fits nowhere", p)
	case (p.Eviction == nil) != (p.Node == ""):
		t.Errorf("%+v: eviction and node", p)
	case p.Eviction != nil && (p.Eviction.When == "later") != (p.Eviction.Seconds != nil && *p.Eviction.Seconds > 0):
		t.Errorf("%+v: eviction %+v", p, p.Eviction)
	}
}
