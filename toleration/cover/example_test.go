package cover_test

import (
	"fmt"

	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/toleration/cover"
)

// A namespace's defaults are merged into a pod's tolerations, and the result is
// compared with a whitelist.
func Example() {
	pod := toleration.List{
		toleration.MustParse("node.kubernetes.io/not-ready:NoExecute op=Exists for 60s"),
		toleration.MustParse("cores=16 op=Gt"),
	}
	defaults := toleration.List{
		toleration.MustParse("node.kubernetes.io/not-ready:NoExecute op=Exists for 300s"),
		toleration.MustParse("cores=32"),
	}
	merged := cover.Merge(pod, defaults)
	for _, u := range merged {
		fmt.Println(u)
	}

	whitelist := toleration.List{
		toleration.MustParse("node.kubernetes.io/not-ready op=Exists"),
		toleration.MustParse("cores=64 op=Lt"),
	}
	for _, i := range cover.Uncovered(merged, whitelist) {
		t, _ := cover.UncoveredTaint(merged[i:i+1], whitelist, toleration.First)
		fmt.Println("not allowed:", merged[i], "since it tolerates", t)
	}
	// Output:
	// node.kubernetes.io/not-ready:NoExecute op=Exists for 60s
	// cores=16 op=Gt
	// node.kubernetes.io/not-ready:NoExecute op=Exists for 300s
	// not allowed: cores=16 op=Gt since it tolerates cores=64:NoSchedule
}

func ExampleCovers() {
	for _, pair := range [][2]string{
		{"cores=3 op=Gt", "cores=5 op=Gt"},
		{"cores=3 op=Gt", "cores=5"},
		{"cores=3 op=Gt", "cores=05"}, // not an integer
		{"cores=0", "cores=1 op=Lt"},
		{"op=Exists", "gpu:NoExecute for 300s"},
		{"gpu:NoExecute for 60s", "gpu:NoExecute for 300s"},
	} {
		a, b := toleration.MustParse(pair[0]), toleration.MustParse(pair[1])
		fmt.Println(a, "|", b, "|", cover.Covers(a, b))
	}
	// Output:
	// cores=3 op=Gt | cores=5 op=Gt | true
	// cores=3 op=Gt | cores=5 | true
	// cores=3 op=Gt | cores=05 | false
	// cores=0 | cores=1 op=Lt | true
	// op=Exists | gpu:NoExecute for 300s | true
	// gpu:NoExecute for 60s | gpu:NoExecute for 300s | false
}

func ExampleMatchesNothing() {
	fmt.Println(cover.MatchesNothing(toleration.MustParse("cores=0 op=Lt"))) // no integer on a taint is negative
	fmt.Println(cover.MatchesNothing(toleration.MustParse("cores=1 op=Lt")))
	fmt.Println(cover.MatchesNothing(toleration.Toleration{}))
	// Output:
	// true
	// false
	// true
}

// Two ranges cover every integer, but not every value. The witness is a value that they
// do not cover.
func ExampleUncoveredTaint() {
	ranges := toleration.List{toleration.MustParse("cores=3 op=Gt"), toleration.MustParse("cores=4 op=Lt")}
	for _, text := range []string{"cores=-1 op=Gt", "cores op=Exists"} {
		t, found := cover.UncoveredTaint(toleration.List{toleration.MustParse(text)}, ranges, toleration.First)
		fmt.Printf("%s: %t %q\n", text, found, t)
	}
	// Output:
	// cores=-1 op=Gt: false ""
	// cores op=Exists: true "cores:NoSchedule"
}

func ExampleMerge() {
	user := toleration.List{toleration.MustParse("gpu:NoExecute for 60s")}
	queue := toleration.List{toleration.MustParse("gpu=:NoExecute for 30s"), toleration.MustParse("gpu op=Exists")}
	fmt.Println(cover.Merge(user, queue)) // the 60 seconds stay first

	fmt.Println(cover.Merge(queue, user))
	// Output:
	// gpu:NoExecute for 60s,gpu op=Exists
	// gpu:NoExecute for 30s,gpu op=Exists
}
