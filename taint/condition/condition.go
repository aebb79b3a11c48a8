package condition

import (
	"github.com/go-tolerate/tolerate/validate"
	"github.com/go-tolerate/tolerate/validate/apijson"
)

// A Condition is one entry of a node's status.conditions: what it is about and
// whether it holds. The zero Condition says nothing. It has the API's JSON
// shape as far as taints depend on it; the times, reason and message of an
// entry do not matter here.
//
// The API server does not look into a type or a status, so neither is checked
// here: what is not known to this package calls for no taint.
type Condition struct {
	// Type is TypeReady or another one's name, case-sensitive.
	Type string `json:"type" yaml:"type"`
	// Status is StatusTrue, StatusFalse or StatusUnknown, case-sensitive.
	Status string `json:"status" yaml:"status"`
}

// The types of conditions that call for taints.
const (
	TypeReady              = "Ready"
	TypeMemoryPressure     = "MemoryPressure"
	TypeDiskPressure       = "DiskPressure"
	TypePIDPressure        = "PIDPressure"
	TypeNetworkUnavailable = "NetworkUnavailable"
)

// The statuses that a condition may have.
const (
	StatusTrue    = "True"
	StatusFalse   = "False"
	StatusUnknown = "Unknown"
)

// IsReady reports whether a node with these conditions is ready: its first
// Ready condition is True. It does not allocate.
func IsReady(conditions []Condition) bool { return ready(conditions) == StatusTrue }

// ready returns the status of the first Ready condition, "" without one.
func ready(conditions []Condition) string {
	for i := range conditions {
		if conditions[i].Type == TypeReady {
			return conditions[i].Status
		}
	}
	return ""
}

// ListOptions says how a list of conditions is read. The zero value is the
// usual way.
type ListOptions struct {
	// Path is the path of the list in its object, put before each problem's;
	// "status.conditions" when empty.
	Path string
}

var fieldNames = []string{"type", "status"}

// DecodeList returns a node's conditions from the JSON of their list, such as
// what stands under status.conditions in the output of kubectl get nodes -o
// json. A null and an empty list give an empty one. Other fields than type and
// status are left out of account, as is a field that is absent; of a repeated
// one the last counts.
//
// The error tells all problems of all elements (what is no object, and types
// and statuses that are no strings, such as a true without quotes), and comes
// with a nil list.
//
// It allocates the list and one copy of the text, which the conditions share.
func DecodeList(data []byte, opts ListOptions) ([]Condition, error) {
	return AppendDecode(nil, data, opts)
}

// AppendDecode appends the conditions that [DecodeList] returns to dst. On an
// error it returns dst unchanged, and what lay in its room behind is lost.
func AppendDecode(dst []Condition, data []byte, opts ListOptions) ([]Condition, error) {
	path := opts.Path
	if path == "" {
		path = "status.conditions"
	}
	s, err := apijson.OpenList(data, path)
	if err != nil {
		return dst, err
	}
	var (
		ps     validate.Problems
		fields [2]apijson.Field
		out    = dst
	)
	for i := 0; s.More(); i++ {
		if cap(out) == 0 {
			out = make([]Condition, 0, 5) // a kubelet and a cloud set as many
		}
		var c Condition
		found := s.Object(fieldNames, fields[:], false, nil)
		if len(found) == 0 {
			c.Type, found = fields[0].AsString("type", found)
			c.Status, found = fields[1].AsString("status", found)
		}
		if len(found) > 0 {
			ps = validate.Append(ps, validate.Index(path, i), found)
		}
		out = append(out, c)
	}
	if len(ps) > 0 {
		clear(dst[len(dst):min(len(out), cap(dst))]) // what was written to dst's spare room
		return dst, ps
	}
	return out, nil
}
