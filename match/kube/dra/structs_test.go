package dra_test

import (
	"cmp"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"pgregory.net/rapid"

	"github.com/go-tolerate/tolerate/internal/tests/gen"
	"github.com/go-tolerate/tolerate/match/kube/dra"
)

func TestMain(m *testing.M) { gen.Main(m, 2000) }

var noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

// taints reads taints as SEMANTICS.md has them, such as ecc=3:NoExecute, separated by commas. After @ are seconds
// after noon, the time added.
func taints(list string) (all []resourcev1.DeviceTaint) {
	for _, text := range fields(list) {
		text, at, timed := strings.Cut(text, "@")
		text, effect, _ := strings.Cut(text, ":")
		key, value, _ := strings.Cut(text, "=")
		t := resourcev1.DeviceTaint{Key: key, Value: value, Effect: resourcev1.DeviceTaintEffect(effect)}
		if timed {
			t.TimeAdded = &metav1.Time{Time: noon.Add(time.Duration(integer(at)) * time.Second)}
		}
		all = append(all, t)
	}
	return all
}

var tolerationText = regexp.MustCompile(`^(?:([^ =:]*)(?:=([^ :]*))?(?::([^ ]*))?)??(?:(?:^| )op=([^ ]+))?(?:(?:^| )for (-?\d+)s)?$`)

// tolerations reads tolerations as SEMANTICS.md has them, such as ecc:NoExecute op=Exists for 60s.
func tolerations(list string) (all []resourcev1.DeviceToleration) {
	for _, text := range fields(list) {
		m := tolerationText.FindStringSubmatch(text)
		u := resourcev1.DeviceToleration{
			Key: m[1], Value: m[2], Effect: resourcev1.DeviceTaintEffect(m[3]), Operator: resourcev1.DeviceTolerationOperator(m[4]),
		}
		if m[5] != "" {
			n := integer(m[5])
			u.TolerationSeconds = &n
		}
		all = append(all, u)
	}
	return all
}

func fields(list string) []string {
	return strings.FieldsFunc(list, func(r rune) bool { return r == ',' })
}

func integer(text string) int64 {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		panic(err)
	}
	return n
}

// claim returns a claim to which devices are allocated, each with the same tolerations.
func claim(tolerations []resourcev1.DeviceToleration, ids ...dra.ID) *resourcev1.ResourceClaim {
	allocation := &resourcev1.AllocationResult{}
	for _, id := range ids {
		allocation.Devices.Results = append(allocation.Devices.Results, resourcev1.DeviceRequestAllocationResult{
			Driver: id.Driver, Pool: id.Pool, Device: id.Device, Tolerations: tolerations,
		})
	}
	return &resourcev1.ResourceClaim{Status: resourcev1.ResourceClaimStatus{Allocation: allocation}}
}

// What follows draws structs, also such as no API server accepts. They have few keys and values, so that matches
// are common.

var (
	words     = rapid.SampledFrom([]string{"", "", "x", "y"})
	keys      = rapid.SampledFrom([]string{"a", "a", "a", "a", "b", ""})
	effects   = rapid.SampledFrom([]resourcev1.DeviceTaintEffect{"NoExecute", "NoExecute", "NoExecute", "NoSchedule", "NoSchedule", "None", "", "Future"})
	operators = rapid.SampledFrom([]resourcev1.DeviceTolerationOperator{"Exists", "Exists", "Exists", "Equal", "", "Lt"})
	farTimes  = rapid.Map(rapid.SampledFrom([]int64{-1 << 63, 1<<63 - 1, 1<<63 - 1 - 62_135_596_800, -62_135_596_801}), func(n int64) time.Time { return time.Unix(n, 0) })
	times     = rapid.OneOf(gen.Time(), gen.Time(), gen.Time(), farTimes, rapid.Just(time.Time{}))
)

func drawTaint(t *rapid.T) resourcev1.DeviceTaint {
	drawn := resourcev1.DeviceTaint{Key: keys.Draw(t, "key"), Value: words.Draw(t, "value"), Effect: effects.Draw(t, "effect")}
	if rapid.IntRange(0, 3).Draw(t, "timed") > 0 {
		drawn.TimeAdded = &metav1.Time{Time: times.Draw(t, "added")}
	}
	return drawn
}

func drawToleration(t *rapid.T) resourcev1.DeviceToleration {
	return resourcev1.DeviceToleration{
		Key: keys.Draw(t, "key"), Operator: operators.Draw(t, "operator"), Value: words.Draw(t, "value"),
		Effect: effects.Draw(t, "effect"), TolerationSeconds: rapid.Ptr(gen.Seconds(), true).Draw(t, "seconds"),
	}
}

func listOf[C any](t *rapid.T, elem func(*rapid.T) C) []C {
	return rapid.SliceOfN(rapid.Custom(elem), 0, 4).Draw(t, "list")
}

func drawID(t *rapid.T) dra.ID {
	return dra.ID{Driver: words.Draw(t, "driver"), Pool: "p", Device: words.Draw(t, "device")}
}

func drawRule(t *rapid.T) dra.Rule {
	name := rapid.Ptr(words, true)
	r := dra.Rule{Taint: drawTaint(t)}
	if rapid.IntRange(0, 3).Draw(t, "selective") > 0 {
		r.Selector = &dra.Selector{Driver: name.Draw(t, "driver"), Device: name.Draw(t, "device")}
		if rapid.Bool().Draw(t, "pools") {
			pool := rapid.SampledFrom([]string{"p", "p", "q"}).Draw(t, "pool")
			r.Selector.Pool = &pool
		}
	}
	return r
}

// The reference applies section G of SEMANTICS.md, one rule after the other.

// refMatches is G3 with what G13 says of invalid structs.
func refMatches(u resourcev1.DeviceToleration, t resourcev1.DeviceTaint) bool {
	known := u.Effect == "" || u.Effect == "None" || u.Effect == "NoSchedule" || u.Effect == "NoExecute"
	if t.Effect == "" || !known || u.Effect != "" && u.Effect != t.Effect || u.Key != "" && u.Key != t.Key {
		return false
	}
	if u.Operator == "Exists" {
		return u.Value == ""
	}
	return (u.Operator == "" || u.Operator == "Equal") && u.Value == t.Value
}

// refSelects is G9.
func refSelects(s *dra.Selector, id dra.ID) bool {
	return s != nil && *cmp.Or(s.Driver, &id.Driver) == id.Driver && *cmp.Or(s.Pool, &id.Pool) == id.Pool && *cmp.Or(s.Device, &id.Device) == id.Device
}
