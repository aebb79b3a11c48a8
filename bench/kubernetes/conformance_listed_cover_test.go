package kubernetes_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/util/tolerations"

	"github.com/go-tolerate/tolerate/match/kube"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/toleration/cover"
)

// listedCover tries pairs of tolerations to which the difference can apply. An answer
// must differ exactly if explains returns true, and enough must differ.
func listedCover(t *testing.T, fit func(*gen, *corev1.Toleration), explains func(a, b corev1.Toleration) bool) {
	t.Helper()
	var differs share
	conform(t, 3*objects, func(g *gen) string {
		a := g.toleration()
		b := g.near(a)
		fit(g, &a)
		fit(g, &b)
		u, v := valid(ourToleration(a)), valid(ourToleration(b))
		got, theirs := cover.Covers(u, v), superset(a, b)
		differs.count(got != theirs)
		if want := explains(a, b); (got != theirs) != want || got != theirs && !got {
			return fmt.Sprintf("%s covers %s: Kubernetes %v, ours %v, listed %v", u, v, theirs, got, want)
		}
		return ""
	})
	differs.within(t, "differ", 0.001, 0.5)
}

func isEqual(t corev1.Toleration) bool {
	return t.Operator == "" || t.Operator == corev1.TolerationOpEqual
}

// unnumeric replaces a numeric operator by Exists.
func unnumeric(t *corev1.Toleration) {
	if numeric(*t) {
		t.Operator, t.Value = corev1.TolerationOpExists, ""
	}
}

// An absent operator is Equal. In Kubernetes a toleration with Equal does not
// cover one without an operator. This difference affects only two tolerations with Equal, absent
// in the covered one, that are not equal as written.
func TestListed_R2_absent_operator(t *testing.T) {
	t.Parallel()
	listedCover(t, func(_ *gen, u *corev1.Toleration) {
		unnumeric(u)
		if u.TolerationSeconds != nil && *u.TolerationSeconds < 0 {
			u.TolerationSeconds = new(int64)
		}
	}, func(a, b corev1.Toleration) bool {
		written := b
		written.Operator = corev1.TolerationOpEqual
		return isEqual(a) && b.Operator == "" && superset(a, written) && !superset(a, b)
	})
	plain, op := corev1.Toleration{Key: "k", Value: "v"}, corev1.Toleration{Key: "k", Operator: corev1.TolerationOpEqual, Value: "v"}
	if superset(op, plain) || !superset(plain, op) || !superset(plain, plain) {
		t.Error("Kubernetes answers otherwise")
	}
}

// Negative seconds are 0, so each covers the other; Kubernetes compares them as
// numbers. This difference affects only pairs that both have 0 or fewer seconds, the
// covering one fewer.
func TestListed_R2_negative_seconds(t *testing.T) {
	t.Parallel()
	listedCover(t, func(g *gen, u *corev1.Toleration) {
		unnumeric(u)
		if u.Operator == "" {
			u.Operator = corev1.TolerationOpEqual
		}
		if g.in(2) {
			u.Effect, u.TolerationSeconds = corev1.TaintEffectNoExecute, g.seconds()
		}
	}, func(a, b corev1.Toleration) bool {
		m, n := a.TolerationSeconds, b.TolerationSeconds
		return m != nil && n != nil && *m < *n && *n <= 0 && superset(canonical(a), canonical(b))
	})
}

