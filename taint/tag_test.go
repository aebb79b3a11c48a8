package taint_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/validate/tag"
)

func TestTaintTag(t *testing.T) {
	if tag := (taint.Taint{}).Tag(); tag != 0 {
		t.Errorf("zero Taint's Tag() = %#x, want 0", tag)
	}
	u := taint.MustParse("dedicated=gpu:NoExecute")
	timed, err := u.WithTimeAdded(time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC))
	if err != nil {
		t.Fatal(err)
	}
	want := tag.Of("dedicated", "gpu", uint8(taint.NoExecute))
	if u.Tag() != want || timed.Tag() != want || timed.Canonical() != u || timed.Effect() != taint.NoExecute {
		t.Errorf("tags %#x and, with a time added, %#x, want %#x", u.Tag(), timed.Tag(), want)
	}
}

func ExampleTaint_Tag() {
	a := taint.MustParse("dedicated=gpu:NoSchedule")
	b := taint.MustParse("dedicated=gpu:NoExecute")
	fmt.Println(a.Tag() == b.Tag())
	// Output: false
}
