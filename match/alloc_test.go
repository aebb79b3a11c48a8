//go:build !race

// Under the race detector sync.Pool drops what it holds at random.

package match_test

import (
	"fmt"
	"testing"

	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// What calls leave behind, so that they are not done away with.
var (
	sinkResult match.Result
	sinkClass  match.Class
	sinkInt    int
	sinkBool   bool
	sinkTaint  taint.Taint
	sinkText   string

	sinkExplanation match.Explanation
	sinkToleration  toleration.Toleration
)

// Every promise that something does not allocate, with the exact count. Not to
// be run in parallel with anything.
func TestAllocs(t *testing.T) {
	node := taints("a=1:NoSchedule,b=gpu:NoExecute,c:PreferNoSchedule,n=99.5:NoSchedule,n=9223372036854775808:NoExecute")
	pod := tolerations("a=0 op=Gt", "b=gpu:NoExecute for 30s", "x=y", "n=5 op=Lt", "n=5 op=Gt")
	queue := tolerations("c op=Exists", ":NoExecute op=Exists for 300s")
	cordoned := match.Node{Taints: node, Unschedulable: true}
	var many []taint.Taint
	var lots []toleration.Toleration
	for i := range 1000 {
		many = append(many, taint.MustParse(fmt.Sprintf("k%d=%d:NoSchedule", i, i)))
		lots = append(lots, toleration.MustParse(fmt.Sprintf("k%d=%d", 2*i, 2*i)))
	}
	compiled, large := match.Compile(pod, queue), match.Compile(lots)
	r := cordoned.Filter(pod)
	dst := make([]taint.Taint, 0, 1001)
	counts, scores := []int64{0, 1, 3}, make([]int64, 0, 3)
	missed := match.Explain(toleration.First, node[3], pod)
	explanations, text := make([]match.Explanation, 0, 8), make([]byte, 0, 4096)
	var reasons match.Reasons
	redacted := match.Reasons{Redact: true}
	list := make([]match.Reason, 0, 8)

	for _, tt := range []struct {
		name string
		want float64
		do   func()
	}{
		{"Filter", 0, func() { sinkResult = match.Filter(node, pod) }},
		{"Filter/no taints", 0, func() { sinkResult = match.Filter(nil, pod) }},
		{"Filter/no tolerations", 0, func() { sinkResult = match.Filter(node) }},
		{"Filter/several lists", 0, func() { sinkResult = match.Filter(node, pod, nil, queue) }},
		{"Filter/1,000 by 1,000", 0, func() { sinkResult = match.Filter(many, lots) }},
		{"Untolerated", 0, func() {
			for i, one := range match.Untolerated(node, pod) {
				sinkInt, sinkTaint = i, one
			}
		}},
		{"Untolerated/several lists", 0, func() {
			for i, one := range match.Untolerated(node, pod, queue) {
				sinkInt, sinkTaint = i, one
			}
		}},
		{"AppendUntolerated", 0, func() { sinkInt = len(match.AppendUntolerated(dst, node, pod)) }},
		{"Serving", 0, func() { _, sinkBool = match.Serving(toleration.Longest, node[1], pod, queue) }},
		{"Classify", 0, func() { sinkClass = match.Classify(toleration.Shortest, node[1], pod, queue) }},
		{"ClassifyAll", 0, func() { sinkClass = match.ClassifyAll(toleration.ForeverElseShortest, node, pod, queue) }},
		{"Cordon", 0, func() { sinkTaint = match.Cordon() }},
		{"Node.Filter", 0, func() { sinkResult = cordoned.Filter(pod, queue) }},
		{"Node.Untolerated", 0, func() {
			for i, one := range cordoned.Untolerated(pod, queue) {
				sinkInt, sinkTaint = i, one
			}
		}},
		{"Node.AppendUntolerated", 0, func() { sinkInt = len(cordoned.AppendUntolerated(dst, pod, queue)) }},
		{"Matcher.Tolerates", 0, func() { sinkBool = compiled.Tolerates(node[3]) }},
		{"Matcher.Filter", 0, func() { sinkResult = compiled.Filter(node) }},
		{"Matcher.Filter/1,000 by 1,000", 0, func() { sinkResult = large.Filter(many) }},
		{"Matcher.FilterNode", 0, func() { sinkResult = compiled.FilterNode(cordoned) }},
		{"Matcher.Untolerated", 0, func() {
			for i, one := range compiled.Untolerated(node) {
				sinkInt, sinkTaint = i, one
			}
		}},
		{"Matcher.UntoleratedNode", 0, func() {
			for i, one := range compiled.UntoleratedNode(cordoned) {
				sinkInt, sinkTaint = i, one
			}
		}},
		{"Node.Classify", 0, func() { sinkClass = cordoned.Classify(toleration.Longest, pod, queue) }},
		{"Matcher.AppendUntoleratedNode", 0, func() { sinkInt = len(compiled.AppendUntoleratedNode(dst, cordoned)) }},
		{"Matcher.AppendUntolerated", 0, func() { sinkInt = len(compiled.AppendUntolerated(dst, node)) }},
		{"Result", 0, func() {
			sinkBool = r.Schedulable() || r.Preferred() || r.Evicted()
			sinkBool, _ = r.Daemon()
			sinkInt = r.Count(0) + r.Count(taint.NoExecute)
			sinkClass = r.Class()
		}},
		{"Result.First", 0, func() { sinkInt, sinkBool = r.First() }},
		{"Result.First/two effects", 0, func() { sinkInt, sinkBool = r.First(taint.NoSchedule, taint.NoExecute) }},
		{"Class.String", 0, func() { sinkText = sinkClass.String() }},
		{"Explain/served", 0, func() { sinkExplanation = match.Explain(toleration.Longest, node[1], pod, queue) }},
		{"Explain/nearest", 0, func() { sinkExplanation = match.Explain(toleration.First, node[3], pod, queue) }},
		{"Explain/1,000", 0, func() { sinkExplanation = match.Explain(toleration.First, node[2], lots) }},
		{"Node.Explanations", 0, func() {
			for e := range cordoned.Explanations(toleration.First, pod, queue) {
				sinkExplanation = e
			}
		}},
		{"Node.AppendExplanations", 0, func() {
			sinkInt = len(cordoned.AppendExplanations(explanations, toleration.First, pod, queue))
		}},
		{"Explanation.Addition", 0, func() { sinkToleration = missed.Addition() }},
		{"Explanation", 0, func() {
			sinkInt = int(missed.Miss)
			sinkBool = missed.Blocks()
			_, sinkBool = missed.Seconds()
			sinkText = missed.Miss.String()
			sinkExplanation = missed.Redacted()
		}},
		{"Explanation.AppendText", 0, func() { b, _ := missed.AppendText(text); sinkInt = len(b) }},
		{"Explanation.AppendText/redacted", 0, func() { b, _ := missed.Redacted().AppendText(text); sinkInt = len(b) }},
		{"Explanation.AppendJSON", 0, func() { sinkInt = len(missed.AppendJSON(text)) }},
		{"Explanation.AppendJSON/redacted", 0, func() { sinkInt = len(missed.Redacted().AppendJSON(text)) }},
		{"RedactedTaint", 0, func() {
			b, _ := match.RedactedTaint(node[0]).AppendText(text)
			sinkInt = len(match.RedactedTaint(node[0]).AppendJSON(b))
		}},
		{"RedactedToleration", 0, func() {
			b, _ := match.RedactedToleration(pod[0]).AppendText(text)
			sinkInt = len(match.RedactedToleration(pod[0]).AppendJSON(b))
		}},
		{"Reasons", 0, func() {
			reasons.Reset()
			reasons.Add(cordoned, pod)
			reasons.AddMatcher(cordoned, compiled)
			sinkInt = len(reasons.AppendReasons(list, 8))
			b, _ := reasons.AppendText(text)
			sinkInt = len(b)
		}},
		{"Reasons/redacted", 0, func() {
			redacted.Reset()
			redacted.Add(cordoned, pod)
			list := redacted.AppendReasons(list, 8)
			b, _ := list[0].AppendText(text)
			sinkInt = len(list[0].AppendJSON(b))
		}},
		{"AppendScores", 0, func() { sinkInt = len(match.AppendScores(scores, counts)) }},
		{"AppendScores/in place", 0, func() { sinkInt = len(match.AppendScores(counts[:0], counts)) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := testing.AllocsPerRun(50, tt.do); got != tt.want {
				t.Errorf("%s: %v allocations, want %v", tt.name, got, tt.want)
			}
		})
	}
}
