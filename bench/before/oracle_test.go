// Package before compares the exported functions of cover and policy with those of the
// commit that make.sh names.
package before

import (
	"fmt"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"strconv"
	"testing"

	"github.com/go-tolerate/tolerate/bench/before/cover"
	"github.com/go-tolerate/tolerate/bench/before/policy"
	"github.com/go-tolerate/tolerate/internal/gen"
	"github.com/go-tolerate/tolerate/internal/recorded"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
	newcover "github.com/go-tolerate/tolerate/toleration/cover"
	newpolicy "github.com/go-tolerate/tolerate/toleration/policy"
)

var choices = []toleration.Choice{toleration.First, toleration.Shortest, toleration.Longest, toleration.ForeverElseShortest}

// cases returns the number of random cases.
func cases(n int) int {
	if text := os.Getenv("CASES"); text != "" {
		n, _ = strconv.Atoi(text)
	}
	return n
}

// one returns a random toleration; few keys and values make collisions frequent.
func one(r *rand.Rand, keys, values int) toleration.Toleration {
	ends := []string{"-9223372036854775808", "-1", "0", "1", "9223372036854775806", "9223372036854775807"}
	number := func() string {
		if r.IntN(8) == 0 {
			return ends[r.IntN(len(ends))]
		}
		return strconv.Itoa(r.IntN(2*values) - 1)
	}
	key := [...]string{"k", "other", "a.io/x"}[r.IntN(3)] + strconv.Itoa(r.IntN(keys))
	if r.IntN(6) == 0 {
		key = [...]string{"k", "other", "other1"}[r.IntN(3)]
	}
	effect := taint.Effect(r.IntN(4))
	var u toleration.Toleration
	var err error
	switch r.IntN(12) {
	case 0:
		if r.IntN(3) == 0 {
			return u
		}
		u, err = toleration.New("", toleration.Exists, "", effect)
	case 1, 2:
		u, err = toleration.New(key, toleration.Exists, "", effect)
	case 3, 4, 5:
		u, err = toleration.New(key, toleration.Lt, number(), effect)
	case 6, 7, 8:
		u, err = toleration.New(key, toleration.Gt, number(), effect)
	default:
		value := [...]string{"", "other", "other1", "v" + strconv.Itoa(r.IntN(values)), strconv.Itoa(r.IntN(values)), "0" + strconv.Itoa(r.IntN(values)), "9223372036854775807"}[r.IntN(7)]
		u, err = toleration.New(key, toleration.Operator(r.IntN(2)), value, effect)
	}
	if err != nil {
		panic(err)
	}
	if effect == taint.NoExecute && r.IntN(3) > 0 {
		u, err = u.WithSeconds(int64(r.IntN(10) - 2))
		if err != nil {
			panic(err)
		}
	}
	return u
}

func some(r *rand.Rand) toleration.List {
	n := r.IntN(6)
	if r.IntN(3) == 0 {
		n = r.IntN(100)
	}
	keys, values := 1+r.IntN(6), 1+r.IntN(12)
	list := make(toleration.List, n)
	for i := range list {
		list[i] = one(r, keys, values)
	}
	return list
}

func length(c toleration.Choice, list toleration.List, t taint.Taint) uint64 {
	best := -1
	for i, u := range list {
		if u.Tolerates(t) && (best < 0 || c.Prefers(u, list[best])) {
			best = i
		}
	}
	if best < 0 {
		return 0
	}
	if n, timed := list[best].Seconds(); timed {
		return 1 + uint64(max(n, 0))
	}
	return 1<<63 + 1
}

// witnesses counts the witnesses, and those that are another taint than before.
var witnesses, others int

func compareCover(t *testing.T, a, b toleration.List, n int) {
	t.Helper()
	for range 5 {
		if len(a) == 0 || len(b) == 0 {
			break
		}
		u, v := a[n%len(a)], b[n%len(b)]
		if cover.Covers(u, v) != newcover.Covers(u, v) || cover.MatchesNothing(u) != newcover.MatchesNothing(u) {
			t.Errorf("Covers(%v, %v)", u, v)
		}
		n += 7
	}
	for _, lists := range [][]toleration.List{{a, b}, {b, a, b}, {nil, a}, {a}} {
		if want, got := cover.Merge(lists...), newcover.Merge(lists...); !reflect.DeepEqual(want, got) {
			t.Errorf("Merge(%v) = %v, want %v", lists, got, want)
		}
	}
	if want, got := cover.Uncovered(a, b), newcover.Uncovered(a, b); !reflect.DeepEqual(want, got) {
		t.Errorf("Uncovered(%v, %v) = %v, want %v", a, b, got, want)
	}
	for _, c := range choices {
		x, found := cover.UncoveredTaint(a, b, c)
		y, again := newcover.UncoveredTaint(a, b, c)
		if found != again || found && length(c, a, y) <= length(c, b, y) {
			t.Errorf("UncoveredTaint(%v, %v, %v) = %v %v, want %v %v", a, b, c, y, again, x, found)
		}
		if found {
			witnesses++
			if x != y {
				others++
			}
		}
		for _, i := range []int{n % (len(a) + 1), n * 7 % (len(a) + 1)} {
			if i < len(a) && cover.Redundant(a, i, c) != newcover.Redundant(a, i, c) {
				t.Errorf("Redundant(%v, %d, %v) = %v", a, i, c, newcover.Redundant(a, i, c))
			}
		}
	}
}

