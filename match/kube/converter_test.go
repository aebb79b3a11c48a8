package kube_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"pgregory.net/rapid"

	"github.com/go-tolerate/tolerate/internal/memory"
	"github.com/go-tolerate/tolerate/match/kube"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// history is a property: a Converter returns what the functions return, whatever it
// converted before. Lists repeat, also with one field changed.
func history(t *rapid.T) { converted(t, false) }

// oneHash is history in which different lists have the same hash.
func oneHash(t *rapid.T) { converted(t, true) }

func converted(t *rapid.T, collide bool) {
	c := kube.NewConverter(rapid.SampledFrom([]int{-1, 0, 1, 1, 1, 5, 64}).Draw(t, "entries"))
	var taints [][]corev1.Taint
	var tolerations [][]corev1.Toleration
	for range rapid.IntRange(1, 30).Draw(t, "steps") {
		n, p := &corev1.Node{}, &corev1.Pod{}
		n.Spec.Taints, p.Spec.Tolerations = similar(t, taints, coreTaint), similar(t, tolerations, coreToleration)
		taints, tolerations = append(taints, n.Spec.Taints), append(tolerations, p.Spec.Tolerations)
		n.Spec.Unschedulable = rapid.Bool().Draw(t, "cordoned")
		text := taintText(t, n.Spec.Taints)
		if collide {
			c.CollideText(text)
		}
		parsed, err := c.ParseTaint(text)
		wantParsed, wantErr := taint.Parse(text)
		compare(t, parsed, wantParsed, err, wantErr)
		if collide {
			c.CollideTaints(n.Spec.Taints)
			c.CollideTolerations(p.Spec.Tolerations)
		}
		node, err := c.Node(n)
		want, wantErr := kube.Node(n)
		compare(t, node, want, err, wantErr)
		pod, err := c.Pod(p)
		wantPod, wantErr := kube.Pod(p)
		compare(t, pod, wantPod, err, wantErr)
		if rapid.IntRange(0, 3).Draw(t, "modify") == 3 {
			modify(t, n.Spec.Taints, coreTaint)
			modify(t, p.Spec.Tolerations, coreToleration)
		}
	}
}

// taintText draws a text with the fields of one of the taints, or another text.
func taintText(t *rapid.T, taints []corev1.Taint) string {
	u := coreTaint(t)
	if len(taints) > 0 {
		u = rapid.SampledFrom(taints).Draw(t, "taint")
	}
	equals := rapid.SampledFrom([]string{"=", "=", "=", "", ":", "=="}).Draw(t, "equals")
	colon := rapid.SampledFrom([]string{":", ":", ":", ":", "", "="}).Draw(t, "colon")
	return u.Key + equals + u.Value + colon + string(u.Effect)
}

// similar draws a list: a new one, or a copy of an earlier one, unchanged or with
// one element or one field replaced.
func similar[C any](t *rapid.T, earlier [][]C, elem func(*rapid.T) C) []C {
	if len(earlier) == 0 || rapid.IntRange(0, 3).Draw(t, "new") == 3 {
		return drawn(t, elem)
	}
	list := slices.Clone(rapid.SampledFrom(earlier).Draw(t, "earlier"))
	if rapid.Bool().Draw(t, "changed") {
		modify(t, list, elem)
	}
	return list
}

// modify replaces an element of the list, or one field of it.
func modify[C any](t *rapid.T, list []C, elem func(*rapid.T) C) {
	if len(list) == 0 {
		return
	}
	at := &list[rapid.IntRange(0, len(list)-1).Draw(t, "element")]
	drawn := elem(t)
	v := reflect.ValueOf(at).Elem()
	if field := rapid.IntRange(0, v.NumField()).Draw(t, "field"); field < v.NumField() {
		v.Field(field).Set(reflect.ValueOf(drawn).Field(field))
	} else {
		*at = drawn
	}
}

func compare(t *rapid.T, got, want any, err, wantErr error) {
	if diff := cmp.Diff(want, got); diff != "" || fmt.Sprint(err) != fmt.Sprint(wantErr) {
		t.Fatalf("errors %v and %v, values mismatch (-want +got):\n%s", wantErr, err, diff)
	}
}

func TestConverter(t *testing.T) {
	t.Run("history", func(t *testing.T) { rapid.Check(t, history) })
	t.Run("one_hash", func(t *testing.T) { rapid.Check(t, oneHash) })
}

