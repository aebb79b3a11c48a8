package cover_test

import (
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/go-tolerate/tolerate/internal/gen"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/toleration/cover"
)

// answers are the results for lists and for sets made from them.
type answers struct {
	Within          []bool
	Redundant       []int
	UncoveredTaints taint.List
	Reduced, Merged []toleration.List
	Uncovered       []int
	UncoveredByList [][]int
}

func answersOf(lists [3]toleration.List) (all answers) {
	a, b, c := lists[0], lists[1], lists[2]
	for _, p := range choices {
		for _, pair := range [][2]toleration.List{{a, b}, {b, a}, {a, nil}, {nil, a}} {
			x, _ := cover.UncoveredTaint(pair[1], pair[0], p)
			all.UncoveredTaints = append(all.UncoveredTaints, x)
		}
		for i := range a {
			if cover.Redundant(a, i, p) {
				all.Redundant = append(all.Redundant, i)
			}
		}
		all.Reduced = append(all.Reduced, cover.Reduce(p, a), cover.Reduce(p, a, b, c))
		all.UncoveredByList = append(all.UncoveredByList, cover.UncoveredByList(b, a, p), cover.UncoveredByList(a, b, p))
	}
	all.Merged = append(all.Merged, cover.Merge(a, b, c), cover.Merge(nil, b, a))
	all.Uncovered = append(cover.Uncovered(b, a), cover.Uncovered(a, b)...)
	s, others := cover.Set{In: a, Except: c}, []cover.Set{{}, {In: b}, {In: c, Except: a}, {In: slices.Concat(a, b), Except: c}}
	for i := range b {
		others = append(others, cover.Set{In: b[i:], Except: b[:i]}, cover.Set{In: b[i : i+1], Except: a})
	}
	for _, o := range others {
		all.Within = append(all.Within, s.Within(o), o.Within(s))
	}
	return all
}

// checkIndex compares the results of scanning with those of an index.
func checkIndex(t interface {
	Helper()
	Errorf(string, ...any)
}, lists [3]toleration.List) {
	t.Helper()
	undo := cover.SetMaxScan(1 << 30)
	want := answersOf(lists)
	cover.SetMaxScan(-1)
	got := answersOf(lists)
	undo()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("R2: by scanning and by index, of %v (-scan +index):\n%s", lists, diff)
	}
}

func indexProperty(t *rapid.T) {
	a := gen.TolerationsAndZeros().Draw(t, "a")
	checkIndex(t, [3]toleration.List{a, near(a).Draw(t, "b"), near(a).Draw(t, "c")})
}

func TestIndex(t *testing.T) {
	t.Run("R2_property", indexRapid)
	t.Run("R2_exhaustive", indexExhaustive)
	t.Run("R2_long_lists", indexLongLists)
}

func indexRapid(t *testing.T) { rapid.Check(t, indexProperty) }

// FuzzIndex searches, among the lists that TestIndex/R2_property draws, for ones for
// which scanning and an index give different results.
func FuzzIndex(f *testing.F) {
	gen.Fuzz(f, indexProperty)
}

// This tests every three tolerations of a small space, so that each is compared with
// every pair.
func indexExhaustive(t *testing.T) {
	us := gen.AllTolerations([]string{"a"}, []string{"", "x", "1"}, []string{"0", "1", "2"}, []taint.Effect{0, taint.NoExecute}, []int64{5})
	if testing.Short() {
		us = us[:len(us)/2]
	}
	for i := range us {
		for j := range us {
			k := (i*31 + j*17) % len(us)
			checkIndex(t, [3]toleration.List{{us[i], us[k]}, {us[j]}, {us[k], us[j]}})
		}
	}
}

// The lists are long enough to be indexed. They have so few keys, values, bounds and
// seconds that many of their tolerations overlap.
func indexLongLists(t *testing.T) {
	seed := uint64(1)
	if s, err := strconv.ParseUint(os.Getenv("TOLERATE_SEED"), 10, 64); err == nil {
		seed = s
	}
	rng := rand.New(rand.NewPCG(seed, 0))
	rounds := 20
	if testing.Short() {
		rounds = 6
	}
	for round := range rounds {
		keys, numbers := 1+rng.IntN(3), 2+rng.IntN(40)
		one := func() toleration.Toleration {
			var key, value string
			op := toleration.Operator(rng.IntN(int(toleration.Gt) + 1))
			if key = "k" + strconv.Itoa(rng.IntN(keys)); rng.IntN(20) == 0 {
				key, op = "", toleration.Exists
			} else if rng.IntN(8) > 0 && op == toleration.Exists {
				op = toleration.Equal
			}
			if op != toleration.Exists {
				value = strconv.Itoa(rng.IntN(numbers))
			}
			if op <= toleration.Equal && rng.IntN(4) == 0 {
				value = []string{"", "other", "other1", "05", "x"}[rng.IntN(5)]
			}
			u, err := toleration.New(key, op, value, taint.Effect(rng.IntN(4)))
			if err != nil {
				t.Fatal(err)
			}
			if timed, err := u.WithSeconds(int64(rng.IntN(5)) - 1); err == nil && rng.IntN(2) == 0 {
				return timed
			}
			return u
		}
		var lists [3]toleration.List
		for i := range lists {
			for range rng.IntN(60) {
				lists[i] = append(lists[i], one())
			}
		}
		checkIndex(t, lists)
		if t.Failed() {
			t.Fatalf("TOLERATE_SEED=%d, round %d", seed, round)
		}
	}
}

// A free name is found, whatever names are used.
func uncoveredTaintNamesTaken(t *testing.T) {
	for _, n := range []int{0, 1, 2, 50} {
		var taken toleration.List
		for i := range n {
			name := "other"
			if i > 0 {
				name += strconv.Itoa(i)
			}
			taken = append(taken, toleration.MustParse(name+" op=Exists"), toleration.MustParse("k="+name), toleration.MustParse("k"))
		}
		for _, b := range []string{"op=Exists", "k op=Exists"} {
			list := append(list("zero", "other01", "other-1"), taken...)
			u := toleration.MustParse(b)
			x, found := cover.UncoveredTaint(toleration.List{u}, list, toleration.First)
			if !found || !u.Tolerates(x) || list.Match(x) >= 0 {
				t.Errorf("%d names taken: %v, %v", n, x, found)
			}
		}
	}
}
