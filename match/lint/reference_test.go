package lint_test

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/go-tolerate/tolerate/internal/problem"
	"github.com/go-tolerate/tolerate/internal/tests/gen"
	"github.com/go-tolerate/tolerate/match/lint"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// The properties are cheap, so they draw more than the usual 100 times unless
// RAPID_CHECKS or the flag sets another number.
func TestMain(m *testing.M) { gen.Main(m, 1000) }

// A length is the time for which a taint is tolerated: 0 if it is untolerated,
// the seconds plus one, or forever.
type length uint64

const forever length = math.MaxUint64

func hold(u toleration.Toleration) length {
	if n, timed := u.Seconds(); timed {
		return length(max(n, 0)) + 1
	}
	return forever
}

func held(l toleration.List, t taint.Taint) length {
	for _, u := range l {
		if u.Tolerates(t) {
			return hold(u) // the first decides
		}
	}
	return 0
}

// same reports whether both lists tolerate each of the taints for the same time.
func same(a, b toleration.List, taints taint.List) bool {
	for _, t := range taints {
		if held(a, t) != held(b, t) {
			return false
		}
	}
	return true
}

// A member is a toleration and its index in the whole list.
type member struct {
	u     toleration.Toleration
	index int
}

func values(members []member) (l toleration.List) {
	for _, m := range members {
		l = append(l, m.u)
	}
	return l
}

// reference returns the findings as "index check severity". It follows the
// descriptions of the checks and compares lists taint by taint.
func reference(own, defaults toleration.List) []string {
	whole := slices.Concat(own, defaults)
	taints := gen.Distinguishing(append(slices.Clone(whole), toleration.MustParse("node.kubernetes.io/not-ready"), toleration.MustParse("node.kubernetes.io/unreachable"), toleration.MustParse("node.kubernetes.io/disk-pressure")))
	var (
		found   []string
		left    []member // needed
		empty   []member
		dropped []member
	)
	find := func(i int, rule, severity string) {
		found = append(found, fmt.Sprint(i, " ", rule, " ", severity))
	}
	for i, u := range whole {
		switch {
		case u.IsZero():
		case i < len(own) && !slices.ContainsFunc(taints, u.Tolerates):
			find(i, "never-matches", "error")
			empty = append(empty, member{u, i})
		default:
			left = append(left, member{u, i})
		}
	}
	all := left
	// removable reports whether the list means the same without m and any of the dropped.
	removable := func(m member) bool {
		for chosen := range 1 << len(dropped) {
			rest := slices.DeleteFunc(slices.Clone(all), func(o member) bool {
				k := slices.Index(dropped, o)
				return o == m || k >= 0 && chosen>>k&1 != 0
			})
			if !same(values(all), values(rest), taints) {
				return false
			}
		}
		return true
	}
	for k := len(all) - 1; k >= 0; k-- {
		m := all[k]
		if m.index >= len(own) || !removable(m) {
			continue
		}
		left, dropped = slices.DeleteFunc(slices.Clone(left), func(o member) bool { return o == m }), append(dropped, m)
		// Earlier ones match all its taints, and some for another time.
		before, otherTime := values(all[:k]), false
		shadowed := !slices.ContainsFunc(taints, func(t taint.Taint) bool {
			otherTime = otherTime || m.u.Tolerates(t) && held(before, t) != hold(m.u)
			return m.u.Tolerates(t) && held(before, t) == 0
		})
		if shadowed && otherTime {
			find(m.index, "shadowed", "warning")
		} else {
			find(m.index, "redundant", "info")
		}
	}
	everything(left, taints, find)
	suppresses := func(m member, key string) bool {
		return m.index < len(own) && m.u.Key() == key && (m.u.Effect() == 0 || m.u.Effect() == taint.NoExecute)
	}
	for _, key := range []string{"node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"} {
		if held(values(left), taint.MustParse(key+":NoExecute")) > 0 {
			continue
		}
		suspects := slices.Concat(left, empty)
		if !slices.ContainsFunc(left, func(m member) bool { return suppresses(m, key) }) {
			suspects = append(suspects, dropped...) // all of them covered by defaults
		}
		for _, m := range suspects {
			if suppresses(m, key) {
				find(m.index, "suppresses-default", "error")
			}
		}
	}
	for _, m := range left {
		if m.index < len(own) {
			single(m, left, find)
			reported := slices.Contains(found, fmt.Sprint(m.index, " suppresses-default error"))
			others(m, left, reported, find)
		}
	}
	return found
}

func everything(left []member, taints taint.List, find func(int, string, string)) {
	// completes returns the index of the first member with which all taints with
	// these effects are tolerated.
	completes := func(effects ...taint.Effect) int {
		for k := range left {
			tolerated := func(t taint.Taint) bool {
				return !slices.Contains(effects, t.Effect()) || held(values(left[:k+1]), t) > 0
			}
			if !slices.ContainsFunc(taints, func(t taint.Taint) bool { return !tolerated(t) }) {
				return left[k].index
			}
		}
		return -1
	}
	all, hard := completes(taint.NoSchedule, taint.PreferNoSchedule, taint.NoExecute), completes(taint.NoSchedule, taint.NoExecute)
	if all >= 0 {
		find(all, "tolerates-everything", "warning")
	} else if hard >= 0 {
		find(hard, "open-to-every-node", "info")
	}
}

