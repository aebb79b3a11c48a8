package taint_test

import (
	"math"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/go-tolerate/tolerate/internal/tests/contract"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/validate"
)

func TestNew(t *testing.T) {
	for _, value := range []string{"b", ""} {
		got, err := taint.New("example.com/a", value, taint.NoExecute)
		if err != nil || got.Key() != "example.com/a" || got.Value() != value || got.Effect() != taint.NoExecute {
			t.Errorf("V6: New = %v, %v", got, err)
		}
		if same, err := taint.From("example.com/a", value, "NoExecute"); same != got || err != nil {
			t.Errorf("V6: From = %v, %v, want %v", same, err, got)
		}
	}
	const want = `taint.From: key "-a": the name must begin and end with a letter or digit
taint.From: value "b/": must contain only letters, digits, '-', '_' and '.'
taint.From: unknown effect "NO_SCHEDULE", did you mean NoSchedule? (allowed: NoSchedule, PreferNoSchedule, NoExecute)`
	if got, err := taint.From("-a", "b/", "NO_SCHEDULE"); err == nil || err.Error() != want || !got.IsZero() {
		t.Errorf("V10: From = %v, %v, want %s", got, err, want)
	}
	if got, err := taint.New("a", "", taint.Effect(4)); err == nil || !got.IsZero() {
		t.Errorf("V4: New accepts an unknown effect: %v, %v", got, err)
	}
}

func TestParse(t *testing.T) {
	t.Run("K1_recorded", recordedParse)
	for text, want := range map[string]string{
		"": " Syntax", "k=v=w:NoSchedule": "value InvalidValue", "=v:NoSchedule": "key InvalidKey", "k:NoSchedule ": "effect NameUnknown",
	} {
		got, err := taint.Parse(text)
		if reports := strings.Join(contract.Reports(err), ", "); !got.IsZero() || reports != want {
			t.Errorf("Parse(%q) = %v, %v, want the problem %s", text, got, err, want)
		}
	}
}

func TestMustParse(t *testing.T) {
	got := contract.Panic(func() { taint.MustParse("k") })
	if _, ok := got.(validate.Problems); !ok {
		t.Errorf("MustParse of bad text panics with %v", got)
	}
}

func TestTaint_WithTimeAdded(t *testing.T) {
	base := taint.MustParse("k=v:NoExecute")
	west := time.FixedZone("", -3600)
	for _, at := range []time.Time{
		{}, time.Unix(0, 0), time.Date(2026, 1, 2, 3, 4, 5, 999999999, west), time.Date(1969, 12, 31, 23, 59, 59, 500, time.UTC),
		time.Date(1, 1, 1, 0, 0, 1, 0, time.UTC), time.Date(0, 12, 31, 23, 0, 1, 0, west), time.Date(0, 12, 31, 23, 59, 59, 0, time.UTC),
		time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC), time.Date(9999, 12, 31, 23, 30, 0, 0, west), time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC),
		time.Unix(math.MaxInt64, 0), time.Unix(math.MinInt64, 0),
	} {
		got, err := base.WithTimeAdded(at)
		if want := at.UTC().Truncate(time.Second); want.Year() < 1 || want.Year() > 9999 {
			if ps, _ := err.(validate.Problems); !got.IsZero() || len(ps) != 1 || ps[0].Rule != validate.TimeRange {
				t.Errorf("V6: WithTimeAdded(%v) = %v, %v", at, got, err)
			}
			continue
		} else if err != nil || got.TimeAdded() != want {
			t.Errorf("V6: WithTimeAdded(%v).TimeAdded() = %v, %v, want %v", at, got.TimeAdded(), err, want)
		}
		if got.Canonical() != base || got.Key() != "k" || got.Value() != "v" || got.Effect() != taint.NoExecute {
			t.Errorf("WithTimeAdded(%v) changes more than the time: %v", at, got)
		}
		if back, err := got.WithTimeAdded(time.Time{}); back != base || err != nil {
			t.Errorf("WithTimeAdded(zero) = %v, %v, want %v", back, err, base)
		}
	}
	if got, err := (taint.Taint{}).WithTimeAdded(time.Unix(1, 0)); !got.IsZero() || err == nil {
		t.Errorf("the zero Taint accepts a time: %v, %v", got, err)
	}
	if got, err := (taint.Taint{}).WithTimeAdded(time.Time{}); !got.IsZero() || err != nil {
		t.Errorf("the zero Taint loses no time: %v, %v", got, err)
	}
}

func TestParseCloudEffect(t *testing.T) {
	for e, name := range map[taint.Effect]string{taint.NoSchedule: "NO_SCHEDULE", taint.PreferNoSchedule: "PREFER_NO_SCHEDULE", taint.NoExecute: "NO_EXECUTE"} {
		if got, err := taint.ParseCloudEffect(name); got != e || err != nil {
			t.Errorf("V4: ParseCloudEffect(%q) = %v, %v", name, got, err)
		}
	}
	for _, name := range []string{"", "NoSchedule", "no_schedule", "EFFECT_UNSPECIFIED"} {
		if got, err := taint.ParseCloudEffect(name); got != 0 || err == nil {
			t.Errorf("V4: ParseCloudEffect(%q) = %v, %v", name, got, err)
		}
	}
}

func TestTaint_Canonical(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	plain := taint.MustParse("k=v:NoExecute")
	timed := must(plain.WithTimeAdded(at))
	if plain == timed || timed != must(taint.MustParse("k=v:NoExecute").WithTimeAdded(at.In(time.FixedZone("", 60)))) {
		t.Error("R1: == is not identity as written")
	}
	if plain.Canonical() != timed.Canonical() || timed.Canonical() != plain {
		t.Error("R1: the time added is in the canonical form")
	}
	for _, tt := range []struct {
		text string
		want bool
	}{{"k=v:NoExecute", true}, {"k=w:NoExecute", true}, {"k:NoExecute", true}, {"k=v:NoSchedule", false}, {"l=v:NoExecute", false}} {
		if got := timed.SameKeyEffect(taint.MustParse(tt.text)); got != tt.want {
			t.Errorf("V8: SameKeyEffect(%s) = %t, want %t", tt.text, got, tt.want)
		}
	}
	if one, edit := unsafe.Sizeof(plain), unsafe.Sizeof(taint.Edit{}); unsafe.Sizeof(uintptr(0)) == 8 && (one != 24 || edit != 32) {
		t.Errorf("a Taint has %d bytes; its documentation says 24. An Edit has %d", one, edit)
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
