package informer_test

import (
	"testing"

	"github.com/go-tolerate/tolerate/match/kube/informer"
)

// BenchmarkOnUpdate handles two updates: a heartbeat, as most updates are, and one that
// changes a taint.
func BenchmarkOnUpdate(b *testing.B) {
	for _, tt := range []struct{ name, value string }{{"heartbeat", "a100"}, {"taint", "h100"}} {
		b.Run("what="+tt.name+"/impl=tolerate", func(b *testing.B) {
			turns := [2]any{aNode("a", noSchedule("gpu", "a100")), aNode("a", noSchedule("gpu", tt.value))}
			nodes := informer.New(nil)
			nodes.OnAdd(turns[0], true)
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				nodes.OnUpdate(turns[i%2], turns[(i+1)%2])
			}
		})
	}
}

func TestAllocs(t *testing.T) {
	before, after := aNode("a", noSchedule("gpu", "a100")), aNode("a", noSchedule("gpu", "a100"))
	nodes := informer.New(nil)
	nodes.OnAdd(before, true)
	if got := testing.AllocsPerRun(100, func() { nodes.OnUpdate(before, after) }); got != 0 {
		t.Errorf("OnUpdate of a heartbeat allocates %v times", got)
	}
}
