package before

import (
	"fmt"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/go-tolerate/tolerate/bench/before/cover"
	"github.com/go-tolerate/tolerate/bench/before/policy"
	"github.com/go-tolerate/tolerate/toleration"
	newcover "github.com/go-tolerate/tolerate/toleration/cover"
	newpolicy "github.com/go-tolerate/tolerate/toleration/policy"
)

// shapes are those of bench/growth, and numeric ones with seconds.
var shapes = []struct {
	name string
	text func(i, n int) string
}{
	{"pod", func(i, n int) string {
		return [...]string{"node.kubernetes.io/not-ready:NoExecute op=Exists for 300s", "node.kubernetes.io/unreachable:NoExecute op=Exists for 300s", "dedicated=gpu:NoSchedule", "spot op=Exists"}[i%4]
	}},
	{"keys", func(i, n int) string { return fmt.Sprintf("k%d=v:NoExecute", n-1-i) }},
	{"empty", func(i, n int) string { return fmt.Sprintf("k%d", n-1-i) }},
	{"values", func(i, n int) string { return fmt.Sprintf("k=v%d:NoExecute for %ds", n-1-i, i) }},
	{"repeats", func(i, n int) string { return fmt.Sprintf("k=%d:NoExecute for %ds", i%(n/2), i) }},
	{"bounds", func(i, n int) string {
		if i%2 == 0 {
			return fmt.Sprintf("k=%d:NoExecute op=Gt", n+i)
		}
		return fmt.Sprintf("k=-%d:NoExecute op=Lt", i)
	}},
	{"ranges", func(i, n int) string {
		return fmt.Sprintf("k=%d:NoExecute op=%s for %ds", i, [...]string{"Lt", "Gt"}[i%2], i)
	}},
	{"nested", func(i, n int) string { return fmt.Sprintf("k=%d:NoExecute op=Gt for %ds", n-1-i, i) }},
	{"covered", func(i, n int) string { return fmt.Sprintf("k=%d:NoExecute op=Gt for %ds", i, i) }},
	{"seconds", func(i, n int) string { return fmt.Sprintf("k0:NoExecute op=Exists for %ds", n-1-i) }},
	{"keyless", func(i, n int) string { return fmt.Sprintf(":NoExecute op=Exists for %ds", i) }},
	{"suppress", func(i, n int) string { return fmt.Sprintf("node.kubernetes.io/not-ready=v%d", n+i) }},
	{"mixed", func(i, n int) string {
		format := [...]string{"k=%d:NoExecute for 7s", "k=%d op=Lt", "l=%d op=Gt", ":NoExecute op=Exists for %ds", "other%d op=Exists"}[i%5]
		return fmt.Sprintf(format, i)
	}},
	{"falling", func(i, n int) string { return fmt.Sprintf("k=%d:NoExecute op=Lt for %ds", i+1, n-i) }},
	{"falling both", func(i, n int) string {
		return fmt.Sprintf("k=%d:NoExecute op=%s for %ds", i+1, [...]string{"Lt", "Gt"}[i%2], n-i)
	}},
}

var sink any

func threadTime() time.Duration {
	var t syscall.Timespec
	_, _, _ = syscall.Syscall(syscall.SYS_CLOCK_GETTIME, 3, uintptr(unsafe.Pointer(&t)), 0) // CLOCK_THREAD_CPUTIME_ID
	return time.Duration(t.Nano())
}

func median(list []float64) float64 {
	slices.Sort(list)
	return list[len(list)/2]
}

// TestTime compares times and bytes. SIZES is like "4,40,10000", ROUNDS like 5, FUNCS
// and SHAPES are expressions.
func TestTime(t *testing.T) {
	if os.Getenv("SIZES") == "" {
		t.Skip("SIZES is not set")
	}
	runtime.LockOSThread()
	rounds := 5
	fmt.Sscan(os.Getenv("ROUNDS"), &rounds)
	for _, size := range strings.Split(os.Getenv("SIZES"), ",") {
		var n int
		fmt.Sscan(size, &n)
		worst := map[string][4]float64{}
		var names []string
		for _, s := range shapes {
			list := make(toleration.List, n)
			for i := range list {
				list[i] = toleration.MustParse(s.text(i, n))
			}
			reversed := slices.Clone(list)
			slices.Reverse(reversed)
			if !regexp.MustCompile(os.Getenv("SHAPES")).MatchString(s.name) {
				continue
			}
			for _, p := range pairs(list, reversed) {
				if !regexp.MustCompile(os.Getenv("FUNCS")).MatchString(p.name) {
					continue
				}
				var before, after, ratio []float64
				var bytes [2]float64
				start := time.Now()
				p.before()
				calls := 1 + int(5*time.Millisecond/max(time.Since(start), time.Microsecond/10))
				for round := range rounds + 1 {
					var took [2]float64
					for side := range 2 {
						side := (side + round) % 2
						f := [...]func(){p.before, p.now}[side]
						var m1, m2 runtime.MemStats
						if round == 0 {
							runtime.ReadMemStats(&m1)
							f()
							runtime.ReadMemStats(&m2)
							bytes[side] = float64(m2.TotalAlloc - m1.TotalAlloc)
							continue
						}
						runtime.GC()
						start := threadTime()
						for range calls {
							f()
						}
						took[side] = float64(threadTime()-start) / float64(calls)
					}
					if round > 0 {
						before, after, ratio = append(before, took[0]), append(after, took[1]), append(ratio, took[1]/took[0])
					}
				}
				if os.Getenv("ALL") != "" {
					t.Logf("n=%d %-15s %-13s %10.0f ns %10.0f ns  %.2f  %9.0f %9.0f bytes", n, p.name, s.name, median(before), median(after), median(ratio), bytes[0], bytes[1])
				}
				w, ok := worst[p.name]
				if !ok {
					names = append(names, p.name)
				}
				worst[p.name] = [4]float64{max(w[0], median(before)), max(w[1], median(after)), max(w[2], bytes[0]), max(w[3], bytes[1])}
			}
		}
		for _, name := range names {
			w := worst[name]
			t.Logf("n=%d %-15s slowest %10.0f ns %10.0f ns  %.2f  most %9.0f %9.0f bytes", n, name, w[0], w[1], w[1]/w[0], w[2], w[3])
		}
	}
}

