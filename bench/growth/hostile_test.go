package growth_test

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-tolerate/tolerate/internal/problem"
	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/match/eviction"
	"github.com/go-tolerate/tolerate/match/fleet"
	"github.com/go-tolerate/tolerate/match/impact"
	"github.com/go-tolerate/tolerate/match/lint"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/taint/condition"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/toleration/admission"
	"github.com/go-tolerate/tolerate/toleration/cover"
	"github.com/go-tolerate/tolerate/toleration/policy"
	"github.com/go-tolerate/tolerate/validate"
)

// A large is what a stranger can put into one object of 1.5 MB.
type large struct {
	name        string
	taints      taint.List
	tolerations toleration.List
}

func larges() []large {
	tolerations := func(n int, text func(int) string) (list toleration.List) {
		for i := range n {
			list = append(list, toleration.MustParse(text(i)))
		}
		return list
	}
	taints := func(format string) (list taint.List) {
		for i := range 44_000 {
			list = append(list, taint.MustParse(fmt.Sprintf(format, i)))
		}
		return list
	}
	wildcards := tolerations(60_000, func(i int) string {
		return [...]string{"op=Exists", ":NoSchedule op=Exists", fmt.Sprintf(":NoExecute op=Exists for %ds", i)}[i%3]
	})
	keys := tolerations(39_000, func(i int) string { return fmt.Sprintf("key%d op=Exists", i) })
	values := tolerations(60_000, func(i int) string { return fmt.Sprintf("k=v%d", i) })
	manyKeys, manyValues := taints("key%d:NoSchedule"), taints("k=v%d:NoExecute")
	few := taint.MustParseList("k=v59999:NoExecute,key38999:NoSchedule,absent:PreferNoSchedule")
	return []large{
		{"wildcards", few, wildcards},
		{"keys", few, keys},
		{"values", few, values},
		{"values of their keys", few, tolerations(39_000, func(i int) string { return fmt.Sprintf("key%d=key%d", i, i) })},
		{"numbers", few, tolerations(60_000, func(i int) string { return fmt.Sprintf("k=%d op=Lt", i) })},
		{"bounds", few, tolerations(40_000, func(i int) string {
			return fmt.Sprintf("k=%d:NoExecute op=%s for %ds", i, [...]string{"Lt", "Gt"}[i%2], 40_000-i)
		})},
		{"times", few, tolerations(30_000, func(i int) string { return fmt.Sprintf("key%d:NoExecute op=Exists for %ds", i, i) })},
		{"taints", manyKeys, toleration.MustParseList("key0 op=Exists,:NoExecute op=Exists")},
		{"keys and taints", manyKeys, keys},
		{"values and taints", manyValues, values},
		{"wildcards and taints", manyValues, wildcards},
	}
}

