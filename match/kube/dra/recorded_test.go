package dra_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/go-tolerate/tolerate/internal/tests/recorded"
	"github.com/go-tolerate/tolerate/match/eviction"
	"github.com/go-tolerate/tolerate/match/kube/dra"
	"github.com/go-tolerate/tolerate/validate"
)

// Kubernetes' answers are recorded in bench/recorded.

type (
	taintList      = []resourcev1.DeviceTaint
	tolerationList = []resourcev1.DeviceToleration
)

// as returns the struct with the same JSON.
func as[T any](from any) (to T) {
	data, err := json.Marshal(from)
	if err == nil {
		err = json.Unmarshal(data, &to)
	}
	if err != nil {
		panic(err)
	}
	return to
}

func TestTolerates_recorded(t *testing.T) { t.Run("G3_G4_G13", testToleratesRecorded) }

func testToleratesRecorded(t *testing.T) {
	matched, closed := 0, 0
	recorded.Each(t, "match-device", func(_ recorded.Header, c recorded.DeviceMatch) error {
		tolerations := as[tolerationList](c.Tolerations)
		for i, one := range as[taintList](c.Taints) {
			invalid := slices.Contains(c.InvalidTaints, i)
			if err := dra.ValidateTaints(taintList{one}); (err != nil) != invalid && !isUnknown(err) {
				return fmt.Errorf("taint %d: %v", i, err)
			}
			for j := range tolerations {
				u := &tolerations[j]
				invalidToo := slices.Contains(c.InvalidTolerations, j)
				if err := dra.ValidateTolerations(tolerationList{*u}); (err != nil) != invalidToo {
					return fmt.Errorf("toleration %d: %v", j, err)
				}
				got, want := dra.Tolerates(u, &one), c.Matches[i*len(tolerations)+j] == '1'
				if got != want && (got || !invalid && !invalidToo) {
					return fmt.Errorf("%+v on %+v: %v, want %v", u, one, got, want)
				}
				if got {
					matched++
				} else if want {
					closed++
				}
			}
		}
		return nil
	})
	if matched < 600 || closed < 5 {
		t.Errorf("%d match, %d only in Kubernetes", matched, closed)
	}
}

// isUnknown reports whether the only problem is the effect, which an update can keep.
func isUnknown(err error) bool {
	ps, _ := err.(validate.Problems)
	return len(ps) == 1 && ps[0].Rule == validate.NameUnknown
}

func TestValidate_recorded(t *testing.T) { t.Run("G1_G2_G4", testValidateRecorded) }

func testValidateRecorded(t *testing.T) {
	valid := 0
	recorded.Each(t, "validate-device", func(_ recorded.Header, c recorded.DeviceValidate) error {
		want, got := map[string]string{}, map[string]string{}
		for _, cause := range c.Causes {
			want[cause.Field] = cause.Reason
		}
		for _, err := range []error{dra.ValidateTaints(as[taintList](c.Taints)), dra.ValidateTolerations(as[tolerationList](c.Tolerations))} {
			ps, _ := err.(validate.Problems)
			for _, p := range ps {
				switch p.Rule {
				case validate.EffectMissing:
					got[p.Path] = "FieldValueRequired"
				case validate.NameUnknown:
					got[p.Path] = "FieldValueNotSupported"
				default:
					got[p.Path] = "FieldValueInvalid"
				}
			}
		}
		if len(want) == 0 {
			valid++
		}
		if !maps.Equal(got, want) {
			return fmt.Errorf("%v, want %v", got, want)
		}
		return nil
	})
	if valid < 200 {
		t.Errorf("%d are valid", valid)
	}
}

func TestAllocatable_recorded(t *testing.T) { t.Run("G4_G6", testAllocatableRecorded) }

func testAllocatableRecorded(t *testing.T) {
	allocated := 0
	recorded.Each(t, "allocate-device", func(_ recorded.Header, c recorded.DeviceAllocate) error {
		first := ""
		for _, d := range slices.Backward(c.Devices) {
			if dra.Allocatable(as[taintList](d.Taints), as[tolerationList](c.Tolerations)) {
				first = d.Device
			}
		}
		if first != "" {
			allocated++
		}
		if first != c.Device {
			return fmt.Errorf("%q, want %q", first, c.Device)
		}
		return nil
	})
	if allocated < 200 {
		t.Errorf("%d are allocated", allocated)
	}
}

