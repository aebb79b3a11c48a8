package taint_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/go-tolerate/tolerate/taint"
)

func TestTag(t *testing.T) {
	texts := []string{"", "a", "b", "ab", "abc", "acc", "gpu", "gpt", "dedicated", "dedicatee", "eedicated",
		"node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable", "node.kubernetes.io/disk-pressure"}
	tags := make(map[uint32]string)
	for _, key := range texts {
		for _, value := range texts {
			for e := taint.Effect(0); e <= taint.NoExecute; e++ {
				tag := taint.TagOf(key, value, e)
				if tag >= 1<<taint.TagBits || tag&taint.TagEffect != uint32(e) {
					t.Errorf("TagOf(%q, %q, %v) = %#x", key, value, e, tag)
				}
				if key == "" && tag&taint.TagKey != 0 || value == "" && tag&taint.TagValue != 0 {
					t.Errorf("TagOf(%q, %q, %v) = %#x has bits for what is absent", key, value, e, tag)
				}
				name := fmt.Sprintf("%q %q %v", key, value, e)
				if other, taken := tags[tag]; taken {
					t.Errorf("%s and %s have the tag %#x", other, name, tag)
				}
				tags[tag] = name
			}
		}
	}
}

func TestTaintTag(t *testing.T) {
	if tag := (taint.Taint{}).Tag(); tag != 0 {
		t.Errorf("zero Taint's Tag() = %#x, want 0", tag)
	}
	u := taint.MustParse("dedicated=gpu:NoExecute")
	timed, err := u.WithTimeAdded(time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC))
	if err != nil {
		t.Fatal(err)
	}
	want := taint.TagOf("dedicated", "gpu", taint.NoExecute)
	if u.Tag() != want || timed.Tag() != want || timed.Canonical() != u || timed.Effect() != taint.NoExecute {
		t.Errorf("tags %#x and, with a time added, %#x, want %#x", u.Tag(), timed.Tag(), want)
	}
}

func ExampleTaint_Tag() {
	a := taint.MustParse("dedicated=gpu:NoSchedule")
	b := taint.MustParse("dedicated=gpu:NoExecute")
	fmt.Println(a.Tag() == b.Tag(), a.Tag() == taint.TagOf("dedicated", "gpu", taint.NoSchedule))
	// Output: false true
}
