package peer_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-tolerate/tolerate/bench/overlay"
	"github.com/go-tolerate/tolerate/bench/overlay/hook"
	"github.com/go-tolerate/tolerate/bench/peers/peer"
)

// Half is a swapped function: it differs for taints without a key, and the new body is
// faster.
func half(in *peer.Input[struct{ Key string }, struct{}]) any {
	in.Found = append(in.Found[:0], struct{ Key string }{})
	if hook.Original {
		for i := range 10 {
			in.Found[0].Key = []string{"a", ""}[i%2]
		}
		return len(in.Taints) > 0
	}
	return len(in.Taints) > 0 && in.Taints[0].Key != ""
}

func TestCompare(t *testing.T) {
	if testing.Short() {
		t.Skip("it measures")
	}
	t.Setenv("TOLERATE_COMPARED", filepath.Join(t.TempDir(), "compared.json"))
	peer.Compare(t, map[string]func(*peer.Input[struct{ Key string }, struct{}]) any{"half": half})
	text, err := os.ReadFile(os.Getenv("TOLERATE_COMPARED"))
	if err != nil {
		t.Fatal(err)
	}
	var found peer.Compared
	if err := json.Unmarshal(text, &found); err != nil {
		t.Fatal(err)
	}
	if len(found.Cases) != 4 || found.Cases[0].Ratio < 2 || found.Cases[0].Before < found.Cases[0].After {
		t.Errorf("cases: %+v", found.Cases)
	}
	if d := found.Differences; len(d) != 1 || d[0].Kind != "taint without a key" || d[0].Inputs < 100 || !strings.Contains(d[0].Example, `"key":""`) {
		t.Errorf("differences: %+v", d)
	}
}

func set(names ...string) map[string]bool {
	m := map[string]bool{}
	for _, name := range names {
		m[name] = true
	}
	return m
}

func TestMissing(t *testing.T) {
	before := &overlay.Result{Passed: set("TestA", "TestA/1", "TestB", "TestC"), Failed: set("TestD"), Specs: 2}
	for _, tt := range []struct {
		name  string
		after *overlay.Result
		want  int
	}{
		{"same", before, 0},
		{"subtest", &overlay.Result{Passed: set("TestA", "TestA/2", "TestB", "TestC"), Specs: 2}, 0},
		{"failed", &overlay.Result{Passed: set("TestA", "TestB"), Failed: set("TestC"), Specs: 1}, 0},
		{"skipped", &overlay.Result{Passed: set("TestA", "TestB"), Skipped: set("TestC"), Specs: 2}, 1},
		{"nothing", &overlay.Result{}, 4},
	} {
		if errs := peer.Missing("p", before, tt.after); len(errs) != tt.want {
			t.Errorf("%s: %v, want %d errors", tt.name, errs, tt.want)
		}
	}
}

func TestFailed(t *testing.T) {
	got := peer.Failed(&overlay.Result{Failed: set("TestA", "TestA/b")}, &overlay.Result{Flaky: set("TestA", "TestAB")})
	if want := []string{"TestA/b", "TestAB"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestWritePage(t *testing.T) {
	reports := []*peer.Report{
		{
			Peer:    peer.Peer{Name: "Zebra", Module: "example.com/z", Verdict: "None.", Bugs: map[string]string{"F": "it is wrong."}},
			Version: "v1.0.0",
			Flaky:   []peer.Flaky{{Package: "example.com/z/p", Test: "TestF/a", Before: 1, After: 2}},
			Deleted: 20, Added: 5,
			Compared: peer.Compared{
				Cases:       []peer.Case{{Call: "F", Nodes: "2 taints, tolerated", Before: 86, After: 8.6, Ratio: 10}, {Call: "F", Nodes: "no taints", Before: 8, After: 8, Ratio: 1}},
				Differences: []peer.Difference{{Call: "F", Kind: "valid"}, {Call: "F", Kind: "unknown operator"}, {Call: "G", Kind: "taint without a key"}},
			},
		},
		{Peer: peer.Peer{Name: "Ape", Module: "example.com/a"}, Version: "v2.0.0", Compared: peer.Compared{Cases: []peer.Case{{Ratio: 2}}}},
	}
	before := &overlay.Result{Passed: set("TestA", "TestB"), Specs: 1}
	reports[0].Add(before, &overlay.Result{Passed: set("TestA"), Failed: set("TestB"), Specs: 1, Called: set("F")})
	reports[0].Add(before, before) // calls no swapped function
	dir := t.TempDir()
	for _, r := range reports {
		if err := r.Store(filepath.Join(dir, r.Name)); err != nil {
			t.Fatal(err)
		}
	}
	var b strings.Builder
	if err := peer.WritePage(&b, dir, "Zebra", "Ape"); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"| Ape v2.0.0 | 0 of 0 | 0 of 0 | 0 | 0 | 2.00 | 2.00 |\n| Zebra v1.0.0 | 3 of 3 | 2 of 3 | 20 | 5 | 1.00 | 10.00 |\n",
		"`example.com/z`: 20 lines become 5. None.\n",
		"Of all packages that were run, 6 of 6 tests pass before, and 5 of 6 after.\n",
		"Other results of `F`: it is wrong.\n",
		"rejects: taint without a key.\n",
		"| `F` | 86 → 8.6 |  | 8.0 → 8.0 |  |\n",
		"| `p` | `TestF/a` | 1 | 2 |\n",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no\n%sin\n%s", want, &b)
		}
	}
	if err := peer.WritePage(&b, dir, "Zebra", "Ape", "Bee"); err == nil {
		t.Error("a peer without a report: no error")
	}
}
