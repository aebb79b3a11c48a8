package taint_test

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/validate"
)

func TestNew(t *testing.T) {
	long := strings.Repeat("x", 64)
	tests := []struct {
		name       string
		key, value string
		effect     string
		want       []string // problems
	}{
		{"V6_all", "example.com/a", "b", "NoExecute", nil},
		{"V6_no_value", "a", "", "NoSchedule", nil},
		{"V6_no_effect", "a", "b", "", []string{"effect: must not be empty (allowed: NoSchedule, PreferNoSchedule, NoExecute)"}},
		{"V1_key", "a/b/c", "", "NoSchedule", []string{`key "a/b/c": must contain at most one '/'`}},
		{"V1_no_key", "", "", "NoSchedule", []string{`key: must not be empty`}},
		{"V2_value", "a", long, "NoSchedule", []string{`value "` + long + `": must be at most 63 bytes long`}},
		{"V4_case", "a", "", "noSchedule", []string{`unknown effect "noSchedule", did you mean NoSchedule? (allowed: NoSchedule, PreferNoSchedule, NoExecute)`}},
		{"V4_cloud_spelling", "a", "", "NO_SCHEDULE", []string{`unknown effect "NO_SCHEDULE", did you mean NoSchedule? (allowed: NoSchedule, PreferNoSchedule, NoExecute)`}},
		{"V10_all_at_once", "-a", "b/", "Never", []string{
			`key "-a": the name must begin and end with a letter or digit`,
			`value "b/": must contain only letters, digits, '-', '_' and '.'`,
			`unknown effect "Never" (allowed: NoSchedule, PreferNoSchedule, NoExecute)`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := taint.From(tt.key, tt.value, tt.effect)
			checkMade(t, "From", got, err, "taint.From: ", tt.want)
			var effect taint.Effect
			if tt.effect != "" && effect.UnmarshalText([]byte(tt.effect)) == nil {
				got, err := taint.New(tt.key, tt.value, effect)
				checkMade(t, "New", got, err, "taint.New: ", tt.want)
				if tt.want == nil && (got.Key() != tt.key || got.Value() != tt.value || got.Effect() != effect) {
					t.Errorf("New = %v", got)
				}
			}
		})
	}
	if _, err := taint.New("a", "", taint.Effect(4)); err == nil {
		t.Error("New accepts an unknown effect")
	}
}

// checkMade requires the problems, each after the prefix, and then the zero value.
func checkMade(t *testing.T, function string, got taint.Taint, err error, prefix string, want []string) {
	t.Helper()
	var lines []string
	if err != nil {
		lines = strings.Split(err.Error(), "\n")
	}
	if !slices.EqualFunc(lines, want, func(line, w string) bool { return line == prefix+w }) {
		t.Errorf("%s: %v, want %q", function, err, want)
	}
	if got.IsZero() != (want != nil) {
		t.Errorf("%s = %v beside %v", function, got, err)
	}
}

func TestParse(t *testing.T) {
	t.Run("K1_recorded", recordedParse)
	tests := []struct {
		text string // K1
		want taint.Taint
	}{
		{"key=value:NoSchedule", must(taint.New("key", "value", taint.NoSchedule))},
		{"key:PreferNoSchedule", must(taint.New("key", "", taint.PreferNoSchedule))},
		{"key=:NoExecute", must(taint.New("key", "", taint.NoExecute))},
		{"example.com/a_b=c.D:NoExecute", must(taint.New("example.com/a_b", "c.D", taint.NoExecute))},
	}
	for _, tt := range tests {
		if got, err := taint.Parse(tt.text); got != tt.want || err != nil {
			t.Errorf("Parse(%q) = %v, %v, want %v", tt.text, got, err, tt.want)
		}
	}

	bad := []struct {
		text string
		rule validate.Rule
		path string
	}{
		{"", validate.Syntax, ""},
		{"key", validate.Syntax, ""},
		{"key=value", validate.Syntax, ""},
		{"key:", validate.Syntax, ""},
		{"k=v:", validate.Syntax, ""},
		{":NoSchedule", validate.Syntax, ""},
		{"k=v=w:NoSchedule", validate.ValueBytes, "value"},
		{"=v:NoSchedule", validate.KeyEmpty, "key"},
		{"k:noschedule", validate.NameUnknown, "effect"},
		{"k:NO_SCHEDULE", validate.NameUnknown, "effect"},
		{"k:NoSchedule:", validate.NameUnknown, "effect"},
		{"k:NoSchedule ", validate.NameUnknown, "effect"},
		{" k:NoSchedule", validate.NameBytes, "key"},
		{"k =v:NoSchedule", validate.NameBytes, "key"},
		{"k= v:NoSchedule", validate.ValueBytes, "value"},
		{"k:NoSchedule\n", validate.NameUnknown, "effect"},
		{"k:NoSchedule-", validate.NameUnknown, "effect"},
	}
	for _, tt := range bad {
		got, err := taint.Parse(tt.text)
		ps, _ := err.(validate.Problems)
		if !got.IsZero() || len(ps) != 1 || ps[0].Rule != tt.rule || ps[0].Path != tt.path {
			t.Errorf("Parse(%q) = %v, %v, want one problem of the rule %q at %q", tt.text, got, err, tt.rule, tt.path)
		}
	}
}

