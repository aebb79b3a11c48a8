package growth_test

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/go-tolerate/tolerate/match/eviction"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/taint/condition"
	"github.com/go-tolerate/tolerate/toleration"
)

var now = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

// A shape is a way to make a long list slow to process: the texts of taint i and of
// toleration i of n.
type shape struct {
	name       string
	taint      func(i int) string
	toleration func(i, n int) string
}

var shapes = []shape{
	// Every key is different, and each toleration matches one taint.
	{"keys",
		func(i int) string { return fmt.Sprintf("k%d=v:NoExecute", i) },
		func(i, n int) string { return fmt.Sprintf("k%d=v:NoExecute", n-1-i) }},
	// Every key is different, and its value is empty.
	{"empty",
		func(i int) string { return fmt.Sprintf("k%d:NoSchedule", i) },
		func(i, n int) string { return fmt.Sprintf("k%d", n-1-i) }},
	// One key has many values.
	{"values",
		func(i int) string { return fmt.Sprintf("k=v%d:NoExecute", i) },
		func(i, n int) string { return fmt.Sprintf("k=v%d:NoExecute for %ds", n-1-i, i) }},
	// Each toleration occurs twice, with different seconds.
	{"repeats",
		func(i int) string { return fmt.Sprintf("k=%d:NoExecute", i) },
		func(i, n int) string { return fmt.Sprintf("k=%d:NoExecute for %ds", i%(n/2), i) }},
	// One key has many integers, and no bound matches any of them.
	{"bounds",
		func(i int) string { return fmt.Sprintf("k=%d:NoExecute", i) },
		func(i, n int) string {
			if i%2 == 0 {
				return fmt.Sprintf("k=%d:NoExecute op=Gt", n+i)
			}
			return fmt.Sprintf("k=-%d:NoExecute op=Lt", i)
		}},
	// Bounds of one key overlap, each with its own seconds.
	{"ranges",
		func(i int) string { return fmt.Sprintf("k=%d:NoExecute", i) },
		func(i, n int) string {
			return fmt.Sprintf("k=%d:NoExecute op=%s for %ds", i, [...]string{"Lt", "Gt"}[i%2], i)
		}},
	// Bounds of one key rise and seconds fall, so that few cover others.
	{"falling",
		func(i int) string { return fmt.Sprintf("k=%d:NoExecute", i) },
		func(i, n int) string {
			return fmt.Sprintf("k=%d:NoExecute op=%s for %ds", i, [...]string{"Lt", "Gt"}[i%2], n-i)
		}},
	// Each toleration covers all earlier ones.
	{"nested",
		func(i int) string { return fmt.Sprintf("k=%d:NoExecute", i) },
		func(i, n int) string { return fmt.Sprintf("k=%d:NoExecute op=Gt for %ds", n-1-i, i) }},
	// All earlier tolerations cover each toleration.
	{"covered",
		func(i int) string { return fmt.Sprintf("k=%d:NoExecute", i) },
		func(i, n int) string { return fmt.Sprintf("k=%d:NoExecute op=Gt for %ds", i, i) }},
	// Tolerations of one key differ only in their seconds.
	{"seconds",
		func(i int) string { return fmt.Sprintf("k%d:NoExecute", i) },
		func(i, n int) string { return fmt.Sprintf("k0:NoExecute op=Exists for %ds", n-1-i) }},
	// No toleration has a key, and none has the effect of the taints.
	{"keyless",
		func(i int) string { return fmt.Sprintf("k%d=v%d:NoSchedule", i, i) },
		func(i, n int) string { return fmt.Sprintf(":NoExecute op=Exists for %ds", i) }},
	// The tolerations prevent the default seconds.
	{"suppress",
		func(i int) string { return fmt.Sprintf("node.kubernetes.io/not-ready=v%d:NoExecute", i) },
		func(i, n int) string { return fmt.Sprintf("node.kubernetes.io/not-ready=v%d", n+i) }},
	// This is a mixture.
	{"mixed",
		func(i int) string {
			return fmt.Sprintf([...]string{"k=%d:NoExecute", "l=%d:NoSchedule", "o%d:NoExecute"}[i%3], i)
		},
		func(i, n int) string {
			return fmt.Sprintf([...]string{"k=%d:NoExecute for 7s", "k=%d op=Lt", "l=%d op=Gt", ":NoExecute op=Exists for %ds", "other%d op=Exists"}[i%5], i)
		}},
}

// An input is n values of each kind, to be passed to the functions.
type input struct {
	n           int
	taints      taint.List
	few         taint.List // eight taints
	tolerations toleration.List
	reversed    toleration.List
	observed    []eviction.Observed
	conditions  []condition.Condition
	edits       []taint.Edit
	texts       []string // the text of edits
	names       []string // the names of extended resources
	taintsJSON  []byte
	podJSON     []byte
	listJSON    []byte
}

func (s shape) input(n int) *input {
	in := &input{n: n}
	for i := range n {
		t := taint.MustParse(s.taint(i))
		in.taints = append(in.taints, t)
		in.tolerations = append(in.tolerations, toleration.MustParse(s.toleration(i, n)))
		in.observed = append(in.observed, eviction.Observed{Taint: t, Since: now})
		in.conditions = append(in.conditions, condition.Condition{Type: "c" + strconv.Itoa(i), Status: condition.StatusTrue})
		in.edits = append(in.edits, taint.Add(t))
		in.texts = append(in.texts, t.String())
		in.names = append(in.names, fmt.Sprintf("example.com/r%d", n-1-i))
	}
	in.few = in.taints[:min(n, 8)]
	in.reversed = slices.Clone(in.tolerations)
	slices.Reverse(in.reversed)
	in.taintsJSON, in.listJSON = list(in.taints), list(in.tolerations)
	in.podJSON = fmt.Appendf(nil, `{"spec":{"tolerations":%s}}`, in.listJSON)
	return in
}

// list returns the JSON of a list of values.
func list[T interface{ AppendJSON([]byte) []byte }](values []T) []byte {
	var b bytes.Buffer
	b.WriteByte('[')
	for i, v := range values {
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(v.AppendJSON(nil))
	}
	b.WriteByte(']')
	return b.Bytes()
}
