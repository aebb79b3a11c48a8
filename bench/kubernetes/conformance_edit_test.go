package kubernetes_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/go-tolerate/tolerate/bench/kubernetes/upstream"
	"github.com/go-tolerate/tolerate/taint"
)

// An editor is taint.ParseEdits and taint.Apply. The mutation check replaces it.
type editor func(node taint.List, overwrite bool, args ...string) (taint.List, error)

func edit(node taint.List, overwrite bool, args ...string) (taint.List, error) {
	edits, err := taint.ParseEdits(args...)
	if err != nil {
		return nil, err
	}
	return taint.Apply(node, edits, taint.EditOptions{Overwrite: overwrite})
}

func touches(e taint.Edit, t taint.Taint) bool {
	return e.Key() == t.Key() && (e.Effect() == t.Effect() || e.Effect() == 0)
}

// kubectl returns the result of kubectl taint with the arguments.
func kubectl(node []corev1.Taint, overwrite bool, args ...string) ([]corev1.Taint, string, error) {
	e, err := upstream.ParseEdit(overwrite, args...)
	if err != nil {
		return nil, "", err
	}
	return e.Apply(node)
}

// nodeTaints makes a node's list with times added. No two taints have the same key and
// effect.
func (g *gen) nodeTaints(keys []string) []corev1.Taint {
	out := make([]corev1.Taint, 0, 4)
	for range g.IntN(5) {
		t := corev1.Taint{Key: g.one(keys...), Value: g.one("", "x", "y"), Effect: corev1.TaintEffect(g.one(effects...)), TimeAdded: g.timeAdded()}
		if !slices.ContainsFunc(out, func(u corev1.Taint) bool { return u.MatchTaint(&t) }) {
			out = append(out, t)
		}
	}
	return out
}

// editText makes an argument of kubectl taint. It is usually valid and names the node's
// taints.
func (g *gen) editText(keys []string, node []corev1.Taint) string {
	t := corev1.Taint{Key: g.one(keys...), Value: g.one("", "x", "y"), Effect: corev1.TaintEffect(g.one(effects...))}
	if len(node) > 0 && g.in(2) {
		t.Key, t.Effect = node[g.IntN(len(node))].Key, node[g.IntN(len(node))].Effect
	}
	text := t.ToString()
	switch g.IntN(12) {
	case 0:
		text = t.Key + "="
	case 1, 2:
		text = t.Key + ":"
	case 3:
		text = g.taintText()
	case 4:
		text = t.Key + g.one("=:", "=x:", "=a b:", "=-:", "-:", ":") + string(t.Effect)
	}
	switch g.IntN(20) {
	case 0, 1, 2, 3, 4, 5:
		return t.Key + "-"
	case 6, 7, 8, 9:
		return text + "-"
	case 10:
		return text + "--"
	}
	return text
}

// edits compares one call of kubectl taint with the library: whether it is rejected,
// the outcome, and the node's taints. It ignores their order, and the times added of
// taints that were overwritten (K2-order, K2-time-added).
func edits(ours editor, done map[string]*share) func(g *gen) string {
	return func(g *gen) string {
		keys := goodKeys[:3]
		if g.in(4) {
			keys = goodKeys
		}
		theirNode := g.nodeTaints(keys)
		node := valid(ourTaints(theirNode))
		args := make([]string, 1+g.IntN(3))
		for i := range args {
			args[i] = g.editText(keys, theirNode)
		}
		overwrite := g.in(3)
		theirs, word, err := kubectl(theirNode, overwrite, args...)
		got, gerr := ours(node, overwrite, args...)
		for w, s := range done {
			s.count(w == word)
		}
		differ := func() string {
			return fmt.Sprintf("%q, overwrite %v, on %v: Kubernetes %v %q %v, ours %v %v", args, overwrite, node, theirs, word, err, got, gerr)
		}
		if (err == nil) != (gerr == nil) || gerr != nil && got != nil {
			return differ()
		}
		want, ps := ourTaints(theirs)
		if ps != nil {
			return differ()
		}
		for i, t := range want { // kubectl removes the time added of an overwritten taint
			if at := slices.IndexFunc(node, t.SameKeyEffect); at >= 0 && t.TimeAdded().IsZero() {
				want[i], _ = t.WithTimeAdded(node[at].TimeAdded())
			}
		}
		got = slices.Clone(got)
		slices.SortFunc(want, taint.Taint.Compare)
		slices.SortFunc(got, taint.Taint.Compare)
		if !slices.Equal(got, want) {
			return differ()
		}
		return ""
	}
}

