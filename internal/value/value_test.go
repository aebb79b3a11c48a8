package value_test

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/go-tolerate/tolerate/internal/problem"
	"github.com/go-tolerate/tolerate/internal/tests/measure"
	"github.com/go-tolerate/tolerate/internal/value"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

func TestTagOf(t *testing.T) {
	const (
		effectBits = 0b11
		keyBits    = (1<<11 - 1) << 2
		valueBits  = (1<<11 - 1) << 13
		integerBit = 1 << 24
	)
	texts := []string{"", "a", "b", "ab", "gpu", "dedicated", "node.kubernetes.io/not-ready"}
	for _, key := range texts {
		for _, val := range texts {
			for e := range uint8(4) {
				bits := value.TagOf(key, val, e)
				if bits >= 1<<25 || bits&value.TagEffect != uint32(e) || value.TagEffect != effectBits {
					t.Errorf("TagOf(%q, %q, %d) = %#x", key, val, e, bits)
				}
				if key == "" && bits&keyBits != 0 || val == "" && bits&valueBits != 0 {
					t.Errorf("TagOf(%q, %q, %d) = %#x has bits of an absent part", key, val, e, bits)
				}
				if bits&integerBit != 0 {
					t.Errorf("TagOf(%q, %q, %d) = %#x says that the value is an integer", key, val, e, bits)
				}
			}
		}
	}
	// A thousand random hashes have about 790 values.
	keys, values := map[uint32]bool{}, map[uint32]bool{}
	for i := range 1000 {
		s := fmt.Sprint("node.kubernetes.io/", i)
		keys[value.TagOf(s, "", 0)] = true
		values[value.TagOf("", s, 0)] = true
	}
	if len(keys) < 700 || len(values) < 700 {
		t.Errorf("a thousand texts have %d tags as keys, %d as values", len(keys), len(values))
	}
}

// The tags are others in each run, so that nobody can choose texts with equal tags.
func TestTagOf_seed(t *testing.T) {
	tags := ""
	for i := range 10 {
		tags += fmt.Sprintf("%#x ", value.TagOf(fmt.Sprint("k", i), "", 0))
	}
	if os.Getenv("PRINT_TAGS") != "" {
		fmt.Println(tags)
		return
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestTagOf_seed$")
	cmd.Env = append(os.Environ(), "PRINT_TAGS=1")
	out, err := cmd.Output()
	if err != nil || !strings.Contains(string(out), "0x") || strings.Contains(string(out), tags) {
		t.Errorf("another run prints %s, %v; the tags here are %s", out, err, tags)
	}
}

var sink uint32

// The test must not run in parallel with another test.
func TestAllocs(t *testing.T) {
	measure.Allocs(t, "TagOf", 0, func() { sink = value.TagOf("node.kubernetes.io/not-ready", "gpu", 3) })
}

// An operator that this package does not know matches nothing.
func TestNewToleration(t *testing.T) {
	for op := 0; op < 256; op++ {
		u := value.NewToleration("k", uint8(op), "1", 1)
		if zero, known := u == (value.Toleration{}), op == 0 || toleration.Operator(op).IsValid(); zero == known {
			t.Errorf("V5: operator %d: %v", op, u)
		}
	}
}

// A tag is unchanged if the time added fills all of its bits.
func TestTaint_Tag(t *testing.T) {
	if tag := (value.Taint{}).Tag(); tag != 0 {
		t.Errorf("zero Taint's Tag() = %#x, want 0", tag)
	}
	u := taint.MustParse("dedicated=gpu:NoExecute")
	timed := problem.Must(u.WithTimeAdded(time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC)))
	want := value.TagOf("dedicated", "gpu", uint8(taint.NoExecute))
	a, b := value.Taint(u), value.Taint(timed)
	if a.Tag() != want || b.Tag() != want || b.Canonical() != a || b.Effect() != a.Effect() {
		t.Errorf("tags %#x and, with a time added, %#x, want %#x", a.Tag(), b.Tag(), want)
	}
}