func TestCover(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for i := range cases(10_000) {
		a, b := some(r), some(r)
		if r.IntN(2) == 0 {
			b = append(slices.Clone(a), b...)
			r.Shuffle(len(b), func(i, j int) { b[i], b[j] = b[j], b[i] })
		}
		compareCover(t, a, b, i)
		if t.Failed() {
			return
		}
	}
	t.Logf("%d witnesses, %d of them others", witnesses, others)
}

func TestCover_recorded(t *testing.T) {
	n := 0
	recorded.Each(t, "cover", func(_ recorded.Header, c recorded.Cover) error {
		list, err := gen.ReadTolerations(c.Tolerations)
		n++
		compareCover(t, list, list[len(list)/2:], n)
		compareCover(t, list[len(list)/2:], list[:len(list)/2], n)
		return err
	})
	recorded.Each(t, "merge", func(_ recorded.Header, c recorded.Merge) error {
		first, _ := gen.ReadTolerations(c.First)
		second, err := gen.ReadTolerations(c.Second)
		n++
		compareCover(t, first, second, n)
		return err
	})
	t.Logf("%d cases", n)
}

// specOf returns the same clauses for both policies.
func specOf(r *rand.Rand) (before policy.Spec, now newpolicy.Spec) {
	clauses := func(n int) (list []policy.Clause) {
		for range n {
			var c policy.Clause
			if r.IntN(4) == 0 {
				c.Name = "n" + strconv.Itoa(r.IntN(1000))
			}
			if r.IntN(3) == 0 {
				c.Message = "m"
			}
			timed := r.IntN(3) == 0
			if timed {
				n := int64(r.IntN(8) - 1)
				c.MaxSeconds = &n
			}
			taints := func(n int, timed bool) (list toleration.List) {
				for range n {
					u := one(r, 3, 6)
					if r.IntN(200) > 0 {
						u = u.WithoutSeconds()
						op, e := u.Operator(), u.Effect()
						if op == 0 {
							op = toleration.Equal
						}
						if timed {
							e = taint.NoExecute
						}
						if u.IsZero() || cover.MatchesNothing(u) {
							continue
						}
						u, _ = toleration.New(u.Key(), op, u.Value(), e)
					}
					list = append(list, u)
				}
				return list
			}
			c.Taints = taints(1+r.IntN(5), timed)
			if r.IntN(2) == 0 {
				c.Except = taints(r.IntN(4), false)
			}
			if len(c.Taints) > 0 || r.IntN(50) == 0 {
				list = append(list, c)
			}
		}
		return list
	}
	n := 5
	if r.IntN(10) == 0 {
		n = 60
	}
	before = policy.Spec{Allow: clauses(r.IntN(n)), Deny: clauses(r.IntN(n))}
	if r.IntN(2) == 0 {
		before.Allow = append(before.Allow, policy.Clause{Taints: toleration.MustParseList("op=Exists")})
	}
	convert := func(list []policy.Clause) (out []newpolicy.Clause) {
		for _, c := range list {
			out = append(out, newpolicy.Clause(c))
		}
		return out
	}
	return before, newpolicy.Spec{Allow: convert(before.Allow), Deny: convert(before.Deny)}
}

func TestPolicy(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	valid, refused, allowed := 0, 0, 0
	for range cases(5_000) {
		before, now := specOf(r)
		p, err1 := policy.New(before)
		q, err2 := newpolicy.New(now)
		if fmt.Sprint(err1) != fmt.Sprint(err2) || p.String() != q.String() || p.IsZero() != q.IsZero() {
			t.Fatalf("New(%+v): %v, %v", before, err1, err2)
		}
		data, _ := p.MarshalJSON()
		p2, err1 := policy.Decode(data)
		q2, err2 := newpolicy.Decode(data)
		if fmt.Sprint(err1) != fmt.Sprint(err2) || p2.String() != q2.String() || !q2.Equal(q) || !p2.Equal(p) {
			t.Fatalf("Decode(%s): %v, %v", data, err1, err2)
		}
		if len(data) > 10 {
			data[r.IntN(len(data))] ^= byte(1 << r.IntN(7))
			_, err1 = policy.Decode(data)
			_, err2 = newpolicy.Decode(data)
			if fmt.Sprint(err1) != fmt.Sprint(err2) {
				t.Fatalf("Decode(%s): %v, %v", data, err1, err2)
			}
		}
		valid++
		list := toleration.List{}
		for range 40 {
			list = append(list, one(r, 3, 6))
		}
		for _, c := range slices.Concat(before.Allow, before.Deny) {
			list = append(append(list, c.Taints...), c.Except...)
		}
		for _, u := range list {
			want, got := p.Judge(u), q.Judge(u)
			if !reflect.DeepEqual(newpolicy.Verdict(want), got) || want.String() != got.String() {
				t.Fatalf("Judge(%v) = %+v, want %+v\nby %s", u, got, want, p)
			}
			if got.Allowed {
				allowed++
			} else {
				refused++
			}
		}
		if want, got := fmt.Sprint(p.Check(list, "x")), fmt.Sprint(q.Check(list, "x")); want != got {
			t.Fatalf("Check: %s, want %s", got, want)
		}
	}
	t.Logf("%d policies, %d allowed, %d refused", valid, allowed, refused)
}
