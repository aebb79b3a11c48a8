package kubernetes_test

import (
	"encoding/json"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/util/tolerations"

	"github.com/go-tolerate/tolerate/match/kube"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/toleration/cover"
)

// listedCover fails the test unless the first toleration of each pair covers the second
// here, and not in Kubernetes. TestIsSuperset_R2 proves the extent of these differences.
func listedCover(t *testing.T, pairs ...[2]string) {
	t.Helper()
	for _, p := range pairs {
		u, v := toleration.MustParse(p[0]), toleration.MustParse(p[1])
		if theirs := kube.CoreTolerations(toleration.List{u, v}); superset(theirs[0], theirs[1]) || !cover.Covers(u, v) {
			t.Errorf("%s covers %s: Kubernetes %v, ours %v, want the opposite", u, v, superset(theirs[0], theirs[1]), cover.Covers(u, v))
		}
	}
}

// An absent operator is Equal. In Kubernetes a toleration with Equal does not
// cover one without an operator. This difference affects only two tolerations with Equal, absent
// in the covered one, that are not equal as written.
func TestListed_R2_absent_operator(t *testing.T) {
	t.Parallel()
	listedCover(t, [2]string{"k=v op=Equal", "k=v"}, [2]string{"k=v:NoExecute op=Equal", "k=v:NoExecute for 5s"})
}

// Negative seconds are 0, so each covers the other; Kubernetes compares them as
// numbers. This difference affects only pairs that both have 0 or fewer seconds, the
// covering one fewer.
func TestListed_R2_negative_seconds(t *testing.T) {
	t.Parallel()
	listedCover(t, [2]string{"k:NoExecute op=Exists for -1s", "k:NoExecute op=Exists for 0s"}, [2]string{"k:NoExecute op=Exists for -5s", "k:NoExecute op=Exists for -1s"})
}

// Lt and Gt are compared by the taints that they match; in Kubernetes they
// cover only equal tolerations, and are covered by equal ones and by Exists.
// This difference affects only pairs in which one is numeric. For each taint, Kubernetes' own
// matcher agrees with our answer for all.
func TestListed_R2_numeric(t *testing.T) {
	t.Parallel()
	listedCover(t, [][2]string{
		{"k=3 op=Gt", "k=5 op=Gt"},                      // a subset
		{"k=3 op=Gt", "k=5 op=Equal"},                   // one number
		{"k=-1 op=Gt", "k=7 op=Lt"},                     // every number
		{"k=0 op=Equal", "k=1 op=Lt"},                   // the only number below 1
		{"a=x op=Equal", "k=0 op=Lt"},                   // no number is below 0
		{"a=x op=Equal", "k=9223372036854775807 op=Gt"}, // and none above this
		{"k:NoExecute op=Exists for 0s", "k=0 op=Lt"},   // not even a part is covered
	}...)
}

// The first list stays as it was written, and no toleration is removed
// because of a later one; Kubernetes removes each that another one covers.
// TestMergeTolerations_R3 proves the extent: from our result, Kubernetes'
// merging returns the same as from the lists.
func TestListed_R3_kept(t *testing.T) {
	t.Parallel()
	a, b := toleration.MustParseList("a:NoSchedule op=Exists,b:NoSchedule op=Exists,b:NoSchedule op=Exists"), toleration.MustParseList("a op=Exists")
	if theirs := kubernetesMerge(internals(a), internals(b)); !slices.Equal(theirs, toleration.MustParseList("b:NoSchedule op=Exists,a op=Exists")) {
		t.Errorf("Kubernetes %v", theirs)
	}
	if ours := keep(a, b); !slices.Equal(ours, slices.Concat(a, b)) {
		t.Errorf("ours %v", ours)
	}
}