// These are the smallest differences between two lists with the same hash.
func TestConverter_differences(t *testing.T) {
	one, two := int64(1), int64(2)
	second := func(n int64) *metav1.Time { return &metav1.Time{Time: time.Unix(n, 0)} }
	taints := [][]corev1.Taint{
		{{Key: "a", Value: "b", Effect: "NoExecute"}},
		{{Key: "c", Value: "b", Effect: "NoExecute"}},
		{{Key: "a", Value: "c", Effect: "NoExecute"}},
		{{Key: "a", Value: "b", Effect: "NoSchedule"}},
		{{Key: "a", Value: "b", Effect: "Noexecute"}},
		{{Key: "a", Value: "b", Effect: "NoExecute", TimeAdded: second(0)}},
		{{Key: "a", Value: "b", Effect: "NoExecute", TimeAdded: second(1)}},
		{{Key: "a", Value: "b", Effect: "NoExecute"}, {Key: "c", Effect: "NoExecute"}},
		{{Key: "c", Effect: "NoExecute"}, {Key: "a", Value: "b", Effect: "NoExecute"}},
	}
	tolerations := [][]corev1.Toleration{
		{{Key: "a", Operator: "Gt", Value: "1", Effect: "NoExecute"}},
		{{Key: "b", Operator: "Gt", Value: "1", Effect: "NoExecute"}},
		{{Key: "a", Operator: "Lt", Value: "1", Effect: "NoExecute"}},
		{{Key: "a", Operator: "Equal", Value: "1", Effect: "NoExecute"}},
		{{Key: "a", Value: "1", Effect: "NoExecute"}},
		{{Key: "a", Operator: "GT", Value: "1", Effect: "NoExecute"}},
		{{Key: "a", Operator: "Gt", Value: "2", Effect: "NoExecute"}},
		{{Key: "a", Operator: "Gt", Value: "1"}},
		{{Key: "a", Operator: "Gt", Value: "1", Effect: "NoExecute", TolerationSeconds: &one}},
		{{Key: "a", Operator: "Gt", Value: "1", Effect: "NoExecute", TolerationSeconds: &two}},
		{{Key: "a", Operator: "Gt", Value: "1", Effect: "NoExecute", TolerationSeconds: new(int64)}},
	}
	pairs(t, taints, (*kube.Converter).Taints, kube.Taints, (*kube.Converter).CollideTaints)
	pairs(t, tolerations, (*kube.Converter).Tolerations, kube.Tolerations, (*kube.Converter).CollideTolerations)
	texts := []string{
		"a=b:NoExecute", "c=b:NoExecute", "a=c:NoExecute", "a=b:NoSchedule", "a=b:Noexecute", "a=b:", "a=b", "a:NoExecute", "a=:NoExecute",
		"a=b=:NoExecute", "a=b:NoExecute:", "a::NoExecute", "=b:NoExecute", ":NoExecute", "", "ab:NoExecute", "a=bNo:Execute", "a=b:PreferNoSchedule",
	}
	pairs(t, texts, (*kube.Converter).ParseTaint, taint.Parse, (*kube.Converter).CollideText)
}

// pairs converts each element after each other element.
func pairs[C, V any](t *testing.T, lists []C, method func(*kube.Converter, C) (V, error), plain func(C) (V, error), collide func(*kube.Converter, C)) {
	for _, first := range lists {
		for _, second := range lists {
			c := kube.NewConverter(1)
			_, _ = method(c, first)
			collide(c, second)
			got, err := method(c, second)
			want, wantErr := plain(second)
			if diff := cmp.Diff(want, got); diff != "" || fmt.Sprint(err) != fmt.Sprint(wantErr) {
				t.Errorf("%+v after %+v: errors %v and %v, mismatch (-want +got):\n%s", second, first, wantErr, err, diff)
			}
		}
	}
}

