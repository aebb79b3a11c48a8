package kubernetes_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/go-logr/logr"
	"k8s.io/klog/v2"
)

// These are the numbers of cases of an ordinary run. TOLERATE_CASES multiplies them.
const (
	pure    = 1_000_000 // one pure function
	objects = 100_000   // whole objects
)

var (
	seedBase  = rand.Uint64()
	onlyCase  = -1 // if not negative, the only case to run
	caseScale = 1.0
)

// quiet discards logs: Kubernetes writes a line for every taint whose value
// is not a number.
var quiet = logr.Discard()

func TestMain(m *testing.M) {
	if err := environment(os.Getenv("TOLERATE_SEED"), os.Getenv("TOLERATE_CASES")); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	klog.SetLogger(quiet) // isSuperset writes a line for every numeric operator
	os.Exit(m.Run())
}

// environment reads TOLERATE_SEED ("seed" or, as a failure prints it,
// "seed:case") and TOLERATE_CASES.
func environment(seed, scale string) (err error) {
	if seed != "" {
		base, index, one := strings.Cut(seed, ":")
		if seedBase, err = strconv.ParseUint(base, 10, 64); err != nil {
			return fmt.Errorf("TOLERATE_SEED: %w", err)
		}
		if one {
			if onlyCase, err = strconv.Atoi(index); err != nil {
				return fmt.Errorf("TOLERATE_SEED: %w", err)
			}
		}
	}
	if scale != "" {
		if caseScale, err = strconv.ParseFloat(scale, 64); err != nil {
			return fmt.Errorf("TOLERATE_CASES: %w", err)
		}
	}
	return nil
}

// differ tries n cases. It returns the first difference that try returns, with what
// reproduces it. Every case has its own generator, so that each can be run alone.
func differ(n int, try func(g *gen) string) error {
	return differSeed(seedBase, onlyCase, int(float64(n)*caseScale), try)
}

func differSeed(base uint64, only, n int, try func(g *gen) string) error {
	first := 0
	if only >= 0 {
		first, n = only, only+1
	}
	pcg := rand.NewPCG(0, 0)
	g := &gen{Rand: rand.New(pcg)}
	i := first
	defer func() {
		if r := recover(); r != nil {
			panic(fmt.Sprintf("%v\nTOLERATE_SEED=%d:%d runs this case alone", r, base, i))
		}
	}()
	for ; i < n; i++ {
		pcg.Seed(base, uint64(i))
		if diff := try(g); diff != "" {
			return fmt.Errorf("%s\nTOLERATE_SEED=%d:%d runs this case alone", diff, base, i)
		}
	}
	return nil
}

// mustSee fails the test unless one of n cases finds the mistake.
func mustSee(t *testing.T, mistake string, n int, try func(g *gen) string) {
	t.Helper()
	if differSeed(seedBase, -1, n, try) == nil {
		t.Errorf("%s: not seen", mistake)
	}
}

// mustAgree fails the test at once if one of n cases finds a mistake in the right functions.
func mustAgree(t *testing.T, n int, try func(g *gen) string) {
	t.Helper()
	if err := differSeed(seedBase, -1, n, try); err != nil {
		t.Fatalf("without a mistake: %v", err)
	}
}

// see fails the test if the harness detects a mistake in the right function, or none in
// one of the wrong ones.
func see[F any](t *testing.T, n int, harness func(F) func(*gen) string, right F, wrong map[string]F) {
	t.Helper()
	mustAgree(t, n, harness(right))
	for name, mistake := range wrong {
		mustSee(t, name, n, harness(mistake))
	}
}

// conform fails the test on the first difference.
func conform(t *testing.T, n int, try func(g *gen) string) {
	t.Helper()
	if err := differ(n, try); err != nil {
		t.Fatal(err)
	}
}

// A share proves that enough cases are of a kind. If the generator no longer made, for
// example, matching pairs, the test could not fail.
type share struct{ all, hit atomic.Int64 }

// count does nothing without a share: a search for a mistake has none.
func (s *share) count(hit bool) {
	if s == nil {
		return
	}
	s.all.Add(1)
	if hit {
		s.hit.Add(1)
	}
}

// within fails the test when the share of hits is outside [low, high].
func (s *share) within(t *testing.T, what string, low, high float64) {
	t.Helper()
	if s.all.Load() < 1000 {
		return // one case was requested
	}
	if got := float64(s.hit.Load()) / float64(s.all.Load()); got < low || got > high {
		t.Errorf("%.3f of %d cases %s, want %.3f to %.3f: the generator has changed", got, s.all.Load(), what, low, high)
	}
}
