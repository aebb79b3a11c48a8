package match_test

import (
	"testing"

	"github.com/go-tolerate/tolerate/internal/tests/contract"
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
		samples = append(samples, match.Node{Taints: taint.MustParseList(text)}.Filter(pod))
	}
	contract.Result[match.Result]{Samples: samples}.Test(t)
}

func TestExplanation_contract(t *testing.T) {
	pod := tolerations("dedicated=cpu", "spot:NoExecute for 30s")
	samples := []match.Explanation{{}}
	list := taint.MustParseList("dedicated=gpu:NoSchedule,dedicated=cpu:NoExecute,spot:NoExecute,x:NoSchedule,spot:NoSchedule")
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
	reasons := make([]*match.Reasons, 3)
	for i, node := range []match.Node{{Unschedulable: true}, {Taints: taint.MustParseList("gpu=1:NoSchedule")}, {Taints: taint.MustParseList("gpu=1:NoSchedule,spot:NoExecute")}} {
		reasons[i] = new(match.Reasons)
		reasons[i].Add(1, node.Untolerated(nil))
	}
	contract.Result[*match.Reasons]{Samples: reasons}.Test(t)
}

func TestEnums(t *testing.T) {
	contract.Enum[match.Mismatch]{Names: map[match.Mismatch]string{
		0: "", match.InvalidTaint: "InvalidTaint", match.InvalidToleration: "InvalidToleration", match.OtherKey: "OtherKey",
		match.OtherEffect: "OtherEffect", match.OtherValue: "OtherValue", match.NotInteger: "NotInteger", match.OutOfBound: "OutOfBound",
	}}.Test(t)
}
