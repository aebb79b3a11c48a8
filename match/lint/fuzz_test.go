package lint_test

import (
	"strings"
	"testing"

	"github.com/go-tolerate/tolerate/internal/gen"
	"github.com/go-tolerate/tolerate/toleration"
)

// FuzzFind searches the lists of TestFind_property.
func FuzzFind(f *testing.F) {
	gen.Fuzz(f, property)
}

// FuzzFindText checks the list of a pod and its defaults, a toleration a line.
func FuzzFindText(f *testing.F) {
	f.Add("a op=Exists\na:NoExecute op=Exists for 60s\ncores=0 op=Lt", "")
	f.Add("a=1:NoExecute for 300s\na=1:NoExecute for 60s", "a:NoExecute op=Exists for 300s")
	f.Add("node.kubernetes.io/not-ready=x:NoExecute for -5s\nnode.kubernetes.io/out-of-disk", "node.kubernetes.io/disk-pressure op=Exists")
	f.Add(":NoSchedule op=Exists\n:NoExecute op=Exists for 0s", ":PreferNoSchedule op=Exists")
	f.Add("gpu\ngpu=9223372036854775807 op=Gt", "gpu=x:NoSchedule")
	f.Fuzz(func(t *testing.T, own, defaults string) { check(t, parseLines(own), parseLines(defaults)) })
}

// parseLines skips invalid lines, and stops after eight tolerations.
func parseLines(text string) (l toleration.List) {
	for line := range strings.SplitSeq(text, "\n") {
		if u, err := toleration.Parse(strings.TrimSpace(line)); err == nil && len(l) < gen.MaxList {
			l = append(l, u)
		}
	}
	return l
}
