package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/go-tolerate/tolerate/bench/kubernetes/upstream"
	"github.com/go-tolerate/tolerate/internal/tests/recorded"
)

var kinds = map[string]kind{
	"match":           of(matched),
	"filter":          of(filtered),
	"filter-invalid":  of(filteredInvalid),
	"evict":           of(evictedAtOnce),
	"history":         of(lived),
	"validate":        of(validated),
	"update":          of(updated),
	"validate-taints": of(validatedTaints),
	"decode":          of(decodedTolerations),
	"decode-taints":   of(decodedTaints),
	"parse":           of(parsed),
	"edit":            of(edited),
	"cover":           of(covered),
	"merge":           of(merged),
	"default-seconds": of(withDefaults),
	"daemon":          of(inDaemonSet),
	"resources":       of(withResources),
	"pod":             of(admitted),
	"match-device":    of(matchedDevice),
	"validate-device": of(validatedDevice),
	"allocate-device": of(allocatedDevice),
	"evict-device":    of(evictedDevice),
}

// A kind of cases. The function answer completes a case that has only inputs; it returns
// nil if the version cannot have the case.
type kind struct {
	inputs func(text json.RawMessage) (c any, other []string, err error)
	answer func(c any) any
}

// decode returns the case of a kind with its inputs alone, and the names of its other fields.
func decode(name string, text json.RawMessage) (c any, other []string, err error) {
	k, ok := kinds[name]
	if !ok {
		return nil, nil, fmt.Errorf("unknown kind %q", name)
	}
	return k.inputs(text)
}

func of[C any](answer func(c C) any) kind {
	return kind{inputs[C], func(c any) any { return answer(c.(C)) }}
}

// inputs decodes the inputs of a case, and returns the names of the other fields.
func inputs[C any](text json.RawMessage) (_ any, other []string, err error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(text, &fields); err != nil {
		return nil, nil, err
	}
	var c C
	v := reflect.ValueOf(&c).Elem()
	for i := range v.NumField() {
		tag := v.Type().Field(i).Tag
		name, optional, _ := strings.Cut(tag.Get("json"), ",")
		switch value, ok := fields[name]; {
		case tag.Get("case") != "input":
		case ok:
			delete(fields, name)
			err = errors.Join(err, strictly(value).Decode(v.Field(i).Addr().Interface()))
		case optional == "":
			err = errors.Join(err, fmt.Errorf("no %s", name))
		}
	}
	if gate := v.FieldByName("Gate"); gate.IsValid() && !upstream.HasNumeric {
		gate.SetBool(false) // the version has no gate
	}
	return c, slices.Sorted(maps.Keys(fields)), err
}

// strictly returns a decoder that rejects unknown fields.
func strictly(text []byte) *json.Decoder {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	return dec
}

// A line of a recording, whose case has only inputs until it is answered.
type line = recorded.Line[any]

// read returns the lines of a recording except the first, without the answers.
func read(name string) (lines []line, err error) {
	texts, err := recorded.Lines(name)
	if err != nil {
		return nil, err
	}
	for _, text := range texts[1:] {
		var l recorded.Line[json.RawMessage]
		if err := json.Unmarshal(text, &l); err != nil {
			return nil, err
		}
		c, _, err := decode(l.Kind, l.Case)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", l.ID, err)
		}
		lines = append(lines, line{Kind: l.Kind, ID: l.ID, Case: c})
	}
	return lines, nil
}

// add appends the cases of the text that the lines do not have, with the next ids of their
// kinds. It returns the ids of all cases of the text.
func add(lines []line, text []byte) (_ []line, given map[string]bool, err error) {
	ids, next := map[string]string{}, map[string]int{}
	for _, l := range lines {
		if key := l.Kind + string(marshal(l.Case)); ids[key] == "" {
			ids[key] = l.ID
		}
		n, _ := strconv.Atoi(strings.TrimPrefix(l.ID, l.Kind+"-")) // 0 for edges
		next[l.Kind] = max(next[l.Kind], n+1)
	}
	given = map[string]bool{}
	dec := strictly(text)
	for {
		var l struct {
			Kind string
			Case json.RawMessage
		}
		if err := dec.Decode(&l); err == io.EOF {
			return lines, given, nil
		} else if err != nil {
			return nil, nil, err
		}
		c, other, err := decode(l.Kind, l.Case)
		if err == nil && len(other) > 0 {
			err = fmt.Errorf("no inputs: %q", other)
		}
		if err != nil {
			return nil, nil, fmt.Errorf("%s %s: %w", l.Kind, l.Case, err)
		}
		key := l.Kind + string(marshal(c))
		if ids[key] == "" {
			ids[key] = fmt.Sprint(l.Kind, "-", next[l.Kind])
			next[l.Kind]++
			lines = append(lines, line{Kind: l.Kind, ID: ids[key], Case: c})
		}
		given[ids[key]] = true
	}
}
