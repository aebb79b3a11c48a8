package kubernetes_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/kubernetes/pkg/apis/resource"
	resourceapiv1 "k8s.io/kubernetes/pkg/apis/resource/v1"
	"k8s.io/kubernetes/pkg/apis/resource/validation"

	"github.com/go-tolerate/tolerate/bench/kubernetes/upstream"
	"github.com/go-tolerate/tolerate/match/kube/dra"
)

// fieldsUnder returns the fields of the errors without this prefix.
func fieldsUnder(errs field.ErrorList, prefix string) (map[string]bool, error) {
	paths := map[string]bool{}
	for _, e := range errs {
		rest, ok := strings.CutPrefix(e.Field, prefix)
		if !ok {
			return nil, fmt.Errorf("a problem elsewhere: %w", e)
		}
		paths[rest] = true
	}
	return paths, nil
}

// internalSlice returns the slice as the API server validates it.
func internalSlice(lists ...[]resourcev1.DeviceTaint) *resource.ResourceSlice {
	var devices []resourcev1.Device
	for i, list := range lists {
		devices = append(devices, resourcev1.Device{Name: fmt.Sprint("device-", i), Taints: list})
	}
	slice := deviceSlice("driver.example.com", "pool", devices...)
	slice.Name, slice.ResourceVersion = "slice", "1"
	resourceapiv1.SetObjectDefaults_ResourceSlice(slice)
	out := &resource.ResourceSlice{}
	if err := resourceapiv1.Convert_v1_ResourceSlice_To_resource_ResourceSlice(slice, out, nil); err != nil {
		panic(err)
	}
	return out
}

// deviceTaintList makes a list for a new device; some are too long.
func (g *gen) deviceTaintList() []resourcev1.DeviceTaint {
	n := g.IntN(4)
	if g.in(16) {
		n = 15 + g.IntN(3)
	}
	list := make([]resourcev1.DeviceTaint, n)
	for i := range list {
		list[i] = g.deviceTaint()
		if g.in(2) && !knownEffect(list[i].Effect) {
			list[i].Effect = resourcev1.DeviceTaintEffectNone
		}
		if g.in(4 * n) {
			g.spoilDeviceTaint(&list[i])
		}
	}
	return list
}

// validatesDevice compares the validation of a device's taints. An update can keep them
// as they are. If a list is too long, Kubernetes reports nothing else (G5-too-many).
func validatesDevice(theirs []resourcev1.DeviceTaint, kept bool, errs field.ErrorList) string {
	const prefix = "spec.devices[0].taints"
	want, err := fieldsUnder(errs, prefix)
	if err != nil {
		return err.Error()
	}
	got := map[string]bool{}
	if !kept {
		for path := range ourPaths(problemsOf(dra.ValidateTaints(theirs))) {
			got[strings.TrimPrefix(path, "taints")] = true
		}
	}
	if want[""] { // too many
		maps.DeleteFunc(got, func(path string, _ bool) bool { return path != "" })
	}
	return samePaths(want, got)
}

func TestValidateDeviceTaints_G1_G4_G5(t *testing.T) {
	t.Parallel()
	var valid, long, unknown share
	conform(t, objects, func(g *gen) string {
		theirs := g.deviceTaintList()
		errs := validation.ValidateResourceSlice(internalSlice(theirs))
		valid.count(len(errs) == 0)
		long.count(len(theirs) > 16)
		unknown.count(slices.ContainsFunc(errs, func(e *field.Error) bool { return e.Type == field.ErrorTypeNotSupported }))
		if diff := validatesDevice(theirs, false, errs); diff != "" {
			return fmt.Sprintf("%+v: %v: %s", theirs, errs.ToAggregate(), diff)
		}
		return ""
	})
	valid.within(t, "are valid", 0.2, 0.9)
	long.within(t, "are too long", 0.005, 0.2)
	unknown.within(t, "have an unknown effect", 0.05, 0.8)
}

