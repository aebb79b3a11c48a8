package resource_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/go-tolerate/tolerate/examples/internal/resource"
)

func TestQuantity(t *testing.T) {
	for text, want := range map[string]resource.Quantity{`"250m"`: 250, `"1.5"`: 1500, "3": 3000, `"0"`: 0, `"1k"`: 1e6, `"16Gi"`: 16000 << 30, `"1.5Gi"`: 1500 << 30, `"1e3"`: 1e6, `"100M"`: 1e11, `"2Ti"`: 2000 << 40, `"1P"`: 1e18,
		`"0.1"`: 100, `"1.001"`: 1001, `"0.0001"`: 1, `"128974848"`: 128974848000, `"1Pi"`: 1000 << 50, "1.25": 1250} {
		var q resource.Quantity
		if err := q.UnmarshalJSON([]byte(text)); err != nil || q != want {
			t.Errorf("%s: %v, %v, want %v", text, q, err, want)
		}
	}
	for _, text := range []string{`""`, `"-1"`, `"1.m"`, `"1u"`, `"1Ki m"`, `"1mm"`, `"1E"`, `null`, `{}`, `"1ki"`, `" 1"`, `"1e999999999"`, `"inf"`} {
		var q resource.Quantity
		if err := q.UnmarshalJSON([]byte(text)); err == nil || q != 0 {
			t.Errorf("%s is read as %v", text, q)
		}
	}
}

// What the containers need at one time, as the documentation of init containers has it.
func TestRequests(t *testing.T) {
	c := func(milli int, more string) string {
		return fmt.Sprintf(`{"resources": {"requests": {"cpu": "%dm"}}%s}`, milli, more)
	}
	const sidecar = `, "restartPolicy": "Always"`
	for _, tt := range []struct {
		name, inits, containers string
		want                    resource.Quantity
	}{
		{"none", "", "", 0},
		{"the sum of the containers", "", c(100, "") + "," + c(200, ""), 300},
		{"an init container that needs more", c(500, ""), c(100, ""), 500},
		{"init containers run one by one", c(200, "") + "," + c(250, ""), c(100, ""), 250},
		{"a sidecar keeps running", c(200, sidecar), c(100, ""), 300},
		{"beside a later init container", c(200, sidecar) + "," + c(250, ""), c(100, ""), 450},
		{"not beside an earlier one", c(250, "") + "," + c(200, sidecar), c(10, ""), 250},
		{"a limit where there is no request", "", `{"resources": {"limits": {"cpu": "7m"}}},{"resources": {"limits": {"cpu": "7m"}, "requests": {"cpu": "1m"}}}`, 8},
	} {
		var inits, containers []resource.Container
		if err := json.Unmarshal([]byte("["+tt.inits+"]"), &inits); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal([]byte("["+tt.containers+"]"), &containers); err != nil {
			t.Fatal(err)
		}
		if got := resource.Requests(inits, containers); got["cpu"] != tt.want || got["pods"] != 1000 {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}
