package condition_test

import (
	"slices"
	"testing"
	"time"
	"unsafe"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/taint/condition"
)

var equateTaints = cmpopts.EquateComparable(taint.Taint{})

// at returns the taint of that text, with a time added.
func at(text string, when time.Time) taint.Taint {
	t, err := taint.MustParse(text).WithTimeAdded(when)
	if err != nil {
		panic(err)
	}
	return t
}

// conds makes conditions of pairs of type and status.
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

func TestNoSchedule(t *testing.T) {
	for _, tt := range []struct {
		name string
		node condition.Node
		want []taint.Taint
	}{
		{"T2_nothing_known", condition.Node{}, nil},
		{"T2_ready", condition.Node{Conditions: conds("Ready", "True")}, nil},
		{"T2_not_ready", condition.Node{Conditions: conds("Ready", "False")}, parse(notReady + ":NoSchedule")},
		{"T2_unreachable", condition.Node{Conditions: conds("Ready", "Unknown")}, parse(unreachable + ":NoSchedule")},
		{"T2_memory", condition.Node{Conditions: conds("MemoryPressure", "True")}, parse(memory + ":NoSchedule")},
		{"T2_disk", condition.Node{Conditions: conds("DiskPressure", "True")}, parse("node.kubernetes.io/disk-pressure:NoSchedule")},
		{"T2_pid", condition.Node{Conditions: conds("PIDPressure", "True")}, parse("node.kubernetes.io/pid-pressure:NoSchedule")},
		{"T2_network", condition.Node{Conditions: conds("NetworkUnavailable", "True")}, parse("node.kubernetes.io/network-unavailable:NoSchedule")},
		{"T2_cordon", condition.Node{Unschedulable: true}, parse("node.kubernetes.io/unschedulable:NoSchedule")},
		{"T2_unknown_pressure_is_none",
			condition.Node{Conditions: conds("MemoryPressure", "Unknown", "DiskPressure", "False", "PIDPressure", "Unknown", "NetworkUnavailable", "Unknown")}, nil},
		{"T2_order_of_the_conditions_cordon_last",
			condition.Node{Conditions: conds("PIDPressure", "True", "Ready", "False", "MemoryPressure", "True"), Unschedulable: true},
			parse("node.kubernetes.io/pid-pressure:NoSchedule", notReady+":NoSchedule", memory+":NoSchedule", "node.kubernetes.io/unschedulable:NoSchedule")},
		{"T2_each_once", condition.Node{Conditions: conds("MemoryPressure", "True", "MemoryPressure", "True")}, parse(memory + ":NoSchedule")},
		{"T2_two_of_a_type", condition.Node{Conditions: conds("Ready", "Unknown", "Ready", "False")},
			parse(unreachable+":NoSchedule", notReady+":NoSchedule")},
		{"T2_other_types_and_cases", condition.Node{Conditions: conds("OutOfDisk", "True", "ready", "False", "Ready", "false", "", "True")}, nil},
		{"T2_what_it_bears_does_not_matter", condition.Node{Taints: parse(notReady + ":NoSchedule"), Conditions: conds("Ready", "True")}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := condition.NoSchedule(tt.node)
			if diff := cmp.Diff(tt.want, got, equateTaints); diff != "" {
				t.Errorf("NoSchedule(%v) mismatch (-want +got):\n%s", tt.node, diff)
			}
		})
	}
}