// Lt and Gt are compared by the taints that they match; in Kubernetes they
// cover only equal tolerations, and are covered by equal ones and by Exists.
// This difference affects only pairs in which one is numeric. For each taint, Kubernetes' own
// matcher agrees with our answer for all.
func TestListed_R2_numeric(t *testing.T) {
	t.Parallel()
	listedCover(t, func(_ *gen, u *corev1.Toleration) { *u = canonical(*u) }, func(a, b corev1.Toleration) bool {
		return (numeric(a) || numeric(b)) && coversByMatching(a, b) && !superset(a, b)
	})
	for _, tt := range []struct{ a, b string }{
		{"k=3 op=Gt", "k=5 op=Gt"},                    // a subset
		{"k=3 op=Gt", "k=5"},                          // one number
		{"k=-1 op=Gt", "k=7 op=Lt"},                   // every number
		{"k=0", "k=1 op=Lt"},                          // the only number below 1
		{"a=x", "k=0 op=Lt"},                          // no number is below 0
		{"a=x", "k=9223372036854775807 op=Gt"},        // and none above this
		{"k:NoExecute op=Exists for 0s", "k=0 op=Lt"}, // not even a part is covered
	} {
		u, v := toleration.MustParse(tt.a).Canonical(), toleration.MustParse(tt.b).Canonical()
		if theirs := kube.CoreTolerations(toleration.List{u, v}); superset(theirs[0], theirs[1]) || !cover.Covers(u, v) {
			t.Errorf("%s covers %s: Kubernetes %v, ours %v, want the opposite", u, v, superset(theirs[0], theirs[1]), cover.Covers(u, v))
		}
	}
}

func list(texts ...string) (out toleration.List) {
	for _, s := range texts {
		out = append(out, toleration.MustParse(s))
	}
	return out
}

// The first list stays as it was written, and no toleration is removed
// because of a later one; Kubernetes removes each that another one covers.
// TestMergeTolerations_R3 proves the extent: from our result, Kubernetes'
// merging returns the same as from the lists. This test proves that
// Kubernetes removes only tolerations of ours that another one covers.
func TestListed_R3_kept(t *testing.T) {
	t.Parallel()
	var dropped share
	conform(t, 3*objects, func(g *gen) string {
		a, b := g.canonicalLists()
		us, vs := valid(ourTolerations(a)), valid(ourTolerations(b))
		ours, theirs := keep(us, vs), kubernetesMerge(internals(us), internals(vs))
		dropped.count(len(theirs) < len(ours))
		redundant := 0
		for i, u := range ours {
			for j, v := range ours {
				if i != j && cover.Covers(v, u) && (v != u || j < i) { // repeats: the first is kept
					redundant++
					break
				}
			}
		}
		if len(theirs) != len(ours)-redundant {
			return fmt.Sprintf("%v and %v: Kubernetes %v, ours %v, where another toleration covers %d", us, vs, theirs, ours, redundant)
		}
		return ""
	})
	dropped.within(t, "are dropped by Kubernetes", 0.1, 0.6)
}

// By the first toleration that matches, merging changes no taint's time;
// Kubernetes' merging can make it longer or shorter. This difference affects only times,
// and only where Kubernetes removes a toleration (R3-kept).
func TestListed_R3_seconds(t *testing.T) {
	t.Parallel()
	tnt := corev1.Taint{Key: "k", Value: "v", Effect: corev1.TaintEffectNoExecute}
	for _, tt := range []struct {
		pod, defaults toleration.List
		ours, theirs  uint64
	}{
		{list("k:NoExecute op=Exists for 60s"), list("k:NoExecute op=Exists for 300s"), 60, 300},
		{list("k:NoExecute op=Exists for 60s"), list("op=Exists"), 60, forever},
		{list("k=v:NoExecute op=Equal for 300s", ":NoExecute op=Exists for 60s"), list("k:NoExecute op=Exists for 400s"), 300, 60},
	} {
		ours, _ := firstHolds(kube.CoreTolerations(keep(tt.pod, tt.defaults)), &tnt)
		theirs, _ := firstHolds(kube.CoreTolerations(kubernetesMerge(internals(tt.pod), internals(tt.defaults))), &tnt)
		if ours != tt.ours || theirs != tt.theirs {
			t.Errorf("%v and %v: Kubernetes %d s, ours %d s, want %d and %d", tt.pod, tt.defaults, theirs, ours, tt.theirs, tt.ours)
		}
	}
	var longer share // shorter is rare: the case above is the proof
	conform(t, 3*objects, func(g *gen) string {
		a, b := g.nearLists()
		all := slices.Concat(a, b)
		merged := kube.CoreTolerations(kubernetesMerge(internalTolerations(a), internalTolerations(b)))
		tnt := g.aimed(all)
		want, ok := firstHolds(all, &tnt)
		theirs, tolerated := firstHolds(merged, &tnt)
		longer.count(theirs > want)
		if tolerated != ok || theirs != want && len(merged) == len(all) {
			return fmt.Sprintf("%v on %s: %v %d s, in Kubernetes', %v: %v %d s", theirText(all), tnt.ToString(), ok, want, theirText(merged), tolerated, theirs)
		}
		return ""
	})
	longer.within(t, "are tolerated longer", 0.001, 0.2)
}