// By the first toleration that matches, merging changes no taint's time;
// Kubernetes' merging can make it longer or shorter. This difference affects only times:
// TestMergeTolerationsMeaning_R3 proves that the same taints are tolerated.
func TestListed_R3_seconds(t *testing.T) {
	t.Parallel()
	tnt := corev1.Taint{Key: "k", Value: "v", Effect: corev1.TaintEffectNoExecute}
	for _, tt := range []struct {
		pod, defaults toleration.List
		ours, theirs  uint64
	}{
		{toleration.MustParseList("k:NoExecute op=Exists for 60s"), toleration.MustParseList("k:NoExecute op=Exists for 300s"), 60, 300},
		{toleration.MustParseList("k:NoExecute op=Exists for 60s"), toleration.MustParseList("op=Exists"), 60, forever},
		{toleration.MustParseList("k=v:NoExecute op=Equal for 300s,:NoExecute op=Exists for 60s"), toleration.MustParseList("k:NoExecute op=Exists for 400s"), 300, 60},
	} {
		ours, _ := firstHolds(kube.CoreTolerations(keep(tt.pod, tt.defaults)), &tnt)
		theirs, _ := firstHolds(kube.CoreTolerations(kubernetesMerge(internals(tt.pod), internals(tt.defaults))), &tnt)
		if ours != tt.ours || theirs != tt.theirs {
			t.Errorf("%v and %v: Kubernetes %d s, ours %d s, want %d and %d", tt.pod, tt.defaults, theirs, ours, tt.theirs, tt.ours)
		}
	}
}

// Merging does not write to the memory of the lists; Kubernetes writes the
// second list to the spare capacity of the first. This difference affects only lists with
// spare capacity.
func TestListed_R3_room(t *testing.T) {
	t.Parallel()
	ours, added := toleration.MustParseList("a:NoSchedule op=Exists,b:NoSchedule op=Exists"), toleration.MustParseList("c:NoSchedule op=Exists")
	theirs := internals(ours)
	tolerations.MergeTolerations(theirs[:1:1], internals(added))
	if theirs[1].Key != "b" {
		t.Error("Kubernetes writes after a list without spare capacity")
	}
	tolerations.MergeTolerations(theirs[:1], internals(added))
	if keep(ours[:1], added); theirs[1].Key != "c" || ours[1].Key() != "b" {
		t.Errorf("after the first list is %v in Kubernetes', %v in ours", theirs[1].Key, ours[1].Key())
	}
}

// Where a single value is decoded from JSON, a string is the text of a taint or
// toleration, because encoding/json passes the keys of maps as strings;
// Kubernetes' structs reject it, and cannot be keys. This difference affects only strings with
// exactly the text that Parse accepts, and "" for the zero value; never in a
// list that Decode reads.
func TestListed_K4_text(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"k=v:NoSchedule", "k=v", "k op=Exists", "k:NoExecute op=Exists for 5s", "", "-:NoSchedule", "k=a b:NoSchedule", " k:NoSchedule", "k op="} {
		data, _ := json.Marshal(text)
		if json.Unmarshal(data, new(corev1.Taint)) == nil || json.Unmarshal(data, new(corev1.Toleration)) == nil {
			t.Errorf("%s: Kubernetes reads it", data)
		}
		var n taint.Taint
		var u toleration.Toleration
		nerr, uerr := json.Unmarshal(data, &n), json.Unmarshal(data, &u)
		wantN, nperr := taint.Parse(text)
		wantU, uperr := toleration.Parse(text)
		if (nerr == nil) != (nperr == nil || text == "") || (uerr == nil) != (uperr == nil || text == "") || n != wantN || u != wantU {
			t.Errorf("%s: %v %v, %v %v; want %v %v, %v %v", data, n, nerr, u, uerr, wantN, nperr, wantU, uperr)
		}
		inList := slices.Concat([]byte("["), data, []byte("]"))
		if json.Unmarshal(inList, new(taint.List)) == nil || json.Unmarshal(inList, new(toleration.List)) == nil {
			t.Errorf("%s: a list is read", inList)
		}
	}
	counts := map[taint.Taint]int{}
	if err := json.Unmarshal([]byte(`{"k=v:NoSchedule":1}`), &counts); err != nil || counts[taint.MustParse("k=v:NoSchedule")] != 1 {
		t.Errorf("a taint as a key: %v, %v", counts, err)
	}
}
