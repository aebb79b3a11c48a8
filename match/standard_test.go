package match_test

import (
	"encoding/json"
	"testing"

	"github.com/go-tolerate/tolerate/internal/contract"
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

func TestEnums(t *testing.T) {
	contract.Enum[match.Class]{Names: map[match.Class]string{
		match.NotTolerated: "NotTolerated", match.ForSeconds: "ForSeconds", match.Forever: "Forever",
	}}.Test(t)
	contract.Enum[match.Miss]{Names: map[match.Miss]string{
		0: "", match.InvalidTaint: "InvalidTaint", match.InvalidToleration: "InvalidToleration", match.OtherKey: "OtherKey",
		match.OtherEffect: "OtherEffect", match.OtherValue: "OtherValue", match.NotInteger: "NotInteger", match.OutOfBound: "OutOfBound",
	}}.Test(t)
}

func TestMarshalJSON(t *testing.T) {
	none := `{"schedulable":true,"preferred":true,"evicted":false}`
	all := `{"schedulable":false,"preferred":false,"evicted":true,"noSchedule":{"count":2,"first":-1},"preferNoSchedule":{"count":1,"first":2},"noExecute":{"count":1,"first":1}}`
	node := match.Node{Taints: taints("a:NoSchedule,b:NoExecute,c:PreferNoSchedule"), Unschedulable: true}
	kv, pod := taint.MustParse("k=v:NoExecute"), tolerations("x", "k=v:NoExecute for -5s")
	added := `,"addition":{"key":"k","operator":"Equal","value":"v","effect":"NoExecute"}}`
	about := `{"taint":{"key":"k","value":"v","effect":"NoExecute"},"index":0,"class":`
	for _, tt := range []struct {
		v    json.Marshaler
		want string
	}{
		{match.Result{}, none},
		{node.Filter(), all},
		{match.Explain(kv, toleration.First, nil, pod),
			about + `"ForSeconds","toleratedBy":{"key":"k","value":"v","effect":"NoExecute","tolerationSeconds":-5},"list":1,"position":1,"seconds":0}`},
		{match.Explain(kv, toleration.First, tolerations("k op=Exists")), about + `"Forever","toleratedBy":{"key":"k","operator":"Exists"},"list":0,"position":0}`},
		{match.Explain(kv, toleration.First, pod[:1]), about + `"NotTolerated","miss":"OtherKey"` + added},
		{match.Explain(kv, toleration.First, tolerations("x", "k")), about + `"NotTolerated","miss":"OtherValue","nearest":{"key":"k"},"list":0,"position":1` + added},
		{match.Explain(kv, toleration.First, toleration.List{{}}), about + `"NotTolerated","miss":"InvalidToleration","list":0,"position":0` + added},
	} {
		if got, err := json.Marshal(tt.v); string(got) != tt.want || err != nil {
			t.Errorf("JSON of %v: %s, %v, want %s", tt.v, got, err, tt.want)
		}
	}
}
