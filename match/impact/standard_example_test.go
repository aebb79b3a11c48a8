package impact_test

import (
	"encoding/json"
	"fmt"
	"os"
	"text/template"
	"time"

	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/match/eviction"
	"github.com/go-tolerate/tolerate/match/impact"
)

// The impact of a change has text and JSON.
func ExampleEviction() {
	change := impact.New(noon, impact.NodeChange{After: match.Node{Taints: taints("drain:NoExecute")}})
	e := change.Eviction(0, eviction.Options{}, tolerations("drain:NoExecute for 60s"))
	text, _ := json.Marshal(e)
	fmt.Println(e)
	fmt.Println(string(text))
	// Output:
	// at 2026-01-02T12:01:00Z, was never
	// {"kind":"Scheduled","before":{"kind":"Never"},"after":{"kind":"At","deadline":"2026-01-02T12:01:00Z","taint":0,"toleration":{"list":0,"index":0}}}
}

// A template writes a report.
func ExamplePlacement_String() {
	change := impact.New(time.Time{},
		impact.NodeChange{},
		impact.NodeChange{After: match.Node{Unschedulable: true}},
		impact.NodeChange{Before: match.Node{Taints: taints("gpu:NoSchedule")}},
	)
	report := template.Must(template.New("").Parse("{{range .}}{{.}}\n{{end}}"))
	placements := []impact.Placement{change.Placement(), change.Placement(tolerations("gpu"))}
	if err := report.Execute(os.Stdout, placements); err != nil {
		fmt.Println(err)
	}
	// Output:
	// Moved, 2 nodes before, 2 after, 1 gained (first: node 2), 1 lost (first: node 1)
	// Narrowed, 3 nodes before, 2 after, 1 lost (first: node 1)
}

func ExamplePlacement_MarshalJSON() {
	change := impact.New(time.Time{}, impact.NodeChange{}, impact.NodeChange{After: match.Node{Unschedulable: true}})
	text, _ := json.Marshal(change.Placement())
	fmt.Println(string(text))
	// Output: {"kind":"Narrowed","before":2,"after":1,"lost":1,"firstLost":1}
}
