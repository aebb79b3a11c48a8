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
	"github.com/go-tolerate/tolerate/toleration/admission"
	"github.com/go-tolerate/tolerate/toleration/policy"
)

// tables makes the tables of the rules. The first of both kinds is for pods without such a rule: a
// policy that allows everything, and what is accepted of all pods.
func (x *compiler) tables() {
	policies, accepts := map[string]int{}, map[string]int{}
	everything := number(&x.rows, x.rowIDs, list([]string{"0", "0", "0", "0"}))
	number(&x.policyTables, policies, table([]string{fmt.Sprintf(`"": %d`, everything), fmt.Sprintf(`"*": %d`, everything)}))
	number(&x.acceptTables, accepts, x.accepted(nil, true))
	for i, r := range x.rules {
		policy, accept := "", ""
		if r.Policy != nil {
			policy = strconv.Itoa(number(&x.policyTables, policies, x.policy(i)))
		}
		if r.Tolerations != nil {
			keyless := slices.ContainsFunc(r.Tolerations, func(u toleration.Toleration) bool { return u.Key() == "" })
			accept = strconv.Itoa(number(&x.acceptTables, accepts, x.accepted(r.Tolerations, keyless)))
		}
		x.policies, x.accepts = append(x.policies, policy), append(x.accepts, accept)
	}
}

// policy returns the table of a rule's policy.
func (x *compiler) policy(i int) string {
	r := x.rules[i]
	spec, named := r.Policy.Spec(), toleration.List{}
	for _, c := range slices.Concat(spec.Allow, spec.Deny) {
		named = slices.Concat(named, c.Taints, c.Except)
	}
	return x.table(r.Place(i)+".policy", named, true, func(u toleration.Toleration) string { return strconv.Itoa(x.answer(r, u)) })
}

// accepted returns the table of what is accepted with these tolerations of a rule: for how many
// seconds, -1 for none, first of a pod, then of a DaemonSet's, then of one in the network of its
// host. If not all cells are wanted, others are as without the tolerations.
func (x *compiler) accepted(tolerations toleration.List, all bool) string {
	named := tolerations
	if all {
		named = slices.Concat(named, rules.Defaults, admission.Daemon(admission.DaemonOptions{HostNetwork: true}, nil))
	}
	var answers []func(toleration.Toleration) string
	for _, variant := range [][2]bool{{}, {true}, {true, true}} {
		accepts := rules.Accepts(tolerations, variant[0], variant[1])
		answers = append(answers, func(u toleration.Toleration) string { return strconv.FormatInt(rules.Longest(accepts, u), 10) })
	}
	return x.table("rules", named, all, answers...)
}

// table returns a map from cells to rows: "" is all keys, "k" all values of a key, "k=v" a value,
// "k=*" another value, and "*" another key. A cell that is not in the map is like "k=*", or else
// like "*". If not all cells are wanted, "" and "*" are omitted.
func (x *compiler) table(at string, named toleration.List, all bool, answers ...func(toleration.Toleration) string) string {
	values := map[string]map[string]bool{}
	for _, u := range named {
		if values[u.Key()] == nil {
			values[u.Key()] = map[string]bool{}
		}
		if u.Operator() != toleration.Exists {
			values[u.Key()][u.Value()] = true
		}
	}
	delete(values, "")
	n := len(values)
	for _, named := range values {
		n += len(named)
	}
	if n > maxCells {
		x.errs = append(x.errs, fmt.Errorf("%s: has %d keys and values; at most %d fit", at, n, maxCells))
		return table(nil)
	}
	var entries []string
	add := func(cell string, row int) { entries = append(entries, fmt.Sprintf("%s: %d", quote(cell), row)) }
	other := -1
	if all {
		other = x.row(unused(values), toleration.Exists, "", answers)
		add("", x.row("", toleration.Exists, "", answers))
		add("*", other)
	}
	for _, key := range slices.Sorted(maps.Keys(values)) {
		rest := x.row(key, toleration.Equal, unused(values[key]), answers)
		if rest != other {
			add(key+"=*", rest)
		}
		if any := x.row(key, toleration.Exists, "", answers); any != rest {
			add(key, any)
		}
		for _, value := range slices.Sorted(maps.Keys(values[key])) {
			if row := x.row(key, toleration.Equal, value, answers); row != rest {
				add(key+"="+value, row)
			}
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

// row returns the number of the row with the answers to the tolerations of a cell, each in the
// order no effect, NoSchedule, PreferNoSchedule, NoExecute.
func (x *compiler) row(key string, op toleration.Operator, value string, answers []func(toleration.Toleration) string) int {
	var row []string
	for _, answer := range answers {
		for _, effect := range []taint.Effect{0, taint.NoSchedule, taint.PreferNoSchedule, taint.NoExecute} {
			row = append(row, answer(problem.Must(toleration.New(key, op, value, effect)))) // valid, since the rule has these
		}
	}
	return number(&x.rows, x.rowIDs, list(row))
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
