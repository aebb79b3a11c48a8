package tag_test

import (
	"fmt"
	"testing"

	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/validate/tag"
)

func TestOf(t *testing.T) {
	texts := []string{"", "a", "b", "ab", "abc", "acc", "gpu", "gpt", "dedicated", "dedicatee", "eedicated",
		"node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable", "node.kubernetes.io/disk-pressure"}
	tags := make(map[uint32]string)
	for _, key := range texts {
		for _, value := range texts {
			for e := range uint8(4) {
				bits := tag.Of(key, value, e)
				if bits >= 1<<tag.Bits || bits&tag.Effect != uint32(e) {
					t.Errorf("Of(%q, %q, %d) = %#x", key, value, e, bits)
				}
				if key == "" && bits&tag.Key != 0 || value == "" && bits&tag.Value != 0 {
					t.Errorf("Of(%q, %q, %d) = %#x has bits for what is absent", key, value, e, bits)
				}
				name := fmt.Sprintf("%q %q %d", key, value, e)
				if other, taken := tags[bits]; taken {
					t.Errorf("%s and %s have the tag %#x", other, name, bits)
				}
				tags[bits] = name
			}
		}
	}
}

func ExampleOf() {
	t := taint.MustParse("dedicated=gpu:NoSchedule")
	fmt.Println(t.Tag() == tag.Of("dedicated", "gpu", uint8(taint.NoSchedule)))
	// Output: true
}
