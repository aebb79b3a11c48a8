package admission_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/go-tolerate/tolerate/internal/tests/gen"
	"github.com/go-tolerate/tolerate/internal/tests/recorded"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/toleration/admission"
	"github.com/go-tolerate/tolerate/validate"
)

// Kubernetes' answers are recorded in bench/recorded.

// becomes compares the tolerations with what was recorded.
func becomes(before, after []recorded.Toleration, f func(list toleration.List) toleration.List) error {
	list, err := gen.ReadTolerations(before)
	if err != nil {
		return err
	}
	want, err := gen.ReadTolerations(after)
	if err != nil {
		return err
	}
	if got := f(list); !slices.Equal(got, want) {
		return fmt.Errorf("%v, want %v", got, want)
	}
	return nil
}

func defaultSecondsRecorded(t *testing.T) {
	added := 0
	recorded.Each(t, "default-seconds", func(_ recorded.Header, c recorded.DefaultSeconds) error {
		added += len(c.After) - len(c.Tolerations)
		s := admission.SecondsOptions{NotReady: &c.NotReady, Unreachable: &c.Unreachable}
		return becomes(c.Tolerations, c.After, func(list toleration.List) toleration.List {
			return slices.Concat(list, admission.DefaultSeconds(s, list))
		})
	})
	if added < 100 {
		t.Errorf("only %d are added", added)
	}
}

func daemonRecorded(t *testing.T) {
	recorded.Each(t, "daemon", func(_ recorded.Header, c recorded.Daemon) error {
		return becomes(c.Tolerations, c.After, func(list toleration.List) toleration.List {
			return admission.Daemon(admission.DaemonOptions{HostNetwork: c.HostNetwork}, list)
		})
	})
}

func extendedResourcesRecorded(t *testing.T) {
	added := 0
	recorded.Each(t, "resources", func(_ recorded.Header, c recorded.Resources) error {
		added += len(c.After) - len(c.Tolerations)
		return becomes(c.Tolerations, c.After, func(list toleration.List) toleration.List {
			return slices.Concat(list, extendedResources(c.Resources, list))
		})
	})
	if added < 100 {
		t.Errorf("only %d are added", added)
	}
}

// planned returns the result of a Plan for the recorded pod.
func planned(c recorded.Pod, list toleration.List) (toleration.List, error) {
	annotations := map[string]string{}
	for name, annotated := range map[string][]recorded.Toleration{admission.DefaultsAnnotation: c.Defaults, admission.WhitelistAnnotation: c.Whitelist} {
		if annotated == nil {
			continue
		}
		text, err := json.Marshal(annotated)
		if err != nil {
			return nil, err
		}
		annotations[name] = string(text)
	}
	restriction, err := admission.NamespaceRestriction(annotations, admission.Restriction{}, "")
	if err != nil {
		return nil, fmt.Errorf("the annotations: %w", err)
	}
	in := admission.PodSpec{Tolerations: list, QOS: admission.Burstable, Resources: c.Resources}
	if c.BestEffort {
		in.QOS = admission.BestEffort
	}
	if in.RuntimeClass, err = gen.ReadTolerations(c.Class); err != nil {
		return nil, err
	}
	plan := admission.Plan{Restriction: restriction}
	if c.Updated {
		return plan.OnUpdate(in)
	}
	return plan.OnCreate(in)
}

func planRecorded(t *testing.T) {
	met := map[string]int{}
	recorded.Each(t, "pod", func(_ recorded.Header, c recorded.Pod) error {
		list, err := gen.ReadTolerations(c.Tolerations)
		if err != nil {
			return err
		}
		added, err := planned(c, list)
		if c.Refused {
			met["refused"]++
			if !notWhitelisted(err) {
				return fmt.Errorf("%v, %v, want a refusal", added, err)
			}
			return nil
		}
		if err != nil {
			return err
		}
		after := c.After
		if len(c.Differences) > 0 { // R3-kept
			if after = c.Ours; slices.EqualFunc(after, c.After, recorded.Toleration.Equal) {
				return fmt.Errorf("%v, and nothing differs", c.Differences)
			}
			met[c.Differences[0]]++
		}
		met["admitted"]++
		return becomes(c.Tolerations, after, func(toleration.List) toleration.List { return slices.Concat(list, added) })
	})
	for _, what := range []string{"refused", "admitted", "R3-kept"} {
		if met[what] < 30 {
			t.Errorf("%d pods: %s", met[what], what)
		}
	}
}

// notWhitelisted reports whether the error is only about the whitelist.
func notWhitelisted(err error) bool {
	var ps validate.Problems
	return errors.As(err, &ps) && !slices.ContainsFunc(ps, func(p *validate.Problem) bool { return p.Rule != validate.NotAllowed })
}
