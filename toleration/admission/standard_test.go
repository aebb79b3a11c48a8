package admission_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/toleration/admission"
)

// A Plan can be stored as JSON, and go-cmp compares Plans. A whitelist with the zero
// Toleration admits nothing; its JSON cannot be read back.
func planJSON(t *testing.T) {
	plans := []admission.Plan{
		{},
		{Seconds: admission.SecondsOptions{NotReady: seconds(0), UnreachableOff: true}},
		{Restriction: admission.Restriction{Defaults: list("k=v")}},
		{Restriction: admission.Restriction{Whitelist: list("k=v", "op=Exists")}},
	}
	closed := admission.Plan{Restriction: admission.Restriction{Whitelist: toleration.List{{}}}}
	if data, err := json.Marshal(closed); err != nil || json.Unmarshal(data, &closed) == nil {
		t.Errorf("JSON %s, %v, can be read back", data, err)
	}
	for i, p := range plans {
		data, err := json.Marshal(p)
		var back admission.Plan
		if err == nil {
			err = json.Unmarshal(data, &back)
		}
		if err != nil || !reflect.DeepEqual(back, p) {
			t.Errorf("JSON %s is read back as %v, %v", data, back, err)
		}
		for j, q := range plans {
			if got := cmp.Equal(p.Seconds, q.Seconds) && reflect.DeepEqual(p.Restriction, q.Restriction); got != (i == j) {
				t.Errorf("plans %d and %d are equal: %v", i, j, got)
			}
		}
	}
}