// TestHostile calls what takes lists with the largest that an object can have. A call
// whose time is not linear does not end within the test's time, and the bytes that each
// allocates have a bound, in MiB.
func TestHostile(t *testing.T) {
	if testing.Short() {
		t.Skip("takes half a minute")
	}
	everything := problem.Must(policy.New(policy.Spec{Allow: []policy.Clause{{Taints: toleration.MustParseList("key7 op=Exists")}}}))
	for _, in := range larges() {
		list, half := in.tolerations, in.tolerations[len(in.tolerations)/2:]
		halfTaints := in.taints[len(in.taints)/2:]
		reversed := slices.Clone(list)
		slices.Reverse(reversed)
		some := in.taints[:min(len(in.taints), 100)]
		plan := admission.Plan{Restriction: admission.Restriction{Defaults: list, Whitelist: list}}
		pod := admission.PodSpec{Tolerations: reversed, RuntimeClass: list}
		status := condition.NodeStatus{Taints: in.taints, Conditions: slices.Repeat([]condition.Condition{{Type: "Ready", Status: "False"}}, 30_000)}
		var edits []taint.Edit
		var nodes []impact.NodeChange
		for i, one := range in.taints {
			edits = append(edits, taint.Add(one))
			pod.Resources = append(pod.Resources, "a.io/"+one.Key())
			if i < 1000 {
				nodes = append(nodes, impact.NodeChange{After: match.Node{Taints: in.taints[i : i+1]}})
			}
		}
		taintJSON, _ := in.taints.MarshalJSON()
		listJSON, _ := list.MarshalJSON()
		matcher := match.Compile(list)
		observed := eviction.Observe(nil, in.taints, now)
		analysis := impact.New(now, nodes...)
		var index fleet.Index[int]
		var answer fleet.Answer[int]
		for _, call := range []struct {
			name string
			mib  uint64
			f    func()
		}{
			{"taint.Decode", 64, func() { taint.Decode(taintJSON, taint.DecodeOptions{}) }},
			{"taint.List.Canonical", 16, func() { in.taints.Canonical() }},
			{"taint.List.Validate", 24, func() { _ = in.taints.Validate() }},
			{"taint.Difference", 64, func() { taint.Difference(in.taints, halfTaints) }},
			{"taint.Propagate", 64, func() { taint.Propagate(in.taints, halfTaints, halfTaints[len(halfTaints)/2:]) }},
			{"taint.Apply", 64, func() { _, _ = taint.Apply(in.taints, edits, taint.EditOptions{ReplaceKey: true}) }},
			{"condition.Reconcile", 8, func() { condition.Reconcile(status, condition.Options{AtOnce: true}) }},
			{"taint.Selector.Drop", 8, func() { condition.Temporary().Drop(in.taints) }},
			{"toleration.Decode", 64, func() { toleration.Decode(listJSON, toleration.DecodeOptions{}) }},
			{"toleration.List.Validate", 64, func() { _ = list.Validate(half, false) }},
			{"cover.Merge", 200, func() { cover.Merge(half, list) }},
			{"cover.Merge, as many", 200, func() { cover.Merge(reversed, list) }},
			{"cover.Uncovered", 200, func() { cover.Uncovered(list, half) }},
			{"cover.Uncovered, as many", 200, func() { cover.Uncovered(list, reversed) }},
			{"cover.UncoveredTaint", 1, func() { cover.UncoveredTaint(list[:min(len(list), 128)], list[:min(len(list), 128)], toleration.First) }},
			{"policy.Policy.Check", 200, func() { _ = everything.Check(list, "x") }},
			{"admission.Plan.OnCreate", 512, func() { _, _ = plan.OnCreate(pod) }},
			{"match.Compile", 64, func() { match.Compile(list) }},
			{"match.Matcher.Filter", 0, func() { matcher.Filter(match.Node{Taints: in.taints}) }},
			{"match.Node.Schedulable", 0, func() { match.Node{Taints: some}.Schedulable(list) }},
			{"match.Node.Filter", 0, func() { match.Node{Taints: some}.Filter(list) }},
			{"match.Explain", 1, func() { match.Explain(some[0], toleration.Longest, list) }},
			{"match.Reasons", 64, func() {
				var reasons match.Reasons
				reasons.Add(1, matcher.Untolerated(match.Node{Taints: in.taints}))
				reasons.TopReasons(10)
			}},
			{"eviction.Observe", 64, func() { eviction.Observe(observed, halfTaints, now.Add(time.Second)) }},
			{"eviction.Decide", 1, func() { eviction.Decide(observed[:min(len(observed), 64)], now, eviction.Options{}, list) }},
			{"fleet.Index.Put", 128, func() {
				for i, one := range in.taints {
					index.Put(i, match.Node{Taints: taint.List{one}})
				}
				index.Put(-1, match.Node{Taints: in.taints})
			}},
			{"fleet.Snapshot.Query", 64, func() { index.Snapshot().Query(&answer, list) }},
			{"fleet.Answer.TopReasons", 32, func() { answer.TopReasons(5) }},
			{"impact.New", 64, func() { impact.New(now, impact.NodeChange{Before: match.Node{Taints: in.taints}}) }},
			{"impact.Analysis.Placement", 64, func() { analysis.Placement(list) }},
			{"impact.Analysis.Eviction", 1, func() { analysis.Eviction(0, eviction.Options{}, list) }},
			{"lint.Find", 400, func() { lint.Find(list, lint.Options{}) }},
		} {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			call.f()
			runtime.ReadMemStats(&after)
			if allocated := after.TotalAlloc - before.TotalAlloc; allocated > call.mib<<20+1<<16 { // the runtime allocates, too
				t.Errorf("%s, %s: allocates %d bytes, more than %d MiB", in.name, call.name, allocated, call.mib)
			}
		}
	}
}

