package recorded

// A type for each kind of cases. bench/recorded/schema.json describes the fields. Those
// with the tag case:"input" are inputs, the others answers.

// Listed is the library's answer, if it differs, by the listed differences.
type Listed[T any] struct {
	Ours        T        `json:"ours,omitempty"`
	Differences []string `json:"differences,omitempty"`
}

type Match struct {
	Taints             []Taint      `json:"taints" case:"input"`
	Tolerations        []Toleration `json:"tolerations" case:"input"`
	On                 string       `json:"on,omitempty"`
	Off                string       `json:"off"`
	InvalidTaints      []int        `json:"invalidTaints,omitempty"`
	InvalidTolerations []int        `json:"invalidTolerations,omitempty"`
}

type Filter struct {
	Taints      []Taint      `json:"taints" case:"input"`
	Tolerations []Toleration `json:"tolerations" case:"input"`
	Gate        bool         `json:"gate,omitempty" case:"input"`
	First       First        `json:"first"`
	Serving     []int        `json:"serving,omitempty"`
	Listed[*First]
}

type First struct {
	Schedule int `json:"schedule"`
	Any      int `json:"any"`
	Evict    int `json:"evict"`
	Prefer   int `json:"prefer"`
}

type Evict struct {
	Taints      []Taint      `json:"taints" case:"input"`
	Tolerations []Toleration `json:"tolerations" case:"input"`
	Gate        bool         `json:"gate,omitempty" case:"input"`
	Kind        string       `json:"kind"`
	After       int64        `json:"after,omitempty"`
	Seconds     int64        `json:"seconds,omitempty"`
	Differences []string     `json:"differences,omitempty"`
}

type History struct {
	Tolerations []Toleration `json:"tolerations" case:"input"`
	Steps       []Step       `json:"steps" case:"input"`
	Evicted     *int64       `json:"evicted,omitempty"`
	PerTaint    *int64       `json:"perTaint,omitempty"`
}

type Step struct {
	After       int64        `json:"after"`
	Taints      []Taint      `json:"taints,omitzero"`
	Tolerations []Toleration `json:"tolerations,omitzero"`
}

type Cause struct {
	Reason string `json:"reason"`
	Field  string `json:"field"`
	Detail string `json:"detail"`
}

type Validate struct {
	Tolerations []Toleration `json:"tolerations" case:"input"`
	Gate        bool         `json:"gate,omitempty" case:"input"`
	Causes      []Cause      `json:"causes,omitempty"`
	Listed[[]string]
}

type Update struct {
	Old    []Toleration `json:"old" case:"input"`
	New    []Toleration `json:"new" case:"input"`
	Gate   bool         `json:"gate,omitempty" case:"input"`
	Causes []Cause      `json:"causes,omitempty"`
	Gone   []int        `json:"gone,omitempty"`
	Listed[[]string]
}

type ValidateTaints struct {
	Taints []Taint `json:"taints" case:"input"`
	Causes []Cause `json:"causes,omitempty"`
	Listed[[]string]
}

type Decode[T any] struct {
	Text     string `json:"text" case:"input"`
	Accepted bool   `json:"accepted,omitempty"`
	Strict   bool   `json:"strict,omitempty"`
	List     []T    `json:"list,omitempty"`
	Listed[[]T]
}

type Parse struct {
	Text        string   `json:"text" case:"input"`
	Taint       *Taint   `json:"taint,omitempty"`
	Differences []string `json:"differences,omitempty"`
}

type Edit struct {
	Node      []Taint  `json:"node" case:"input"`
	Args      []string `json:"args" case:"input"`
	Overwrite bool     `json:"overwrite,omitempty" case:"input"`
	Outcome   string   `json:"outcome,omitempty"`
	After     []Taint  `json:"after,omitempty"`
	Listed[[]Taint]
}

type Cover struct {
	Tolerations []Toleration     `json:"tolerations" case:"input"`
	Covers      string           `json:"covers"`
	Ours        string           `json:"ours"`
	Differences map[string][]int `json:"differences,omitempty"`
}

type Merge struct {
	First  []Toleration `json:"first" case:"input"`
	Second []Toleration `json:"second" case:"input"`
	Merged []Toleration `json:"merged"`
	Listed[[]Toleration]
}

type DefaultSeconds struct {
	NotReady    int64        `json:"notReady" case:"input"`
	Unreachable int64        `json:"unreachable" case:"input"`
	Tolerations []Toleration `json:"tolerations" case:"input"`
	After       []Toleration `json:"after"`
}

type Daemon struct {
	HostNetwork bool         `json:"hostNetwork,omitempty" case:"input"`
	Tolerations []Toleration `json:"tolerations" case:"input"`
	After       []Toleration `json:"after"`
}

type Resources struct {
	Resources   []string     `json:"resources" case:"input"`
	Tolerations []Toleration `json:"tolerations" case:"input"`
	After       []Toleration `json:"after"`
}

type Pod struct {
	Updated     bool         `json:"updated,omitempty" case:"input"`
	BestEffort  bool         `json:"bestEffort,omitempty"` // by the resources
	Resources   []string     `json:"resources,omitempty" case:"input"`
	Tolerations []Toleration `json:"tolerations" case:"input"`
	Defaults    []Toleration `json:"defaults,omitempty" case:"input"`
	Whitelist   []Toleration `json:"whitelist,omitempty" case:"input"`
	Class       []Toleration `json:"class,omitzero" case:"input"` // empty: a class without tolerations
	Refused     bool         `json:"refused,omitempty"`
	After       []Toleration `json:"after,omitempty"`
	Listed[[]Toleration]
}

type DeviceMatch struct {
	Taints             []Taint      `json:"taints" case:"input"`
	Tolerations        []Toleration `json:"tolerations" case:"input"`
	Matches            string       `json:"matches"`
	InvalidTaints      []int        `json:"invalidTaints,omitempty"`
	InvalidTolerations []int        `json:"invalidTolerations,omitempty"`
}

type DeviceValidate struct {
	Taints      []Taint      `json:"taints" case:"input"`
	Tolerations []Toleration `json:"tolerations" case:"input"`
	Causes      []Cause      `json:"causes,omitempty"`
}

type DeviceAllocate struct {
	Devices     []Device     `json:"devices" case:"input"`
	Tolerations []Toleration `json:"tolerations" case:"input"`
	Device      string       `json:"device,omitempty"`
}

type DeviceEvict struct {
	Devices     []Device       `json:"devices" case:"input"`
	Tolerations [][]Toleration `json:"tolerations" case:"input"`
	Rules       []DeviceRule   `json:"rules,omitempty" case:"input"`
	At          string         `json:"at,omitempty"`
	Listed[int64]
}

type Device struct {
	Driver string  `json:"driver"`
	Pool   string  `json:"pool"`
	Device string  `json:"device"`
	Taints []Taint `json:"taints,omitempty"`
}

type DeviceRule struct {
	Selector *DeviceSelector `json:"deviceSelector,omitempty"`
	Taint    Taint           `json:"taint"`
}

type DeviceSelector struct {
	Driver string `json:"driver,omitempty"`
	Pool   string `json:"pool,omitempty"`
	Device string `json:"device,omitempty"`
}

type Policy struct {
	Allow       []Clause     `json:"allow,omitempty"`
	Deny        []Clause     `json:"deny,omitempty"`
	Tolerations []Toleration `json:"tolerations"`
	Refused     []int        `json:"refused,omitempty"`
}

type Clause struct {
	Taints     []Toleration `json:"taints"`
	Except     []Toleration `json:"except,omitempty"`
	MaxSeconds *int64       `json:"maxSeconds,omitempty"`
}
