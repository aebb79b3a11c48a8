package match_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"time"

	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

func ExampleExplain() {
	pod := []toleration.Toleration{
		toleration.MustParse("dedicated=cpu:NoSchedule"),
		toleration.MustParse("cores=16 op=Gt"),
		toleration.MustParse(":NoExecute op=Exists for 300s"),
	}
	for _, text := range []string{
		"cores=32:NoSchedule",
		"maintenance:NoExecute",
		"dedicated=gpu:NoSchedule",
		"cores=8:NoSchedule",
		"cores=many:NoSchedule",
		"maintenance:NoSchedule",
	} {
		fmt.Println(match.Explain(toleration.First, taint.MustParse(text), pod))
	}
	fmt.Println(match.Explain(toleration.First, taint.MustParse("gpu:NoSchedule"), pod[:2]))
	// Output:
	// cores=32:NoSchedule is tolerated by "cores=16 op=Gt"
	// maintenance:NoExecute is tolerated for 300 s by ":NoExecute op=Exists for 300s"
	// dedicated=gpu:NoSchedule is not tolerated: "dedicated=cpu:NoSchedule" has another value; to add: "dedicated=gpu:NoSchedule op=Equal"
	// cores=8:NoSchedule is not tolerated: "cores=16 op=Gt" asks for a greater value; to add: "cores=8:NoSchedule op=Equal"
	// cores=many:NoSchedule is not tolerated: "cores=16 op=Gt" compares integers, and the taint's value is not one; to add: "cores=many:NoSchedule op=Equal"
	// maintenance:NoSchedule is not tolerated: ":NoExecute op=Exists for 300s" has another effect; to add: "maintenance:NoSchedule op=Equal"
	// gpu:NoSchedule is not tolerated: no toleration has its key; to add: "gpu:NoSchedule op=Equal"
}

// What a program decides by are the fields.
func ExampleExplanation() {
	pod := []toleration.Toleration{toleration.MustParse("dedicated=gpu:NoExecute")}
	queue := []toleration.Toleration{toleration.MustParse("dedicated=cpu:NoSchedule")}
	e := match.Explain(toleration.First, taint.MustParse("dedicated=gpu:NoSchedule"), pod, queue)
	fmt.Println(e.Class, e.Miss, e.Toleration, e.At)
	// Output: NotTolerated OtherValue dedicated=cpu:NoSchedule {1 0}
}

func ExampleExplanation_String() {
	e := match.Explain(toleration.First, taint.MustParse("dedicated=gpu:NoSchedule"))
	fmt.Println(e.String())
	// Output: dedicated=gpu:NoSchedule is not tolerated: no toleration has its key; to add: "dedicated=gpu:NoSchedule op=Equal"
}

func ExampleExplanation_AppendText() {
	e := match.Explain(toleration.First, match.Cordon(), []toleration.Toleration{toleration.MustParse("op=Exists")})
	b, _ := e.AppendText([]byte("why: "))
	fmt.Println(string(b))
	// Output: why: node.kubernetes.io/unschedulable:NoSchedule is tolerated by "op=Exists"
}

func ExampleExplanation_AppendJSON() {
	e := match.Explain(toleration.First, taint.MustParse("gpu:NoExecute"), []toleration.Toleration{toleration.MustParse("gpu:NoExecute for 60s")})
	fmt.Println(string(e.AppendJSON(nil)))
	// Output: {"taint":{"key":"gpu","effect":"NoExecute"},"index":0,"class":"ForAWhile","servedBy":{"key":"gpu","effect":"NoExecute","tolerationSeconds":60},"list":0,"position":0,"seconds":60}
}

func ExampleExplanation_MarshalJSON() {
	pod := []toleration.Toleration{toleration.MustParse("dedicated=cpu")}
	e := match.Explain(toleration.First, taint.MustParse("dedicated=gpu:NoSchedule"), pod)
	text, _ := json.MarshalIndent(e, "", "  ")
	fmt.Println(string(text))
	// Output:
	// {
	//   "taint": {
	//     "key": "dedicated",
	//     "value": "gpu",
	//     "effect": "NoSchedule"
	//   },
	//   "index": 0,
	//   "class": "NotTolerated",
	//   "miss": "OtherValue",
	//   "nearest": {
	//     "key": "dedicated",
	//     "value": "cpu"
	//   },
	//   "list": 0,
	//   "position": 0,
	//   "addition": {
	//     "key": "dedicated",
	//     "operator": "Equal",
	//     "value": "gpu",
	//     "effect": "NoSchedule"
	//   }
	// }
}

