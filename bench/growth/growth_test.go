package growth_test

import (
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
	"sync"
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
	"github.com/go-tolerate/tolerate/taint/disruption"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/toleration/admission"
	"github.com/go-tolerate/tolerate/toleration/cover"
	"github.com/go-tolerate/tolerate/toleration/policy"
)

// A row is a function whose growth is measured. make returns the function to be timed.
type row struct {
	name string // as go doc prints it; a comma separates the variant
	make func(in *input) func()
}

var sink any

// each makes a row of a function that needs no preparation.
func each(f func(in *input) any) func(*input) func() {
	return func(in *input) func() { return func() { sink = f(in) } }
}

func first[V, W any](v V, _ W) V { return v }

// last returns the last value of an iteration.
func last[K, V any](seq iter.Seq2[K, V]) (last V) {
	for _, v := range seq {
		last = v
	}
	return last
}

// reachable is a fleet with as many distinct lists as the input has elements.
func reachable(in *input) *fleet.Snapshot[int] {
	var x fleet.Index[int]
	for i, t := range in.taints {
		x.Put(i, match.Node{Taints: taint.List{t}})
	}
	return x.Snapshot()
}

// small is a fleet of eight nodes, regardless of the pod.
func small(in *input) *fleet.Snapshot[int] {
	var x fleet.Index[int]
	for i, t := range in.few {
		x.Put(i, match.Node{Taints: taint.List{t}})
	}
	return x.Snapshot()
}

var (
	absent  = taint.MustParse("example.com/absent=v:NoSchedule")
	rows    = slices.Concat(taintRows, tolerationRows, matchRows)
	seconds = admission.SecondsOptions{NotReady: &minutes, Unreachable: &minutes}
	minutes = int64(300)
)

var taintRows = []row{
	{"taint.List.String", each(func(in *input) any { return in.taints.String() })},
	{"taint.List.MarshalJSON", each(func(in *input) any { return first(in.taints.MarshalJSON()) })},
	{"taint.List.Validate", each(func(in *input) any { return in.taints.Validate() })},
	{"taint.List.Canonical", each(func(in *input) any { return in.taints.Canonical() })},
	{"taint.ParseList", func(in *input) func() {
		text := in.taints.String()
		return func() { sink, _ = taint.ParseList(text) }
	}},
	{"taint.Decode", func(in *input) func() {
		return func() { sink, _, _ = taint.Decode(in.taintsJSON, taint.DecodeOptions{}) }
	}},
	{"taint.Difference", func(in *input) func() {
		other := slices.Clone(in.taints)
		slices.Reverse(other)
		return func() { sink = taint.Difference(in.taints, other[in.n/2:]) }
	}},
	{"taint.Propagate",
		each(func(in *input) any { return taint.Propagate(in.taints, in.taints[in.n/2:], in.taints[:in.n/2]) })},
	{"taint.ParseEdits", each(func(in *input) any { return first(taint.ParseEdits(in.texts...)) })},
	{"taint.Apply",
		each(func(in *input) any {
			return first(taint.Apply(in.taints, in.edits, taint.EditOptions{Overwrite: true}))
		})},
	{"taint.Selector.Drop", each(func(in *input) any { return condition.Temporary().Drop(in.taints) })},
	{"condition.Reconcile", func(in *input) func() {
		n := condition.NodeStatus{Taints: in.taints, Conditions: in.conditions, Unschedulable: true}
		return func() { sink, _ = condition.Reconcile(n, condition.Options{}) }
	}},
	{"disruption.Limiter.Update", func(in *input) func() {
		counts := make(map[disruption.Zone]disruption.Count, in.n)
		for i := range in.n {
			counts[disruption.Zone{Name: strconv.Itoa(i)}] = disruption.Count{Ready: 1}
		}
		return func() { sink, _ = disruption.NewLimiter[int](disruption.DefaultRates()).Update(time.Time{}, counts) }
	}},
}