func TestNoExecute(t *testing.T) {
	for _, tt := range []struct {
		name       string
		conditions []condition.Condition
		want       string
	}{
		{"T3_nothing_known", nil, ""},
		{"T3_ready", conds("Ready", "True"), ""},
		{"T3_not_ready", conds("Ready", "False"), notReady + ":NoExecute"},
		{"T3_unreachable", conds("Ready", "Unknown"), unreachable + ":NoExecute"},
		{"T3_the_first_decides", conds("MemoryPressure", "True", "Ready", "Unknown", "Ready", "True"), unreachable + ":NoExecute"},
		{"T3_the_first_decides_ready", conds("Ready", "True", "Ready", "False"), ""},
		{"T3_no_such_status", conds("Ready", "unknown", "Ready", "False"), ""},
		{"T3_pressure", conds("MemoryPressure", "True", "NetworkUnavailable", "True"), ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, ok := condition.NoExecute(condition.Node{Conditions: tt.conditions})
			if got.String() != tt.want || ok != (tt.want != "") {
				t.Errorf("NoExecute(%v) = %v, %v, want %q", tt.conditions, got, ok, tt.want)
			}
		})
	}
}

func TestReconcile(t *testing.T) {
	var (
		long     = time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
		now      = time.Date(2026, 5, 1, 12, 0, 0, 999, time.FixedZone("", 3600))
		wait     = condition.Options{At: now}
		atOnce   = condition.Options{At: now, NoExecute: condition.AtOnce}
		gpu      = at("dedicated=gpu:NoSchedule", long)
		terms    = parse("a:NoExecute", "b:PreferNoSchedule")
		foreign  = parse(memory+":NoExecute", notReady+":PreferNoSchedule", "node.kubernetes.io/unschedulable:NoExecute", "node.kubernetes.io/out-of-service=x:NoExecute")
		nothing  condition.Options
		unwanted = time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)
	)
	for _, tt := range []struct {
		name string
		node condition.Node
		opts condition.Options
		want []taint.Taint
		text string
	}{
		{"T4_zero_node", condition.Node{}, wait, nil, ""},
		{"T4_others_stay_in_order", condition.Node{Conditions: conds("Ready", "True"), Taints: slices.Concat(terms, []taint.Taint{gpu, {}}, foreign)}, wait,
			slices.Concat(terms, []taint.Taint{gpu, {}}, foreign), ""},
		{"T4_new_ones_last_with_the_callers_time",
			condition.Node{Conditions: conds("MemoryPressure", "True"), Taints: []taint.Taint{gpu}}, wait,
			[]taint.Taint{gpu, at(memory+":NoSchedule", now)}, "+" + memory + ":NoSchedule"},
		{"T4_what_stays_keeps_its_time_and_value",
			condition.Node{Conditions: conds("Ready", "False", "MemoryPressure", "True"), Taints: []taint.Taint{at(memory+"=x:NoSchedule", long), at(notReady+":NoExecute", long)}}, wait,
			[]taint.Taint{at(memory+"=x:NoSchedule", long), at(notReady+":NoExecute", long), at(notReady+":NoSchedule", now)}, "+" + notReady + ":NoSchedule"},
		{"T4_recovered",
			condition.Node{Conditions: conds("Ready", "True", "MemoryPressure", "False"), Taints: parse(notReady+":NoSchedule", "k:NoSchedule", unreachable+":NoExecute", memory+"=x:NoSchedule", notReady+":NoExecute")}, wait,
			parse("k:NoSchedule"), "-" + notReady + ":NoSchedule, -" + memory + ":NoSchedule, -" + notReady + ":NoExecute, -" + unreachable + ":NoExecute"},
		{"T4_nothing_left",
			condition.Node{Taints: parse("node.kubernetes.io/unschedulable:NoSchedule")}, wait,
			nil, "-node.kubernetes.io/unschedulable:NoSchedule"},
		{"T4_without_time", condition.Node{Unschedulable: true}, nothing,
			parse("node.kubernetes.io/unschedulable:NoSchedule"), "+node.kubernetes.io/unschedulable:NoSchedule"},
		{"T4_time_that_cannot_be_written", condition.Node{Unschedulable: true}, condition.Options{At: unwanted},
			parse("node.kubernetes.io/unschedulable:NoSchedule"), "+node.kubernetes.io/unschedulable:NoSchedule"},
		{"T3_new_one_waits", condition.Node{Conditions: conds("Ready", "Unknown")}, wait,
			[]taint.Taint{at(unreachable+":NoSchedule", now)}, "+" + unreachable + ":NoSchedule, waiting for " + unreachable + ":NoExecute"},
		{"T3_new_one_at_once", condition.Node{Conditions: conds("Ready", "Unknown")}, atOnce,
			[]taint.Taint{at(unreachable+":NoSchedule", now), at(unreachable+":NoExecute", now)}, "+" + unreachable + ":NoSchedule, +" + unreachable + ":NoExecute"},
		{"T3_replacing_is_immediate",
			condition.Node{Conditions: conds("Ready", "False"), Taints: []taint.Taint{at(unreachable+":NoExecute", long), gpu}}, wait,
			[]taint.Taint{gpu, at(notReady+":NoSchedule", now), at(notReady+":NoExecute", now)},
			"+" + notReady + ":NoSchedule, +" + notReady + ":NoExecute, -" + unreachable + ":NoExecute"},
		{"T3_never_both",
			condition.Node{Conditions: conds("Ready", "Unknown"), Taints: []taint.Taint{at(notReady+":NoExecute", long), at(unreachable+":NoExecute", long), at(unreachable+":NoSchedule", long)}}, wait,
			[]taint.Taint{at(unreachable+":NoExecute", long), at(unreachable+":NoSchedule", long)}, "-" + notReady + ":NoExecute"},
		{"T3_removal_is_immediate",
			condition.Node{Conditions: conds("Ready", "True"), Taints: parse(notReady + ":NoExecute")}, wait,
			nil, "-" + notReady + ":NoExecute"},
		{"T3_without_ready_it_stays",
			condition.Node{Conditions: conds("MemoryPressure", "True"), Taints: parse(notReady+":NoExecute", notReady+":NoSchedule", unreachable+":NoExecute", memory+":NoSchedule")}, atOnce,
			parse(notReady+":NoExecute", unreachable+":NoExecute", memory+":NoSchedule"), "-" + notReady + ":NoSchedule"},
		{"T3_of_no_known_status_it_stays",
			condition.Node{Conditions: conds("Ready", "maybe"), Taints: parse(unreachable + ":NoExecute")}, atOnce,
			parse(unreachable + ":NoExecute"), ""},
		{"T3_pace_that_is_none", condition.Node{Conditions: conds("Ready", "Unknown"), Taints: parse(unreachable + ":NoSchedule")}, condition.Options{NoExecute: 9},
			parse(unreachable + ":NoSchedule"), "waiting for " + unreachable + ":NoExecute"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, change := condition.Reconcile(tt.node, tt.opts)
			if diff := cmp.Diff(tt.want, got, equateTaints); diff != "" {
				t.Errorf("Reconcile(%v) mismatch (-want +got):\n%s", tt.node, diff)
			}
			if change.String() != tt.text {
				t.Errorf("Reconcile(%v): %q, want %q", tt.node, change, tt.text)
			}
			checkReconcile(t, tt.node, tt.opts)
		})
	}
}

