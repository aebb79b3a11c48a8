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
	draws  = 3000
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
				found.Cases = append(found.Cases, measure(call, inputs))
				last := &found.Cases[len(found.Cases)-1]
				last.Call, last.Nodes = name, nodes.name
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

// fleets are the nodes that every call is measured with.
func fleets() []fleet {
	gpu, team := object{"key": "nvidia.com/gpu", "value": "present", "effect": "NoSchedule"}, object{"key": "dedicated", "value": "team-7", "effect": "NoSchedule"}
	other := object{"key": "dedicated", "value": "team-8", "effect": "NoSchedule"}
	pod := *decode[[]object](workload.Pod())
	reversed := slices.Clone(pod)
	slices.Reverse(reversed)
	mixed := fleet{name: "100 nodes of a fleet"}
	for _, taints := range workload.Fleet(100, 1) {
		mixed.drafts = append(mixed.drafts, &draft{*decode[[]object](taints), []object{team}, pod, pod})
	}
	return []fleet{
		{"2 taints, tolerated", []*draft{{[]object{gpu, team}, []object{team}, pod, pod}}},
		{"2 taints, the second untolerated", []*draft{{[]object{gpu, other}, []object{gpu, team}, pod, reversed}}},
		{"no taints", []*draft{{nil, []object{team}, pod, nil}}},
		mixed,
	}
}

type fleet struct {
	name   string
	drafts []*draft
}

func measure[In any](call func(*In) any, inputs []*In) Case {
	times := [2][]float64{}
	var ratios []float64
	n := 1
	for len(ratios) < rounds {
		for side := range times {
			hook.Original = side == 0
			start := time.Now()
			for range n {
				for _, in := range inputs {
					call(in)
				}
			}
			took := time.Since(start)
			if took < period {
				n, times, ratios = 2*n, [2][]float64{}, nil
				break
			}
			times[side] = append(times[side], float64(took.Nanoseconds())/float64(n*len(inputs)))
		}
		if r := len(times[1]); r > len(ratios) {
			ratios = append(ratios, times[0][r-1]/times[1][r-1])
		}
	}
	hook.Original = false
	return Case{"", "", median(times[0]), median(times[1]), median(ratios)}
}

func median(list []float64) float64 {
	slices.Sort(list)
	return list[len(list)/2]
}

// differ compares what both bodies return, leave in the input, and make of the object.
func differ[T, U any](call func(*Input[T, U]) any, k kind) Difference {
	found, r := Difference{Kind: k.name}, newRandom(k.name)
	for range draws {
		d := r.draft(k)
		var ins [2]*Input[T, U]
		var results [2]any
		for side := range ins {
			hook.Original = side == 0
			ins[side] = decode[Input[T, U]](d)
			results[side] = call(ins[side])
		}
		hook.Original = false
		a, b := ins[0], ins[1]
		if reflect.DeepEqual(results[0], results[1]) && reflect.DeepEqual(a.Found, b.Found) && reflect.DeepEqual(a.Left, b.Left) && reflect.DeepEqual(a.Object, b.Object) {
			continue
		}
		if found.Inputs++; found.Inputs == 1 {
			text, _ := json.Marshal(d)
			found.Example = string(text)
		}
	}
	return found
}
