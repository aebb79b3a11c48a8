package kubejson

import (
	"bytes"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// fields are the fields of an object that are read, by their names, and which of
// their own; nil are all.
type fields map[string]fields

// newFields returns what this package decodes, and the fields at more paths.
func newFields(more []string) fields {
	f := fields{
		"apiVersion": nil,
		"kind":       nil,
		"items":      nil,
		"metadata": {
			"namespace": nil, "name": nil, "generateName": nil, "continue": nil,
			"deletionTimestamp": nil, "annotations": {"kubernetes.io/config.mirror": nil},
		},
		"spec": {
			"taints": nil, "unschedulable": nil, // of a Node
			"nodeName": nil, "tolerations": nil, "resourceClaims": nil, // of a Pod
			"driver": nil, "pool": nil, "devices": nil, // of a ResourceSlice; and of a ResourceClaim
			"spec": nil, "deviceSelector": nil, "taint": nil, // of a ResourceClaimTemplate and a DeviceTaintRule
		},
		"status": {"phase": nil, "resourceClaimStatuses": nil, "allocation": nil},
	}
	for _, path := range more {
		f.add(path)
	}
	return f
}

func (f fields) add(path string) {
	name, rest, deeper := strings.Cut(path, ".")
	below, known := f[name]
	switch {
	case !deeper:
		f[name] = nil
	case !known:
		below = make(fields)
		f[name] = below
		below.add(rest)
	case below != nil:
		below.add(rest)
	}
}

// unquoted returns the content of a JSON string.
func unquoted(text []byte) []byte {
	if bytes.IndexByte(text, '\\') >= 0 {
		text, _ = jsontext.AppendUnquote(nil, text)
		return text
	}
	return text[1 : len(text)-1]
}
