package toleration_test

import (
	"math"
	"testing"

	"github.com/go-tolerate/tolerate/internal/problem"
	"github.com/go-tolerate/tolerate/internal/tests/contract"
	"github.com/go-tolerate/tolerate/toleration"
)

// Each type of the package has what every Go program expects of a value.
func TestContract(t *testing.T) {
	t.Run("K5_Toleration", tolerations().Test)
	t.Run("K5_Operator", contract.Enum[toleration.Operator]{Names: map[toleration.Operator]string{
		0: "", toleration.Equal: "Equal", toleration.Exists: "Exists", toleration.Lt: "Lt", toleration.Gt: "Gt",
	}}.Test)
	t.Run("K5_Choice", contract.Enum[toleration.Choice]{Names: map[toleration.Choice]string{
		toleration.First: "First", toleration.Shortest: "Shortest", toleration.Longest: "Longest",
		toleration.ForeverElseShortest: "ForeverElseShortest",
	}}.Test)
}

func tolerations() contract.Value[toleration.Toleration] {
	forever := toleration.MustParse("node.kubernetes.io/not-ready:NoExecute op=Exists")
	return contract.Value[toleration.Toleration]{
		Samples: toleration.List{
			{},
			toleration.MustParse("op=Exists"),
			toleration.MustParse(":NoExecute op=Exists"),
			toleration.MustParse("cores=16 op=Lt"),
			toleration.MustParse("cores=-9223372036854775808:NoSchedule op=Gt"),
			toleration.MustParse("dedicated"),
			toleration.MustParse("dedicated=gpu:NoSchedule"),
			toleration.MustParse("dedicated=gpu:NoSchedule op=Equal"),
			forever,
			problem.Must(forever.WithSeconds(math.MinInt64)),
			problem.Must(forever.WithSeconds(-5)),
			problem.Must(forever.WithSeconds(0)),
			problem.Must(forever.WithSeconds(math.MaxInt64)),
			toleration.MustParse("op=x op="),
		},
		Invalid: []string{
			" ", "=v", "k=v op=", "k op=Exist", "k=v op=Exists", "k op=Lt", "k:NoSchedul", "k:", "k for 5", "k for 5s",
			"k:NoExecute for s", "k ", "{", "{}", `{"key":"k","effect":1}`, "\x00",
		},
	}
}
