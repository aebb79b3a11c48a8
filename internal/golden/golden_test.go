package golden_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-tolerate/tolerate/internal/golden"
)

// A recorder is a test that records its failures.
type recorder struct {
	testing.TB
	failures string
}

func (r *recorder) Helper() {}

func (r *recorder) Errorf(format string, args ...any) { r.failures += fmt.Sprintf(format, args...) }

func (r *recorder) Fatal(args ...any) { r.failures += fmt.Sprint(args...) }

func TestCheck(t *testing.T) {
	file := filepath.Join(t.TempDir(), "want.txt")
	check := func(got string) string {
		r := &recorder{TB: t}
		golden.Check(r, file, got)
		return r.failures
	}
	if failures := check("a\n"); !strings.Contains(failures, file) {
		t.Errorf("without a file: %q", failures)
	}
	update := func(value string) {
		if err := flag.Set("update", value); err != nil {
			t.Fatal(err)
		}
	}
	update("true")
	defer update("false")
	if failures := check("a\nb\n"); failures != "" {
		t.Error(failures)
	}
	update("false")
	if data, err := os.ReadFile(file); err != nil || string(data) != "a\nb\n" {
		t.Errorf("wrote %q, %v", data, err)
	}
	if failures := check("a\nb\n"); failures != "" {
		t.Error(failures)
	}
	if failures := check("a\nc\n"); !strings.Contains(failures, "-b\n+c\n") || !strings.Contains(failures, "-update") || !strings.Contains(failures, file) {
		t.Errorf("another text: %q", failures)
	}
	for _, same := range []string{"b\na\n", "a\nb\nb\n"} {
		if failures := check(same); !strings.Contains(failures, "order or number") {
			t.Errorf("%q: %q", same, failures)
		}
	}
}
