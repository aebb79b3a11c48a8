package kubernetes_test

import (
	"fmt"
	"strconv"
	"testing"

	"k8s.io/apimachinery/pkg/api/validate/content"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/go-tolerate/tolerate/validate"
)

// This compares the rules for single values, for texts near the valid ones and for all
// short texts.
func TestValues(t *testing.T) {
	keys := append(append([]string{"example.com/Key_1.x", "a-b.c-d/e"}, goodKeys...), badKeys...)
	values := append(append([]string{}, goodValues...), badValues...)
	ints := append(append([]string{}, integers...), badInts...)
	for _, rule := range []struct {
		name   string
		near   []string
		ours   func(string) error
		theirs func(string) bool
	}{
		{"V1_key", keys, validate.Key, func(s string) bool { return len(validation.IsQualifiedName(s)) == 0 }},
		{"V2_value", values, validate.Value, func(s string) bool { return len(validation.IsValidLabelValue(s)) == 0 }},
		{"V3_integer", ints, func(s string) error {
			n, err := validate.Integer(s)
			if want, _ := strconv.ParseInt(s, 10, 64); err == nil && n != want {
				return fmt.Errorf("it is %d, want %d", n, want)
			}
			return err
		}, isInteger},
	} {
		t.Run(rule.name, func(t *testing.T) {
			t.Parallel()
			var valid share
			try := func(s string) string {
				want, err := rule.theirs(s), rule.ours(s)
				valid.count(want)
				if (err == nil) != want {
					return fmt.Sprintf("%q: Kubernetes accepts: %v, ours says %v", s, want, err)
				}
				return ""
			}
			conform(t, pure, func(g *gen) string { return try(g.text(rule.near)) })
			valid.within(t, "are valid", 0.1, 0.9)
			short(func(s string) {
				if diff := try(s); diff != "" {
					t.Error(diff)
				}
			})
		})
	}
}

// isInteger is what Kubernetes requires of the value of Lt and Gt.
func isInteger(s string) bool {
	_, err := strconv.ParseInt(s, 10, 64)
	return err == nil && len(content.IsDecimalInteger(s)) == 0
}

// short calls f with every text of up to two bytes, and with every text of up
// to five bytes of a small alphabet.
func short(f func(string)) {
	f("")
	for a := range 256 {
		f(string([]byte{byte(a)}))
		for b := range 256 {
			f(string([]byte{byte(a), byte(b)}))
		}
	}
	const alphabet = "aZ09-._/ \n"
	var all func(prefix []byte, n int)
	all = func(prefix []byte, n int) {
		if n == 0 {
			f(string(prefix))
			return
		}
		for i := range len(alphabet) {
			all(append(prefix, alphabet[i]), n-1)
		}
	}
	for n := 3; n <= 5; n++ {
		all(nil, n)
	}
}