var replacements = map[string]string{
	"node.alpha.kubernetes.io/notReady":    "node.kubernetes.io/not-ready",
	"node.alpha.kubernetes.io/unreachable": "node.kubernetes.io/unreachable",
	"node.kubernetes.io/out-of-disk":       "node.kubernetes.io/disk-pressure",
}

// noValue matches the keys whose taints have no value.
var noValue = regexp.MustCompile(`^(node\.kubernetes\.io/.*|node-role\.kubernetes\.io/.*|node\.alpha\.kubernetes\.io/.*|` +
	`drbd\.linbit\.com/.*|node\.cloudprovider\.kubernetes\.io/shutdown|karpenter\.sh/(disrupted|unregistered)|node\.cluster\.x-k8s\.io/uninitialized)$`)

// setWithout are keys of taints that Kubernetes sets without a value.
var setWithout = []string{"not-ready", "unreachable", "memory-pressure", "disk-pressure", "pid-pressure", "network-unavailable", "unschedulable"}

// others finds what depends on the other tolerations of the list.
func others(m member, left []member, reported bool, find func(int, string, string)) {
	u, key := m.u, m.u.Key()
	severity := ""
	switch name, ours := strings.CutPrefix(key, "node.kubernetes.io/"); {
	case key == "node-role.kubernetes.io/control-plane" || key == "node-role.kubernetes.io/master":
		severity = "info"
	case ours && slices.Contains(setWithout, name), key == "node.cloudprovider.kubernetes.io/shutdown":
		severity = "warning"
	}
	without := func(v member) bool {
		return (v.u.Key() == key || v.u.Key() == "") && v.u.Value() == "" && (v.u.Effect() == u.Effect() || v.u.Effect() == 0 || u.Effect() == 0)
	}
	if u.Value() != "" && severity != "" && !reported && !slices.ContainsFunc(left, without) {
		find(m.index, "unexpected-value", severity)
	}
	if key == "node-role.kubernetes.io/master" && held(values(left), taint.MustParse("node-role.kubernetes.io/control-plane:NoSchedule")) == 0 {
		find(m.index, "only-master", "info")
	}
	own := regexp.MustCompile(`^node\.(kubernetes\.io|alpha\.kubernetes\.io|cloudprovider\.kubernetes\.io)/|^$`)
	if n, timed := u.Seconds(); timed && n > 0 && !own.MatchString(key) {
		find(m.index, "seconds-loop", "info")
	}
}

// single finds mistakes in one toleration that is needed.
func single(m member, left []member, find func(int, string, string)) {
	u, key := m.u, m.u.Key()
	byPeople := key == "node.kubernetes.io/out-of-service" || key == "node-role.kubernetes.io/infra"
	if u.Operator() <= toleration.Equal && u.Value() == "" && (byPeople || !noValue.MatchString(key)) &&
		!slices.ContainsFunc(left, func(v member) bool {
			return v.u.Key() == key && v.u.Value() != "" && (u.Effect() == 0 || v.u.Effect() == 0 || u.Effect() == v.u.Effect())
		}) {
		severity := "warning"
		if strings.HasSuffix(key, "/infra") {
			severity = "info"
		}
		find(m.index, "equal-empty-value", severity)
	}
	if by, ok := replacements[key]; ok {
		severity := "info"
		for _, e := range []taint.Effect{taint.NoSchedule, taint.PreferNoSchedule, taint.NoExecute} {
			t := problem.Must(taint.New(by, "", e))
			evicts := strings.HasSuffix(by, "/not-ready") || strings.HasSuffix(by, "/unreachable")
			counts := u.Effect() == e || u.Effect() == 0 && (e == taint.NoSchedule || e == taint.NoExecute && evicts)
			if counts && !slices.ContainsFunc(left, func(v member) bool { return v.index != m.index && v.u.Tolerates(t) }) {
				severity = "warning"
			}
		}
		find(m.index, "outdated-key", severity)
	}
	n, timed := u.Seconds()
	wanted := key == "node.kubernetes.io/not-ready" || key == "node.kubernetes.io/unreachable"
	if timed && (n < 0 || n == 0 && !wanted) {
		find(m.index, "no-time", "warning")
	}
	if op := u.Operator().String(); op == "Lt" || op == "Gt" {
		find(m.index, "needs-feature-gate", "info")
	}
}

// equalsReference compares the findings with those of the reference.
func equalsReference(t rapid.TB, own, defaults toleration.List) {
	t.Helper()
	var got []string
	for _, f := range lint.Find(own, lint.Options{Defaults: defaults}) {
		got = append(got, fmt.Sprint(f.Index, " ", f.Check, " ", f.Severity))
	}
	want := reference(own, defaults)
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("R5: Find(%v) with defaults %v\n got %q\nwant %q", own, defaults, got, want)
	}
}
