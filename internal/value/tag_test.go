package value_test

import (
	"fmt"
	"testing"

	"github.com/go-tolerate/tolerate/internal/value"
)

func TestTagOf(t *testing.T) {
	const (
		effectBits = 0b11
		keyBits    = (1<<11 - 1) << 2
		valueBits  = (1<<11 - 1) << 13
	)
	texts := []string{"", "a", "b", "ab", "abc", "acc", "gpu", "gpt", "dedicated", "dedicatee", "eedicated",
		"node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable", "node.kubernetes.io/disk-pressure"}
	tags := make(map[uint32]string)
	for _, key := range texts {
		for _, val := range texts {
			for e := range uint8(4) {
				bits := value.TagOf(key, val, e)
				if bits >= 1<<24 || bits&value.TagEffect != uint32(e) || value.TagEffect != effectBits {
					t.Errorf("TagOf(%q, %q, %d) = %#x", key, val, e, bits)
				}
				if key == "" && bits&keyBits != 0 || val == "" && bits&valueBits != 0 {
					t.Errorf("TagOf(%q, %q, %d) = %#x has bits for what is absent", key, val, e, bits)
				}
				name := fmt.Sprintf("%q %q %d", key, val, e)
				if other, taken := tags[bits]; taken {
					t.Errorf("%s and %s have the tag %#x", other, name, bits)
				}
				tags[bits] = name
			}
		}
	}
}

var sink uint32

// Not to be run in parallel with anything.
func TestAllocs(t *testing.T) {
	if got := testing.AllocsPerRun(100, func() { sink = value.TagOf("node.kubernetes.io/not-ready", "gpu", 3) }); got != 0 {
		t.Errorf("TagOf: %v allocations, want 0", got)
	}
}