func ExampleExplanation_Blocks() {
	for e := range (match.Node{Taints: gpuNode}).Explanations(toleration.First) {
		fmt.Println(e.Taint, e.Blocks())
	}
	// Output:
	// dedicated=gpu:NoSchedule true
	// dedicated=gpu:NoExecute true
	// example.com/spot:PreferNoSchedule false
}

func ExampleExplanation_Seconds() {
	pod := []toleration.Toleration{toleration.MustParse("gpu:NoExecute for -5s"), toleration.MustParse("spot")}
	for _, text := range []string{"gpu:NoExecute", "spot:NoExecute"} {
		fmt.Println(match.Explain(toleration.First, taint.MustParse(text), pod).Seconds())
	}
	// Output:
	// 0 true
	// 0 false
}

func ExampleExplanation_Until() {
	added := time.Date(2026, 10, 14, 9, 0, 0, 0, time.UTC)
	t, _ := taint.MustParse("gpu:NoExecute").WithTimeAdded(added)
	e := match.Explain(toleration.First, t, []toleration.Toleration{toleration.MustParse("gpu:NoExecute for 300s")})

	observed := added.Add(90 * time.Second) // by a control plane that was restarted then
	for _, start := range []time.Time{e.Taint.TimeAdded(), observed} {
		if until, ok := e.Until(start); ok {
			fmt.Println(until.Format(time.TimeOnly))
		}
	}
	// Output:
	// 09:05:00
	// 09:06:30
}

// What to paste into a manifest, and what to patch a running pod with.
func ExampleExplanation_Addition() {
	u := match.Explain(toleration.First, taint.MustParse("dedicated=gpu:NoSchedule")).Addition()
	fmt.Println(u)
	fmt.Println(string(u.AppendJSON(nil)))
	// Output:
	// dedicated=gpu:NoSchedule op=Equal
	// {"key":"dedicated","operator":"Equal","value":"gpu","effect":"NoSchedule"}
}

func ExampleExplanation_Redacted() {
	pod := []toleration.Toleration{toleration.MustParse("customer=acme:NoSchedule")}
	e := match.Explain(toleration.First, taint.MustParse("customer=initech:NoSchedule"), pod)
	fmt.Println(e.Redacted())
	// Output: customer=…:NoSchedule is not tolerated: "customer=…:NoSchedule" has another value; to add: "customer=…:NoSchedule op=Equal"
}

// A cordon is explained as well, with the index -1.
func ExampleNode_Explanations() {
	node := match.Node{Taints: gpuNode[:2], Unschedulable: true}
	pod := []toleration.Toleration{toleration.MustParse("dedicated=gpu:NoExecute for 60s"), toleration.MustParse("dedicated op=Exists")}
	for e := range node.Explanations(toleration.First, pod) {
		fmt.Println(e.Index, e)
	}
	// Output:
	// -1 node.kubernetes.io/unschedulable:NoSchedule is not tolerated: no toleration has its key; to add: "node.kubernetes.io/unschedulable:NoSchedule op=Equal"
	// 0 dedicated=gpu:NoSchedule is tolerated by "dedicated op=Exists"
	// 1 dedicated=gpu:NoExecute is tolerated for 60 s by "dedicated=gpu:NoExecute for 60s"
}

func ExampleNode_AppendExplanations() {
	buf := make([]match.Explanation, 0, 8) // to be used again
	buf = match.Node{Taints: gpuNode}.AppendExplanations(buf[:0], toleration.First)
	for _, e := range buf {
		fmt.Println(e.Addition())
	}
	// Output:
	// dedicated=gpu:NoSchedule op=Equal
	// dedicated=gpu:NoExecute op=Equal
	// example.com/spot:PreferNoSchedule op=Equal
}