type pair struct {
	name        string
	before, now func()
}

func pairs(list, reversed toleration.List) []pair {
	n := len(list)
	deny := func() policy.Spec {
		return policy.Spec{
			Allow: []policy.Clause{{Taints: toleration.MustParseList("op=Exists")}},
			Deny:  []policy.Clause{{Taints: toleration.MustParseList("dedicated=gpu"), Except: toleration.MustParseList("op=Exists")}},
		}
	}()
	convert := func(s policy.Spec) (out newpolicy.Spec) {
		for _, c := range s.Allow {
			out.Allow = append(out.Allow, newpolicy.Clause(c))
		}
		for _, c := range s.Deny {
			out.Deny = append(out.Deny, newpolicy.Clause(c))
		}
		return out
	}
	p, _ := policy.New(deny)
	q, _ := newpolicy.New(convert(deny))
	// A file of a platform: 40 clauses.
	file := policy.Spec{Allow: []policy.Clause{{Taints: toleration.MustParseList("op=Exists")}}}
	for i := range 38 {
		file.Deny = append(file.Deny, policy.Clause{Taints: toleration.MustParseList(fmt.Sprintf("dedicated=team-%d,k=%d op=Gt,k%d op=Exists", i, 1000+i, 100000+i))})
	}
	many := policy.Spec{}
	for _, u := range list {
		many.Allow = append(many.Allow, policy.Clause{Taints: toleration.List{u.WithoutSeconds()}})
	}
	p40, err := policy.New(file)
	if err != nil {
		panic(err)
	}
	q40, _ := newpolicy.New(convert(file))
	manyNow := convert(many)
	all := []pair{
		{"Merge", func() { sink = cover.Merge(list, reversed) }, func() { sink = newcover.Merge(list, reversed) }},
		{"Merge 2+2", func() { sink = cover.Merge(list[:2], reversed[:2]) }, func() { sink = newcover.Merge(list[:2], reversed[:2]) }},
		{"UncoveredTaint", func() { sink, _ = cover.UncoveredTaint(reversed, list, toleration.First) }, func() { sink, _ = newcover.UncoveredTaint(reversed, list, toleration.First) }},
		{"Uncovered", func() { sink = cover.Uncovered(list[n/2:], list[:n/2]) }, func() { sink = newcover.Uncovered(list[n/2:], list[:n/2]) }},
		{"Uncovered all", func() { sink = cover.Uncovered(list, reversed) }, func() { sink = newcover.Uncovered(list, reversed) }},
		{"Redundant", func() { sink = cover.Redundant(list, n/2, toleration.First) }, func() { sink = newcover.Redundant(list, n/2, toleration.First) }},
		{"Redundant last", func() { sink = cover.Redundant(list, n-1, toleration.Longest) }, func() { sink = newcover.Redundant(list, n-1, toleration.Longest) }},
		{"Check", func() { sink = p.Check(list, "x") }, func() { sink = q.Check(list, "x") }},
		{"Check 40", func() { sink = p40.Check(list, "x") }, func() { sink = q40.Check(list, "x") }},
		{"Judge 40", func() { sink = p40.Judge(list[0]) }, func() { sink = q40.Judge(list[0]) }},
		{"New 40", func() { sink, _ = policy.New(file) }, func() { sink, _ = newpolicy.New(convert(file)) }},
	}
	if n <= 1000 {
		all = append(all, pair{"New many", func() { sink, _ = policy.New(many) }, func() { sink, _ = newpolicy.New(manyNow) }})
	}
	return all
}
