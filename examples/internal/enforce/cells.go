package enforce

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/go-tolerate/tolerate/examples/internal/rules"
	"github.com/go-tolerate/tolerate/internal/problem"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/toleration/policy"
)

// policy returns the map from the cells of a rule's policy to rows: "" is all keys, "k" all
// values of a key, "k=v" a value, "k=*" another value, and "*" another key. A cell that is not
// in the map is like "k=*", or else like "*".
func (x *compiler) policy(i int) string {
	r := x.rules[i]
	if r.Policy == nil {
		return ""
	}
	values := map[string]map[string]bool{}
	spec := r.Policy.Spec()
	for _, c := range slices.Concat(spec.Allow, spec.Deny) {
		for _, u := range slices.Concat(c.Taints, c.Except) {
			if values[u.Key()] == nil {
				values[u.Key()] = map[string]bool{}
			}
			if u.Operator() != toleration.Exists {
				values[u.Key()][u.Value()] = true
			}
		}
	}
	delete(values, "")
	n := len(values)
	for _, named := range values {
		n += len(named)
	}
	if n > maxCells {
		x.fail(fmt.Errorf("%s.policy: has %d keys and values; at most %d fit", at(i), n, maxCells))
		return ""
	}
	all, other := x.row(r, "", toleration.Exists, ""), x.row(r, unused(values), toleration.Exists, "")
	entries := []string{fmt.Sprintf(`"": %d`, all), fmt.Sprintf(`"*": %d`, other)}
	add := func(cell string, row, without int) {
		if row != without {
			entries = append(entries, fmt.Sprintf("%s: %d", quote(cell), row))
		}
	}
	for _, key := range slices.Sorted(maps.Keys(values)) {
		rest := x.row(r, key, toleration.Equal, unused(values[key]))
		add(key+"=*", rest, other)
		add(key, x.row(r, key, toleration.Exists, ""), rest)
		for _, value := range slices.Sorted(maps.Keys(values[key])) {
			add(key+"="+value, x.row(r, key, toleration.Equal, value), rest)
		}
	}
	return table(entries)
}

// unused returns a name that is not in the map.
func unused[V any](in map[string]V) string {
	for i := 0; ; i++ {
		name := "other" + strconv.Itoa(i)
		if _, ok := in[name]; !ok {
			return name
		}
	}
}

// row returns the number of the row with the answers to the tolerations of a cell, in the order
// no effect, NoSchedule, PreferNoSchedule, NoExecute.
func (x *compiler) row(r rules.Rule, key string, op toleration.Operator, value string) int {
	var answers []string
	for _, effect := range []taint.Effect{0, taint.NoSchedule, taint.PreferNoSchedule, taint.NoExecute} {
		u := problem.Must(toleration.New(key, op, value, effect)) // valid, since the policy has these
		answers = append(answers, strconv.Itoa(x.answer(r, u)))
	}
	return number(&x.rows, x.rowIDs, list(answers))
}

// number returns the index of the text in the list, to which it is added once.
func number(all *[]string, ids map[string]int, text string) int {
	id, ok := ids[text]
	if !ok {
		id = len(*all)
		ids[text] = id
		*all = append(*all, text)
	}
	return id
}

// answer returns the answer to a toleration without seconds: 0, the number of the clause that
// refuses it, or, if seconds matter, a negative number, which is a position in timed. A list
// [a, b, c, d] there says that b refuses more than a seconds, else d more than c, and else
// nothing.
func (x *compiler) answer(r rules.Rule, u toleration.Toleration) int {
	v := r.Policy.Judge(u)
	if v.Allowed || v.MaxSeconds == nil || u.Effect() != taint.NoExecute {
		return x.refusal(r, v)
	}
	longest := *v.MaxSeconds
	timed := problem.Must(u.WithSeconds(longest)) // valid, since its effect is NoExecute
	within, most := r.Policy.Judge(timed), longest
	if within.MaxSeconds != nil {
		most = *within.MaxSeconds
	} else if !within.Allowed {
		most = -1 // whatever the seconds
	}
	limits := list([]string{strconv.FormatInt(longest, 10), strconv.Itoa(x.refusal(r, v)), strconv.FormatInt(most, 10), strconv.Itoa(x.refusal(r, within))})
	return -1 - number(&x.timed, x.timedIDs, limits)
}

// refusal returns the number of the clause and its reason, or 0 if it allows the toleration.
func (x *compiler) refusal(r rules.Rule, v policy.Verdict) int {
	if v.Allowed {
		return 0
	}
	clause, reason := plain(r.Clause(v), maxClause), plain(rules.Reason(v), maxReason)
	id, ok := x.refusals[[2]string{clause, reason}]
	if !ok {
		id = len(x.reasons)
		x.refusals[[2]string{clause, reason}] = id
		x.clauses, x.reasons = append(x.clauses, quote(clause)), append(x.reasons, quote(reason))
	}
	return id
}