func ExampleMiss() {
	e := match.Explain(toleration.First, taint.MustParse("gpu:NoSchedule"), []toleration.Toleration{toleration.MustParse("gpu:NoExecute")})
	switch e.Miss {
	case match.OtherKey:
		fmt.Println("nothing was meant for it")
	case match.OtherEffect:
		fmt.Println("forgotten:", e.Taint.Effect())
	}
	// Output: forgotten: NoSchedule
}

func ExampleMiss_String() {
	fmt.Println(match.OutOfBound.String())
	// Output: OutOfBound
}

func ExampleRedactedTaint() {
	log := slog.New(slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}}))
	log.Info("repelled", "taint", match.RedactedTaint(taint.MustParse("customer=acme:NoSchedule")))
	// Output: level=INFO msg=repelled taint="customer=…:NoSchedule"
}

func ExampleRedactedTaint_String() {
	fmt.Println(match.RedactedTaint(taint.MustParse("customer=acme:NoSchedule")).String())
	fmt.Println(match.RedactedTaint(taint.MustParse("customer:NoSchedule")).String()) // nothing to leave out
	// Output:
	// customer=…:NoSchedule
	// customer:NoSchedule
}

func ExampleRedactedTaint_AppendText() {
	b, _ := match.RedactedTaint(taint.MustParse("customer=acme:NoSchedule")).AppendText([]byte("untolerated "))
	fmt.Println(string(b))
	// Output: untolerated customer=…:NoSchedule
}

func ExampleRedactedTaint_AppendJSON() {
	fmt.Println(string(match.RedactedTaint(taint.MustParse("customer=acme:NoSchedule")).AppendJSON(nil)))
	// Output: {"key":"customer","value":"…","effect":"NoSchedule"}
}

func ExampleRedactedToleration() {
	text, _ := json.Marshal([]match.RedactedToleration{
		match.RedactedToleration(toleration.MustParse("customer=acme")),
		match.RedactedToleration(toleration.MustParse("op=Exists")),
	})
	fmt.Println(string(text))
	// Output: [{"key":"customer","value":"…"},{"operator":"Exists"}]
}

func ExampleRedactedToleration_String() {
	fmt.Println(match.RedactedToleration(toleration.MustParse("cores=16:NoExecute op=Gt for 60s")).String())
	// Output: cores=…:NoExecute op=Gt for 60s
}

func ExampleRedactedToleration_AppendText() {
	b, _ := match.RedactedToleration(toleration.MustParse("customer=acme")).AppendText([]byte("add "))
	fmt.Println(string(b))
	// Output: add customer=…
}

func ExampleRedactedToleration_AppendJSON() {
	fmt.Println(string(match.RedactedToleration(toleration.MustParse("customer=acme")).AppendJSON(nil)))
	// Output: {"key":"customer","value":"…"}
}

// Why one pod may not run on the nodes of a cluster.
func ExampleReasons() {
	gpu, broken := taint.MustParse("dedicated=gpu:NoSchedule"), taint.MustParse("node.kubernetes.io/unreachable:NoExecute")
	nodes := []match.Node{
		{Taints: []taint.Taint{gpu}},
		{Taints: []taint.Taint{gpu, broken}},
		{Taints: []taint.Taint{gpu}, Unschedulable: true},
		{Taints: []taint.Taint{taint.MustParse("spot:PreferNoSchedule")}},
		{},
	}
	pod := []toleration.Toleration{toleration.MustParse("dedicated=cpu")}

	var reasons match.Reasons
	for _, n := range nodes {
		reasons.Add(n, pod)
	}
	fmt.Printf("%d of %d nodes are open\n", reasons.Schedulable(), reasons.Total())
	fmt.Println(&reasons)
	// Output:
	// 2 of 5 nodes are open
	// 3 of 5 nodes: untolerated dedicated=gpu:NoSchedule
	// 1 of 5 nodes: untolerated node.kubernetes.io/unreachable:NoExecute
	// 1 of 5 nodes: untolerated node.kubernetes.io/unschedulable:NoSchedule
}

func ExampleReasons_Add() {
	var reasons match.Reasons
	reasons.Add(match.Node{Taints: gpuNode})
	reasons.Add(match.Node{Unschedulable: true})
	fmt.Println(reasons.String())
	// Output:
	// 1 of 2 nodes: untolerated dedicated=gpu:NoSchedule
	// 1 of 2 nodes: untolerated dedicated=gpu:NoExecute
	// 1 of 2 nodes: untolerated node.kubernetes.io/unschedulable:NoSchedule
}

