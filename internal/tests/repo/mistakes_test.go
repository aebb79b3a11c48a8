package repo_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/go-tolerate/tolerate/internal/problem"
	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/match/eviction"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/toleration/policy"
)

// The code that a program has instead of this library. Each of its mistakes is in
// a table of SEMANTICS.md.

type plainTaint struct{ Key, Value, Effect string }

type plainToleration struct {
	Key, Operator, Value, Effect string
	TolerationSeconds            *int64
}

func (u plainToleration) matches(t plainTaint) bool {
	if u.Key != "" && u.Key != t.Key || u.Effect != "" && u.Effect != t.Effect {
		return false
	}
	n, err1 := strconv.Atoi(t.Value)
	limit, err2 := strconv.Atoi(u.Value)
	switch u.Operator {
	case "Exists":
		return true
	case "Gt":
		return err1 == nil && err2 == nil && n > limit
	case "Lt":
		return err1 == nil && err2 == nil && n < limit
	}
	return t.Value == u.Value
}

func plainSchedulable(taints []plainTaint, tolerations []plainToleration) bool {
	for _, t := range taints {
		repels := t.Effect == "NoSchedule" || t.Effect == "NoExecute"
		if repels && !slices.ContainsFunc(tolerations, func(u plainToleration) bool { return u.matches(t) }) {
			return false
		}
	}
	return true
}

// plainStay returns for how long a running pod can stay; ok is false if it can
// stay without a time limit.
func plainStay(taints []plainTaint, tolerations []plainToleration) (stay time.Duration, ok bool) {
	for _, t := range taints {
		for _, u := range tolerations {
			if t.Effect != "NoExecute" || !u.matches(t) || u.TolerationSeconds == nil {
				continue
			}
			if d := time.Duration(*u.TolerationSeconds) * time.Second; !ok || d < stay {
				stay, ok = d, true
			}
		}
	}
	return stay, ok
}

// Every mistake of the table in SEMANTICS.md: the plain code gives another answer than
// the right one, which the library gives.
func TestMistakes(t *testing.T) {
	var rows []string
	check := func(name string, plain, tolerate, want any) {
		t.Helper()
		rows = append(rows, name)
		t.Run(name, func(t *testing.T) {
			t.Helper()
			if tolerate != want {
				t.Errorf("the library's answer is %v, want %v", tolerate, want)
			}
			if plain == want {
				t.Errorf("the plain code's answer is %v too: this case proves nothing", plain)
			}
		})
	}

	// A cordon of which only spec.unschedulable is set so far.
	{
		node := match.Node{Unschedulable: true}
		check("F10_cordoned", plainSchedulable(plainNode(t, node.Taints), nil), node.Filter(nil).Schedulable(), false)
	}
	{
		node, pod := taint.MustParseList("cores=016:NoSchedule"), toleration.MustParseList("cores=8 op=Gt")
		check("M6_not_an_integer", plainSchedulable(plainNode(t, node), plainPod(t, pod)), match.Node{Taints: node}.Filter(pod).Schedulable(), false)
	}
	for _, tt := range []struct{ name, node, pod, want string }{
		{"E1_untolerated", "a:NoExecute,b:NoExecute", "a:NoExecute for 300s", "now"},
		{"E3_first_decides", "a:NoExecute", "a:NoExecute for 60s,:NoExecute op=Exists for 5s", "in 60 s"},
	} {
		node, pod := taint.MustParseList(tt.node), toleration.MustParseList(tt.pod)
		check(tt.name, plainEvicted(plainStay(plainNode(t, node), plainPod(t, pod))), evicted(node, pod), tt.want)
	}
	// Nodes are grouped by their taints, and a change is looked for.
	{
		node, other := taint.MustParseList("a:NoSchedule,b:NoSchedule"), taint.MustParseList("b:NoSchedule,a:NoSchedule")
		check("R1_order", reflect.DeepEqual(plainNode(t, node), plainNode(t, other)), node.Canonical().Equal(other.Canonical()), true)
	}
	// A policy reserves the key "dedicated".
	{
		pod := toleration.MustParseList("op=Exists")
		reserved := func(u plainToleration) bool { return u.Key == "dedicated" }
		p := problem.Must(policy.New(policy.Spec{
			Allow: []policy.Clause{{Taints: toleration.MustParseList("op=Exists")}},
			Deny:  []policy.Clause{{Taints: toleration.MustParseList("dedicated op=Exists")}},
		}))
		check("R6_wildcard", !slices.ContainsFunc(plainPod(t, pod), reserved), p.Check(pod, "spec.tolerations") == nil, false)
	}

	var listed []string
	for _, m := range regexp.MustCompile("(?m)^\\|.*\\| `([A-Z][0-9]+_[a-z_]+)` \\|$").FindAllStringSubmatch(read(t, "SEMANTICS.md"), -1) {
		listed = append(listed, m[1])
	}
	if !slices.Equal(listed, rows) {
		t.Errorf("SEMANTICS.md lists the tests %v, want %v", listed, rows)
	}
}

func plainNode(t *testing.T, list taint.List) []plainTaint { return fromJSON[[]plainTaint](t, list) }

func plainPod(t *testing.T, list toleration.List) []plainToleration {
	return fromJSON[[]plainToleration](t, list)
}

// fromJSON returns the value in the plain form, which has the API's fields.
func fromJSON[T any](t *testing.T, v any) (plain T) {
	t.Helper()
	data, err := json.Marshal(v)
	if err == nil {
		err = json.Unmarshal(data, &plain)
	}
	if err != nil {
		t.Fatal(err)
	}
	return plain
}

// plainEvicted is when a pod is evicted that can stay for that long.
func plainEvicted(stay time.Duration, ok bool) string {
	switch {
	case !ok:
		return "never"
	case stay <= 0:
		return "now"
	}
	return fmt.Sprintf("in %d s", stay/time.Second)
}

// evicted is when a pod is evicted, by the library, from a node that was tainted now.
func evicted(node taint.List, pod toleration.List) string {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	d := eviction.Decide(eviction.Observe(nil, node, now), now, eviction.Options{}, pod)
	at, ok := d.Deadline()
	switch {
	case d.Kind() == eviction.Due:
		return "now"
	case !ok:
		return "never"
	}
	return fmt.Sprintf("in %d s", at.Unix()-now.Unix())
}
