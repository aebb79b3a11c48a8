package cover_test

import (
	"testing"

	"github.com/go-tolerate/tolerate/internal/gen"
	"github.com/go-tolerate/tolerate/toleration"
)

// FuzzUncoveredTaint searches, among the lists that TestUncoveredTaint/R2_property
// draws, for two for which the result and a comparison taint by taint differ.
func FuzzUncoveredTaint(f *testing.F) {
	gen.Fuzz(f, property)
}

// FuzzMerge searches, among the lists that TestMerge/R3_property draws, for lists for
// which a merge breaks its promise.
func FuzzMerge(f *testing.F) {
	gen.Fuzz(f, mergeProperty)
}

// FuzzText tests both for lists from text, one toleration on each line. Invalid ones
// are ignored.
func FuzzText(f *testing.F) {
	f.Add("k=3 op=Gt\nk=4 op=Lt", "k op=Exists", uint8(0))
	f.Add("k:NoSchedule\nk:NoExecute\nk:PreferNoSchedule", "k", uint8(1))
	f.Add("k:NoExecute for 60s\nop=Exists", "k:NoExecute for 300s\n:NoExecute op=Exists for -1s", uint8(2))
	f.Add("other=other op=Equal\nother op=Exists", "op=Exists", uint8(3))
	f.Add("k=9223372036854775806\nk=9223372036854775807", "k=9223372036854775805 op=Gt\nk=0 op=Lt\nk=-1 op=Gt", uint8(4))
	f.Fuzz(func(t *testing.T, textA, textB string, choice uint8) {
		a, b := gen.ParseLines(textA), gen.ParseLines(textB)
		p := choices[int(choice)%len(choices)]
		checkWitness(t, p, a, b)
		checkWitness(t, p, b, a)
		checkReduce(t, p, []toleration.List{a, b})
		checkMerge(t, []toleration.List{a, b})
	})
}
