package cover_test

import (
	"fmt"

	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/toleration/cover"
)

// A namespace's default is merged into a user's tolerations, and the outcome is
// held against a whitelist.
func Example() {
	pod := []toleration.Toleration{
		toleration.MustParse("node.kubernetes.io/not-ready:NoExecute op=Exists for 60s"),
		toleration.MustParse("cores=16 op=Gt"),
	}
	defaults := []toleration.Toleration{
		toleration.MustParse("node.kubernetes.io/not-ready:NoExecute op=Exists for 300s"),
		toleration.MustParse("cores=32"),
	}
	merged := cover.Merge(cover.Keep, pod, defaults)
	for _, u := range merged {
		fmt.Println(u)
	}

	whitelist := []toleration.Toleration{
		toleration.MustParse("node.kubernetes.io/not-ready op=Exists"),
		toleration.MustParse("cores=64 op=Lt"),
	}
	w, found := cover.FindWitness(toleration.First, whitelist, merged)
	fmt.Println(found, w)
	// Output:
	// node.kubernetes.io/not-ready:NoExecute op=Exists for 60s
	// cores=16 op=Gt
	// node.kubernetes.io/not-ready:NoExecute op=Exists for 300s
	// true cores=64:NoSchedule is tolerated by "cores=16 op=Gt" alone
}

func ExampleCovers() {
	for _, pair := range [][2]string{
		{"cores=3 op=Gt", "cores=5 op=Gt"},
		{"cores=3 op=Gt", "cores=5"},
		{"cores=3 op=Gt", "cores=05"}, // no integer
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

func ExampleEmpty() {
	fmt.Println(cover.Empty(toleration.MustParse("cores=0 op=Lt"))) // no taint's number is negative
	fmt.Println(cover.Empty(toleration.MustParse("cores=1 op=Lt")))
	fmt.Println(cover.Empty(toleration.Toleration{}))
	// Output:
	// true
	// false
	// true
}

func ExampleListCovers() {
	ranges := []toleration.Toleration{toleration.MustParse("cores=3 op=Gt"), toleration.MustParse("cores=4 op=Lt")}
	integers := []toleration.Toleration{toleration.MustParse("cores=-1 op=Gt")}
	anything := []toleration.Toleration{toleration.MustParse("cores op=Exists")}
	fmt.Println(cover.ListCovers(toleration.First, ranges, integers))
	fmt.Println(cover.ListCovers(toleration.First, ranges, anything))
	// Output:
	// true
	// false
}

func ExampleEquivalent() {
	a := []toleration.Toleration{toleration.MustParse("gpu:NoExecute for 60s"), toleration.MustParse("gpu:NoExecute for 300s")}
	b := []toleration.Toleration{toleration.MustParse("gpu:NoExecute for 60s")}
	fmt.Println(cover.Equivalent(toleration.First, a, b))
	fmt.Println(cover.Equivalent(toleration.Longest, a, b))
	// Output:
	// true
	// false
}

func ExampleFindWitness() {
	allowed := []toleration.Toleration{toleration.MustParse("gpu op=Exists"), toleration.MustParse("team:NoExecute for 60s")}
	for _, text := range []string{"gpu=a100:NoSchedule", "op=Exists", "team:NoExecute for 300s"} {
		pod := []toleration.Toleration{toleration.MustParse(text)}
		if w, found := cover.FindWitness(toleration.First, allowed, pod); found {
			fmt.Println(w)
		}
	}
	// Output:
	// other:NoSchedule is tolerated by "op=Exists" alone
	// team:NoExecute is tolerated by "team:NoExecute for 300s", and not for as long by "team:NoExecute for 60s"
}

// What a program does with a witness is its own affair.
func ExampleWitness() {
	pod := []toleration.Toleration{toleration.MustParse("gpu op=Exists")}
	w, _ := cover.FindWitness(toleration.First, nil, pod)
	fmt.Printf("a node with %v would be open to this pod (%v)\n", w.Taint, w.B)
	fmt.Println(w.A.IsZero()) // nothing allows it
	// Output:
	// a node with gpu:NoSchedule would be open to this pod (gpu op=Exists)
	// true
}

func ExampleWitness_String() {
	a, b := []toleration.Toleration{toleration.MustParse("gpu=a")}, []toleration.Toleration{toleration.MustParse("gpu=b")}
	w, _ := cover.FindWitness(toleration.First, a, b)
	fmt.Println(w)
	// Output: gpu=b:NoSchedule is tolerated by "gpu=b" alone
}

func ExampleRedundant() {
	list := []toleration.Toleration{
		toleration.MustParse("gpu:NoExecute for 60s"),
		toleration.MustParse("gpu:NoExecute for 300s"), // the first decides
		toleration.MustParse("team=a"),
	}
	for i, u := range list {
		fmt.Println(u, cover.Redundant(toleration.First, list, i))
	}
	// Output:
	// gpu:NoExecute for 60s false
	// gpu:NoExecute for 300s true
	// team=a false
}

func ExampleReduced() {
	a := []toleration.Toleration{toleration.MustParse("gpu=a100"), toleration.MustParse("team=a")}
	b := []toleration.Toleration{toleration.MustParse("gpu op=Exists"), toleration.MustParse("team=a:NoExecute")}
	fmt.Println(cover.Reduced(toleration.First, a, b))
	// Output: [team=a gpu op=Exists]
}

func ExampleAppendReduced() {
	buf := make([]toleration.Toleration, 0, 8) // for many pods
	for _, text := range []string{"gpu", "team"} {
		pod := []toleration.Toleration{toleration.MustParse(text), toleration.MustParse(text + " op=Exists")}
		buf = cover.AppendReduced(buf[:0], toleration.First, pod)
		fmt.Println(buf)
	}
	// Output:
	// [gpu op=Exists]
	// [team op=Exists]
}

func ExampleMerge() {
	user := []toleration.Toleration{toleration.MustParse("gpu:NoExecute for 60s")}
	queue := []toleration.Toleration{toleration.MustParse("gpu=:NoExecute for 30s"), toleration.MustParse("gpu op=Exists")}
	fmt.Println(cover.Merge(cover.Keep, user, queue)) // the 60 seconds stay, and come first

	fmt.Println(cover.Merge(cover.Keep, queue, user))
	fmt.Println(cover.Merge(cover.Reduce, queue, user))
	// Output:
	// [gpu:NoExecute for 60s gpu op=Exists]
	// [gpu:NoExecute for 30s gpu op=Exists]
	// [gpu:NoExecute for 30s gpu op=Exists]
}

func ExampleAppendMerge() {
	buf := make([]toleration.Toleration, 0, 8) // for many pods
	defaults := []toleration.Toleration{toleration.MustParse("team=a")}
	for _, text := range []string{"gpu", "team op=Exists"} {
		buf = cover.AppendMerge(buf[:0], cover.Keep, []toleration.Toleration{toleration.MustParse(text)}, defaults)
		fmt.Println(buf)
	}
	// Output:
	// [gpu team=a]
	// [team op=Exists]
}

func ExampleStrategy_String() {
	fmt.Println(cover.Keep, cover.Reduce)
	// Output: Keep Reduce
}
