package eviction_test

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/go-tolerate/tolerate/match/eviction"
)

// A controller stores the State of a pod.
func ExampleState_MarshalJSON() {
	s := eviction.State{Deadline: noon.Add(5 * time.Minute), Start: noon}
	text, _ := json.Marshal(s)
	fmt.Println(s)
	fmt.Println(string(text))
	// Output:
	// scheduled at 2026-01-02T12:05:00Z, started at 2026-01-02T12:00:00Z
	// {"deadline":"2026-01-02T12:05:00Z","start":"2026-01-02T12:00:00Z"}
}

// A controller stores the observed taints of a node.
func ExampleObserved() {
	observed := []eviction.Observed{{Taint: slow[0], Since: noon}}
	text, _ := json.Marshal(observed)
	fmt.Println(observed)
	fmt.Println(string(text))
	// Output:
	// [disk=slow:NoExecute since 2026-01-02T12:00:00Z]
	// [{"taint":{"key":"disk","value":"slow","effect":"NoExecute"},"since":"2026-01-02T12:00:00Z"}]
}
