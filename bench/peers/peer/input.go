package peer

import (
	"encoding/json"
	"errors"
	"hash/fnv"
	"maps"
	"math/rand/v2"
	"slices"
)

// An Input is a node's taints and a pod's tolerations, with a second list of each, as
// the peer's types T and U. Last is the record of a controller that added taints to the node
// before: if More are those that it adds now, some of Last are among them. Every string has
// memory of its own, as in objects from an API server. Calls leave a list that they return
// in Found, and in Object what they make of the lists once.
type Input[T, U any] struct {
	Taints, More, Last  []T
	Tolerations, Others []U

	Found  []T
	Object any
}

// A draft is an Input as the API's JSON.
type draft struct{ Taints, More, Last, Tolerations, Others []object }

type object = map[string]any

// decode converts by JSON. It panics on an error, which is a mistake in this package.
func decode[In any](from any) *In {
	in := new(In)
	text, err := json.Marshal(from)
	if err = errors.Join(err, json.Unmarshal(text, in)); err != nil {
		panic(err)
	}
	return in
}

// A kind of random inputs is made from valid ones by a change of a taint and a toleration.
type kind struct {
	name   string
	change func(r random, d *draft, t, u object)
}

// The first kinds are valid. After the next, the others are in SEMANTICS.md's list of
// invalid structs.
const validKinds = 3

var kinds = []kind{
	{"valid", func(random, *draft, object, object) {}},
	{"valid, no operator", func(_ random, d *draft, t, u object) {
		u["key"], u["operator"], u["value"] = t["key"], "Equal", t["value"]
		d.Others = append(d.Others, maps.Clone(u))
		u["operator"] = ""
	}},
	{"valid, Lt or Gt", func(r random, _ *draft, t, u object) {
		t["value"], u["key"], u["operator"], u["value"] = r.one("3", "5"), t["key"], r.one("Lt", "Gt"), r.one("3", "4")
	}},
	{"a key and effect twice", func(r random, d *draft, t, _ object) {
		d.Taints = append(d.Taints, maps.Clone(t), t)
		t["value"] = r.one("", "v", "w")
	}},
	{"invalid syntax", func(r random, _ *draft, t, u object) {
		t["key"], t["value"], u["key"] = "a b", r.one("x/y", "-"), "a b"
		if u["operator"] != "Exists" {
			u["value"] = r.one("x/y", "-")
		}
	}},
	{"seconds without NoExecute", func(r random, _ *draft, _, u object) {
		u["tolerationSeconds"], u["effect"] = 60, r.one("", "NoSchedule")
	}},
	{"Lt or Gt without integers or key", func(r random, _ *draft, t, u object) {
		t["value"], u["operator"], u["value"] = r.one("", "x", "3", "03"), r.one("Lt", "Gt"), r.one("", "x", "04")
	}},
	{"no key, Equal or no operator", func(r random, _ *draft, _, u object) {
		u["key"], u["operator"], u["value"] = "", r.one("", "Equal"), r.one("", "v")
	}},
	{"Exists with a value", func(r random, _ *draft, _, u object) { u["operator"], u["value"] = "Exists", r.one("v", "w") }},
	{"unknown operator", func(r random, _ *draft, _, u object) { u["operator"] = r.one("exists", "In") }},
	{"taint without a key", func(_ random, _ *draft, t, _ object) { t["key"] = "" }},
	{"taint with no or an unknown effect", func(r random, _ *draft, t, _ object) { t["effect"] = r.one("", "NoAdmit") }},
}

type random struct{ *rand.Rand }

// newRandom returns the same numbers for the same seed.
func newRandom(seed string) random {
	h := fnv.New64()
	h.Write([]byte(seed))
	return random{rand.New(rand.NewPCG(h.Sum64(), 0))}
}

func (r random) one(from ...string) string { return from[r.IntN(len(from))] }

func (r random) draft(k kind) *draft {
	d := &draft{Taints: r.taints(), More: r.taints(), Tolerations: r.tolerations(), Others: r.tolerations()}
	for _, t := range slices.Concat(d.More, d.Taints, r.taints()) {
		if r.IntN(2) == 0 && !has(d.Last, t) {
			d.Last = append(d.Last, maps.Clone(t))
		}
	}
	if r.IntN(2) == 0 {
		d.Others = append(slices.Clone(d.Tolerations), d.Others...)
		r.Shuffle(len(d.Others), func(i, j int) { d.Others[i], d.Others[j] = d.Others[j], d.Others[i] })
		if len(d.Others) > 0 && d.Others[0]["effect"] == "NoExecute" {
			d.Others[0] = maps.Clone(d.Others[0])
			d.Others[0]["tolerationSeconds"] = 90
		}
	}
	taints, tolerations := slices.Concat(d.Taints, d.More), slices.Concat(d.Tolerations, d.Others)
	if len(taints) > 0 && len(tolerations) > 0 {
		t, u := taints[r.IntN(len(taints))], tolerations[r.IntN(len(tolerations))]
		if r.IntN(2) == 0 {
			u["key"], u["effect"] = t["key"], t["effect"]
			delete(u, "tolerationSeconds")
		}
		k.change(r, d, t, u)
	}
	return d
}

var keys = []string{"a", "b", "example.com/c", "node.kubernetes.io/not-ready"}

func (r random) taints() (list []object) {
	for range r.IntN(4) {
		t := object{"key": r.one(keys...), "effect": r.one("NoSchedule", "PreferNoSchedule", "NoExecute"), "value": r.one("", "v", "w")}
		if has(list, t) {
			continue
		}
		if t["effect"] == "NoExecute" && r.IntN(2) == 0 {
			t["timeAdded"] = r.one("2026-01-01T00:00:00Z", "2026-01-01T00:05:00Z")
		}
		list = append(list, t)
	}
	return list
}

func has(list []object, t object) bool {
	return slices.ContainsFunc(list, func(o object) bool { return o["key"] == t["key"] && o["effect"] == t["effect"] })
}

func (r random) tolerations() (list []object) {
	for range r.IntN(5) {
		u := object{"key": r.one(append(keys, "")...), "effect": r.one("", "NoSchedule", "PreferNoSchedule", "NoExecute"), "operator": r.one("Equal", "Exists")}
		if u["key"] == "" || u["operator"] == "Exists" {
			u["operator"] = "Exists"
		} else {
			u["value"] = r.one("", "v", "w")
		}
		if u["effect"] == "NoExecute" && r.IntN(2) == 0 {
			u["tolerationSeconds"] = []int{0, 60, 300, -1}[r.IntN(4)]
		}
		list = append(list, u)
	}
	return list
}
