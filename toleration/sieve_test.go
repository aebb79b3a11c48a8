package toleration_test

import (
	"fmt"
	"testing"

	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// What a toleration matches it lets through.
func TestMayTolerate(t *testing.T) {
	var taints []taint.Taint
	var tolerations []toleration.Toleration
	for _, key := range []string{"", "a", "b"} {
		for _, value := range []string{"", "x", "1"} {
			for e := taint.Effect(0); e <= taint.NoExecute; e++ {
				if u, err := taint.New(key, value, e); err == nil {
					taints = append(taints, u)
				}
				for op := toleration.Operator(0); op <= toleration.Gt; op++ {
					if u, err := toleration.New(key, op, value, e); err == nil {
						tolerations = append(tolerations, u)
					}
				}
			}
		}
	}
	matched, held := 0, 0
	for _, u := range tolerations {
		for _, v := range taints {
			may := u.MayTolerate(v.Tag())
			if u.Tolerates(v) {
				matched++
				if !may {
					t.Errorf("%v matches %v and does not let its tag through", u, v)
				}
			} else if !may {
				held++
			}
		}
	}
	if matched < 100 || held < 100 {
		t.Errorf("%d matched, %d held back: that proves nothing", matched, held)
	}
}

func ExampleToleration_MayTolerate() {
	u := toleration.MustParse("dedicated:NoSchedule op=Exists")
	fmt.Println(u.MayTolerate(taint.MustParse("dedicated=gpu:NoSchedule").Tag()))
	fmt.Println(u.MayTolerate(taint.MustParse("dedicated=gpu:NoExecute").Tag()))
	// Output:
	// true
	// false
}
