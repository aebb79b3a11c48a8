// Package before compares the library with what it was before its code was made
// smaller. The script run makes the copy and runs the tests. Each package of the library
// has a file of its own here.
package before_test

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	oldtaint "github.com/go-tolerate/before/taint"
	oldtoleration "github.com/go-tolerate/before/toleration"

	"github.com/go-tolerate/tolerate/internal/gen"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

func TestMain(m *testing.M) { gen.Main(m, 5000) }

// oldTaint returns t as a value of the copy. Times are kept; the zero value stays zero.
func oldTaint(t taint.Taint) oldtaint.Taint {
	if t.IsZero() {
		return oldtaint.Taint{}
	}
	old, err := oldtaint.From(t.Key(), t.Value(), t.Effect().String())
	if err != nil {
		panic(err)
	}
	if added := t.TimeAdded(); !added.IsZero() {
		if old, err = old.WithTimeAdded(added); err != nil {
			panic(err)
		}
	}
	return old
}

// oldToleration returns u as a value of the copy.
func oldToleration(u toleration.Toleration) oldtoleration.Toleration {
	if u.IsZero() {
		return oldtoleration.Toleration{}
	}
	var effect string
	if u.Effect() != 0 {
		effect = u.Effect().String()
	}
	var operator string
	if u.Operator() != 0 {
		operator = u.Operator().String()
	}
	var seconds *int64
	if n, ok := u.Seconds(); ok {
		seconds = &n
	}
	old, err := oldtoleration.From(u.Key(), operator, u.Value(), effect, seconds)
	if err != nil {
		panic(err)
	}
	return old
}

func oldTaints(list taint.List) oldtaint.List { return convert[oldtaint.List](list, oldTaint) }

func oldTolerations(list toleration.List) oldtoleration.List {
	return convert[oldtoleration.List](list, oldToleration)
}

func oldLists(lists []toleration.List) []oldtoleration.List {
	return convert[[]oldtoleration.List](lists, oldTolerations)
}

// convert keeps nil.
func convert[L ~[]B, A, B any](list []A, one func(A) B) L {
	if list == nil {
		return nil
	}
	out := make(L, len(list))
	for i, v := range list {
		out[i] = one(v)
	}
	return out
}

// same fails unless the texts of now and before are equal. Values print as their String
// method, errors as their text.
func same(t interface {
	Helper()
	Fatalf(string, ...any)
}, call string, now, before any) {
	t.Helper()
	if a, b := fmt.Sprint(now), fmt.Sprint(before); a != b {
		t.Fatalf("%s\n   now %.2000s\nbefore %.2000s", call, a, b)
	}
}

// A large is what a stranger can put into one object of 1.5 MB.
type large struct {
	name        string
	taints      taint.List
	tolerations toleration.List
}

// hostile returns the large inputs.
func hostile() []large {
	var wildcards, keys, values, numbers toleration.List
	for i := range 60_000 {
		u := toleration.MustParse([]string{"op=Exists", ":NoSchedule op=Exists", ":NoExecute op=Exists"}[i%3])
		if i%3 == 2 {
			u, _ = u.WithSeconds(int64(i))
		}
		wildcards = append(wildcards, u)
		values = append(values, toleration.MustParse(fmt.Sprintf("k=v%d", i)))
		numbers = append(numbers, toleration.MustParse(fmt.Sprintf("k=%d op=Lt", i)))
	}
	for i := range 39_000 {
		keys = append(keys, toleration.MustParse(fmt.Sprintf("key%d op=Exists", i)))
	}
	var manyKeys, manyValues, few taint.List
	for i := range 44_000 {
		manyKeys = append(manyKeys, taint.MustParse(fmt.Sprintf("key%d:NoSchedule", i)))
		manyValues = append(manyValues, taint.MustParse(fmt.Sprintf("k=v%d:NoExecute", i)))
	}
	few = taint.List{taint.MustParse("k=v59999:NoExecute"), taint.MustParse("key38999:NoSchedule"), taint.MustParse("absent:PreferNoSchedule")}
	return []large{
		{"wildcards", few, wildcards},
		{"keys", few, keys},
		{"values", few, values},
		{"numbers", few, numbers},
		{"taints", manyKeys, toleration.List{toleration.MustParse("key0 op=Exists"), toleration.MustParse("op=Exists:NoExecute")}},
		{"keys and taints", manyKeys, keys},
		{"values and taints", manyValues, values},
		{"wildcards and taints", manyValues, wildcards},
	}
}

// bounded calls f, and fails if that takes more than a generous time, or allocates more
// than so many bytes.
func bounded(t testing.TB, call string, bytes uint64, f func()) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	start := time.Now()
	f()
	took := time.Since(start)
	runtime.ReadMemStats(&after)
	allocated := after.TotalAlloc - before.TotalAlloc
	t.Logf("%s: %v, %d bytes", call, took.Round(time.Microsecond), allocated)
	if took > 3*time.Second {
		t.Errorf("%s takes %v", call, took)
	}
	if allocated > bytes {
		t.Errorf("%s allocates %d bytes, more than %d", call, allocated, bytes)
	}
}
