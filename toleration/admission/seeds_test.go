package admission_test

import (
	"slices"
	"testing"

	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/taint/condition"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/toleration/admission"
)

func tolerates(l toleration.List, text string) bool {
	return l.Match(taint.MustParse(text)) >= 0
}

// These are the examples of the documents from which users of Kubernetes learn, named
// by what they show.

func dedicateNodes(t *testing.T) {
	d := admission.Dedicate(taint.MustParse("dedicated=groupName:NoSchedule"))
	l := toleration.List{d.Toleration}
	if !tolerates(l, "dedicated=groupName:NoSchedule") || tolerates(l, "dedicated=otherGroup:NoSchedule") {
		t.Errorf("D6: %v opens other nodes than the group's", d.Toleration)
	}
	if d.Labels["dedicated"] != "groupName" {
		t.Errorf("D6: the nodes are labelled %v", d.Labels)
	}
	if d.Key != "dedicated" || !slices.Equal(d.Values, []string{"groupName"}) {
		t.Errorf("D6: the affinity is about %s and %v", d.Key, d.Values)
	}
}

func extendedResourcesHardware(t *testing.T) {
	gpu := "example.com/gpu:NoSchedule"
	for _, tt := range []struct {
		name, resources string
		open            bool
	}{
		{"D4_requests_it", `{"requests":{"example.com/gpu":"1"}}`, true},
		{"D4_limits_it_as_manifests_do", `{"limits":{"example.com/gpu":1}}`, true},
		{"D4_does_not", `{"limits":{"memory":"1Gi"}}`, false},
	} {
		pod, _, err := admission.DecodePod([]byte(`{"spec":{"containers":[{"resources":`+tt.resources+`}]}}`), "")
		if err != nil {
			t.Fatal(err)
		}
		added, err := admission.Plan{}.OnCreate(pod)
		if err != nil || tolerates(added, gpu) != tt.open {
			t.Errorf("%s: %v, %v", tt.name, added, err)
		}
	}
}

func defaultSecondsFiveMinutes(t *testing.T) {
	long := list(condition.Unreachable + ":NoExecute op=Exists for 6000s")
	all := slices.Concat(long, admission.DefaultSeconds(admission.SecondsOptions{}, long))
	for key, want := range map[string]int64{condition.NotReady: 300, condition.Unreachable: 6000} {
		i := all.Match(taint.MustParse(key + ":NoExecute"))
		if i < 0 {
			t.Errorf("D1: %s is not tolerated", key)
		} else if n, ok := all[i].Seconds(); !ok || n != want {
			t.Errorf("D1: %s is tolerated for %d s, %v; want %d", key, n, ok, want)
		}
	}
}

func daemonNotEvicted(t *testing.T) {
	pod := admission.Daemon(admission.DaemonOptions{HostNetwork: true, Critical: true}, list(condition.NotReady+":NoExecute op=Exists for 5s"))
	for _, key := range []string{condition.NotReady, condition.Unreachable} {
		i := pod.Match(taint.MustParse(key + ":NoExecute"))
		if i < 0 {
			t.Fatalf("D2: %s is not tolerated", key)
		}
		if n, ok := pod[i].Seconds(); ok {
			t.Errorf("D2: %s is tolerated for %d s", key, n)
		}
	}
	for _, key := range []string{condition.MemoryPressure, condition.DiskPressure, condition.OutOfDisk, condition.Unschedulable, condition.NetworkUnavailable} {
		if !tolerates(pod, key+":NoSchedule") {
			t.Errorf("D2: %s is not tolerated", key)
		}
	}
	if plain := admission.Daemon(admission.DaemonOptions{}); tolerates(plain, condition.NetworkUnavailable+":NoSchedule") || tolerates(plain, condition.OutOfDisk+":NoSchedule") {
		t.Errorf("D2: %v without host network, not critical", plain)
	}
	// The pod already has the default tolerations.
	check(t, "DefaultSeconds", admission.DefaultSeconds(admission.SecondsOptions{}, pod), "")
}
