package match_test

import (
	"fmt"
	"testing"

	"github.com/go-tolerate/tolerate/internal/tests/measure"
	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// These variables keep the results of the rows, so that the compiler must allocate
// them.
var (
	sinkReasons []match.Reason
	sinkScores  []int64

	sinkResult match.Result
	sinkInt    int
	sinkBool   bool
	sinkTaint  taint.Taint
	sinkText   string

	sinkExplanation match.Explanation
	sinkToleration  toleration.Toleration
)

// The rows are the functions that promise not to allocate, with exact counts. The test
// must not run in parallel with another test.
func TestAllocs(t *testing.T) {
	node := taint.MustParseList("a=1:NoSchedule,b=gpu:NoExecute,c:PreferNoSchedule,n=99.5:NoSchedule,n=9223372036854775808:NoExecute")
	pod := tolerations("a=0 op=Gt", "b=gpu:NoExecute for 30s", "x=y", "n=5 op=Lt", "n=5 op=Gt")
	queue := tolerations("c op=Exists", ":NoExecute op=Exists for 300s")
	cordoned := match.Node{Taints: node, Unschedulable: true}
	var many taint.List
	var lots toleration.List
	for i := range 1000 {
		many = append(many, taint.MustParse(fmt.Sprintf("k%d=%d:NoSchedule", i, i)))
		lots = append(lots, toleration.MustParse(fmt.Sprintf("k%d=%d", 2*i, 2*i)))
	}
	compiled, large := match.Compile(queue), match.Compile(lots)
	r := cordoned.Filter(pod)
	counts := []int64{0, 1, 3}
	missed := match.Explain(node[3], toleration.First, pod)
	var reasons match.Reasons

	for _, tt := range []struct {
		name string
		want float64
		do   func()
	}{
		{"Filter", 0, func() { sinkResult = match.Node{Taints: node}.Filter(pod) }},
		{"Filter/no taints", 0, func() { sinkResult = match.Node{}.Filter(pod) }},
		{"Filter/no tolerations", 0, func() { sinkResult = match.Node{Taints: node}.Filter(nil) }},
		{"Filter/1,000 by 1,000", 0, func() { sinkResult = match.Node{Taints: many}.Filter(lots) }},
		{"Schedulable", 0, func() { sinkBool = match.Node{Taints: node}.Schedulable(pod) }},
		{"Node.Schedulable", 0, func() { sinkBool = cordoned.Schedulable(pod) }},
		{"Node.Blocking", 0, func() { sinkTaint, sinkBool = cordoned.Blocking(queue) }},
		{"Matcher.Schedulable", 0, func() { sinkBool = compiled.Schedulable(cordoned) }},
		{"Untolerated", 0, func() {
			for i, one := range (match.Node{Taints: node}).Untolerated(pod) {
				sinkInt, sinkTaint = i, one
			}
		}},
		{"CordonTaint", 0, func() { sinkTaint = match.CordonTaint() }},
		{"Node.Filter", 0, func() { sinkResult = cordoned.Filter(queue) }},
		{"Node.Untolerated", 0, func() {
			for i, one := range cordoned.Untolerated(queue) {
				sinkInt, sinkTaint = i, one
			}
		}},
		{"Matcher.Filter", 0, func() { sinkResult = compiled.Filter(match.Node{Taints: node}) }},
		{"Matcher.Filter/1,000 by 1,000", 0, func() { sinkResult = large.Filter(match.Node{Taints: many}) }},
		{"Matcher.Filter/cordoned", 0, func() { sinkResult = compiled.Filter(cordoned) }},
		{"Matcher.Untolerated", 0, func() {
			for i, one := range compiled.Untolerated(cordoned) {
				sinkInt, sinkTaint = i, one
			}
		}},
		{"Result", 0, func() {
			sinkBool = r.Schedulable() || r.Preferred() || r.Evicted()
			sinkInt = r.Count(0) + r.Count(taint.NoExecute)
		}},
		{"Result.First", 0, func() { sinkInt, sinkBool = r.First() }},
		{"Result.First/two effects", 0, func() { sinkInt, sinkBool = r.First(taint.NoSchedule, taint.NoExecute) }},
		{"Explain/tolerated", 0, func() { sinkExplanation = match.Explain(node[1], toleration.Longest, queue) }},
		{"Explain/nearest", 0, func() { sinkExplanation = match.Explain(node[3], toleration.First, pod) }},
		{"Explain/1,000", 0, func() { sinkExplanation = match.Explain(node[2], toleration.First, lots) }},
		{"Node.Explanations", 0, func() {
			for e := range cordoned.Explanations(toleration.First, pod) {
				sinkExplanation = e
			}
		}},
		{"Explanation.Addition", 0, func() { sinkToleration = missed.Addition() }},
		{"Explanation", 0, func() {
			sinkInt = int(missed.Mismatch)
			sinkBool = missed.Blocks()
			_, sinkBool = missed.Seconds()
			sinkText = missed.Mismatch.String()
		}},
		{"Reasons", 0, func() {
			reasons.Add(1, cordoned.Untolerated(pod))
			reasons.Add(1, compiled.Untolerated(cordoned))
		}},
		{"Reasons.TopReasons", 1, func() { sinkReasons = reasons.TopReasons(8) }},
		{"Reason.Compare", 0, func() { sinkInt = sinkReasons[0].Compare(match.Reason{Nodes: sinkReasons[0].Nodes}) }},
		{"Filter/zero taint", 0, func() { sinkResult = match.Node{Taints: make(taint.List, 2)}.Filter(pod) }},
		{"Explain/zero taint", 0, func() { sinkExplanation = match.Explain(taint.Taint{}, toleration.First, pod) }},
		{"Scores", 1, func() { sinkScores = match.Scores(counts) }},
	} {
		measure.Allocs(t, tt.name, tt.want, tt.do)
	}
}