// A later version may have stored the object: it has unknown effects, or is too long. From
// 1.38 on, an update keeps it only with the other devices of its slice.
func TestValidateDeviceTaintsUpdate_G4_G5(t *testing.T) {
	t.Parallel()
	var accepted, kept, other share
	conform(t, objects, func(g *gen) string {
		old := make([]resourcev1.DeviceTaint, g.IntN(4))
		if g.in(16) {
			old = make([]resourcev1.DeviceTaint, 15+g.IntN(3))
		}
		for i := range old {
			old[i] = g.deviceTaint()
			old[i].TimeAdded = &metav1.Time{Time: time.Unix(1_000_000_000, 0)} // Kubernetes sets a default
		}
		theirs := slices.Clone(old)
		if !g.in(3) {
			g.changeDeviceTaints(&theirs)
		}
		before, after := []resourcev1.DeviceTaint{}, []resourcev1.DeviceTaint{} // those of another device
		if g.in(2) {
			after = append(after, resourcev1.DeviceTaint{Key: "k", Effect: "NoExecute", TimeAdded: &metav1.Time{Time: time.Unix(1_000_000_000, 0)}})
		}
		errs := validation.ValidateResourceSliceUpdate(internalSlice(theirs, after), internalSlice(old, before))
		same := equality.Semantic.DeepEqual(theirs, old)
		other.count(same && len(errs) > 0)
		unknown := slices.ContainsFunc(theirs, func(t resourcev1.DeviceTaint) bool { return !knownEffect(t.Effect) })
		accepted.count(len(errs) == 0)
		kept.count(len(errs) == 0 && (unknown || len(theirs) > 16))
		if diff := validatesDevice(theirs, same && (len(after) == 0 || !upstream.From138), errs); diff != "" {
			return fmt.Sprintf("%+v to %+v, others %+v: %v: %s", old, theirs, after, errs.ToAggregate(), diff)
		}
		return ""
	})
	if upstream.From138 {
		other.within(t, "are rejected because of another device", 0.02, 0.5)
	} else {
		other.within(t, "are rejected because of another device", 0, 0)
	}
	accepted.within(t, "are accepted", 0.2, 0.95)
	kept.within(t, "are accepted for what they keep", 0.02, 0.8)
}

// changeDeviceTaints makes the list to which a device's taints are updated.
func (g *gen) changeDeviceTaints(list *[]resourcev1.DeviceTaint) {
	if len(*list) == 0 || g.in(3) {
		added := g.deviceTaint()
		added.TimeAdded = &metav1.Time{Time: time.Unix(1_000_000_000, 0)}
		*list = append(*list, added)
		return
	}
	i := g.IntN(len(*list))
	switch g.IntN(5) {
	case 0:
		*list = slices.Delete(*list, i, i+1)
	case 1:
		(*list)[i].TimeAdded = &metav1.Time{Time: time.Unix(1_000_000_001, 0).In(time.FixedZone("", 3600))}
	case 2:
		(*list)[i].TimeAdded = &metav1.Time{Time: time.Unix(1_000_000_000, 0).In(time.FixedZone("", 3600))}
	case 3:
		g.Shuffle(len(*list), func(i, j int) { (*list)[i], (*list)[j] = (*list)[j], (*list)[i] })
	case 4:
		g.spoilDeviceTaint(&(*list)[i])
	}
}

// The tolerations are those of a request, and of each alternative of another request.
func TestValidateDeviceTolerations_G2_G5_G10(t *testing.T) {
	t.Parallel()
	var valid share
	conform(t, objects, func(g *gen) string {
		lists := make([][]resourcev1.DeviceToleration, 2)
		for k := range lists {
			lists[k] = make([]resourcev1.DeviceToleration, g.IntN(4))
			for i := range lists[k] {
				lists[k][i] = g.deviceToleration()
				if g.in(5) {
					g.spoilDeviceToleration(&lists[k][i])
				}
			}
		}
		claim := &resourcev1.ResourceClaim{}
		claim.Name, claim.Namespace = "claim", "default"
		claim.Spec.Devices.Requests = []resourcev1.DeviceRequest{
			{Name: "a", Exactly: &resourcev1.ExactDeviceRequest{DeviceClassName: "c", Tolerations: slices.Clone(lists[0])}},
			{Name: "b", FirstAvailable: []resourcev1.DeviceSubRequest{{Name: "s", DeviceClassName: "c", Tolerations: slices.Clone(lists[1])}}},
		}
		resourceapiv1.SetObjectDefaults_ResourceClaim(claim)
		internal := &resource.ResourceClaim{}
		if err := resourceapiv1.Convert_v1_ResourceClaim_To_resource_ResourceClaim(claim, internal, nil); err != nil {
			return err.Error()
		}
		errs := validation.ValidateResourceClaim(internal)
		valid.count(len(errs) == 0)
		want, err := fieldsUnder(errs, "spec.devices.requests")
		if err != nil {
			return err.Error()
		}
		got := map[string]bool{}
		for k, prefix := range []string{"[0].exactly.tolerations", "[1].firstAvailable[0].tolerations"} {
			for path := range ourPaths(problemsOf(dra.ValidateTolerations(lists[k]))) {
				got[prefix+strings.TrimPrefix(path, "tolerations")] = true
			}
		}
		if diff := samePaths(want, got); diff != "" {
			return fmt.Sprintf("%+v: %v: %s", lists, errs.ToAggregate(), diff)
		}
		return ""
	})
	valid.within(t, "are valid", 0.2, 0.9)
}