func ExampleReasons_AddMatcher() {
	pod := match.Compile([]toleration.Toleration{toleration.MustParse("dedicated:NoSchedule op=Exists")})
	var reasons match.Reasons
	for range 3 {
		reasons.AddMatcher(match.Node{Taints: gpuNode}, pod)
	}
	fmt.Println(&reasons)
	// Output: 3 of 3 nodes: untolerated dedicated=gpu:NoExecute
}

func ExampleReasons_AppendReasons() {
	var reasons match.Reasons
	reasons.Add(match.Node{Taints: gpuNode})
	reasons.Add(match.Node{Taints: gpuNode[1:]})
	for _, r := range reasons.AppendReasons(nil, 1) { // the most frequent one
		fmt.Println(r.Taint, r.Nodes, r.Of)
	}
	// Output: dedicated=gpu:NoExecute 2 2
}

func ExampleReasons_AppendText() {
	var reasons match.Reasons
	reasons.Add(match.Node{Taints: gpuNode[:1]})
	b, _ := reasons.AppendText([]byte("pending: "))
	fmt.Println(string(b))
	// Output: pending: 1 of 1 node: untolerated dedicated=gpu:NoSchedule
}

func ExampleReasons_Reset() {
	var reasons match.Reasons // for many pods
	for _, text := range []string{"dedicated:NoSchedule op=Exists", "dedicated op=Exists"} {
		reasons.Reset()
		reasons.Add(match.Node{Taints: gpuNode}, []toleration.Toleration{toleration.MustParse(text)})
		fmt.Printf("%q\n", reasons.String())
	}
	// Output:
	// "1 of 1 node: untolerated dedicated=gpu:NoExecute"
	// ""
}

// Of a fleet where each customer has nodes of his own, one line remains.
func ExampleReasons_redact() {
	reasons := match.Reasons{Redact: true}
	for _, customer := range []string{"acme", "initech", "umbrella"} {
		t, _ := taint.New("customer", customer, taint.NoSchedule)
		reasons.Add(match.Node{Taints: []taint.Taint{t}})
	}
	fmt.Println(&reasons)
	// Output: 3 of 3 nodes: untolerated customer=…:NoSchedule
}

func ExampleReason() {
	r := match.Reason{Taint: taint.MustParse("dedicated=gpu:NoSchedule"), Nodes: 3, Of: 5}
	text, _ := json.Marshal(r)
	fmt.Println(r)
	fmt.Println(string(text))
	// Output:
	// 3 of 5 nodes: untolerated dedicated=gpu:NoSchedule
	// {"taint":{"key":"dedicated","value":"gpu","effect":"NoSchedule"},"nodes":3,"of":5}
}

func ExampleReason_Compare() {
	a := match.Reason{Taint: taint.MustParse("a:NoSchedule"), Nodes: 1}
	b := match.Reason{Taint: taint.MustParse("b:NoSchedule"), Nodes: 2}
	fmt.Println(a.Compare(b), b.Compare(a), a.Compare(a)) // the most frequent first
	// Output: 1 -1 0
}

func ExampleReason_String() {
	r := match.Reason{Taint: taint.MustParse("customer:NoSchedule"), Nodes: 1, Of: 1, Redacted: true}
	fmt.Println(r.String())
	// Output: 1 of 1 node: untolerated customer=…:NoSchedule
}

func ExampleReason_AppendText() {
	b, _ := match.Reason{Taint: match.Cordon(), Nodes: 1, Of: 3}.AppendText(nil)
	fmt.Println(string(b))
	// Output: 1 of 3 nodes: untolerated node.kubernetes.io/unschedulable:NoSchedule
}

func ExampleReason_AppendJSON() {
	r := match.Reason{Taint: taint.MustParse("customer:NoSchedule"), Nodes: 2, Of: 3, Redacted: true}
	fmt.Println(string(r.AppendJSON(nil)))
	// Output: {"taint":{"key":"customer","value":"…","effect":"NoSchedule"},"nodes":2,"of":3}
}
