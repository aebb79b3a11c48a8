package match_test

import (
	"bytes"
	"encoding/json"
	"math"
	"math/big"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/go-tolerate/tolerate/internal/gen"
	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/toleration/cover"
)

// explainProperty draws a node and a pod, and compares the explanations with the
// reference, and the reasons of a few such nodes. Fuzzing runs it, too.
func explainProperty(t *rapid.T) {
	s := scene().Draw(t, "scene")
	node := match.Node{Taints: s.Taints, Unschedulable: rapid.Bool().Draw(t, "cordoned")}
	explainsAsReference(t, gen.Choice().Draw(t, "choice"), node, s.Tolerations...)

	nodes := []match.Node{node, node, {Taints: s.Taints}}
	for range rapid.IntRange(0, 3).Draw(t, "more") {
		nodes = append(nodes, match.Node{Taints: gen.TaintsAndZeros().Draw(t, "taints"), Unschedulable: rapid.Bool().Draw(t, "cordoned")})
	}
	reasonsAsReference(t, nodes, s.Tolerations...)
}

func TestExplain_property(t *testing.T) { rapid.Check(t, explainProperty) }

// The addition makes the taint tolerated permanently, and decides about it. It is the
// smallest toleration that does this: it is equivalent to the taint's own key, value
// and effect, and every toleration that matches the taint covers it.
func TestExplanation_Addition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := scene().Draw(t, "scene")
		p := gen.Choice().Draw(t, "choice")
		u := gen.Toleration().Draw(t, "toleration")
		for _, one := range s.Taints {
			add := match.Explain(one, p, s.Tolerations...).Addition()
			if add.IsZero() {
				continue
			}
			added := toleration.List{add}
			after := match.Explain(one, p, append(s.Tolerations[:len(s.Tolerations):len(s.Tolerations)], added)...)
			if after.Class != match.Forever || after.Toleration != add || after.At != (match.Position{List: len(s.Tolerations)}) || !after.Addition().IsZero() {
				t.Errorf("with %v added: %+v", add, after)
			}
			equal := toleration.MustParse(one.String())
			if !equivalent(p, added, toleration.List{equal}) {
				t.Errorf("the addition for %v, %v, is not equivalent to %v", one, add, equal)
			}
			near := gen.Near(one).Draw(t, "near")
			for _, u := range []toleration.Toleration{u, near} {
				if u.Tolerates(one) && !cover.Covers(u.WithoutSeconds(), add) {
					t.Errorf("the addition for %v, %v, tolerates more than %v", one, add, u)
				}
			}
		}
	})
}

// fields returns how many of key, effect and value are equal, or 0 if the keys differ.
func fields(u toleration.Toleration, t taint.Taint) (n int) {
	if u.IsZero() || u.Key() != "" && u.Key() != t.Key() {
		return 0
	}
	n = 1
	if u.Effect() == 0 || u.Effect() == t.Effect() {
		n++
	}
	of, err := taint.New(t.Key(), t.Value(), max(u.Effect(), taint.NoSchedule)) // with the effect of u
	if err == nil && u.Tolerates(of) {
		n++
	}
	return n
}

// No toleration has more fields in common with a taint than the nearest one, and no
// earlier one has as many, unless its effect differs.
func TestExplain_nearest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := scene().Draw(t, "scene")
		for _, one := range s.Taints {
			e := match.Explain(one, toleration.First, s.Tolerations...)
			if e.Class != match.NotTolerated || one.IsZero() || e.Miss == match.InvalidToleration {
				continue
			}
			most := fields(e.Toleration, one)
			for l, list := range s.Tolerations {
				for i, u := range list {
					n := fields(u, one)
					before := l < e.At.List || l == e.At.List && i < e.At.Index
					if n > most || n == most && n > 0 && before && (e.Miss == match.OtherEffect || u.Effect() == 0 || u.Effect() == one.Effect()) {
						t.Errorf("%v is nearer to %v than %v", u, one, e.Toleration)
					}
				}
			}
		}
	})
}

