package cover_test

import (
	"fmt"

	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/toleration/cover"
)

// All dedicated nodes but those of team a.
func ExampleSet_Has() {
	foreign := cover.Set{
		In:     []toleration.Toleration{toleration.MustParse("dedicated op=Exists")},
		Except: []toleration.Toleration{toleration.MustParse("dedicated=team-a")},
	}
	fmt.Println(foreign.Has(taint.MustParse("dedicated=team-a:NoSchedule")))
	fmt.Println(foreign.Has(taint.MustParse("dedicated=team-b:NoSchedule")))
	// Output:
	// false
	// true
}

func ExampleSet_Within() {
	wanted := cover.Set{In: []toleration.Toleration{toleration.MustParse("cores=16 op=Gt")}}
	medium := cover.Set{In: []toleration.Toleration{toleration.MustParse("cores=65 op=Lt")}}
	huge := cover.Set{In: []toleration.Toleration{toleration.MustParse("cores=64 op=Gt")}}
	fmt.Println(wanted.Within(medium), wanted.Within(medium, huge))
	// Output:
	// false true
}

func ExampleFindCommon() {
	everything := cover.Set{In: []toleration.Toleration{toleration.MustParse("op=Exists")}}
	foreign := cover.Set{
		In:     []toleration.Toleration{toleration.MustParse("dedicated op=Exists")},
		Except: []toleration.Toleration{toleration.MustParse("dedicated"), toleration.MustParse("dedicated=team-a")},
	}
	fmt.Println(cover.FindCommon(foreign, everything))

	large := cover.Set{In: []toleration.Toleration{toleration.MustParse("cores=64 op=Gt")}}
	small := cover.Set{In: []toleration.Toleration{toleration.MustParse("cores=65 op=Lt")}}
	fmt.Println(cover.FindCommon(large, small))
	// Output:
	// dedicated=other:NoSchedule true
	//  false
}

func ExampleFindOutside() {
	large := cover.Set{In: []toleration.Toleration{toleration.MustParse("cores=16 op=Gt")}}
	medium := cover.Set{In: []toleration.Toleration{toleration.MustParse("cores=64 op=Lt")}}
	huge := cover.Set{In: []toleration.Toleration{toleration.MustParse("cores=64 op=Gt")}}
	fmt.Println(cover.FindOutside(large, medium, huge))
	// Output:
	// cores=64:NoSchedule true
}
