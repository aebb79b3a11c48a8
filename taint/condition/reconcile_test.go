package condition_test

import (
	"iter"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/go-tolerate/tolerate/internal/problem"
	"github.com/go-tolerate/tolerate/internal/tests/gen"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/taint/condition"
)

// at returns the taint with this text and this time added.
func at(text string, when time.Time) taint.Taint {
	return problem.Must(taint.MustParse(text).WithTimeAdded(when))
}

// conds makes conditions from pairs of type and status.
func conds(pairs ...string) []condition.Condition {
	var list []condition.Condition
	for pair := range slices.Chunk(pairs, 2) {
		list = append(list, condition.Condition{Type: pair[0], Status: pair[1]})
	}
	return list
}

const (
	notReady    = "node.kubernetes.io/not-ready"
	unreachable = "node.kubernetes.io/unreachable"
	memory      = "node.kubernetes.io/memory-pressure"
)

func TestReconcile(t *testing.T) {
	var (
		long    = time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
		now     = time.Date(2026, 5, 1, 12, 0, 0, 999, time.FixedZone("", 3600))
		wait    = condition.Options{At: now}
		atOnce  = condition.Options{At: now, AtOnce: true}
		gpu     = at("dedicated=gpu:NoSchedule", long)
		terms   = parse("a:NoExecute", "b:PreferNoSchedule")
		foreign = parse(memory+":NoExecute", notReady+":PreferNoSchedule", "node.kubernetes.io/unschedulable:NoExecute", "node.kubernetes.io/out-of-service=x:NoExecute")
	)
	for _, tt := range []struct {
		name string
		node condition.NodeStatus
		opts condition.Options
		want taint.List
		text string
	}{
		{"T4_others_stay_in_order", condition.NodeStatus{Conditions: conds("Ready", "True"), Taints: slices.Concat(terms, taint.List{gpu, {}}, foreign)}, wait,
			slices.Concat(terms, taint.List{gpu, {}}, foreign), ""},
		{"T4_kept_taints_keep_time_and_value",
			condition.NodeStatus{Conditions: conds("Ready", "False", "MemoryPressure", "True"), Taints: taint.List{at(memory+"=x:NoSchedule", long), at(notReady+":NoExecute", long)}}, wait,
			taint.List{at(memory+"=x:NoSchedule", long), at(notReady+":NoExecute", long), at(notReady+":NoSchedule", now)}, "+" + notReady + ":NoSchedule"},
		{"T4_recovered",
			condition.NodeStatus{Conditions: conds("Ready", "True", "MemoryPressure", "False"), Taints: parse(notReady+":NoSchedule", "k:NoSchedule", unreachable+":NoExecute", memory+"=x:NoSchedule", notReady+":NoExecute")}, wait,
			parse("k:NoSchedule"), "-" + notReady + ":NoSchedule, -" + unreachable + ":NoExecute, -" + memory + "=x:NoSchedule, -" + notReady + ":NoExecute"},
		{"T3_first_waits", condition.NodeStatus{Conditions: conds("Ready", "Unknown")}, wait,
			taint.List{at(unreachable+":NoSchedule", now)}, "+" + unreachable + ":NoSchedule, waiting for " + unreachable + ":NoExecute"},
		{"T3_without_Ready_keeps_it",
			condition.NodeStatus{Conditions: conds("MemoryPressure", "True"), Taints: parse(notReady+":NoExecute", notReady+":NoSchedule", unreachable+":NoExecute", memory+":NoSchedule")}, atOnce,
			parse(notReady+":NoExecute", unreachable+":NoExecute", memory+":NoSchedule"), "-" + notReady + ":NoSchedule"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, change := condition.Reconcile(tt.node, tt.opts)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("Reconcile(%v) mismatch (-want +got):\n%s", tt.node, diff)
			}
			if change.String() != tt.text {
				t.Errorf("Reconcile(%v): %q, want %q", tt.node, change, tt.text)
			}
			checkReconcile(t, tt.node, tt.opts)
		})
	}
}

