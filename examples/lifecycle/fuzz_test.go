package main

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"time"
)

// FuzzScript proves that a script gives mistakes, each with its place, or a day
// that can be simulated and written as text and JSON; and never anything else.
func FuzzScript(f *testing.F) {
	f.Add(sample)
	f.Add(randomCluster(1, 5, 9, 2) + randomDay(1, nil, 3600e9))
	f.Add("node a-{1..3} zone=z taint=k=v:NoExecute\nworkload w replicas=2 on=a-1 tolerates=\"k:NoExecute op=Exists for 1s\"\n+1h zone z 50% unreachable\n+1h all ready")
	f.Add("node a\npod p on=a\ndaemon d host-network\n1:00 taint node [a] k- x:NoSchedule\n0:59 cordon zone z\n1:00 all DiskPressure=True")
	f.Add("node \"a b\" label=\n# node\npod # p\nnode {1..\n10:00 all \"")
	f.Fuzz(func(t *testing.T, text string) {
		s := &script{}
		s.parse("f", text)
		pods := 0
		for _, set := range s.sets {
			pods += set.replicas
			if set.kind == daemon {
				pods += len(s.nodes)
			}
		}
		if len(s.nodes) > 100 || pods > 100 {
			return // it takes its time
		}
		opts, err := parseArgs([]string{"-for", "2h"})
		if err != nil {
			t.Fatal(err)
		}
		sim := s.build(opts.settings)
		for _, err := range s.problems {
			var p *problem
			if errors.As(err, &p) {
				if p.source != "f" || p.line < 1 || p.line > strings.Count(text, "\n")+1 || strings.Contains(p.Error(), "\n") || p.err.Error() == "" {
					t.Errorf("problem %q", p)
				}
			} else if len(s.nodes) > 0 {
				t.Errorf("a problem without its place: %v", err)
			}
		}
		if len(s.problems) > 0 {
			return
		}
		sim.most = 1000
		if sim.run() != nil {
			return
		}
		r := sim.report()
		before := clock(0)
		for i := range r.Timeline {
			e := &r.Timeline[i]
			if e.At < before || e.At > clock(2*time.Hour) || e.text() == string(e.What) {
				t.Errorf("entry %+v after %v: %s", e, before, e.text())
			}
			before = e.At
		}
		var out bytes.Buffer
		if err := writeJSON(&out, r); err != nil {
			t.Error(err)
		}
		if n := bytes.Count(out.Bytes(), []byte("\n")); n != 1 {
			t.Errorf("%d lines of JSON", n)
		}
		for _, p := range sim.pods {
			if p.down < 0 || p.longest > p.down || p.down > clock(2*time.Hour) {
				t.Errorf("%s is down for %v", p.name, p.down)
			}
		}
	})
}

// FuzzCluster proves the same of what is read as kubectl's output.
func FuzzCluster(f *testing.F) {
	f.Add(`{"kind":"Node","metadata":{"name":"a","labels":{"topology.kubernetes.io/zone":"z"}},"status":{"conditions":[{"type":"Ready","status":"Unknown"}]}}
		{"kind":"Pod","metadata":{"name":"p","ownerReferences":[{"kind":"DaemonSet"}]},"spec":{"nodeName":"a","hostNetwork":true,"tolerations":[{"operator":"Exists"}]}}`)
	f.Add(`{"kind":"Node","metadata":{"name":"a","labels":7},"spec":{"taints":[{"key":"k","effect":"NoExecute","timeAdded":"9999-12-31T23:59:59Z"}]},"status":{"conditions":null}}`)
	f.Add(`{"kind":"Node","metadata":{"name":"a"},"spec":{"taints":[{"key":"k","effect":"NoExecute","timeAdded":"0001-01-02T00:00:00Z"}]}}
		{"kind":"Pod","metadata":{"name":"p","ownerReferences":[{"kind":"Job"}]},"spec":{"tolerations":[{"key":"k","operator":"Exists","effect":"NoExecute","tolerationSeconds":9223372036854775807}]}}`)
	f.Fuzz(func(t *testing.T, data string) {
		if len(data) > 10_000 {
			return
		}
		var errs bytes.Buffer
		args := []string{"-for", "2h", "-startup", "0s", "-start", "added", "-cluster", "-"}
		status := run(args, strings.NewReader(data), io.Discard, &errs)
		if status == statusBad != (errs.Len() > 0) {
			t.Errorf("exit status %d with %q", status, &errs)
		}
	})
}
