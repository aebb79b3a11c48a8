package cover_test

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/go-tolerate/tolerate/toleration"
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

// FuzzCover searches, among the lists that TestR2_property draws, for two that
// are compared otherwise than taint by taint.
func FuzzCover(f *testing.F) {
	seeds(f)
	f.Fuzz(rapid.MakeFuzz(property))
}

// FuzzMerge searches, among those that TestR3_property draws, for lists that
// are merged with harm.
func FuzzMerge(f *testing.F) {
	seeds(f)
	f.Fuzz(rapid.MakeFuzz(mergeProperty))
}

// FuzzText does both with lists from text, a toleration a line. What cannot be
// read is left out.
func FuzzText(f *testing.F) {
	f.Add("k=3 op=Gt\nk=4 op=Lt", "k op=Exists", uint8(0))
	f.Add("k:NoSchedule\nk:NoExecute\nk:PreferNoSchedule", "k", uint8(1))
	f.Add("k:NoExecute for 60s\nop=Exists", "k:NoExecute for 300s\n:NoExecute op=Exists for -1s", uint8(2))
	f.Add("other=other op=Equal\nother op=Exists", "op=Exists", uint8(3))
	f.Add("k=9223372036854775806\nk=9223372036854775807", "k=9223372036854775805 op=Gt\nk=0 op=Lt\nk=-1 op=Gt", uint8(4))
	f.Fuzz(func(t *testing.T, textA, textB string, policy uint8) {
		a, b := parse(textA), parse(textB)
		p := toleration.Policy(policy)
		checkWitness(t, p, a, b)
		checkWitness(t, p, b, a)
		checkReduced(t, p, [][]toleration.Toleration{a, b})
		checkMerge(t, [][]toleration.Toleration{a, b})
	})
}