// TestHostile_errors makes errors of what a stranger can write in 1.5 MB. The bytes that
// an error allocates have a bound, in MiB, and so has its text. Its list is complete, but
// reading a list ends after 10,000 problems, and allocates less than 100 times as much.
func TestHostile_errors(t *testing.T) {
	const size, most = 1_500_000, 10_000
	repeat := func(element string) string { return strings.Repeat(element+",", size/(len(element)+1)-1) + element }
	list := func(element string) []byte { return []byte("[" + repeat(element) + "]") }
	commas, empty, numbers, fields := repeat(""), list("{}"), list("0"), []byte("[{"+repeat(`"":0`)+"}]")
	unknown := list(`{"a":0}`)
	var tolerations, nothing toleration.List
	var edits []taint.Edit
	for i := range 39_000 {
		tolerations = append(tolerations, toleration.MustParse(fmt.Sprintf("key%d op=Exists", i)))
		edit, _ := taint.ParseEdit(fmt.Sprintf("key%d-", i))
		edits = append(edits, edit)
	}
	allowed := toleration.MustParseList("key7 op=Exists")
	everything := problem.Must(policy.New(policy.Spec{Allow: []policy.Clause{{Taints: allowed}}}))
	plan := admission.Plan{Restriction: admission.Restriction{Whitelist: allowed}}
	for _, call := range []struct {
		name     string
		mib      uint64
		problems int // at least, and at most 10 more
		f        func() error
	}{
		{"taint.ParseList", 128, most, func() error { return second(taint.ParseList(commas)) }},
		{"toleration.ParseList", 128, most, func() error { return second(toleration.ParseList(commas)) }},
		{"taint.ParseSelector", 128, most, func() error { return second(taint.ParseSelector(commas)) }},
		{"taint.ParseEdits", 128, most, func() error { return second(taint.ParseEdits(make([]string, size)...)) }},
		{"taint.Apply", 24, 39_000, func() error { return second(taint.Apply(nil, edits, taint.EditOptions{})) }},
		{"taint.Decode", 24, most, func() error { _, _, err := taint.Decode(empty, taint.DecodeOptions{}); return err }},
		{"taint.Decode, numbers", 24, most, func() error { _, _, err := taint.Decode(numbers, taint.DecodeOptions{}); return err }},
		{"taint.Decode, strict", 80, size/5 - 1, func() error { _, _, err := taint.Decode(fields, taint.DecodeOptions{Strict: true}); return err }},
		{"taint.Decode, warnings", 80, size/5 - 1, func() error { _, warnings, _ := taint.Decode(fields, taint.DecodeOptions{}); return warnings }},
		{"toleration.Decode", 24, most, func() error { _, _, err := toleration.Decode(empty, toleration.DecodeOptions{}); return err }},
		{"taint.Decode, unknown", 24, most, func() error { _, _, err := taint.Decode(unknown, taint.DecodeOptions{}); return err }},
		{"taint.List.UnmarshalJSON", 24, most, func() error { return new(taint.List).UnmarshalJSON(empty) }},
		{"toleration.Decode, strict", 24, most, func() error {
			_, _, err := toleration.Decode(unknown, toleration.DecodeOptions{Strict: true})
			return err
		}},
		{"toleration.List.Validate", 16, 39_000, func() error { return nothing.Validate(tolerations, false) }},
		{"admission.NamespaceRestriction", 24, most, func() error {
			return second(admission.NamespaceRestriction(map[string]string{admission.WhitelistAnnotation: string(empty)}, admission.Restriction{}, ""))
		}},
		{"admission.DecodePod", 24, most, func() error {
			_, _, err := admission.DecodePod(fmt.Appendf(nil, `{"spec":{"tolerations":%s}}`, empty), "")
			return err
		}},
		{"admission.Plan.OnCreate", 16, 38_999, func() error { return second(plan.OnCreate(admission.PodSpec{Tolerations: tolerations})) }},
		{"policy.Policy.Check", 16, 38_999, func() error { return everything.Check(tolerations, "x") }},
		{"policy.Decode", 128, size/5 - 1, func() error { return second(policy.Decode(fmt.Appendf(nil, `{"allow":%s}`, fields))) }},
	} {
		var before, made, written runtime.MemStats
		runtime.ReadMemStats(&before)
		err := call.f()
		runtime.ReadMemStats(&made)
		text := err.Error()
		runtime.ReadMemStats(&written)
		if allocated := made.TotalAlloc - before.TotalAlloc; allocated > call.mib<<20 {
			t.Errorf("K7: %s: the error allocates %d MiB, more than %d", call.name, allocated>>20, call.mib)
		}
		if allocated := written.TotalAlloc - made.TotalAlloc; len(text) > 1<<15 || allocated > 1<<18 {
			t.Errorf("V10: %s: the error's text has %d bytes and allocates %d", call.name, len(text), allocated)
		}
		var ps validate.Problems
		if !errors.As(err, &ps) || len(ps) < call.problems || len(ps) > call.problems+10 || !strings.HasSuffix(text, fmt.Sprintf("\nand %d more", len(ps)-100)) {
			t.Errorf("K7, V10: %s: %d problems, want %d; the text ends in %q", call.name, len(ps), call.problems, text[max(0, len(text)-100):])
		}
	}
}

func second[V any](_ V, err error) error { return err }
