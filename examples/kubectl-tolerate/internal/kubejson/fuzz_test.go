package kubejson

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/go-tolerate/tolerate/match/device"
)

// FuzzObjects proves that nothing gets lost: of JSON that encoding/json reads,
// each object is given or reported, no more and no less; of all other input
// there is a problem.
func FuzzObjects(f *testing.F) {
	for _, seed := range []string{
		`{"kind":"Node","metadata":{"name":"a"},"spec":{"taints":[{"key":"a","effect":"NoSchedule","timeAdded":"2026-01-02T03:04:05Z"}]}}`,
		`{"items":[{"kind":"Pod","spec":{"tolerations":[{"operator":"Exists"}],"nodeName":7}},null,[],{}],"kind":"List"}`,
		`[{"items":[{}],"kind":"PodList"}] {"items":{}} {"kind":"List","items":null} 1 "x"`,
		`{"kind":"ResourceSlice","spec":{"driver":"d","pool":{"name":"p","generation":2},"devices":[{"name":"a","taints":[{"key":"k","effect":"Later"}]},{"name":"b","name":"c"}]}}`,
		`{"kind":"ResourceClaim","spec":{"devices":{"requests":[{"name":"r","firstAvailable":[{"name":"a","tolerations":[{}]}]}]}},"status":{"allocation":{"devices":{"results":[{}]}}}}`,
		`{"kind":"DeviceTaintRule","spec":{"deviceSelector":{"pool":"p"},"taint":{"key":"k","effect":"NoExecute"}}}`,
		"\ufeff{\"kind\":\"Node\"}\n{\"kind\":\"Pod\"}", `{"items":[{"kind":"Node,` + "\n" + `"x":1},{"kind":"Pod"}]}`, `{"kind":"Node","kind":null} {"items":[],"metadata":{"continue":"x"},"metadata":{},"items":null}`,
		strings.Repeat(`{"items":[`, 6), `{"kind":"Pod","metadata":{"annotations":{"kubernetes.io/config.mirror":"x"}}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		given, reported, syntax := 0, 0, 0
		for o, err := range Objects("f", bytes.NewReader(data)) {
			if err != nil {
				var p *Problem
				if o != nil || !errors.As(err, &p) || p.Source != "f" || p.Error() == "" {
					t.Fatalf("object %v with error %v", o, err)
				}
				reported++
				if strings.Contains(err.Error(), "not JSON") {
					syntax++
				}
				continue
			}
			given++
			if !json.Valid(o.Raw) || o.Kind == "" || o.Line < 1 {
				t.Fatalf("given: line %d, kind %q, %q", o.Line, o.Kind, o.Raw)
			}
			if n, err := o.Node(); err != nil && (n.Taints != nil || len(o.Problems(err)) == 0) {
				t.Fatalf("Node = %v, %v", n, err)
			}
			if p, err := o.Pod(); err != nil && (p.Tolerations != nil || len(o.Problems(err)) == 0) {
				t.Fatalf("Pod = %v, %v", p, err)
			}
			if s, err := o.Slice(); err != nil && (s.Devices != nil || len(o.Problems(err)) == 0) {
				t.Fatalf("Slice = %v, %v", s, err)
			}
			if c, err := o.Claim(); err != nil && (c.Requests != nil || c.Allocated || len(o.Problems(err)) == 0) {
				t.Fatalf("Claim = %v, %v", c, err)
			}
			if r, err := o.Rule(); err != nil && (r != device.Rule{} || len(o.Problems(err)) == 0) || err == nil && r.Taint.IsZero() {
				t.Fatalf("Rule = %v, %v", r, err)
			}
		}
		if bytes.Contains(data, []byte("\ufeff")) || bytes.HasPrefix(data, []byte("\xff\xfe")) || bytes.HasPrefix(data, []byte("\xfe\xff")) || bytes.Contains(bytes.ToLower(data), []byte(`\ud`)) {
			return // encoding/json knows no marks, and reads half a surrogate pair
		}
		var c counter
		valid := c.stream(data)
		switch {
		case !utf8.Valid(data):
			if reported == 0 {
				t.Errorf("not UTF-8, but nothing reported; %d given", given)
			}
		case !valid && reported == 0:
			t.Errorf("no JSON, but nothing reported; %d given", given)
		case c.ended:
			if reported == 0 {
				t.Errorf("lists within too many lists, but nothing reported")
			}
		case c.scalars: // Objects knows no "truefalse", and gives up the line
			if reported == 0 {
				t.Errorf("a scalar, but nothing reported")
			}
		case valid && syntax > 0:
			t.Errorf("JSON, but reported as none")
		case valid && given != c.objects:
			t.Errorf("%d objects given, want %d", given, c.objects)
		case valid && (reported == 0) != (c.problems == 0):
			t.Errorf("%d problems reported, want %d", reported, c.problems)
		}
	})
}

// A counter counts, by means of encoding/json alone, what Objects must give
// and how many problems it must report.
type counter struct {
	objects, problems int
	scalars           bool // some value on its own is neither an object nor a list
	ended             bool // by lists within too many lists
}

func (c *counter) stream(data []byte) (valid bool) {
	d := json.NewDecoder(bytes.NewReader(data))
	n := 0
	for ; ; n++ {
		var raw json.RawMessage
		if err := d.Decode(&raw); err != nil {
			if len(bytes.Trim(data[d.InputOffset():], " \t\r\n")) > 0 {
				return false
			}
			break
		}
		c.scalars = c.scalars || raw[0] != '{' && raw[0] != '['
		c.value(raw, 0, false)
	}
	if n == 0 {
		c.problems++
	}
	return true
}

// value counts a value that is alone, or in a list; kindless says that it is an object
// without a kind.
func (c *counter) value(raw json.RawMessage, level int, listed bool) (kindless bool) {
	var list []json.RawMessage
	if level == 0 && raw[0] == '[' && json.Unmarshal(raw, &list) == nil {
		for _, item := range list {
			if c.value(item, 1, false) {
				c.problems++
			}
		}
		return false
	}
	if raw[0] != '{' {
		c.problems++
		return false
	}
	members := members(raw)
	kind, _ := text(members, "kind")
	isList, pending := false, 0
	for i, m := range members {
		if m.name != "items" || m.value[0] != '[' {
			continue
		}
		if c.ended = c.ended || level >= maxLists; c.ended {
			return false
		}
		isList = true
		known, _ := text(members[:i], "kind")
		known, ok := strings.CutSuffix(known, "List")
		var items []json.RawMessage
		_ = json.Unmarshal(m.value, &items)
		for _, item := range items {
			switch {
			case !c.value(item, level+1, true):
			case ok && known != "" && rightHead(members[:i]):
				c.objects++
			default:
				pending++
			}
		}
	}
	name, _ := text(meta(members), "name")
	generate, _ := text(meta(members), "generateName")
	right := rightHead(members)
	if !isList && (!right || kind != "List" && (!strings.HasSuffix(kind, "List") || name != "" || generate != "")) {
		switch {
		case !right:
			c.problems++
		case kind != "":
			c.objects++
		case listed:
			return true
		default:
			c.problems++
		}
		return false
	}
	// A list: what it reports about its items, and what is wrong with itself.
	more, _ := text(meta(members), "continue")
	wrongItems := slices.ContainsFunc(members, func(m member) bool {
		return m.name == "items" && m.value[0] != '[' && string(m.value) != "null"
	})
	right = right && more == "" && !wrongItems && (kind == "" || strings.HasSuffix(kind, "List"))
	if !right {
		c.problems++
	}
	if item, ok := strings.CutSuffix(kind, "List"); right && ok && item != "" {
		c.objects += pending
	} else {
		c.problems += pending
	}
	return false
}

// rightHead reports whether what is read of every object has the right types, and
// nothing that is read is repeated.
func rightHead(ms []member) bool {
	right := !repeated(ms, newFields(nil))
	for _, name := range []string{"kind", "apiVersion"} {
		_, ok := text(ms, name)
		right = right && ok
	}
	for _, m := range ms {
		right = right && (m.name != "metadata" || m.value[0] == '{' || m.value[0] == 'n')
	}
	for _, name := range []string{"namespace", "name", "generateName", "continue"} {
		_, ok := text(meta(ms), name)
		right = right && ok
	}
	return right
}

type member struct {
	name  string
	value json.RawMessage
}

func members(raw json.RawMessage) (ms []member) {
	d := json.NewDecoder(bytes.NewReader(raw))
	_, _ = d.Token()
	for d.More() {
		name, _ := d.Token()
		var value json.RawMessage
		_ = d.Decode(&value)
		ms = append(ms, member{name.(string), value})
	}
	return ms
}

// repeated reports whether a wanted name is there more than once, at any depth.
func repeated(ms []member, wanted fields) bool {
	seen := make(map[string]bool)
	for _, m := range ms {
		below, ok := wanted[m.name]
		if wanted != nil && !ok {
			continue
		}
		isItems := wanted != nil && m.name == "items" && m.value[0] == '['
		if seen[m.name] || !isItems && repeatedWithin(m.value, below) {
			return true
		}
		seen[m.name] = true
	}
	return false
}

func repeatedWithin(raw json.RawMessage, wanted fields) bool {
	switch {
	case raw[0] == '{':
		return repeated(members(raw), wanted)
	case raw[0] == '[':
		var list []json.RawMessage
		_ = json.Unmarshal(raw, &list)
		return slices.ContainsFunc(list, func(raw json.RawMessage) bool { return repeatedWithin(raw, nil) })
	}
	return false
}

// meta returns the members of the first metadata, when that is an object.
func meta(ms []member) []member {
	i := slices.IndexFunc(ms, func(m member) bool { return m.name == "metadata" })
	if i < 0 || ms[i].value[0] != '{' {
		return nil
	}
	return members(ms[i].value)
}

// text returns the first member of that name, and whether it is text or absent.
func text(ms []member, name string) (s string, ok bool) {
	i := slices.IndexFunc(ms, func(m member) bool { return m.name == name })
	if i < 0 {
		return "", true
	}
	ok = ms[i].value[0] == '"' || string(ms[i].value) == "null"
	_ = json.Unmarshal(ms[i].value, &s)
	return s, ok
}
