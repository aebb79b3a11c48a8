package set_test

import (
	"fmt"
	"slices"
	"strconv"
	"testing"

	"github.com/go-tolerate/tolerate/internal/set"
	"github.com/go-tolerate/tolerate/toleration"
)

func TestFinder(t *testing.T) {
	for _, n := range []int{0, 1, set.Short, set.Short + 1, 3 * set.Short} {
		list := make([]int, n) // 0, 0, 1, 1, 2, 2...
		for i := range list {
			list[i] = i / 2
		}
		for _, calls := range []int{1, n + 2} {
			f := set.FinderOf(list, calls, strconv.Itoa)
			for v := range n + 2 {
				if got, want := f.Index(strconv.Itoa(v)), slices.Index(list, v); got != want {
					t.Errorf("%d elements: Index(%d) = %d, want %d", n, v, got, want)
				}
			}
		}
	}
}

// BenchmarkFinder finds each element of a list, as an update of a pod does.
func BenchmarkFinder(b *testing.B) {
	for _, n := range []int{8, 16, 32, 64, 128} {
		var list toleration.List
		for i := range n {
			list = append(list, toleration.MustParse(fmt.Sprintf("key%d=v:NoSchedule", i)))
		}
		b.Run(fmt.Sprintf("n=%d/impl=tolerate", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				f := set.FinderOf(list, n, toleration.Toleration.WithoutSeconds)
				for _, u := range list {
					if f.Index(u) < 0 {
						b.Fatal("not found")
					}
				}
			}
		})
	}
}