// checkReconcile compares Reconcile with its reference and checks what it
// documents.
func checkReconcile(t rapid.TB, n condition.NodeStatus, opts condition.Options) {
	t.Helper()
	// Marks after the end of the list show whether its spare capacity is written to.
	mark := taint.MustParse("mark:NoExecute")
	before := slices.Clone(n.Taints)
	roomy := append(slices.Clone(n.Taints), mark, mark, mark, mark, mark, mark, mark, mark, mark)
	if n.Taints != nil {
		n.Taints = roomy[:len(n.Taints)]
	}
	conditions := slices.Clone(n.Conditions)

	want := reconcile(n, opts)
	got, change := condition.Reconcile(n, opts)
	if !slices.Equal(got, want.taints) {
		t.Fatalf("T4: Reconcile(%v, %v) = %v, want %v", n, opts, got, want.taints)
	}
	waiting, waits := change.Waiting()
	if !slices.Equal(bare(t, got, change.Added()), want.added) || !slices.Equal(sorted(bare(t, n.Taints, change.Removed())), want.removed) ||
		waiting != want.waiting || waits == waiting.IsZero() {
		t.Fatalf("T4: Reconcile(%v, %v): %v; want added %v, removed %v, waiting %v", n, opts, change, want.added, want.removed, want.waiting)
	}

	second, more := condition.Reconcile(condition.NodeStatus{Taints: got, Conditions: n.Conditions, Unschedulable: n.Unschedulable}, opts)
	if changed(more) || !slices.Equal(second, got) {
		t.Errorf("T4: Reconcile(%v, %v) = %v, and a second time %v: %v", n, opts, got, second, more)
	}
	if w, _ := more.Waiting(); w != waiting {
		t.Errorf("T4: the second time %v waits, before %v", w, waiting)
	}

	if !slices.Equal(n.Taints, before) || !slices.Equal(n.Conditions, conditions) {
		t.Errorf("Reconcile has changed the node: %v", n)
	}
	for _, m := range roomy[len(before):] {
		if m != mark {
			t.Errorf("the spare capacity of the list was written to: %v", roomy)
		}
	}
	if changed(change) && len(got) > 0 { // the result is another list
		got[0] = mark
		if !slices.Equal(n.Taints, before) {
			t.Errorf("the result shares memory with the node's list")
		}
	}
}

// bare returns the taints of changes without value and time added, each once. It first
// checks that they are those of the list at these positions.
func bare(t rapid.TB, list taint.List, changes iter.Seq2[int, taint.Taint]) taint.List {
	t.Helper()
	var out taint.List
	last := -1
	for i, u := range changes {
		if list[i] != u || i <= last {
			t.Errorf("T4: %v is not at %d, behind %d, of %v", u, i, last, list)
		}
		last = i
		if b := taint.MustParse(u.Key() + ":" + u.Effect().String()); !slices.Contains(out, b) {
			out = append(out, b)
		}
	}
	return out
}

// sorted sorts removed taints, whose order the rules do not define.
func sorted(list taint.List) taint.List {
	slices.SortFunc(list, taint.Taint.Compare)
	return list
}

func checkCreation(t rapid.TB, taints taint.List) {
	t.Helper()
	var before taint.List // V8
	for _, t := range taints {
		if !slices.ContainsFunc(before, t.SameKeyEffect) {
			before = append(before, t)
		}
	}
	want := before
	if !slices.ContainsFunc(before, func(t taint.Taint) bool {
		return t.Key() == "node.kubernetes.io/not-ready" && t.Effect() == taint.NoSchedule
	}) {
		want = append(slices.Clone(before), taint.MustParse("node.kubernetes.io/not-ready:NoSchedule"))
	}
	add := []taint.Edit{taint.Add(taint.MustParse(condition.NotReady + ":NoSchedule"))}
	got, err := taint.Apply(before, add, taint.EditOptions{KeepExisting: true})
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("T7: Apply(%v, %v) = %v, %v, want %v", before, add, got, err, want)
	}
}

func TestReconcile_property(t *testing.T) {
	t.Run("T2_T3_T4", rapid.MakeCheck(func(t *rapid.T) {
		checkReconcile(t, nodes().Draw(t, "node"), options().Draw(t, "options"))
	}))
}

func TestCreation(t *testing.T) {
	t.Run("T7_none", func(t *testing.T) { checkCreation(t, nil) })
	t.Run("T7_property", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) { checkCreation(t, nodes().Draw(t, "node").Taints) })
	})
}

func changed(c condition.Reconciled) bool {
	for range c.Added() {
		return true
	}
	for range c.Removed() {
		return true
	}
	return false
}

// calls maps conditions to the keys of the NoSchedule taints that they require
// (T2).
var calls = map[condition.Condition]string{
	{Type: "Ready", Status: "False"}:             "node.kubernetes.io/not-ready",
	{Type: "Ready", Status: "Unknown"}:           "node.kubernetes.io/unreachable",
	{Type: "MemoryPressure", Status: "True"}:     "node.kubernetes.io/memory-pressure",
	{Type: "DiskPressure", Status: "True"}:       "node.kubernetes.io/disk-pressure",
	{Type: "PIDPressure", Status: "True"}:        "node.kubernetes.io/pid-pressure",
	{Type: "NetworkUnavailable", Status: "True"}: "node.kubernetes.io/network-unavailable",
}

const cordoned = "node.kubernetes.io/unschedulable"

// managed reports whether the rules T2 and T3 apply to this taint.
func managed(t taint.Taint) bool {
	ready := t.Key() == "node.kubernetes.io/not-ready" || t.Key() == "node.kubernetes.io/unreachable"
	if t.Effect() == taint.NoExecute {
		return ready
	}
	if t.Effect() != taint.NoSchedule {
		return false
	}
	for _, key := range calls {
		if key == t.Key() {
			return true
		}
	}
	return t.Key() == cordoned
}