// Merging does not write to the memory of the lists; Kubernetes writes the
// second list to the spare capacity of the first. This difference affects only lists with
// spare capacity.
func TestListed_R3_room(t *testing.T) {
	t.Parallel()
	for _, room := range []bool{true, false} {
		ours := list("a:NoSchedule op=Exists", "b:NoSchedule op=Exists")
		added := list("c:NoSchedule op=Exists")
		theirs := internals(ours)
		end := 1
		if room {
			end = 2
		}
		tolerations.MergeTolerations(theirs[:1:end], internals(added))
		if written := theirs[1].Key == "c"; written != room {
			t.Errorf("spare capacity %v: Kubernetes writes %v after the first list", room, theirs[1].Key)
		}
		keep(ours[:1:end], added)
		if got := ours[1].Key(); got != "b" {
			t.Errorf("spare capacity %v: the library writes %v after the first list", room, got)
		}
	}
}

// Where a single value is decoded from JSON, a string is the text of a taint or
// toleration, because encoding/json passes the keys of maps as strings;
// Kubernetes' structs reject it, and cannot be keys. This difference affects only strings with
// exactly the text that Parse accepts, and "" for the zero value; never in a
// list that Decode reads.
func TestListed_K4_text(t *testing.T) {
	t.Parallel()
	var good share
	conform(t, objects, func(g *gen) string {
		text := g.taintText()
		if g.in(3) { // a toleration's
			text += g.one(" op=Exists", " op=Equal", " op=Gt", " for 5s", " op=")
		}
		data, err := json.Marshal(text)
		if err != nil {
			return err.Error()
		}
		if json.Unmarshal(data, new(corev1.Taint)) == nil || json.Unmarshal(data, new(corev1.Toleration)) == nil {
			return fmt.Sprintf("%s: Kubernetes reads it", data)
		}
		var plain string // what is not UTF-8 was replaced
		if err := json.Unmarshal(data, &plain); err != nil {
			return err.Error()
		}
		var n taint.Taint
		var u toleration.Toleration
		nerr, uerr := json.Unmarshal(data, &n), json.Unmarshal(data, &u)
		wantN, nperr := taint.Parse(plain)
		wantU, uperr := toleration.Parse(plain)
		good.count(nerr == nil || uerr == nil)
		if (nerr == nil) != (nperr == nil || plain == "") || (uerr == nil) != (uperr == nil || plain == "") || n != wantN || u != wantU {
			return fmt.Sprintf("%s: %v %v, %v %v; want %v %v, %v %v", data, n, nerr, u, uerr, wantN, nperr, wantU, uperr)
		}
		inList := slices.Concat([]byte("["), data, []byte("]"))
		if _, _, err := taint.Decode(inList, taint.DecodeOptions{}); err == nil {
			return fmt.Sprintf("%s: DecodeList reads it", inList)
		}
		if _, _, err := toleration.Decode(inList, toleration.DecodeOptions{}); err == nil {
			return fmt.Sprintf("%s: DecodeList reads it", inList)
		}
		return ""
	})
	good.within(t, "are read", 0.1, 0.9)

	counts := map[taint.Taint]int{}
	if err := json.Unmarshal([]byte(`{"k=v:NoSchedule":1}`), &counts); err != nil || counts[taint.MustParse("k=v:NoSchedule")] != 1 {
		t.Errorf("a taint as a key: %v, %v", counts, err)
	}
}
