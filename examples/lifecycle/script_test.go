package main

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/taint/disruption"
	"github.com/go-tolerate/tolerate/toleration"
)

func parseScript(t *testing.T, text string) *script {
	t.Helper()
	s := &script{}
	s.parse("f", text)
	if len(s.problems) > 0 {
		t.Fatalf("%q: %v", text, errors.Join(s.problems...))
	}
	return s
}

func TestParseTime(t *testing.T) {
	const before = 10 * time.Hour
	for word, want := range map[string]time.Duration{
		"10:00":       before,
		"10:00:00":    before,
		"10:05":       before + 5*time.Minute,
		"10:05:09":    before + 5*time.Minute + 9*time.Second,
		"0010:05":     before + 5*time.Minute,
		"26:00":       26 * time.Hour,
		"8784:00":     longest,
		"+0s":         before,
		"+90s":        before + 90*time.Second,
		"+1h30m":      before + 90*time.Minute,
		"+1.5ms":      before + 1500*time.Microsecond,
		"+8774h":      longest,
		"9:59":        -1,
		"8784:01":     -1,
		"+8774h1ns":   -1,
		"+9999999h":   -1,
		"10":          -1,
		"10:":         -1,
		"10:5":        -1,
		"10:60":       -1,
		"10:00:60":    -1,
		"10:00:1":     -1,
		"10:00:00:00": -1,
		"10:0x":       -1,
		"+":           -1,
		"+-1s":        -1,
		"++1s":        -1,
		"+1s-1s":      -1,
		"+90":         -1,
	} {
		got, err := parseTime(word, before)
		if (err != nil) != (want < 0) || err == nil && got != want {
			t.Errorf("parseTime(%q) = %v, %v; want %v", word, got, err, want)
		}
	}
}

func TestSplit(t *testing.T) {
	for line, want := range map[string]string{
		"":                                 "",
		" \t\r\n":                          "",
		"# a b":                            "",
		" a\tb  c\r\n":                     "a|b|c",
		"a # b":                            "a",
		"a#b c":                            "a#b|c",
		`tolerates="k op=Exists for 1s" b`: "tolerates=k op=Exists for 1s|b",
		`"a b"c" d"`:                       "a bc d",
		`"#a" b`:                           "#a|b",
		`a "b # c`:                         "error",
		`a ""`:                             "error",
	} {
		words, err := split(line)
		got := strings.Join(words, "|")
		if err != nil {
			got = "error"
		}
		if got != want {
			t.Errorf("split(%q) = %q, %v; want %q", line, got, err, want)
		}
	}
}

func TestDeclarations(t *testing.T) {
	s := parseScript(t, `
		node a-{9..11}x zone=z region=r label=k=v=w label=l taint=a=b:NoSchedule taint=a:NoExecute cordoned
		workload w replicas=3 on=a,b tolerates="k=v:NoExecute for 7s" tolerates=op=Exists
		pod p on=a
		daemon d host-network`)
	if len(s.nodes) != 3 || s.nodes[0].name != "a-9x" || s.nodes[2].name != "a-11x" {
		t.Fatalf("%+v", s.nodes)
	}
	n := s.nodes[1]
	wantTaints := taint.List{taint.MustParse("a=b:NoSchedule"), taint.MustParse("a:NoExecute")}
	if n.zone != (disruption.Zone{Region: "r", Name: "z"}) || n.labels["k"] != "v=w" || n.labels["l"] != "" || !n.cordoned || n.line != 2 || !n.taints.EqualSet(wantTaints) {
		t.Errorf("%+v", n)
	}
	w, p, d := s.sets[0], s.sets[1], s.sets[2]
	if w.kind != workload || w.replicas != 3 || w.exact || len(w.on) != 2 || len(w.tolerations) != 2 || w.tolerations[0] != toleration.MustParse("k=v:NoExecute for 7s") {
		t.Errorf("%+v", w)
	}
	if p.kind != bare || !p.exact || p.replicas != 1 || p.on[0] != "a" || d.kind != daemon || !d.hostNetwork || d.exact {
		t.Errorf("%+v\n%+v", p, d)
	}
}