func TestDecide_recorded(t *testing.T) { t.Run("G4_G7_G8_G9", testDecideRecorded) }

func testDecideRecorded(t *testing.T) {
	kinds, differences := map[eviction.DecisionKind]int{}, map[string]int{}
	recorded.Each(t, "evict-device", func(_ recorded.Header, c recorded.DeviceEvict) error {
		own := map[dra.ID][]resourcev1.DeviceTaint{}
		used := claim(nil)
		for i, d := range c.Devices {
			id := dra.ID{Driver: d.Driver, Pool: d.Pool, Device: d.Device}
			own[id] = as[taintList](d.Taints)
			one := claim(as[tolerationList](c.Tolerations[i]), id).Status.Allocation.Devices.Results
			used.Status.Allocation.Devices.Results = append(used.Status.Allocation.Devices.Results, one...)
		}
		var rules []dra.Rule
		for _, r := range c.Rules {
			rule := dra.Rule{Taint: as[resourcev1.DeviceTaint](r.Taint)}
			if r.Selector != nil {
				selector := as[dra.Selector](r.Selector)
				rule.Selector = &selector
			}
			rules = append(rules, rule)
		}
		now := time.Unix(1_800_000_300, 5).UTC()
		d, _ := dra.Decide(now, []*resourcev1.ResourceClaim{used}, func(id dra.ID) []resourcev1.DeviceTaint { return own[id] }, rules)
		want := eviction.Decision{}
		if c.At != "" {
			at, err := time.Parse(time.RFC3339, c.At)
			if err != nil {
				return err
			}
			want = eviction.NewDecision(at, now)
		}
		for _, id := range c.Differences {
			differences[id]++
			if want = (eviction.Decision{}); c.Ours != 0 {
				want = eviction.NewDecision(time.Unix(c.Ours, 0), now)
			}
		}
		kinds[d.Kind()]++
		if d != want {
			return fmt.Errorf("%v, want %v", d, want)
		}
		return nil
	})
	for _, kind := range []eviction.DecisionKind{eviction.Never, eviction.Due, eviction.At} {
		if kinds[kind] < 50 {
			t.Errorf("%d cases of %v", kinds[kind], kind)
		}
	}
	if differences["G7-no-effect"] == 0 || differences["G8-overflow"] == 0 {
		t.Errorf("cases of differences: %v", differences)
	}
}

// The examples of section G of SEMANTICS.md are right.
func TestExamples(t *testing.T) {
	text, err := os.ReadFile("../../../SEMANTICS.md")
	if err != nil {
		t.Fatal(err)
	}
	columns := regexp.MustCompile(` {2,}`)
	_, rows, _ := strings.Cut(string(text), "request's tolerations ")
	rows, _, _ = strings.Cut(rows, "\n```")
	lines := strings.Split(rows, "\n")[1:]
	if len(lines) < 5 {
		t.Errorf("%d examples", len(lines))
	}
	for _, line := range lines {
		cells := columns.Split(line, -1)
		t.Run(cells[0], func(t *testing.T) {
			own, list := taints(cells[1]), tolerations(strings.TrimPrefix(cells[2], "none"))
			for i := range own {
				own[i].TimeAdded = &metav1.Time{Time: noon}
			}
			d, _ := dra.Decide(noon, []*resourcev1.ResourceClaim{claim(list, dra.ID{})}, func(dra.ID) []resourcev1.DeviceTaint { return own }, nil)
			allocatable, evicted := "no", d.String()
			if dra.Allocatable(own, list) {
				allocatable = "yes"
			}
			if at, ok := d.Deadline(); ok {
				evicted = strings.ReplaceAll(fmt.Sprintf("after %.0f s", at.Sub(noon).Seconds()), "after 0 s", "now")
			}
			if allocatable != cells[3] || evicted != cells[4] {
				t.Errorf("%s\ngot %s %s", line, allocatable, evicted)
			}
		})
	}
}
