package dra_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/go-tolerate/tolerate/internal/tests/contract"
	"github.com/go-tolerate/tolerate/match/kube/dra"
)

func TestValidateTaints(t *testing.T) {
	for _, tt := range []struct {
		name, taints string
		want         []string
	}{
		{"G5_none", "", nil},
		{"G5_repeated", "a:None,a:None,a=1:None", nil},
		{"G5_16", strings.Repeat("a:None,", 16), nil},
		{"G5_17", strings.Repeat("a:None,", 17), []string{"taints TooManyTaints"}},
		{"G1_effect", "a:None,a,a:noSchedule", []string{"taints[1].effect EffectMissing", "taints[2].effect NameUnknown"}},
		{"G4_unknown", "a:Future", []string{"taints[0].effect NameUnknown"}},
		{"G1_all", "-=/:x", []string{"taints[0].key InvalidKey", "taints[0].value InvalidValue", "taints[0].effect NameUnknown"}},
		{"G1_no_key", ":None", []string{"taints[0].key InvalidKey"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if err := dra.ValidateTaints(taints(tt.taints)); !slices.Equal(contract.Reports(err), tt.want) {
				t.Errorf("ValidateTaints = %v, want %v", err, tt.want)
			}
		})
	}
	year := func(y int) time.Time { return time.Date(y, 1, 1, 0, 0, 0, 0, time.UTC) }
	for at, valid := range map[time.Time]bool{
		{}: true, year(1): true, year(1).Add(-1): false, year(10000).Add(-1): true, year(10000): false, time.Unix(1<<62, 0): false,
	} {
		t.Run("V6_"+at.String(), func(t *testing.T) {
			err := dra.ValidateTaints([]resourcev1.DeviceTaint{{Key: "a", Effect: "None", TimeAdded: &metav1.Time{Time: at}}})
			if (err == nil) != valid || !valid && contract.Reports(err)[0] != "taints[0].timeAdded TimeRange" {
				t.Errorf("ValidateTaints = %v", err)
			}
		})
	}
}

func TestValidateTolerations(t *testing.T) {
	for _, tt := range []struct {
		name, tolerations string
		want              []string
	}{
		{"G2_none", "", nil},
		{"G2_empty", "=", nil},
		{"G2_valid", "=x:None for -3s,op=Exists,a=x:NoSchedule op=Equal,a=x,a=x", nil},
		{"G2_operator", "a=- op=Lt", []string{"tolerations[0].operator NameUnknown"}},
		{"G2_exists", "a=- op=Exists", []string{"tolerations[0].value ExistsValue"}},
		{"G2_all", "=,-a=/:PreferNoSchedule", []string{"tolerations[1].key InvalidKey", "tolerations[1].value InvalidValue", "tolerations[1].effect NameUnknown"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if err := dra.ValidateTolerations(tolerations(tt.tolerations)); !slices.Equal(contract.Reports(err), tt.want) {
				t.Errorf("ValidateTolerations = %v, want %v", err, tt.want)
			}
		})
	}
}

func TestRule_Validate(t *testing.T) {
	empty, name := "", "not a name"
	for text, tt := range map[string]struct {
		s      *dra.Selector
		taint  string
		report []string
	}{
		"G9_none":  {nil, "a:None", nil},
		"G9_empty": {&dra.Selector{}, "a:None", nil},
		"G9_names": {&dra.Selector{Pool: &name}, "a:None", nil},
		"G9_all": {&dra.Selector{Driver: &empty, Pool: &empty, Device: &empty}, "-",
			[]string{"deviceSelector.driver SelectorEmpty", "deviceSelector.pool SelectorEmpty", "deviceSelector.device SelectorEmpty", "taint.key InvalidKey", "taint.effect EffectMissing"}},
	} {
		t.Run(text, func(t *testing.T) {
			r := dra.Rule{Selector: tt.s, Taint: taints(tt.taint)[0]}
			if err := r.Validate(); !slices.Equal(contract.Reports(err), tt.report) {
				t.Errorf("Validate = %v, want %v", err, tt.report)
			}
		})
	}
}