// Which nodes an event is about.
func TestTargets(t *testing.T) {
	const nodes = "node a-{1..3} zone=a\nnode b-{1..10} zone=b region=r\nnode c\n"
	for target, want := range map[string]string{
		"all":             "a-1 a-2 a-3 b-1 b-2 b-3 b-4 b-5 b-6 b-7 b-8 b-9 b-10 c",
		"all 50%":         "a-1 a-2 a-3 b-1 b-2 b-3 b-4",
		"all 1%":          "a-1",
		"zone b 25%":      "b-1 b-2 b-3",
		"zone a 100%":     "a-1 a-2 a-3",
		"zone r/b 1%":     "b-1",
		"zone a,b 20%":    "a-1 a-2 a-3",
		"node b-1":        "b-1",
		"node b-1,a-2":    "a-2 b-1",
		"node a-1,a-1":    "a-1",
		"node b-1*":       "b-1 b-10",
		"node [ab]-[2-3]": "a-2 a-3 b-2 b-3",
		"node a-?,c":      "a-1 a-2 a-3 c",
	} {
		s := parseScript(t, nodes+"1:00 "+target+" unreachable")
		opts, err := parseArgs(nil)
		if err != nil {
			t.Fatal(err)
		}
		sim := s.build(opts.settings)
		if len(s.problems) > 0 {
			t.Fatal(s.problems)
		}
		var got []string
		for _, i := range sim.script[0].nodes {
			got = append(got, sim.nodes[i].name)
		}
		if diff := cmp.Diff(want, strings.Join(got, " ")); diff != "" {
			t.Errorf("%s: mismatch (-want +got):\n%s", target, diff)
		}
	}
}

// Times run on through a script, and what is at the same time keeps its order,
// also across scripts.
func TestOrder(t *testing.T) {
	s := &script{}
	s.parse("one", "node a\n1:00 cordon all\n+1m uncordon all\n+1m taint all k:NoSchedule")
	s.parse("two", "+1h1m taint all x:NoSchedule\n1:02 taint all k-")
	opts, err := parseArgs(nil)
	if err != nil {
		t.Fatal(err)
	}
	sim := s.build(opts.settings)
	if err := errors.Join(append(s.problems, sim.run())...); err != nil {
		t.Fatal(err)
	}
	wantLines(t, sim.lines(""),
		"01:00:00  a is cordoned", "01:00:00  a: +node.kubernetes.io/unschedulable:NoSchedule",
		"01:01:00  a is uncordoned", "01:01:00  somebody taints a: x:NoSchedule", "01:01:00  a: +x:NoSchedule -node.kubernetes.io/unschedulable:NoSchedule",
		"01:02:00  somebody taints a: k:NoSchedule", "01:02:00  somebody taints a: k-")
}

// What is so already does not happen, and a refused edit changes nothing.
func TestNothingNew(t *testing.T) {
	sim := simulate(t, `
		node a cordoned
		node b taint=k=v:NoSchedule
		1:00 all ready
		1:00 cordon node a
		1:00 uncordon node b
		2:00 all not-ready
		2:00 all not-ready
		3:00 all unreachable
		3:00 all unreachable
		4:00 taint all k-
		5:00 taint all k- x:NoSchedule`)
	want := []what{becameNotReady, becameSilent, refused, edited, refused, refused}
	var got []what
	for _, e := range sim.timeline {
		if e.At < 4*3600e9 && (e.What == becameNotReady || e.What == becameSilent || e.What == becameReady || e.What == cordoned) || e.What == refused || e.What == edited {
			got = append(got, e.What)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("mismatch (-want +got):\n%s", diff)
	}
	if sim.stats.refused != 3 || len(sim.lines("+x")) > 0 {
		t.Errorf("%d refused", sim.stats.refused)
	}
}

func TestClock(t *testing.T) {
	for c, want := range map[clock][3]string{
		0:               {"00:00:00", "0s", "0"},
		5e9:             {"00:00:05", "5s", "5"},
		3600e9:          {"01:00:00", "1h", "3600"},
		3601e9:          {"01:00:01", "1h0m1s", "3601"},
		90*60e9 + 5e8:   {"01:30:00.5", "1h30m0.5s", "5400.5"},
		100 * 3600e9:    {"100:00:00", "100h", "360000"},
		120e9 + 1:       {"00:02:00.000000001", "2m0.000000001s", "120.000000001"},
		-1500e6:         {"-00:00:01.5", "-1.5s", "-1.5"},
		clock(-1 << 63): {"-2562047:47:16.854775807", "-2562047h47m16.854775808s", "-9223372036.854775807"},
	} {
		text, err := c.MarshalJSON()
		if got := [3]string{c.String(), c.span(), string(text)}; got != want || err != nil {
			t.Errorf("%d: %q, want %q", int64(c), got, want)
		}
	}
}
