package match_test

import (
	"encoding"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/go-tolerate/tolerate/internal/contract"
	"github.com/go-tolerate/tolerate/internal/gen"
	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

func TestResult_contract(t *testing.T) {
	pod := tolerations("a", "b:NoExecute for 30s")
	var samples []match.Result
	for _, text := range []string{
		"b:NoExecute", "x:NoSchedule", "x:PreferNoSchedule", "x:NoExecute", "x:NoSchedule,y:NoSchedule",
		"x:NoSchedule,x:NoExecute", "x:NoSchedule,x:PreferNoSchedule,x:NoExecute",
	} {
		samples = append(samples, match.Filter(taints(text), pod))
	}
	contract.Result[match.Result]{Samples: samples}.Test(t)
}

func TestExplanation_contract(t *testing.T) {
	pod := tolerations("dedicated=cpu", "spot:NoExecute for 30s")
	samples := []match.Explanation{{}}
	list := taints("dedicated=gpu:NoSchedule,dedicated=cpu:NoExecute,spot:NoExecute,x:NoSchedule,spot:NoSchedule")
	for _, one := range append(list, taint.Taint{}) {
		samples = append(samples, match.Explain(one, toleration.First, pod))
	}
	contract.Result[match.Explanation]{Samples: samples}.Test(t)
}

func TestReason_contract(t *testing.T) {
	gpu := taint.MustParse("gpu:NoSchedule")
	contract.Result[match.Reason]{Samples: []match.Reason{
		{}, {Taint: gpu, Nodes: 1, Of: 1}, {Taint: gpu, Nodes: 1, Of: 2}, {Taint: gpu, Nodes: 2, Of: 2}, {Nodes: 1, Of: 1},
	}}.Test(t)
}

func TestReasons_contract(t *testing.T) {
	reasons := []*match.Reasons{{}, {}, {}, {}}
	for i, node := range []match.Node{1: {Unschedulable: true}, 2: {Taints: taints("gpu=1:NoSchedule")}, 3: {Taints: taints("gpu=1:NoSchedule,spot:NoExecute")}} {
		if i > 0 {
			reasons[i].Add(node.Untolerated())
		}
	}
	contract.Result[*match.Reasons]{Samples: reasons}.Test(t)
	want := `{"total":1,"schedulable":0,"reasons":[{"taint":{"key":"gpu","value":"1","effect":"NoSchedule"},"nodes":1,"of":1},{"taint":{"key":"spot","effect":"NoExecute"},"nodes":1,"of":1}]}`
	if got, err := json.Marshal(reasons[3]); string(got) != want || err != nil {
		t.Errorf("JSON = %s, %v, want %s", got, err, want)
	}
}

func TestPosition_contract(t *testing.T) {
	samples := []match.Position{{}, {List: 1}, {Index: 1}, {List: 2, Index: 1}, {List: 21}}
	contract.Result[match.Position]{Samples: samples}.Test(t)
}

// The JSON and the text of a Result agree with its methods, for any node.
func TestResult_MarshalJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		node := match.Node{Taints: rapid.SliceOfN(gen.TaintOrZero(), 0, 6).Draw(t, "taints"), Unschedulable: rapid.Bool().Draw(t, "cordoned")}
		r := node.Filter(gen.Tolerations().Draw(t, "tolerations"))
		data, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		var got map[string]any
		if err := json.Unmarshal(data, &got); err != nil {
			t.Fatal(err)
		}
		want := map[string]any{
			"schedulable": r.Schedulable(), "preferred": r.Preferred(), "evicted": r.Evicted(),
		}
		for name, e := range map[string]taint.Effect{"noSchedule": taint.NoSchedule, "preferNoSchedule": taint.PreferNoSchedule, "noExecute": taint.NoExecute} {
			if i, ok := r.First(e); ok {
				want[name] = map[string]any{"count": float64(r.Count(e)), "first": float64(i)}
			}
			if strings.Contains(r.String(), " "+e.String()) != (r.Count(e) > 0) {
				t.Errorf("%d %v in %q", r.Count(e), e, r)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s mismatch (-want +got):\n%s", data, diff)
		}
	})
}

func TestClass_MarshalText(t *testing.T) {
	if got := match.Miss(0).String() + match.Miss(77).String() + match.Class(3).String(); got != "Miss(77)Class(3)" {
		t.Errorf("unknown numbers are %q", got)
	}
	for _, one := range []encoding.TextMarshaler{match.NotTolerated, match.Forever, match.OtherKey} {
		if text, err := one.MarshalText(); string(text) != fmt.Sprint(one) || err != nil {
			t.Errorf("%v: MarshalText() = %q, %v", one, text, err)
		}
	}
	for _, one := range []encoding.TextMarshaler{match.Class(3), match.Miss(99)} {
		if text, err := one.MarshalText(); err == nil {
			t.Errorf("%v: MarshalText() = %q, want an error", one, text)
		}
	}
}