// wants returns the taints that the rules T2 and T3 require, the NoSchedule taints in
// order and the NoExecute taint, and whether Ready has a known status.
func wants(n condition.NodeStatus) (noSchedule taint.List, noExecute taint.Taint, known bool) {
	add := func(key string) {
		if t := taint.MustParse(key + ":NoSchedule"); !slices.Contains(noSchedule, t) {
			noSchedule = append(noSchedule, t)
		}
	}
	for _, c := range n.Conditions {
		if key, ok := calls[c]; ok {
			add(key)
		}
	}
	if n.Unschedulable {
		add(cordoned)
	}
	for _, c := range n.Conditions {
		if c.Type != "Ready" {
			continue
		}
		if key, ok := calls[c]; ok {
			return noSchedule, taint.MustParse(key + ":NoExecute"), true
		}
		return noSchedule, taint.Taint{}, c.Status == "True"
	}
	return noSchedule, taint.Taint{}, false
}

// An outcome is the result of reconciling a node.
type outcome struct {
	taints, added, removed taint.List
	waiting                taint.Taint
}

// reconcile is the reference for Reconcile.
func reconcile(n condition.NodeStatus, opts condition.Options) (o outcome) {
	noSchedule, noExecute, known := wants(n)
	wanted := append(slices.Clone(noSchedule), noExecute)
	drops := func(t taint.Taint) bool {
		if t.Effect() == taint.NoExecute && !known {
			return false
		}
		return managed(t) && !slices.ContainsFunc(wanted, t.SameKeyEffect)
	}
	evicting := false // has some taint of T3
	for _, t := range n.Taints {
		evicting = evicting || managed(t) && t.Effect() == taint.NoExecute
		if !drops(t) {
			o.taints = append(o.taints, t)
			continue
		}
		if bare := taint.MustParse(t.Key() + ":" + t.Effect().String()); !slices.Contains(o.removed, bare) {
			o.removed = append(o.removed, bare)
		}
	}
	for _, t := range wanted {
		switch {
		case t.IsZero() || slices.ContainsFunc(n.Taints, t.SameKeyEffect):
		case t.Effect() == taint.NoExecute && !evicting && !opts.AtOnce:
			o.waiting = t
		default:
			o.added = append(o.added, t)
			if timed, err := t.WithTimeAdded(opts.At); err == nil {
				t = timed
			}
			o.taints = append(o.taints, t)
		}
	}
	sorted(o.removed)
	return o
}

// conditions makes short lists of conditions, some unknown or repeated.
func conditions() *rapid.Generator[[]condition.Condition] {
	one := rapid.Custom(func(t *rapid.T) condition.Condition {
		return condition.Condition{
			Type: rapid.SampledFrom([]string{
				"Ready", "Ready", "Ready", "MemoryPressure", "DiskPressure", "PIDPressure", "NetworkUnavailable",
				"OutOfDisk", "ready", "",
			}).Draw(t, "type"),
			Status: rapid.SampledFrom([]string{"True", "True", "False", "False", "Unknown", "Unknown", "true", ""}).Draw(t, "status"),
		}
	})
	return rapid.SliceOfN(one, 0, 7)
}

// nodes makes nodes. Many of their taints are those of conditions; some are
// repeated or zero, and some have values.
func nodes() *rapid.Generator[condition.NodeStatus] {
	known := rapid.Custom(func(t *rapid.T) taint.Taint {
		text := rapid.SampledFrom([]string{
			"not-ready", "not-ready", "unreachable", "unreachable", "memory-pressure", "disk-pressure", "pid-pressure",
			"network-unavailable", "unschedulable", "out-of-service",
		}).Draw(t, "key")
		text = "node.kubernetes.io/" + text + rapid.SampledFrom([]string{"", "", "=true"}).Draw(t, "value")
		made := taint.MustParse(text + ":" + gen.Effect().Draw(t, "effect").String())
		if rapid.Bool().Draw(t, "timed") {
			made, _ = made.WithTimeAdded(gen.Time().Draw(t, "time"))
		}
		return made
	})
	return rapid.Custom(func(t *rapid.T) condition.NodeStatus {
		return condition.NodeStatus{
			Taints:        rapid.SliceOfN(rapid.OneOf(known, known, known, gen.TaintOrZero()), 0, 10).Draw(t, "taints"),
			Conditions:    conditions().Draw(t, "conditions"),
			Unschedulable: rapid.Bool().Draw(t, "unschedulable"),
		}
	})
}

// options makes options, some with a time that a taint cannot have.
func options() *rapid.Generator[condition.Options] {
	return rapid.Custom(func(t *rapid.T) condition.Options {
		return condition.Options{
			At: rapid.OneOf(gen.Time(), rapid.SampledFrom([]time.Time{
				{}, time.Date(0, 12, 31, 23, 59, 59, 0, time.UTC), time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC),
			})).Draw(t, "at"),
			AtOnce: rapid.Bool().Draw(t, "at once"),
		}
	})
}
