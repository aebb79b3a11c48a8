package lint_test

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/go-tolerate/tolerate/match/lint"
	"github.com/go-tolerate/tolerate/toleration"
)

func seeds(f *testing.F) {
	rng := rand.New(rand.NewPCG(1, 0))
	for _, n := range []int{0, 64, 512, 4096} {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(rng.Uint32())
		}
		f.Add(b)
		f.Add(bytes.Repeat([]byte{byte(n)}, n))
	}
}

// FuzzLint searches, among the lists that TestR5_property draws, for one that
// is judged otherwise than taint by taint, or a fix that does harm.
func FuzzLint(f *testing.F) {
	seeds(f)
	f.Fuzz(rapid.MakeFuzz(property))
}

// FuzzCluster does so among the clusters that TestCluster_property draws.
func FuzzCluster(f *testing.F) {
	seeds(f)
	f.Fuzz(rapid.MakeFuzz(clusterProperty))
}

// FuzzText does it with a pod's list and defaults from text, a toleration a
// line. What cannot be read is left out.
func FuzzText(f *testing.F) {
	f.Add("a op=Exists\na:NoExecute op=Exists for 60s\ncores=0 op=Lt", "")
	f.Add("a=1:NoExecute for 300s\na=1:NoExecute for 60s", "a:NoExecute op=Exists for 300s")
	f.Add("node.kubernetes.io/not-ready=x:NoExecute for -5s\nnode-role.kubernetes.io/master", "node-role.kubernetes.io/control-plane op=Exists")
	f.Add(":NoSchedule op=Exists\n:NoExecute op=Exists for 0s", ":PreferNoSchedule op=Exists")
	f.Add("gpu\ngpu=9223372036854775807 op=Gt", "gpu=x:NoSchedule")
	f.Fuzz(func(t *testing.T, own, defaults string) { check(t, parse(own), parse(defaults)) })
}

// parse reads tolerations, a line each. What cannot be read is left out, and so
// is what comes after the first eight.
func parse(text string) (l []toleration.Toleration) {
	for line := range strings.SplitSeq(text, "\n") {
		if u, err := toleration.Parse(strings.TrimSpace(line)); err == nil && len(l) < 8 {
			l = append(l, u)
		}
	}
	return l
}

// FuzzParseRules holds what is read against what is written.
func FuzzParseRules(f *testing.F) {
	f.Add("")
	f.Add("never-matches,no-time")
	f.Add("no-time,no-time,")
	f.Add(lint.AllRules().String())
	f.Fuzz(func(t *testing.T, text string) {
		s, err := lint.ParseRules(text)
		if err != nil {
			if s != (lint.Rules{}) {
				t.Errorf("ParseRules(%q) = %v with the error %v", text, s, err)
			}
			return
		}
		names := strings.Split(text, ",")
		for r := range s.All() {
			if !strings.Contains(","+text+",", ","+r.Name()+",") {
				t.Errorf("ParseRules(%q) has %v", text, r)
			}
		}
		for _, name := range names {
			if r, err := lint.ParseRule(name); text != "" && (err != nil || !s.Has(r)) {
				t.Errorf("ParseRules(%q) has not %q: %v", text, name, err)
			}
		}
		if again, err := lint.ParseRules(s.String()); again != s || err != nil {
			t.Errorf("ParseRules(%q) = %v, %v", s.String(), again, err)
		}
	})
}
