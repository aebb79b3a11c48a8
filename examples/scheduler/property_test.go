package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/go-tolerate/tolerate/internal/gen"
	"github.com/go-tolerate/tolerate/taint"
)

// A small cluster, decided pod by pod from the documentation's words alone: the
// program's choice has to be one of the best.
func TestBest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var input strings.Builder
		e := json.NewEncoder(&input)
		type object map[string]any
		type plainNode struct {
			taints    taint.List
			cpu, free int
		}
		nodes := map[string]*plainNode{}
		for i := range rapid.IntRange(1, 5).Draw(t, "nodes") {
			n := &plainNode{taints: gen.NodeTaints().Draw(t, "taints"), cpu: rapid.IntRange(1, 4).Draw(t, "cpu")}
			n.free = n.cpu
			name := fmt.Sprintf("n%d", i)
			nodes[name] = n
			encode(t, e, object{"kind": "Node", "metadata": object{"name": name}, "spec": object{"taints": n.taints},
				"status": object{"allocatable": object{"cpu": n.cpu, "memory": "1Gi", "pods": 9}}})
		}
		for i := range rapid.IntRange(0, 5).Draw(t, "pods") {
			encode(t, e, object{"kind": "Pod", "metadata": object{"name": fmt.Sprintf("p%d", i)}, "spec": object{
				"tolerations": gen.Tolerations().Draw(t, "tolerations"),
				"containers":  []object{{"resources": object{"requests": object{"cpu": rapid.IntRange(0, 3).Draw(t, "requests")}}}},
			}})
		}
		c := newCluster()
		c.read("input", strings.NewReader(input.String()))
		if len(c.problems) > 0 {
			t.Fatalf("%v in\n%s", c.problems, &input)
		}
		c.settle()
		for _, d := range c.schedule(rapid.Uint64().Draw(t, "seed")) {
			asked := int(d.pod.requests[cpu] / 1000)
			soft, most := map[string]int{}, 0
			for name, n := range nodes {
				hard := n.free < asked
				count := 0
				for _, t := range n.taints {
					switch {
					case d.pod.Tolerations.Match(t) >= 0:
					case t.Effect() == taint.PreferNoSchedule:
						count++
					default:
						hard = true
					}
				}
				if !hard {
					soft[name] = count
					most = max(most, count)
				}
			}
			best, scores := -1, map[string]int{}
			for name, count := range soft {
				score := 100
				if most > 0 {
					score = 100 - 100*count/most
				}
				n := nodes[name]
				left := n.free - asked
				scores[name] = 3*score + (100*left/n.cpu+100)/2 // memory stays free whole
				best = max(best, scores[name])
			}
			switch {
			case d.chosen == nil && len(scores) > 0:
				t.Errorf("%s waits, and could go to one of %v\n%s", d.pod.title(), scores, &input)
			case d.chosen != nil && (len(scores) == 0 || scores[d.chosen.name] != best):
				t.Errorf("%s goes to %s, of %v\n%s", d.pod.title(), d.chosen.name, scores, &input)
			case d.chosen != nil:
				nodes[d.chosen.name].free -= asked
			}
		}
	})
}

func encode(t *rapid.T, e *json.Encoder, v any) {
	if err := e.Encode(v); err != nil {
		t.Fatal(err)
	}
}
