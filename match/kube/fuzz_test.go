package kube_test

import (
	"fmt"
	"testing"

	"github.com/go-tolerate/tolerate/internal/gen"
	"github.com/go-tolerate/tolerate/match/kube"
	"github.com/go-tolerate/tolerate/taint"
)

// FuzzTaints compares Taints with what the structs' JSON reads as.
func FuzzTaints(f *testing.F) { gen.Fuzz(f, taintsProperty) }

// FuzzTolerations is FuzzTaints for tolerations.
func FuzzTolerations(f *testing.F) { gen.Fuzz(f, tolerationsProperty) }

// FuzzConverter compares a Converter with the functions, over a history of lists.
func FuzzConverter(f *testing.F) { gen.Fuzz(f, history) }

// FuzzConverter_ParseTaint compares ParseTaint with taint.Parse, after another text
// that has the same hash.
func FuzzConverter_ParseTaint(f *testing.F) {
	f.Add("a=b:NoExecute", "a=b:NoSchedule")
	f.Add("a:NoExecute", "a=:NoExecute")
	f.Add("a/b=c:PreferNoSchedule", "a/b=c:PreferNoSchedule:")
	f.Fuzz(func(t *testing.T, before, s string) {
		c := kube.NewConverter(1)
		for _, text := range []string{before, s, s, before} {
			c.CollideText(text)
			got, err := c.ParseTaint(text)
			if want, wantErr := taint.Parse(text); got != want || fmt.Sprint(err) != fmt.Sprint(wantErr) {
				t.Errorf("ParseTaint(%q) = %v, %v, want %v, %v", text, got, err, want, wantErr)
			}
		}
	})
}