func TestKubectlTaint_K2(t *testing.T) {
	t.Parallel()
	done := map[string]*share{"": {}, "tainted": {}, "untainted": {}, "modified": {}}
	conform(t, 3*objects, edits(edit, done))
	done[""].within(t, "are refused", 0.2, 0.9)
	done["tainted"].within(t, "taint", 0.02, 0.5)
	done["untainted"].within(t, "untaint", 0.01, 0.5)
	done["modified"].within(t, "modify", 0.02, 0.5)
}

// Each call has one argument: every text of a few parts.
func TestKubectlTaintExhaustive_K2(t *testing.T) {
	t.Parallel()
	node := []corev1.Taint{{Key: "k", Value: "v", Effect: "NoSchedule"}, {Key: "k", Effect: "NoExecute"}}
	ours, _ := ourTaints(node)
	everyText("", 5, func(text string) {
		for _, overwrite := range []bool{false, true} {
			theirs, word, err := kubectl(node, overwrite, text)
			got, gerr := edit(ours, overwrite, text)
			if (err == nil) != (gerr == nil) || len(got) != len(theirs) {
				t.Errorf("%q, overwrite %v: Kubernetes %v %q %v, ours %v %v", text, overwrite, theirs, word, err, got, gerr)
			}
		}
	})
}

// kubectl accepts the edits of a Difference, and its result is the same list.
func TestKubectlTaintOfDifference_K2(t *testing.T) {
	t.Parallel()
	conform(t, objects, func(g *gen) string {
		before, after := g.nodeTaints(goodKeys[:3]), g.nodeTaints(goodKeys[:3])
		us, vs := valid(ourTaints(before)), valid(ourTaints(after))
		var args []string
		for _, c := range taint.Difference(us, vs) {
			switch {
			case c.After.IsZero():
				args = append(args, c.Before.String()+"-")
			case c.Before.Canonical() != c.After.Canonical():
				args = append(args, c.After.String())
			}
		}
		if len(args) == 0 {
			return ""
		}
		theirs, _, err := kubectl(before, true, args...)
		got, gps := ourTaints(theirs)
		if err != nil || gps != nil || !got.Canonical().Equal(vs.Canonical()) {
			return fmt.Sprintf("%v to %v by %s: Kubernetes %v %v", us, vs, strings.Join(args, " "), theirs, err)
		}
		return ""
	})
}

// Edits keep the node's order and append new taints; kubectl puts added and overwritten
// taints first. The lists differ only in this order (TestKubectlTaint_K2).
func TestListed_K2_order(t *testing.T) {
	t.Parallel()
	node := []corev1.Taint{{Key: "a", Effect: "NoSchedule"}, {Key: "b", Value: "x", Effect: "NoSchedule"}}
	args := []string{"c:NoSchedule", "b=y:NoSchedule"}
	after, _, err := kubectl(node, true, args...)
	theirs, _ := ourTaints(after)
	ours, _ := ourTaints(node)
	ours, eerr := edit(ours, true, args...)
	if err != nil || eerr != nil || theirs.String() != "c:NoSchedule,b=y:NoSchedule,a:NoSchedule" || ours.String() != "a:NoSchedule,b=y:NoSchedule,c:NoSchedule" {
		t.Errorf("Kubernetes %v %v, ours %v %v", theirs, err, ours, eerr)
	}
}

// A taint that gets another value keeps its time added, unless the edit sets one;
// kubectl removes it. This difference affects only taints that are overwritten
// (TestKubectlTaint_K2).
func TestListed_K2_time_added(t *testing.T) {
	t.Parallel()
	added := metav1.Unix(1e9, 0)
	node := []corev1.Taint{{Key: "a", Value: "x", Effect: "NoSchedule", TimeAdded: &added}}
	theirs, _, err := kubectl(node, true, "a=y:NoSchedule")
	ours, _ := ourTaints(node)
	ours, eerr := edit(ours, true, "a=y:NoSchedule")
	if err != nil || eerr != nil || theirs[0].TimeAdded != nil || !ours[0].TimeAdded().Equal(added.Time) {
		t.Errorf("Kubernetes %v %v, ours %v %v", theirs, err, ours, eerr)
	}
}

// An empty list of edits changes nothing; kubectl requires an edit. This difference
// affects only the empty list.
func TestListed_K2_none(t *testing.T) {
	t.Parallel()
	for _, overwrite := range []bool{false, true} {
		if _, _, err := kubectl([]corev1.Taint{{Key: "k", Effect: "NoSchedule"}}, overwrite); err == nil {
			t.Error("Kubernetes takes it")
		}
		node := taint.List{taint.MustParse("k:NoSchedule")}
		if got, err := edit(node, overwrite); err != nil || !slices.Equal(got, node) {
			t.Errorf("ours: %v, %v", got, err)
		}
	}
}