func TestMustParse(t *testing.T) {
	defer func() {
		if err, ok := recover().(validate.Problems); !ok {
			t.Errorf("MustParse of bad text panics with %v", err)
		}
	}()
	taint.MustParse("k")
}

func TestTaint_WithTimeAdded(t *testing.T) {
	base := taint.MustParse("k=v:NoExecute")
	east := time.FixedZone("", 3600)
	tests := []struct {
		name string
		at   time.Time
		want time.Time
		rule validate.Rule
	}{
		{"V6_whole_seconds", time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), 0},
		{"V6_cut_down", time.Date(2026, 1, 2, 3, 4, 5, 999999999, time.UTC), time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), 0},
		{"V6_cut_down_before_1970", time.Date(1969, 12, 31, 23, 59, 59, 500, time.UTC), time.Date(1969, 12, 31, 23, 59, 59, 0, time.UTC), 0},
		{"V6_UTC", time.Date(2026, 1, 2, 3, 4, 5, 0, east), time.Date(2026, 1, 2, 2, 4, 5, 0, time.UTC), 0},
		{"V6_zero_is_absent", time.Time{}, time.Time{}, 0},
		{"V6_epoch_is_a_time", time.Unix(0, 0), time.Date(1970, 1, 1, 0, 0, 0, 0, time.UTC), 0},
		{"V6_first", time.Date(1, 1, 1, 0, 0, 1, 0, time.UTC), time.Date(1, 1, 1, 0, 0, 1, 0, time.UTC), 0},
		{"V6_last", time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC), time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC), 0},
		{"V6_year_10000", time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC), time.Time{}, validate.TimeRange},
		{"V6_year_10000_in_UTC", time.Date(9999, 12, 31, 23, 30, 0, 0, time.FixedZone("", -3600)), time.Time{}, validate.TimeRange},
		{"V6_year_0", time.Date(0, 12, 31, 0, 0, 0, 0, time.UTC), time.Time{}, validate.TimeRange},
		{"V6_far", time.Unix(math.MaxInt64, 0), time.Time{}, validate.TimeRange},
		{"V6_long_ago", time.Unix(math.MinInt64, 0), time.Time{}, validate.TimeRange},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := base.WithTimeAdded(tt.at)
			if tt.rule != 0 {
				if ps, _ := err.(validate.Problems); !got.IsZero() || len(ps) != 1 || ps[0].Rule != tt.rule {
					t.Errorf("WithTimeAdded(%v) = %v, %v", tt.at, got, err)
				}
				return
			}
			if err != nil || got.TimeAdded() != tt.want {
				t.Errorf("WithTimeAdded(%v).TimeAdded() = %v, %v, want %v", tt.at, got.TimeAdded(), err, tt.want)
			}
			if got.Canonical() != base || got.Key() != "k" || got.Value() != "v" || got.Effect() != taint.NoExecute {
				t.Errorf("WithTimeAdded(%v) changes more than the time: %v", tt.at, got)
			}
			if back, err := got.WithTimeAdded(time.Time{}); back != base || err != nil {
				t.Errorf("WithTimeAdded(zero) = %v, %v, want %v", back, err, base)
			}
		})
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
	if unsafe.Sizeof(uintptr(0)) == 8 && unsafe.Sizeof(plain) != 24 {
		t.Errorf("a Taint has %d bytes; its documentation says 24", unsafe.Sizeof(plain))
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