// A hit returns the same memory, to which appending does not write; errors and long
// lists are converted again.
func TestConverter_shared(t *testing.T) {
	c := kube.NewConverter(8)
	n := decodedNode(taint.List{taint.MustParse("a:NoSchedule"), taint.MustParse("b:NoSchedule"), taint.MustParse("c:NoSchedule")})
	first, _ := c.Taints(n.Spec.Taints)
	_ = append(first, taint.MustParse("d:NoSchedule"))
	second, _ := c.Taints(n.Spec.Taints)
	if &first[0] != &second[0] || cap(second) != len(second) {
		t.Errorf("same memory: %v, length %d, capacity %d", &first[0] == &second[0], len(second), cap(second))
	}
	for i, none := range []*kube.Converter{{}, kube.NewConverter(0), kube.NewConverter(-1)} {
		first, _ = none.Taints(n.Spec.Taints)
		second, _ = none.Taints(n.Spec.Taints)
		if &first[0] == &second[0] {
			t.Errorf("Converter %d, which has no entries, remembers a list", i)
		}
	}
	for length, want := range map[int]bool{64: true, 65: false} {
		p := decodedPod(slices.Repeat(toleration.List{toleration.MustParse("op=Exists")}, length))
		first, _ := c.Pod(p)
		second, _ := c.Pod(p)
		if got := &first[0] == &second[0]; got != want || len(second) != length {
			t.Errorf("a list of %d tolerations is remembered: %v, want %v", length, got, want)
		}
	}
}

// A text, and lists of only this taint, share an entry.
func TestConverter_ParseTaint(t *testing.T) {
	c := kube.NewConverter(8)
	for _, text := range []string{"a=b:NoExecute", "c:NoSchedule", "c=:NoSchedule", "a=b:NoExecute", "a=-:NoExecute", "a=b", ""} {
		_, _ = c.ParseTaint(text)
	}
	list := []corev1.Taint{{Key: "a", Value: "b", Effect: "NoExecute"}}
	first, _ := c.Taints(list)
	if got, _ := c.Taints(list); c.Remembered() != 2 || &got[0] != &first[0] {
		t.Errorf("%d lists are remembered, want 2", c.Remembered())
	}
	dated := []corev1.Taint{{Key: "a", Value: "b", Effect: "NoExecute", TimeAdded: &metav1.Time{Time: time.Unix(1, 0)}}}
	if _, err := c.Taints(dated); err != nil || c.Remembered() != 3 {
		t.Errorf("%v, %d lists are remembered, want 3", err, c.Remembered())
	}
	if got, err := c.ParseTaint("a=b:NoExecute"); err != nil || got != first[0] {
		t.Errorf("ParseTaint = %v, %v, want %v", got, err, first[0])
	}
}

// A list with an error is converted again, and replaces no other list.
func TestConverter_errors(t *testing.T) {
	c := kube.NewConverter(1)
	valid := []corev1.Taint{{Key: "a", Effect: "NoSchedule"}}
	first, _ := c.Taints(valid)
	for i := range 100 {
		invalid := []corev1.Taint{{Key: "a", Effect: "NoSchedule"}, {Key: "b", Value: fmt.Sprint("-", i), Effect: "NoSchedule"}}
		one, err := c.Taints(invalid)
		if one[0] = (taint.Taint{}); err == nil {
			t.Fatal("no error")
		}
		if again, err := c.Taints(invalid); err == nil || again[0].IsZero() {
			t.Fatalf("an error is remembered: %v, %v", again, err)
		}
	}
	if again, _ := c.Taints(valid); &again[0] != &first[0] {
		t.Error("lists with errors took the place of a valid one")
	}
}

// In the steady state of a fleet, nearly every list is a hit.
func TestConverter_hits(t *testing.T) {
	c := kube.NewConverter(4 * 600)
	var nodes []*corev1.Node
	var pods []*corev1.Pod
	for i := range 600 {
		nodes = append(nodes, decodedNode(taint.List{taint.MustNew("dedicated", fmt.Sprintf("pool-%d-production", i), taint.NoSchedule)}))
		pods = append(pods, decodedPod(toleration.List{toleration.MustNew("dedicated", toleration.Equal, fmt.Sprint(i), 0)}))
	}
	passes, misses := 20, 0
	before := map[*corev1.Node]*taint.Taint{}
	beforePods := map[*corev1.Pod]*toleration.Toleration{}
	for pass := range passes {
		for i := range nodes {
			n, _ := c.Node(nodes[i])
			p, _ := c.Pod(pods[i])
			if pass == passes-1 && (&n.Taints[0] != before[nodes[i]] || &p[0] != beforePods[pods[i]]) {
				misses++
			}
			before[nodes[i]], beforePods[pods[i]] = &n.Taints[0], &p[0]
		}
	}
	if misses > 60 {
		t.Errorf("%d of 600 lists are converted again", misses)
	}
}

