package cover_test

import (
	"flag"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// The properties are cheap here, so more than the usual 100 draws are tried
// when neither RAPID_CHECKS nor the flag says how many.
func TestMain(m *testing.M) {
	if os.Getenv("RAPID_CHECKS") == "" {
		if err := flag.Set("rapid.checks", "1000"); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}

var policies = []toleration.Policy{toleration.First, toleration.Shortest, toleration.Longest, toleration.ForeverElseShortest}

// A length is for how long a taint is tolerated: 0 when it is not tolerated at
// all, one more than the seconds, or forever.
type length uint64

const forever length = math.MaxUint64

// lengthOf returns for how long the list tolerates the taint, by the text of
// the policies and by Tolerates alone.
func lengthOf(p toleration.Policy, list []toleration.Toleration, t taint.Taint) length {
	var all []length
	for _, u := range list {
		if !u.Tolerates(t) {
			continue
		}
		n, timed := u.Seconds()
		switch {
		case !timed:
			all = append(all, forever)
		case n < 0:
			all = append(all, 1)
		default:
			all = append(all, length(n)+1)
		}
	}
	if len(all) == 0 {
		return 0
	}
	switch p {
	case toleration.Shortest:
		return slices.Min(all)
	case toleration.Longest:
		return slices.Max(all)
	case toleration.ForeverElseShortest:
		if slices.Contains(all, forever) {
			return forever
		}
		return slices.Min(all)
	}
	return all[0]
}

// lengths returns those of all the taints.
func lengths(p toleration.Policy, list []toleration.Toleration, taints []taint.Taint) []length {
	all := make([]length, len(taints))
	for i, t := range taints {
		all[i] = lengthOf(p, list, t)
	}
	return all
}

// atLeast reports whether a is nowhere shorter than b.
func atLeast(a, b []length) bool {
	for i := range a {
		if a[i] < b[i] {
			return false
		}
	}
	return true
}

// space returns taints that are enough to tell any two lists made of these
// tolerations apart: under every effect, and each key that is named and one
// more, all values that are named and one more, 0, and of each number that is
// named its neighbours.
func space(lists ...[]toleration.Toleration) []taint.Taint {
	keys := map[string]bool{"not.named/key": true}
	values := map[string]bool{"": true, "0": true, "not.named.value": true}
	for _, u := range slices.Concat(lists...) {
		keys[u.Key()] = true
		values[u.Value()] = true
		if n, err := strconv.ParseInt(u.Value(), 10, 64); err == nil {
			values[strconv.FormatInt(n, 10)] = true
			values[strconv.FormatInt(max(n, math.MinInt64+1)-1, 10)] = true
			values[strconv.FormatInt(min(n, math.MaxInt64-1)+1, 10)] = true
		}
	}
	var taints []taint.Taint
	for key := range keys {
		for value := range values {
			for _, effect := range []taint.Effect{taint.NoSchedule, taint.PreferNoSchedule, taint.NoExecute} {
				if t, err := taint.New(key, value, effect); err == nil { // neither a negative number nor an absent key
					taints = append(taints, t)
				}
			}
		}
	}
	return taints
}

// all returns all tolerations under every effect and operator, the absent ones
// too, that have these keys or none, values (under Equal), bounds (under Lt and
// Gt), and seconds or none. The zero one comes first.
func all(keys, values, bounds []string, effects []taint.Effect, seconds []int64) []toleration.Toleration {
	list := []toleration.Toleration{{}}
	for op := range toleration.Gt + 1 {
		admitted := values
		switch op {
		case toleration.Exists:
			admitted = []string{""}
		case toleration.Lt, toleration.Gt:
			admitted = bounds
		}
		for _, key := range append([]string{""}, keys...) {
			for _, value := range admitted {
				for _, effect := range effects {
					u, err := toleration.New(key, op, value, effect)
					if err != nil {
						continue // no key, and not Exists
					}
					list = append(list, u)
					for _, n := range seconds {
						if timed, err := u.WithSeconds(n); err == nil {
							list = append(list, timed)
						}
					}
				}
			}
		}
	}
	return list
}

// parse reads tolerations, a line each. What cannot be read is left out, and so
// is what comes after the first eight.
func parse(text string) (list []toleration.Toleration) {
	for line := range strings.SplitSeq(text, "\n") {
		if u, err := toleration.Parse(strings.TrimSpace(line)); err == nil && len(list) < 8 {
			list = append(list, u)
		}
	}
	return list
}

// list reads tolerations, all of which must be valid; "zero" is the zero one.
func list(texts ...string) []toleration.Toleration {
	var l []toleration.Toleration
	for _, text := range texts {
		if text == "zero" {
			l = append(l, toleration.Toleration{})
			continue
		}
		l = append(l, toleration.MustParse(text))
	}
	return l
}
