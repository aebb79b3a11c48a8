package condition_test

import (
	"iter"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/go-tolerate/tolerate/internal/problem"
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
	if wanted := len(want.added)+len(want.removed) > 0; changed(change) != wanted || wanted != !slices.Equal(got, before) {
		t.Errorf("T4: Reconcile(%v, %v) = %v: Any is %v", n, opts, got, changed(change))
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

func checkAtCreation(t rapid.TB, taints taint.List) {
	t.Helper()
	before := slices.Clone(taints)
	want := before
	if !slices.ContainsFunc(before, func(t taint.Taint) bool {
		return t.Key() == "node.kubernetes.io/not-ready" && t.Effect() == taint.NoSchedule
	}) {
		want = append(slices.Clone(before), taint.MustParse("node.kubernetes.io/not-ready:NoSchedule"))
	}
	got := condition.AtCreation(taints)
	if !slices.Equal(got, want) || !slices.Equal(taints, before) {
		t.Errorf("T7: AtCreation(%v) = %v, want %v", before, got, want)
	}
	if again := condition.AtCreation(got); !slices.Equal(again, got) {
		t.Errorf("T7: AtCreation(%v) = %v, and a second time %v", before, got, again)
	}
}

func TestReconcile_property(t *testing.T) {
	t.Run("T2_T3_T4", rapid.MakeCheck(func(t *rapid.T) {
		checkReconcile(t, nodes().Draw(t, "node"), options().Draw(t, "options"))
	}))
}

func TestAtCreation(t *testing.T) {
	t.Run("T7_none", func(t *testing.T) { checkAtCreation(t, nil) })
	t.Run("T7_property", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) { checkAtCreation(t, nodes().Draw(t, "node").Taints) })
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