func TestPaceString(t *testing.T) {
	if got := condition.Pace(9).String(); got != "Wait" {
		t.Errorf("a Pace that is neither is told as %q", got)
	}
}

func TestChangeBreak(t *testing.T) {
	n := condition.Node{Conditions: conds("Ready", "False", "DiskPressure", "True"), Taints: parse(memory+":NoSchedule", unreachable+":NoSchedule")}
	_, change := condition.Reconcile(n, condition.Options{})
	for first := range change.Added() {
		if first.Key() != notReady {
			t.Errorf("the first that is added is %v", first)
		}
		break
	}
	for first := range change.Removed() {
		if first.Key() != unreachable {
			t.Errorf("the first that is removed is %v", first)
		}
		break
	}
}

func TestChangeSize(t *testing.T) {
	if got := unsafe.Sizeof(condition.Change{}); got != 14 {
		t.Errorf("a Change has %d bytes, by its documentation 14", got)
	}
}

type reporter interface {
	Helper()
	Errorf(string, ...any)
	Fatalf(string, ...any)
}

// checkReconcile holds reconciliation against the reference, and against what
// it promises.
func checkReconcile(t reporter, n condition.Node, opts condition.Options) {
	t.Helper()
	// Room behind the list shows whether it is written to.
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
	added, removed := slices.Collect(change.Added()), slices.Collect(change.Removed())
	slices.SortFunc(removed, taint.Taint.Compare)
	if !slices.Equal(added, want.added) || !slices.Equal(removed, want.removed) || waiting != want.waiting || waits == waiting.IsZero() {
		t.Fatalf("T4: Reconcile(%v, %v): added %v, removed %v, waiting %v (%v); want %v, %v, %v",
			n, opts, added, removed, waiting, waits, want.added, want.removed, want.waiting)
	}
	if changed := len(added)+len(removed) > 0; change.Any() != changed || changed != !slices.Equal(got, before) {
		t.Errorf("T4: Reconcile(%v, %v) = %v: Any is %v", n, opts, got, change.Any())
	}

	dst := append(make([]taint.Taint, 0, 20), taint.MustParse(unreachable+":NoExecute")) // there it does not count
	appended, again := condition.AppendReconcile(dst, n, opts)
	if !slices.Equal(appended[1:], want.taints) || again != change || appended[0] != dst[0] {
		t.Errorf("T4: AppendReconcile(%v, %v) = %v, %v; Reconcile %v, %v", n, opts, appended, again, got, change)
	}

	own := condition.Node{Taints: slices.Clone(roomy)[:len(before)], Conditions: n.Conditions, Unschedulable: n.Unschedulable}
	if inPlace, again := condition.AppendReconcile(own.Taints[:0], own, opts); !slices.Equal(inPlace, want.taints) || again != change {
		t.Errorf("T4: AppendReconcile(%v, %v) in place = %v, %v; want %v, %v", n, opts, inPlace, again, want.taints, change)
	}

	second, more := condition.Reconcile(condition.Node{Taints: got, Conditions: n.Conditions, Unschedulable: n.Unschedulable}, opts)
	if more.Any() || !slices.Equal(second, got) {
		t.Errorf("T4: Reconcile(%v, %v) = %v, and once more %v: %v", n, opts, got, second, more)
	}
	if w, _ := more.Waiting(); w != waiting {
		t.Errorf("T4: once more %v waits, before %v", w, waiting)
	}

	noSchedule, _, _ := wants(n)
	if got := condition.NoSchedule(n); !slices.Equal(got, noSchedule) {
		t.Errorf("T2: NoSchedule(%v) = %v, want %v", n, got, noSchedule)
	}
	if got := condition.AppendNoSchedule(dst, n); !slices.Equal(got[1:], noSchedule) {
		t.Errorf("T2: AppendNoSchedule(%v) = %v, want %v", n, got, noSchedule)
	}
	_, noExecute, _ := wants(n)
	if got, ok := condition.NoExecute(n); got != noExecute || ok == got.IsZero() {
		t.Errorf("T3: NoExecute(%v) = %v, %v, want %v", n, got, ok, noExecute)
	}
	checkAtCreation(t, n.Taints)

	if !slices.Equal(n.Taints, before) || !slices.Equal(n.Conditions, conditions) {
		t.Errorf("reconciling has changed the node: %v", n)
	}
	for _, m := range roomy[len(before):] {
		if m != mark {
			t.Errorf("the room behind the list was written to: %v", roomy)
		}
	}
	if change.Any() && len(got) > 0 { // the result is another list
		got[0] = mark
		if !slices.Equal(n.Taints, before) {
			t.Errorf("the result lies in the memory of the node's list")
		}
	}
}