// The documentation states the memory of an empty Converter, and of lists of four
// tolerations.
func TestConverter_size(t *testing.T) {
	const entries, lists = 1 << 16, 2_000
	before := memory.InUse()
	c := kube.NewConverter(entries)
	if got := memory.InUse() - before; got > 17*entries {
		t.Errorf("%d bytes for %d entries, want 16 for each", got, entries)
	}
	pods := make([][]corev1.Toleration, lists)
	for i := range pods {
		seconds := int64(i)
		for j := range 4 {
			pods[i] = append(pods[i], corev1.Toleration{Key: fmt.Sprint("k", j), Value: fmt.Sprint(i % 50), Effect: "NoExecute", TolerationSeconds: &seconds})
		}
	}
	before = memory.InUse()
	for _, p := range pods {
		_, _ = c.Tolerations(p)
	}
	if got := (memory.InUse() - before) / lists; got > 200 {
		t.Errorf("%d bytes for each list of four, want about 160", got)
	}
	runtime.KeepAlive(c)
	runtime.KeepAlive(pods)
}

// The number of entries bounds the memory, which contains none of the callers' strings.
func TestConverter_memory(t *testing.T) {
	const entries, most = 64, 256 << 10
	c := kube.NewConverter(entries)
	before := memory.InUse()
	for i := range 2_000 {
		text := strings.Repeat("x", 1<<16) + fmt.Sprint("key", i)
		key := text[1<<16:]
		_, errTaints := c.Taints([]corev1.Taint{{Key: key, Value: key, Effect: "NoSchedule"}})
		_, errText := c.ParseTaint(text[1<<16-1:] + "=:NoExecute")
		_, errTolerations := c.Tolerations([]corev1.Toleration{{Key: key, Value: key}})
		if errTaints != nil || errText != nil || errTolerations != nil {
			t.Fatal(errTaints, errText, errTolerations)
		}
	}
	if grown := memory.InUse() - before; grown > most {
		t.Errorf("%d bytes for %d entries", grown, entries)
	}
	runtime.KeepAlive(c)
}

// The concurrent callers have lists of their own. Some lists are equal, and all compete
// for a few entries. The race detector must find no race.
func TestConverter_concurrent(t *testing.T) {
	c := kube.NewConverter(8)
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			rng := rand.New(rand.NewPCG(1, uint64(g)))
			for range 5_000 {
				value := fmt.Sprint(rng.IntN(12))
				n := &corev1.Node{Spec: corev1.NodeSpec{Taints: []corev1.Taint{{Key: "a", Value: value, Effect: "NoExecute"}}}}
				p := &corev1.Pod{Spec: corev1.PodSpec{Tolerations: []corev1.Toleration{{Key: "a", Operator: "Gt", Value: value}}}}
				if rng.IntN(8) == 0 {
					n.Spec.Taints[0].Effect = "NoAdmit"
				}
				node, err := c.Node(n)
				if want, wantErr := kube.Node(n); !slices.Equal(node.Taints, want.Taints) || (err == nil) != (wantErr == nil) {
					t.Errorf("taints %v, %v, want %v, %v", node.Taints, err, want.Taints, wantErr)
				}
				text := fmt.Sprintf("a=%s:%s", value, n.Spec.Taints[0].Effect)
				parsed, err := c.ParseTaint(text)
				if want, wantErr := taint.Parse(text); parsed != want || (err == nil) != (wantErr == nil) {
					t.Errorf("%q is %v, %v, want %v, %v", text, parsed, err, want, wantErr)
				}
				pod, err := c.Pod(p)
				if want, _ := kube.Pod(p); !slices.Equal(pod, want) || err != nil {
					t.Errorf("tolerations %v, %v, want %v", pod, err, want)
				}
				n.Spec.Taints[0].Value, p.Spec.Tolerations[0].Value = "changed", "changed"
			}
		})
	}
	wg.Wait()
}

// The vet command reports copies of a Converter.
func TestConverter_vet(t *testing.T) {
	if testing.Short() {
		t.Skip("needs the go command")
	}
	file := filepath.Join(t.TempDir(), "copied.go")
	source := `package copied

import "github.com/go-tolerate/tolerate/match/kube"

func Copy(c *kube.Converter) { d := *c; d.Node(nil) }
`
	if err := os.WriteFile(file, []byte(source), 0o666); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("go", "vet", file).CombinedOutput()
	if want := "assignment copies lock value"; err == nil || !strings.Contains(string(out), want) {
		t.Errorf("go vet: %v, %s; want %q", err, out, want)
	}
}