var tolerationRows = []row{
	{"toleration.List.Match", each(func(in *input) any { return in.tolerations.Match(absent) })},
	{"toleration.List.String", each(func(in *input) any { return in.tolerations.String() })},
	{"toleration.List.MarshalJSON", each(func(in *input) any { return first(in.tolerations.MarshalJSON()) })},
	{"toleration.List.Validate",
		each(func(in *input) any { return in.tolerations.Validate(nil, true) })},
	{"toleration.List.Validate, update",
		each(func(in *input) any { return in.tolerations.Validate(in.reversed, false) })},
	{"toleration.List.Validate, all gone",
		each(func(in *input) any {
			return toleration.List(nil).Validate(in.tolerations, false)
		})},
	{"toleration.List.WithoutNumeric", each(func(in *input) any { return in.tolerations.WithoutNumeric() })},
	{"toleration.List.Canonical", each(func(in *input) any { return in.tolerations.Canonical() })},
	{"toleration.Decode", func(in *input) func() {
		return func() { sink, _, _ = toleration.Decode(in.listJSON, toleration.DecodeOptions{Strict: true}) }
	}},
	{"cover.Merge", each(func(in *input) any { return cover.Merge(in.tolerations, in.reversed) })},
	{"cover.UncoveredTaint, of a tenth", // it is quadratic
		each(func(in *input) any {
			return first(cover.UncoveredTaint(in.reversed[:in.n/10], in.reversed[:in.n/10], toleration.First))
		})},
	{"cover.Uncovered",
		each(func(in *input) any { return cover.Uncovered(in.tolerations[in.n/2:], in.tolerations[:in.n/2]) })},
	{"admission.DefaultSeconds", each(func(in *input) any { return admission.DefaultSeconds(seconds, in.tolerations) })},
	{"admission.Daemon",
		each(func(in *input) any {
			return admission.Daemon(admission.DaemonOptions{HostNetwork: true}, in.tolerations)
		})},
	{"admission.Plan.OnCreate", func(in *input) func() {
		p := admission.Plan{Seconds: seconds, Restriction: admission.Restriction{Defaults: in.tolerations, Whitelist: in.reversed}}
		pod := admission.PodSpec{Tolerations: in.reversed, QOS: admission.Burstable, Resources: in.names}
		return func() { sink, _ = p.OnCreate(pod) }
	}},
	{"admission.Plan.OnUpdate", func(in *input) func() {
		p := admission.Plan{Seconds: seconds, Restriction: admission.Restriction{Whitelist: in.reversed}}
		pod := admission.PodSpec{Tolerations: in.reversed, QOS: admission.Burstable, Resources: in.names}
		return func() { sink, _ = p.OnUpdate(pod) }
	}},
	{"admission.DecodePod", func(in *input) func() {
		return func() { sink, _, _ = admission.DecodePod(in.podJSON, "") }
	}},
	{"admission.NamespaceRestriction", func(in *input) func() {
		annotations := map[string]string{admission.WhitelistAnnotation: string(in.listJSON)}
		return func() {
			sink, _ = admission.NamespaceRestriction(annotations, admission.Restriction{}, "")
		}
	}},
	{"policy.New", func(in *input) func() {
		rules := make([]policy.Clause, policies(in))
		for i := range rules {
			rules[i].Taints = toleration.List{in.tolerations[i].WithoutSeconds()}
		}
		return func() { sink, _ = policy.New(policy.Spec{Allow: rules}) }
	}},
	{"policy.New, of exceptions", func(in *input) func() {
		every := toleration.MustParse("op=Exists")
		c := policy.Clause{Taints: slices.Repeat(toleration.List{every}, policies(in)/2)}
		for _, u := range in.tolerations[:len(c.Taints)-1] {
			c.Except = append(c.Except, u.WithoutSeconds())
		}
		c.Except = append(c.Except, every)
		return func() { sink, _ = policy.New(policy.Spec{Allow: []policy.Clause{c}}) }
	}},
	{"policy.Decode", func(in *input) func() {
		var b []byte
		for i, u := range in.tolerations[:policies(in)] {
			sep := "},{"
			if i == 0 {
				sep = `{"allow":[{`
			}
			b = append(append(b, sep...), `"taints":[`...)
			b = append(u.WithoutSeconds().AppendJSON(b), ']')
		}
		b = append(b, "}]}"...)
		return func() { sink, _ = policy.Decode(b) }
	}},
	{"policy.Policy.Check", func(in *input) func() {
		// It searches for a taint that each toleration must not match, and finds none.
		p := problem.Must(policy.New(policy.Spec{
			Allow: []policy.Clause{{Taints: toleration.List{toleration.MustParse("op=Exists")}}},
			Deny:  []policy.Clause{{Taints: toleration.List{toleration.MustParse("dedicated=gpu")}, Except: toleration.List{toleration.MustParse("op=Exists")}}},
		}))
		return func() { sink = p.Check(in.tolerations, "spec.tolerations") }
	}},
	{"policy.Policy.Judge, as many allow rules", func(in *input) func() {
		var rules policy.Spec
		for i := range policies(in) {
			rules.Allow = append(rules.Allow, policy.Clause{Taints: toleration.List{toleration.MustParse(fmt.Sprintf("k=v%d", i))}})
		}
		p := problem.Must(policy.New(rules))
		return func() { sink = p.Judge(toleration.MustParse("k=z")) }
	}},
	{"policy.Policy.Judge, as many rules", func(in *input) func() {
		rules := policy.Spec{Allow: []policy.Clause{{Taints: toleration.List{toleration.MustParse("op=Exists")}}}}
		for _, u := range in.tolerations[:policies(in)/2] {
			rules.Deny = append(rules.Deny, policy.Clause{
				Taints: toleration.List{u.WithoutSeconds()},
				Except: toleration.List{toleration.MustParse("k:NoExecute op=Exists")},
			})
		}
		p, _ := policy.New(rules)
		return func() { sink = p.Judge(toleration.MustParse("k=-1 op=Gt")) }
	}},
}