// The result is exact if a time can represent it (E7).
func untilProperty(t *testing.T) {
	greatest := big.NewInt(math.MaxInt64 - 62135596800)
	rapid.Check(t, func(t *rapid.T) {
		seconds, start := gen.Seconds().Draw(t, "seconds"), gen.Time().Draw(t, "start")
		u, _ := toleration.MustParse("k:NoExecute").WithSeconds(seconds)
		e := match.Explain(taint.MustParse("k:NoExecute"), toleration.First, toleration.List{u})
		got, ok := e.Until(start)
		want := new(big.Int).Add(big.NewInt(start.Unix()), big.NewInt(max(seconds, 0)))
		switch {
		case ok != (want.Cmp(greatest) <= 0):
			t.Errorf("Until(%v) after %d s: %v, %v", start, seconds, got, ok)
		case ok && (got.Unix() != want.Int64() || got.Nanosecond() != start.Nanosecond() || got.Before(start)):
			t.Errorf("Until(%v) after %d s = %v", start, seconds, got)
		case !ok && !got.Equal(time.Time{}):
			t.Errorf("Until(%v) after %d s = %v, false", start, seconds, got)
		}
	})
}

const secret = "SECRET-"

// disguised returns the scene with other values: each value that is not empty and not
// an integer gets a prefix.
func disguised(t tb, s gen.Scene) (out gen.Scene) {
	must := func(err error) {
		if err != nil {
			t.Errorf("disguised: %v", err)
		}
	}
	for _, one := range s.Taints {
		if _, number := one.Integer(); !number && one.Value() != "" {
			hidden, err := taint.New(one.Key(), secret+one.Value(), one.Effect())
			must(err)
			hidden, err = hidden.WithTimeAdded(one.TimeAdded())
			must(err)
			one = hidden
		}
		out.Taints = append(out.Taints, one)
	}
	for _, list := range s.Tolerations {
		var hidden toleration.List
		for _, u := range list {
			bare, err := taint.New("k", u.Value(), taint.NoSchedule)
			_, number := bare.Integer()
			if err == nil && u.Value() != "" && !number {
				f := gen.FieldsOfToleration(u)
				f.Value = secret + f.Value
				u, err = f.Make()
				must(err)
			}
			hidden = append(hidden, u)
		}
		out.Tolerations = append(out.Tolerations, hidden)
	}
	return out
}

func jsonOf(t tb, v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		t.Errorf("json.Marshal(%v): %v", v, err)
	}
	return b
}

// If values are redacted, other values with the same comparisons give the same text and
// JSON, byte by byte.
func TestExplanation_Redacted_values(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := gen.Scenes().Draw(t, "scene")
		var texts [2]string
		for i, s := range []gen.Scene{s, disguised(t, s)} {
			var b bytes.Buffer
			node := match.Node{Taints: s.Taints}
			reasons := match.Reasons{Redact: true}
			reasons.Add(node.Untolerated(s.Tolerations...))
			b.WriteString(reasons.String())
			for _, r := range reasons.TopReasons(100) {
				b.Write(jsonOf(t, r))
			}
			for e := range node.Explanations(toleration.First, s.Tolerations...) {
				b.WriteString(e.Redacted().String())
				b.Write(jsonOf(t, e.Redacted()))
			}
			texts[i] = b.String()
		}
		if texts[0] != texts[1] || strings.Contains(texts[1], secret) {
			t.Errorf("with other values:\n%s\n%s", texts[0], texts[1])
		}
	})
}

// FuzzExplain searches, among the nodes and pods that TestExplain_property
// draws, for one whose explanation differs from the reference.
func FuzzExplain(f *testing.F) {
	gen.Fuzz(f, explainProperty)
}

// FuzzExplainText does so from text: one taint, and tolerations, one on each line.
// Invalid ones are ignored.
func FuzzExplainText(f *testing.F) {
	f.Add("k=v:NoSchedule", "k=w\nk=v:NoExecute for 5s\nl=v:NoSchedule op=Equal")
	f.Add("k=07:NoExecute", "k=7 op=Gt\nop=Exists")
	f.Add("op=x:NoSchedule", "op=x:NoExecute\nop=y op=\n:NoExecute op=Exists for 3s")
	f.Fuzz(func(t *testing.T, node, pod string) {
		one, err := taint.Parse(node)
		if err != nil {
			return
		}
		var list toleration.List
		for line := range strings.SplitSeq(pod, "\n") {
			if u, err := toleration.Parse(line); err == nil && len(list) < 64 {
				list = append(list, u)
			}
		}
		n := match.Node{Taints: taint.List{one}}
		explainsAsReference(t, toleration.First, n, list)
		reasonsAsReference(t, []match.Node{n, {Unschedulable: true}, n}, list)
	})
}

// equivalent reports whether each of the lists covers the other.
func equivalent(choice toleration.Choice, a, b toleration.List) bool {
	_, inA := cover.UncoveredTaint(a, b, choice)
	_, inB := cover.UncoveredTaint(b, a, choice)
	return !inA && !inB
}
