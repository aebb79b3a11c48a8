package recorded

// The kinds of cases, with their names in the files. Ours is the answer of this
// library if a listed difference applies, computed from Kubernetes' answer by the
// text of the difference.

// A Match ("match") is every toleration on every taint. On and Off are the
// answers with the feature gate on and off, a digit for each pair: 1 for a
// match, the tolerations of the first taint first. There is no On if the
// version has no numeric operators.
//
// Kubernetes' validation rejects the InvalidTaints and InvalidTolerations, given
// by their indexes. They match nothing here (M8-invalid).
type Match struct {
	Taints             []Taint      `json:"taints"`
	Tolerations        []Toleration `json:"tolerations"`
	On                 string       `json:"on,omitempty"`
	Off                string       `json:"off"`
	InvalidTaints      []int        `json:"invalidTaints,omitempty"`
	InvalidTolerations []int        `json:"invalidTolerations,omitempty"`
}

// A Filter ("filter") is a node's taints against a pod's tolerations; a
// "filter-invalid" has some that Kubernetes' validation rejects, and no Serving.
type Filter struct {
	Taints      []Taint      `json:"taints"`
	Tolerations []Toleration `json:"tolerations"`
	Gate        bool         `json:"gate,omitempty"` // whether numeric operators are enabled
	First       First        `json:"first"`
	// Serving has, for each taint, the index of the first toleration that
	// matches it. It is absent if a taint is untolerated.
	Serving []int `json:"serving,omitempty"`
	// Ours is the First of this library, with Differences.
	Ours        *First   `json:"ours,omitempty"`
	Differences []string `json:"differences,omitempty"`
}

// A First has the indexes of the first untolerated taints, -1 for none: of
// those that make the node unschedulable (NoSchedule and NoExecute), of all, and
// of one effect.
type First struct {
	Schedule int `json:"schedule"`
	Any      int `json:"any"`
	Evict    int `json:"evict"`
	Prefer   int `json:"prefer"`
}

// A Cause is a problem that validation found.
type Cause struct {
	Reason string `json:"reason"` // such as FieldValueInvalid
	Field  string `json:"field"`
	Detail string `json:"detail"`
}

// A Validate ("validate") is a list of tolerations and its problems. It is valid
// if there are no Causes. Ours are the paths of this library's problems, sorted,
// each once; without Differences, they are the fields of the Causes.
type Validate struct {
	Tolerations []Toleration `json:"tolerations"`
	Gate        bool         `json:"gate,omitempty"`
	Causes      []Cause      `json:"causes,omitempty"`
	Ours        []string     `json:"ours,omitempty"`
	Differences []string     `json:"differences,omitempty"`
}

// An Update ("update") is a pod whose tolerations change from Old, which is
// valid, to New. Gone are the indexes of the old ones that were removed.
type Update struct {
	Old         []Toleration `json:"old"`
	New         []Toleration `json:"new"`
	Gate        bool         `json:"gate,omitempty"`
	Causes      []Cause      `json:"causes,omitempty"`
	Gone        []int        `json:"gone,omitempty"`
	Ours        []string     `json:"ours,omitempty"`
	Differences []string     `json:"differences,omitempty"`
}

// A ValidateTaints ("validate-taints") is like Validate, for a node's taints.
type ValidateTaints struct {
	Taints      []Taint  `json:"taints"`
	Causes      []Cause  `json:"causes,omitempty"`
	Ours        []string `json:"ours,omitempty"`
	Differences []string `json:"differences,omitempty"`
}

// A Decode ("decode") is the JSON of a list. Accepted reports whether an API
// server accepts it, Strict whether it does so if it rejects unknown and repeated
// fields. List is the decoded list. Numeric operators are enabled if the version
// has them. With Differences, this library accepts the text in lenient decoding
// only, and Ours is its list.
type Decode[T any] struct {
	Text        string   `json:"text"`
	Accepted    bool     `json:"accepted,omitempty"`
	Strict      bool     `json:"strict,omitempty"`
	List        []T      `json:"list,omitempty"`
	Ours        []T      `json:"ours,omitempty"`
	Differences []string `json:"differences,omitempty"`
}

