package peer

import (
	"encoding/json"
	"errors"
	"os"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/go-tolerate/tolerate/bench/overlay/hook"
	"github.com/go-tolerate/tolerate/bench/workload"
)

// resultVar is the environment variable with the file that Compare writes.
const resultVar = "TOLERATE_COMPARED"

// How often a call is measured with each body in turn, and for how long, so that a busy
// machine interrupts some rounds only; and how many random inputs of each kind it gets.
const (
	rounds = 201
	period = 200 * time.Microsecond
	draws  = 9000
)

// NotCalled is the result of a call for an input without the element that it needs.
const NotCalled = "not called"

// Compared is what [Compare] found.
type Compared struct {
	Cases       []Case
	Differences []Difference
}

// A Case is the time of a call with one kind of node: the medians of the rounds, and of
// their ratios.
type Case struct {
	Call, Nodes          string
	Before, After, Ratio float64 // nanoseconds a node
}

// A Difference says for how many random inputs of a kind both bodies have different
// results, and has the first one.
type Difference struct {
	Call, Kind, Example string
	Inputs              int
}

// Compare measures the calls of swapped functions, by their names, and compares their results
// for random inputs. A call leaves a list that it returns in the input, since any would allocate.
func Compare[T, U any](t *testing.T, calls map[string]func(in *Input[T, U]) any) {
	file := os.Getenv(resultVar)
	if file == "" {
		t.Skip("only to compare")
	}
	var found Compared
	for _, name := range sorted(calls) {
		call := calls[name]
		for _, nodes := range fleets() {
			var inputs []*Input[T, U]
			for _, d := range nodes.drafts {
				inputs = append(inputs, decode[Input[T, U]](d))
			}
			if len(inputs) > 1 || call(inputs[0]) != NotCalled {
				c := measure(call, inputs)
				c.Call, c.Nodes = name, nodes.name
				found.Cases = append(found.Cases, c)
			}
		}
		for _, k := range kinds {
			if d := differ(call, k); d.Inputs > 0 {
				d.Call = name
				found.Differences = append(found.Differences, d)
			}
		}
	}
	text, err := json.Marshal(found)
	if err = errors.Join(err, os.WriteFile(file, text, 0o666)); err != nil {
		t.Fatal(err)
	}
}

type fleet struct {
	name   string
	drafts []*draft
}

// fleets are the nodes that every call is measured with.
func fleets() []fleet {
	taint := func(key, value string) object { return object{"key": key, "value": value, "effect": "NoSchedule"} }
	gpu, team, other := taint("nvidia.com/gpu", "present"), taint("dedicated", "team-7"), taint("dedicated", "team-8")
	pod, reversed := *decode[[]object](workload.Pod()), *decode[[]object](workload.Pod())
	slices.Reverse(reversed)
	var mixed []*draft
	for _, taints := range workload.Fleet(100, 1) {
		mixed = append(mixed, &draft{*decode[[]object](taints), []object{team}, []object{team}, pod, pod})
	}
	return []fleet{
		{"2 taints, tolerated", []*draft{{[]object{gpu, team}, []object{team}, []object{team}, pod, pod}}},
		{"2 taints, the second untolerated", []*draft{{[]object{gpu, other}, []object{gpu, team}, []object{gpu, other}, pod, reversed}}},
		{"no taints", []*draft{{nil, []object{team}, nil, pod, nil}}},
		{"100 nodes of a fleet", mixed},
	}
}

func measure[In any](call func(*In) any, inputs []*In) Case {
	var before, after, ratios []float64
	for n := 1; len(ratios) < rounds; {
		run := func(original bool) float64 {
			hook.Original = original
			start := time.Now()
			for range n {
				for _, in := range inputs {
					call(in)
				}
			}
			return float64(time.Since(start).Nanoseconds()) / float64(n*len(inputs))
		}
		b, a := run(true), run(false)
		if min(a, b)*float64(n*len(inputs)) < float64(period) {
			n, before, after, ratios = 2*n, nil, nil, nil
			continue
		}
		before, after, ratios = append(before, b), append(after, a), append(ratios, b/a)
	}
	return Case{"", "", median(before), median(after), median(ratios)}
}

func median(list []float64) float64 { return slices.Sorted(slices.Values(list))[len(list)/2] }

// differ compares what both bodies return, leave in Found, and make of the object.
func differ[T, U any](call func(*Input[T, U]) any, k kind) Difference {
	found, r := Difference{Kind: k.name}, newRandom(k.name)
	for range draws {
		d := r.draft(k)
		var results [2][]any
		for side := range results {
			hook.Original = side == 0
			in := decode[Input[T, U]](d)
			returned := call(in)
			results[side] = []any{returned, in.Found, in.Object}
		}
		hook.Original = false
		if reflect.DeepEqual(results[0], results[1]) {
			continue
		}
		if found.Inputs++; found.Inputs == 1 {
			text, _ := json.Marshal(d)
			found.Example = string(text)
		}
	}
	return found
}