// theirRule makes a rule with this taint as the API server validates it.
func theirRule(selector *resourcev1.DeviceTaintSelector, t resourcev1.DeviceTaint) *resource.DeviceTaintRule {
	rule := &resourcev1.DeviceTaintRule{Spec: resourcev1.DeviceTaintRuleSpec{DeviceSelector: selector, Taint: t}}
	rule.Name = "rule"
	resourceapiv1.SetObjectDefaults_DeviceTaintRule(rule)
	out := &resource.DeviceTaintRule{}
	if err := resourceapiv1.Convert_v1_DeviceTaintRule_To_resource_DeviceTaintRule(rule, out, nil); err != nil {
		panic(err)
	}
	return out
}

// validatesRule compares the validation of a rule's taint. An update can keep the old
// effect, if that is not empty.
func validatesRule(t resourcev1.DeviceTaint, old resourcev1.DeviceTaintEffect, errs field.ErrorList) string {
	want, err := fieldsUnder(errs, "spec.")
	if err != nil {
		return err.Error()
	}
	got := map[string]bool{}
	for _, p := range problemsOf((&dra.Rule{Taint: t}).Validate()) {
		if p.Path != "taint.effect" || t.Effect == "" || t.Effect != old {
			got[p.Path] = true
		}
	}
	return samePaths(want, got)
}

func TestValidateDeviceTaintRule_G1_G4(t *testing.T) {
	t.Parallel()
	var valid, updated share
	conform(t, objects, func(g *gen) string {
		tnt := g.deviceTaint()
		switch {
		case g.in(20):
			tnt = resourcev1.DeviceTaint{}
		case g.in(2):
			g.spoilDeviceTaint(&tnt)
		}
		errs := validation.ValidateDeviceTaintRule(theirRule(nil, tnt))
		valid.count(len(errs) == 0)
		if diff := validatesRule(tnt, "", errs); diff != "" {
			return fmt.Sprintf("%+v: %v: %s", tnt, errs.ToAggregate(), diff)
		}

		old := g.deviceTaint()
		if g.in(2) {
			tnt.Effect = old.Effect
		}
		before, after := theirRule(nil, old), theirRule(nil, tnt)
		before.ResourceVersion, after.ResourceVersion = "1", "1"
		errs = validation.ValidateDeviceTaintRuleUpdate(after, before)
		updated.count(len(errs) == 0 && !knownEffect(tnt.Effect))
		if diff := validatesRule(tnt, old.Effect, errs); diff != "" {
			return fmt.Sprintf("%+v to %+v: %v: %s", old, tnt, errs.ToAggregate(), diff)
		}
		return ""
	})
	valid.within(t, "are valid", 0.2, 0.9)
	updated.within(t, "keep an unknown effect", 0.02, 0.5)
}

// Kubernetes also checks the form of names (G9-names).
func TestValidateDeviceSelector_G9(t *testing.T) {
	t.Parallel()
	var valid, empty share
	conform(t, objects, func(g *gen) string {
		theirs := &resourcev1.DeviceTaintSelector{}
		for _, p := range []**string{&theirs.Driver, &theirs.Pool, &theirs.Device} {
			if g.in(2) {
				name := g.one("a", "a.example.com", "device-0", "", "a/b", "-", "A b")
				*p = &name
			}
		}
		errs := validation.ValidateDeviceTaintRule(theirRule(theirs, resourcev1.DeviceTaint{Key: "k", Effect: "NoExecute"}))
		errs = slices.DeleteFunc(errs, func(e *field.Error) bool { return fmt.Sprint(e.BadValue) != "" })
		want, err := fieldsUnder(errs, "spec.")
		if err != nil {
			return err.Error()
		}
		ours := (&dra.Rule{Selector: (*dra.Selector)(theirs), Taint: resourcev1.DeviceTaint{Key: "k", Effect: "NoExecute"}}).Validate()
		valid.count(ours == nil)
		empty.count(ours != nil)
		if diff := samePaths(want, ourPaths(problemsOf(ours))); diff != "" {
			return fmt.Sprintf("%+v: %v: %s", theirs, errs.ToAggregate(), diff)
		}
		return ""
	})
	valid.within(t, "are valid", 0.2, 0.95)
	empty.within(t, "have an empty field", 0.05, 0.8)
}