// policies returns how many tolerations a policy gets. It can have 4,096.
func policies(in *input) int { return min(in.n, 4000) }

var matchRows = []row{
	{"match.Node.Filter, as many taints", each(func(in *input) any { return match.Node{Taints: in.taints}.Filter(in.tolerations) })},
	{"match.Compile", each(func(in *input) any { return match.Compile(in.tolerations) })},
	{"match.Matcher.Filter", func(in *input) func() {
		m := match.Compile(in.tolerations)
		return func() { sink = m.Filter(match.Node{Taints: in.few}) }
	}},
	{"match.Matcher.Filter, as many taints", func(in *input) func() {
		m := match.Compile(in.tolerations)
		return func() { sink = m.Filter(match.Node{Taints: in.taints}) }
	}},
	{"match.Matcher.Schedulable", func(in *input) func() {
		m := match.Compile(in.tolerations)
		return func() { sink = m.Schedulable(match.Node{Taints: in.few}) }
	}},
	{"match.Matcher.Untolerated", func(in *input) func() {
		m := match.Compile(in.tolerations)
		return func() { sink = last(m.Untolerated(match.Node{Taints: in.few})) }
	}},
	{"match.Node.Filter",
		each(func(in *input) any { return match.Node{Taints: in.few, Unschedulable: true}.Filter(in.tolerations) })},
	{"match.Node.Schedulable",
		each(func(in *input) any {
			return match.Node{Taints: in.few, Unschedulable: true}.Schedulable(in.tolerations)
		})},
	{"match.Node.Blocking",
		each(func(in *input) any {
			t, _ := match.Node{Taints: in.few, Unschedulable: true}.Blocking(in.tolerations)
			return t
		})},
	{"match.Node.Untolerated",
		each(func(in *input) any {
			return last(match.Node{Taints: in.few, Unschedulable: true}.Untolerated(in.tolerations))
		})},
	{"match.Node.Explanations", func(in *input) func() {
		return func() {
			for e := range (match.Node{Taints: in.few}).Explanations(toleration.Longest, in.tolerations) {
				sink = e
			}
		}
	}},
	{"match.Explain", each(func(in *input) any { return match.Explain(in.taints[0], toleration.First, in.tolerations) })},
	{"match.Reasons.Add", func(in *input) func() {
		return func() {
			var r match.Reasons
			r.Add(1, match.Node{Taints: in.few}.Untolerated(in.tolerations))
			sink = r.TopReasons(1)
		}
	}},
	{"match.Reasons.TopReasons", func(in *input) func() {
		var r match.Reasons
		r.Add(1, match.Node{Taints: in.taints}.Untolerated(nil))
		return func() { sink = r.TopReasons(in.n) }
	}},
	{"match.Scores", func(in *input) func() {
		counts := make([]int64, in.n)
		return func() { sink = match.Scores(counts) }
	}},
	{"eviction.Decide",
		each(func(in *input) any {
			return eviction.Decide(in.observed[:len(in.few)], now, eviction.Options{}, in.tolerations)
		})},
	{"eviction.Observe", each(func(in *input) any { return eviction.Observe(in.observed, in.taints, now) })},
	{"eviction.Reevaluate", func(in *input) func() {
		return func() {
			sink, _ = eviction.Reevaluate(eviction.State{}, in.taints[:len(in.few)], now, toleration.First, in.tolerations)
		}
	}},
	{"eviction.Schedule.Update", func(in *input) func() {
		var s eviction.Schedule[int]
		return func() { sink = s.Update(1, in.taints[:len(in.few)], now, toleration.First, in.tolerations) }
	}},
	{"fleet.Snapshot.Query", func(in *input) func() {
		s, a := small(in), new(fleet.Answer[int])
		return func() { s.Query(a, in.tolerations); sink = a.Counts().Schedulable }
	}},
	{"fleet.Snapshot.Query, as many groups", func(in *input) func() {
		s, a := reachable(in), new(fleet.Answer[int])
		return func() { s.Query(a, in.tolerations); sink = a.Counts().Schedulable }
	}},
	{"fleet.Answer.TopReasons", func(in *input) func() {
		s, a := reachable(in), new(fleet.Answer[int])
		s.Query(a, nil)
		return func() { sink = a.TopReasons(in.n) }
	}},
	{"fleet.Index.Put", func(in *input) func() {
		var x fleet.Index[int]
		return func() { sink = x.Put(1, match.Node{Taints: in.taints}) }
	}},
	{"impact.New", func(in *input) func() {
		nodes := alike(in)
		return func() { sink = impact.New(now, nodes...) }
	}},
	{"impact.Analysis.Eviction", func(in *input) func() {
		p := impact.New(now, impact.NodeChange{After: match.Node{Taints: in.few}})
		return func() { sink = p.Eviction(0, eviction.Options{}, in.tolerations) }
	}},
	{"impact.Analysis.Placement", func(in *input) func() {
		p := impact.New(now, impact.NodeChange{After: match.Node{Taints: in.few}})
		return func() { sink = p.Placement(in.tolerations) }
	}},
	{"lint.Find", each(func(in *input) any { return lint.Find(in.tolerations, lint.Options{}) })},
	{"lint.Find, with defaults",
		each(func(in *input) any { return lint.Find(in.tolerations, lint.Options{Defaults: in.reversed}) })},
}

// alike returns as many nodes as the input has elements, each with one taint.
func alike(in *input) []impact.NodeChange {
	nodes := make([]impact.NodeChange, in.n)
	for i := range nodes {
		nodes[i] = impact.NodeChange{After: match.Node{Taints: in.taints[i : i+1]}}
	}
	return nodes
}

// words replaces the characters of a row's name that cannot be part of a benchmark's
// name.
var words = strings.NewReplacer(", ", ",", " ", "-")

// BenchmarkGrowth measures every row on every shape, at three sizes.
func BenchmarkGrowth(b *testing.B) {
	inputs := make([]func() *input, 0, len(shapes)*len(sizes))
	for _, s := range shapes {
		for _, n := range sizes {
			inputs = append(inputs, sync.OnceValue(func() *input { return s.input(n) }))
		}
	}
	for _, r := range rows {
		for i, in := range inputs {
			name := fmt.Sprintf("func=%s/shape=%s/n=%d/impl=tolerate", words.Replace(r.name), shapes[i/len(sizes)].name, sizes[i%len(sizes)])
			b.Run(name, func(b *testing.B) {
				f := r.make(in())
				for b.Loop() {
					f()
				}
			})
		}
	}
}

var sizes = []int{100, 1_000, 10_000}
