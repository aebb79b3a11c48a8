package why

import (
	"encoding/json"
	"time"

	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/cluster"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// A Report is the output in JSON and YAML. Fields may be added. What is empty is omitted,
// except numbers and the lists here.
type Report struct {
	Summary    Summary            `json:"summary"`
	Removers   []*Remover         `json:"removers"`
	Refused    []*cluster.Refusal `json:"refused"` // the last ones are first
	Pods       []*PodGroup        `json:"podGroups"`
	Daemons    []*DaemonSet       `json:"daemonSets"` // those without any pod are first
	Evictions  []*Eviction        `json:"evictions"`
	Repelled   []*Repelled        `json:"repelled,omitempty"`
	Returning  []string           `json:"returning,omitempty"`  // pods that tolerate the cordon of their node, which are scheduled to it again when they are evicted
	Lost       []*Lost            `json:"lost,omitempty"`       // nodes
	Incomplete []string           `json:"incomplete,omitempty"` // what was not evaluated, as it would take too long
	Orphaned   []string           `json:"orphaned"`             // pods whose node does not exist
	Unknown    []Unknown          `json:"unknown"`
}

// A Summary has numbers of nodes and pods. Finished pods are not evaluated.
type Summary struct {
	Nodes        int `json:"nodes"`
	Pods         int `json:"pods"`
	Finished     int `json:"finished"`
	Pending      int `json:"pending"`     // pods without a node
	Starting     int `json:"starting"`    // pods that have a node, and whose phase is Pending
	NotAdmitted  int `json:"notAdmitted"` // pending pods that taints or labels keep from every node
	EvictedNow   int `json:"evictedNow"`
	EvictedLater int `json:"evictedLater"`
	Repelled     int `json:"repelled"` // running pods that do not tolerate a NoSchedule taint of their node
	Unknown      int `json:"unknown"`  // pods and nodes that could not be read
}

// A Remover is pending pods that usually remove a taint that every node has.
type Remover struct {
	Taint taint.Taint     `json:"taint"`
	Pods  []string        `json:"pods"`
	Add   toleration.List `json:"add,omitempty"` // for the nearest nodes, if no node admits the pods
}

// A PodGroup is pending pods that are alike, or pods that were named and have a node.
type PodGroup struct {
	Pods        []string          `json:"pods"`
	Node        string            `json:"node,omitempty"`          // empty if they are pending
	Scheduler   string            `json:"schedulerName,omitempty"` // if it is not the default
	Gates       []string          `json:"schedulingGates,omitempty"`
	Condition   cluster.Condition `json:"condition,omitzero"`
	Tolerations toleration.List   `json:"tolerations,omitempty"`
	Placement   json.RawMessage   `json:"placement,omitempty"` // the node selector and the required node affinity
	Nodes       *Counts           `json:"nodes,omitempty"`     // nil if the nodes are unknown
	NodeGroups  []*NodeGroup      `json:"nodeGroups,omitempty"`
	Lacks       string            `json:"lacks,omitempty"`            // what the pods request more of than the admitted nodes have free
	NotJudged   []string          `json:"notJudged,omitempty"`        // if some node is admitted
	Unmet       []Unmet           `json:"unmet,omitempty"`            // if no node is selected
	Pools       []*Pool           `json:"pools,omitempty"`            // without nodes, if no node admits the pods, or they are named
	OtherPools  int               `json:"poolsNotSelected,omitempty"` // that are not among them
	Autoscaler  *cluster.Event    `json:"autoscaler,omitempty"`
	Unused      []Unused          `json:"unused,omitempty"` // tolerations, if the pods are named
	Claims      []*Claim          `json:"claims,omitempty"` // that are not allocated

	wants
	pods   []*cluster.Pod
	admits []*class
}

// Counts are numbers of nodes.
type Counts struct {
	Admitted    int `json:"admitted"`    // by taints and labels
	Tainted     int `json:"tainted"`     // a NoSchedule or NoExecute taint is untolerated
	NotSelected int `json:"notSelected"` // by the placement
	Unknown     int `json:"unknown"`     // they could not be read
}

// A NodeGroup is nodes that are selected and have the same untolerated taints. The nearest
// groups are first.
type NodeGroup struct {
	Count    int      `json:"count"`
	Names    []string `json:"names"`          // of some
	Pods     []string `json:"pods,omitempty"` // of a DaemonSet, on the nodes with these names
	Admitted bool     `json:"admitted"`
	Cordoned string   `json:"cordoned,omitempty"` // the toleration of the nodes' cordon, if they are admitted
	Taints   []Taint  `json:"taints,omitempty"`   // at most maxTaints
	More     int      `json:"moreTaints,omitempty"`

	cost  []int
	waits bool // for the pods, which remove a taint of these nodes
}

// A Taint is why a taint is not tolerated.
type Taint struct {
	Taint   taint.Taint            `json:"taint"`
	Because string                 `json:"because"`
	Add     *toleration.Toleration `json:"add,omitempty"` // nil for taints that are not to be tolerated
}

// An Eviction is when a running pod is evicted.
type Eviction struct {
	Pod     string     `json:"pod"`
	Node    string     `json:"node"`
	When    string     `json:"when"`         // now, later, or unknown
	At      *time.Time `json:"at,omitempty"` // now: since when it is due; later: the earliest time
	Taint   string     `json:"taint,omitempty"`
	Because string     `json:"because"`
	Again   bool       `json:"again,omitempty"` // afterwards, a new pod like it can be scheduled to the node

	due time.Time // for their order
}

// An Unknown is an object that could not be read.
type Unknown struct {
	Object  string `json:"object"`
	Because string `json:"because"`
}
