package selector_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/go-tolerate/tolerate/examples/internal/selector"
)

// A node with the labels disk=ssd and cores=8 has the name n.
func TestSelects(t *testing.T) {
	terms := func(terms string) string {
		return `{"Affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [` + terms + `]}}}}`
	}
	match := func(key, operator, values string) string {
		return fmt.Sprintf(`{"matchExpressions": [{"key": %q, "operator": %q, "values": [%s]}]}`, key, operator, values)
	}
	for _, tt := range []struct {
		name, selector string
		want           bool
	}{
		{"nothing", `{}`, true},
		{"preferred", `{"Affinity": {"nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [{}]}}}`, true},
		{"label", `{"Labels": {"disk": "ssd"}}`, true},
		{"other value", `{"Labels": {"disk": "hdd"}}`, false},
		{"empty value", `{"Labels": {"rack": ""}}`, false},
		{"label and term", `{"Labels": {"disk": "hdd"}, ` + terms(match("disk", "Exists", ""))[1:], false},
		{"In", terms(match("disk", "In", `"hdd", "ssd"`)), true},
		{"not In", terms(match("disk", "In", `"hdd"`)), false},
		{"In, absent", terms(match("rack", "In", `""`)), false},
		{"NotIn", terms(match("disk", "NotIn", `"ssd"`)), false},
		{"NotIn, absent", terms(match("rack", "NotIn", `""`)), true},
		{"Exists", terms(match("disk", "Exists", "")), true},
		{"not Exists", terms(match("rack", "Exists", "")), false},
		{"DoesNotExist", terms(match("disk", "DoesNotExist", "")), false},
		{"Gt", terms(match("cores", "Gt", `"7"`)), true},
		{"not Gt", terms(match("cores", "Gt", `"8"`)), false},
		{"Lt", terms(match("cores", "Lt", `"9"`)), true},
		{"not Lt", terms(match("cores", "Lt", `"8"`)), false},
		{"Gt, no integer", terms(match("disk", "Gt", `"7"`)), false},
		{"Lt, absent", terms(match("rack", "Lt", `"7"`)), false},
		{"Gt, two values", terms(match("cores", "Gt", `"6", "7"`)), false},
		{"Gt of no integer", terms(match("cores", "Gt", `"x"`)), false},
		{"unknown operator", terms(match("disk", "in", `"ssd"`)), false},
		{"one of two terms", terms(match("rack", "Exists", "") + "," + match("disk", "Exists", "")), true},
		{"both expressions", terms(`{"matchExpressions": [{"key": "disk", "operator": "Exists"}, {"key": "rack", "operator": "Exists"}]}`), false},
		{"no term", terms(""), false},
		{"empty term", terms("{}"), false},
		{"field", terms(`{"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n"]}]}`), true},
		{"other field", terms(`{"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["m"]}]}`), false},
		{"a label is no field", terms(`{"matchFields": [{"key": "disk", "operator": "In", "values": ["ssd"]}]}`), false},
		{"field and expression", terms(`{"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n"]}], "matchExpressions": [{"key": "rack", "operator": "Exists"}]}`), false},
	} {
		var s selector.Selector
		if err := json.Unmarshal([]byte(tt.selector), &s); err != nil {
			t.Fatal(tt.name, err)
		}
		if got := s.Selects("n", map[string]string{"disk": "ssd", "cores": "8"}); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
}
