package kubernetes_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/util/flag"
	"k8s.io/kubernetes/pkg/util/taints"

	"github.com/go-tolerate/tolerate/taint"
)

// taintText makes the text of a taint, or a similar text.
func (g *gen) taintText() string {
	s := g.taint()
	if g.in(4) {
		g.spoilTaint(&s)
	}
	text := s.ToString()
	switch g.IntN(12) {
	case 0:
		text = g.text([]string{text})
	case 1:
		text = s.Key + "=:" + string(s.Effect)
	case 2:
		text = s.Key + "=" + s.Value + g.one("", ":", "::", ":"+string(s.Effect)+":")
	case 3:
		text += g.one("-", " ", "=", ":")
	case 4:
		text = strings.Replace(text, ":", g.one("=", "", " ", "::", "=v:"), 1)
	}
	return text
}

// everyText calls f with the text, and every text that has up to n parts more.
func everyText(text string, n int, f func(text string)) {
	if f(text); n > 0 {
		for _, part := range []string{"k", "v", "=", ":", "NoSchedule", "-", "/", " "} {
			everyText(text+part, n-1, f)
		}
	}
}

// ParseTaints parses one taint to be added. A text that ends in "-" is a removal, not a
// taint, and the library rejects it.
func TestParseTaints_K1_K5_V1_V2_V4(t *testing.T) {
	t.Parallel()
	var valid, edits share
	try := func(s string) string {
		add, remove, err := taints.ParseTaints([]string{s})
		got, gerr := taint.Parse(s)
		valid.count(err == nil && len(add) == 1)
		edits.count(len(remove) > 0)
		switch {
		case err != nil || len(add) == 0:
			if gerr == nil || !got.IsZero() {
				return fmt.Sprintf("%q: Kubernetes %v, %v; ours %v", s, err, remove, got)
			}
		case gerr != nil:
			return fmt.Sprintf("%q: Kubernetes %v, ours %v", s, add, gerr)
		default:
			want, err := ourTaint(add[0])
			if err != nil || got != want || got.String() != add[0].ToString() {
				return fmt.Sprintf("%q: Kubernetes %v, ours %v", s, add, got)
			}
		}
		return ""
	}
	conform(t, pure, func(g *gen) string { return try(g.taintText()) })
	valid.within(t, "are taints", 0.3, 0.9)
	edits.within(t, "are edits", 0.001, 0.2)
	everyText("", 5, func(text string) {
		if diff := try(text); diff != "" {
			t.Error(diff)
		}
	})
}

// This parses the kubelet's flag for the taints with which it registers its node.
func TestRegisterWithTaints_K6(t *testing.T) {
	t.Parallel()
	var valid share
	conform(t, pure, func(g *gen) string {
		texts := make([]string, g.IntN(4))
		for i := range texts {
			good := g.taint()
			if texts[i] = good.ToString(); g.in(10) {
				texts[i] = g.taintText()
			}
			if i > 0 && g.in(10) {
				texts[i] = texts[i-1]
			}
		}
		parts := strings.Split(strings.Join(texts, ","), ",") // a damaged text can contain a comma
		for i, part := range parts {
			if strings.HasSuffix(part, "-") {
				parts[i] += ":" // otherwise the kubelet would omit it (K6-edits)
			}
		}
		s := strings.Join(parts, ",")
		var theirs []corev1.Taint
		err := flag.RegisterWithTaintsVar{Value: &theirs}.Set(s)
		valid.count(err == nil && len(theirs) > 1)
		got, gerr := taint.ParseList(s)
		want, ps := ourTaints(theirs)
		if (err == nil) != (gerr == nil) || ps != nil || !slices.Equal(got, want) {
			return fmt.Sprintf("%q: Kubernetes %v %v, ours %v %v", s, theirs, err, got, gerr)
		}
		if err == nil {
			if again, err := taint.ParseList(got.String()); err != nil || !slices.Equal(again, got) {
				return fmt.Sprintf("%q: written as %q, which reads as %v %v", s, got.String(), again, err)
			}
		}
		return ""
	})
	valid.within(t, "are lists of several", 0.2, 0.9)
}