func checkAtCreation(t reporter, taints []taint.Taint) {
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
		t.Errorf("T7: AtCreation(%v) = %v, and once more %v", before, got, again)
	}
	there := taint.MustParse("node.kubernetes.io/not-ready:NoSchedule") // in dst it does not count
	if got := condition.AppendAtCreation([]taint.Taint{there}, taints); !slices.Equal(got[1:], want) || got[0] != there {
		t.Errorf("T7: AppendAtCreation(%v) = %v, want %v", before, got[1:], want)
	}
	for _, own := range [][]taint.Taint{slices.Clone(taints), append(make([]taint.Taint, 0, 20), taints...)} {
		if got := condition.AppendAtCreation(own[:0], own); !slices.Equal(got, want) {
			t.Errorf("T7: AppendAtCreation(%v) in place = %v, want %v", before, got, want)
		}
	}
}

func property(t *rapid.T) {
	checkReconcile(t, nodes().Draw(t, "node"), options().Draw(t, "options"))
}

func TestT4_property(t *testing.T) { rapid.Check(t, property) }

// Every state of the conditions, with every set of the taints that they can call
// for, a foreign one between them.
func TestT4_all(t *testing.T) {
	texts := []string{
		notReady + ":NoSchedule", unreachable + ":NoSchedule", memory + ":NoSchedule", "node.kubernetes.io/disk-pressure:NoSchedule",
		"node.kubernetes.io/pid-pressure:NoSchedule", "node.kubernetes.io/network-unavailable:NoSchedule",
		"node.kubernetes.io/unschedulable:NoSchedule", notReady + ":NoExecute", unreachable + ":NoExecute",
	}
	present := parse(texts...)
	other := taint.MustParse("k:NoSchedule")
	types := []string{"MemoryPressure", "DiskPressure", "PIDPressure", "NetworkUnavailable"}
	for _, ready := range []string{"absent", "True", "False", "Unknown", "other"} {
		for pressures := range 1 << len(types) {
			var conditions []condition.Condition
			for i, name := range types {
				status := "False"
				if pressures>>i&1 == 1 {
					status = "True"
				}
				conditions = append(conditions, condition.Condition{Type: name, Status: status})
			}
			if ready != "absent" {
				conditions = append(conditions, condition.Condition{Type: "Ready", Status: ready})
			}
			for set := range 2 << len(present) {
				n := condition.Node{Conditions: conditions, Unschedulable: set>>len(present) == 1}
				for i, t := range present {
					if i == 4 {
						n.Taints = append(n.Taints, other)
					}
					if set>>i&1 == 1 {
						n.Taints = append(n.Taints, t)
					}
				}
				for _, pace := range []condition.Pace{condition.Wait, condition.AtOnce} {
					opts := condition.Options{At: noon, NoExecute: pace}
					want := reconcile(n, opts)
					got, change := condition.Reconcile(n, opts)
					if w, _ := change.Waiting(); !slices.Equal(got, want.taints) || w != want.waiting {
						t.Fatalf("Reconcile(%v, %v) = %v, %v, want %v, %v", n, pace, got, w, want.taints, want.waiting)
					}
				}
			}
		}
	}
}

func TestAtCreation(t *testing.T) {
	for _, tt := range []struct {
		name       string
		have, want []taint.Taint
	}{
		{"T7_no_taints", nil, parse(notReady + ":NoSchedule")},
		{"T7_others_stay", parse("k:NoExecute"), parse("k:NoExecute", notReady+":NoSchedule")},
		{"T7_it_is_there", parse(notReady+":NoSchedule", "k:NoExecute"), parse(notReady+":NoSchedule", "k:NoExecute")},
		{"T7_it_is_there_with_a_value", parse(notReady + "=x:NoSchedule"), parse(notReady + "=x:NoSchedule")},
		{"T7_other_effects_are_other_taints", parse(notReady+":NoExecute", notReady+":PreferNoSchedule"),
			parse(notReady+":NoExecute", notReady+":PreferNoSchedule", notReady+":NoSchedule")},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, condition.AtCreation(tt.have), equateTaints); diff != "" {
				t.Errorf("AtCreation(%v) mismatch (-want +got):\n%s", tt.have, diff)
			}
			checkAtCreation(t, tt.have)
		})
	}
}
