package condition_test

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/taint/condition"
)

func seeds(f *testing.F) {
	rng := rand.New(rand.NewPCG(1, 0))
	for _, n := range []int{0, 64, 512, 4096} {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(rng.Uint32())
		}
		f.Add(b)
		f.Add(bytes.Repeat([]byte{byte(n)}, n))
	}
}

// FuzzReconcile searches, among those that TestT4_property draws, for a node
// that is reconciled otherwise than by the rules.
func FuzzReconcile(f *testing.F) {
	seeds(f)
	f.Fuzz(rapid.MakeFuzz(property))
}

// FuzzCluster searches, as TestT6_cluster does, for a story that the cluster
// and its plain twin tell differently.
func FuzzCluster(f *testing.F) {
	seeds(f)
	f.Fuzz(rapid.MakeFuzz(clusterProperty))
}

// FuzzDecode holds the decoder of conditions against encoding/json, and what
// was read against the rules.
func FuzzDecode(f *testing.F) {
	for _, seed := range []string{
		`[{"type":"Ready","status":"True"},{"type":"MemoryPressure","status":"False","reason":"x"}]`,
		`[{"type":"Ready","status":true},null,{"type":1}]`, `null`, `{}`, `[{"type":"Ready","type":null}]`, `[[]]`, `[{"Type":"Ready"}]`,
		`[{"type":"\u0052eady","status":"Unknown\n"},{}]`,
	} {
		f.Add([]byte(seed), "node.kubernetes.io/not-ready:NoExecute,k:NoSchedule", true)
	}
	f.Fuzz(func(t *testing.T, data []byte, taints string, cordoned bool) {
		checkDecode(t, data, condition.ListOptions{})
		conditions, err := condition.DecodeList(data, condition.ListOptions{})
		if err != nil {
			return
		}
		list, err := taint.ParseList(taints)
		if err != nil {
			return
		}
		n := condition.Node{Taints: list, Conditions: conditions, Unschedulable: cordoned}
		for _, pace := range []condition.Pace{condition.Wait, condition.AtOnce} {
			checkReconcile(t, n, condition.Options{At: noon, NoExecute: pace})
		}
	})
}

// FuzzClass holds classes and their text against regular expressions.
func FuzzClass(f *testing.F) {
	f.Add("k,k=v:NoSchedule,example.com/*", "k=v:NoSchedule,example.com/a:NoExecute")
	f.Add("*:NoExecute", "k:NoExecute,k:NoSchedule")
	f.Add("k=,k*,a.b*", "k:NoSchedule,a.b/c=d:NoExecute")
	f.Add("k=v:,=,:", "")
	f.Fuzz(func(t *testing.T, class, taints string) {
		checkClassText(t, class)
		if _, err := condition.ParseClass(class); err != nil || strings.Count(class, ",") > 20 {
			return
		}
		if list, err := taint.ParseList(taints); err == nil && len(list) < 20 {
			checkClass(t, class, append(list, taint.Taint{}))
		}
	})
}