// An Edit ("edit") is a call of kubectl taint. Outcome is the outcome that it
// prints, empty if it rejects the arguments. Ours is this library's result, if it
// differs from After.
type Edit struct {
	Node        []Taint  `json:"node"`
	Args        []string `json:"args"`
	Overwrite   bool     `json:"overwrite,omitempty"`
	Outcome     string   `json:"outcome,omitempty"`
	After       []Taint  `json:"after,omitempty"`
	Ours        []Taint  `json:"ours,omitempty"`
	Differences []string `json:"differences,omitempty"`
}

// A Parse ("parse") is the text of a taint. The Taint is absent if the text is
// rejected.
type Parse struct {
	Text        string   `json:"text"`
	Taint       *Taint   `json:"taint,omitempty"`
	Differences []string `json:"differences,omitempty"`
}

// An Evict ("evict") is a pod on a node whose taints appear now: Kind is never,
// now or at, After the nanoseconds until the eviction.
//
// Kubernetes takes the fewest seconds of the tolerations that decide, and multiplies them by
// 1,000,000,000 in 64 bits, which wraps; 9,223,372,036,854,775,807 seconds, and a product
// below 0, mean never. Each case with more than 9,223,372,036 seconds has a difference.
type Evict struct {
	Taints      []Taint      `json:"taints"`
	Tolerations []Toleration `json:"tolerations"`
	Gate        bool         `json:"gate,omitempty"`
	Kind        string       `json:"kind"`
	After       int64        `json:"after,omitempty"`
	// Seconds is when this library evicts, with Differences; never if no time.Time can
	// represent it.
	Seconds     int64    `json:"seconds,omitempty"`
	Differences []string `json:"differences,omitempty"`
}

// A Cover ("cover") is a list of tolerations. Covers has a digit for each pair, 1
// if one covers the other: first those that the first toleration covers, and so on.
// Ours has the answers of this library. Differences has, for each difference, the
// indexes of the digits to which it applies.
type Cover struct {
	Tolerations []Toleration     `json:"tolerations"`
	Covers      string           `json:"covers"`
	Ours        string           `json:"ours"`
	Differences map[string][]int `json:"differences,omitempty"`
}

// A Merge ("merge") is two lists and the merged list. Ours is this library's, if
// it differs from Merged.
type Merge struct {
	First       []Toleration `json:"first"`
	Second      []Toleration `json:"second"`
	Merged      []Toleration `json:"merged"`
	Ours        []Toleration `json:"ours,omitempty"`
	Differences []string     `json:"differences,omitempty"`
}

// A DefaultSeconds ("default-seconds") is a pod before the admission plugin
// DefaultTolerationSeconds, with the two numbers that it was configured with.
// After are its tolerations after the plugin.
type DefaultSeconds struct {
	NotReady    int64        `json:"notReady"`
	Unreachable int64        `json:"unreachable"`
	Tolerations []Toleration `json:"tolerations"`
	After       []Toleration `json:"after"`
}

// A Daemon ("daemon") is a DaemonSet's template, and the tolerations of its pods.
type Daemon struct {
	HostNetwork bool         `json:"hostNetwork,omitempty"`
	Tolerations []Toleration `json:"tolerations"`
	After       []Toleration `json:"after"`
}

// A Resources ("resources") is a pod whose containers request these resources,
// before the admission plugin ExtendedResourceToleration.
type Resources struct {
	Resources   []string     `json:"resources"`
	Tolerations []Toleration `json:"tolerations"`
	After       []Toleration `json:"after"`
}

// A Pod ("pod") is a pod before the admission plugins DefaultTolerationSeconds,
// PodTolerationRestriction, ExtendedResourceToleration and RuntimeClass, when it
// is created, or Updated. BestEffort reports its quality of service;
// Defaults and Whitelist are the annotations of its namespace, Class the
// tolerations of its runtime class. After is absent if the pod is refused. Ours
// is this library's list, if it differs from After.
type Pod struct {
	Updated     bool         `json:"updated,omitempty"`
	BestEffort  bool         `json:"bestEffort,omitempty"`
	Resources   []string     `json:"resources,omitempty"`
	Tolerations []Toleration `json:"tolerations"`
	Defaults    []Toleration `json:"defaults,omitempty"`
	Whitelist   []Toleration `json:"whitelist,omitempty"`
	Class       []Toleration `json:"class,omitempty"`
	Refused     bool         `json:"refused,omitempty"`
	After       []Toleration `json:"after,omitempty"`
	Ours        []Toleration `json:"ours,omitempty"`
	Differences []string     `json:"differences,omitempty"`
}
