package speed

import (
	"encoding/json"
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/kubernetes/pkg/apis/core"
	corevalidation "k8s.io/kubernetes/pkg/apis/core/validation"
	"k8s.io/kubernetes/pkg/util/taints"
	"k8s.io/kubernetes/pkg/util/tolerations"

	"github.com/go-tolerate/tolerate/bench/kubernetes/fields"
	"github.com/go-tolerate/tolerate/bench/workload"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/toleration/cover"
	"github.com/go-tolerate/tolerate/validate"
)

func BenchmarkKey(b *testing.B) {
	b.Run(fmt.Sprintf("bytes=%d", len(workload.Key)), func(b *testing.B) {
		key := workload.Key
		workload.Run(b, "impl=kubernetes", func() []string { return validation.IsQualifiedName(key) })
		workload.Run(b, "impl=tolerate", func() error { return validate.Key(key) })
	})
}

func BenchmarkValue(b *testing.B) {
	b.Run(fmt.Sprintf("bytes=%d", len(workload.Value)), func(b *testing.B) {
		value := workload.Value
		workload.Run(b, "impl=kubernetes", func() []string { return validation.IsValidLabelValue(value) })
		workload.Run(b, "impl=tolerate", func() error { return validate.Value(value) })
	})
}

func parseKubernetes(specs []string) []corev1.Taint {
	added, _, err := taints.ParseTaints(specs)
	if err != nil {
		panic(err)
	}
	return added
}

func parseTolerate(specs []string) (t taint.Taint) {
	for _, s := range specs {
		var err error
		if t, err = taint.Parse(s); err != nil {
			panic(err)
		}
	}
	return t
}

// BenchmarkParse parses one taint. Its strings are interned.
func BenchmarkParse(b *testing.B) {
	b.Run("known=yes", func(b *testing.B) {
		specs := []string{workload.Taint}
		held := taint.MustParse(workload.Taint)
		workload.Run(b, "impl=kubernetes", func() []corev1.Taint { return parseKubernetes(specs) })
		workload.Run(b, "impl=tolerate", func() taint.Taint { return parseTolerate(specs) })
		if held.IsZero() {
			b.Fatal("not held")
		}
	})
}

// BenchmarkText writes one taint; the library appends to the caller's memory.
func BenchmarkText(b *testing.B) {
	ours := taint.MustParse(workload.Taint)
	theirs := coreTaints(taint.List{ours})[0]
	buf := make([]byte, 0, 128)
	workload.Run(b, "impl=kubernetes", theirs.ToString)
	workload.Run(b, "impl=tolerate", func() []byte {
		out, _ := ours.AppendText(buf)
		return out
	})
}

func validateKubernetes(list []core.Toleration) field.ErrorList {
	return corevalidation.ValidateTolerations(list, tolerationsPath, validationOptions)
}

// checkTolerate checks the raw fields of the API's structs.
func checkTolerate(list []corev1.Toleration) error {
	for i := range list {
		t := &list[i]
		if _, err := toleration.From(t.Key, t.Operator, t.Value, t.Effect, t.TolerationSeconds); err != nil {
			return err
		}
	}
	return nil
}

// BenchmarkValidate checks three valid tolerations.
func BenchmarkValidate(b *testing.B) {
	raw := coreTolerations(workload.Pod()[:3])
	internal := fields.As[core.Toleration](raw)
	b.Run("tolerations=3", func(b *testing.B) {
		workload.Run(b, "impl=kubernetes", func() field.ErrorList { return validateKubernetes(internal) })
		workload.Run(b, "impl=tolerate", func() error { return checkTolerate(raw) })
	})
}

var jsonList = []byte(`[{"key":"node.kubernetes.io/not-ready","operator":"Exists","effect":"NoExecute","tolerationSeconds":300},` +
	`{"key":"dedicated","operator":"Equal","value":"gpu-a100-80gb","effect":"NoSchedule"}]`)

func decodeKubernetes(data []byte) (list []corev1.Toleration) {
	if err := json.Unmarshal(data, &list); err != nil {
		panic(err)
	}
	return list
}

func decodeTolerate(data []byte) toleration.List {
	list, _, err := toleration.Decode(data, toleration.DecodeOptions{})
	if err != nil {
		panic(err)
	}
	return list
}

// BenchmarkJSON reads a list of two tolerations into values. The library validates
// them; encoding/json does not.
func BenchmarkJSON(b *testing.B) {
	b.Run("tolerations=2", func(b *testing.B) {
		held := decodeTolerate(jsonList)
		workload.Run(b, "impl=kubernetes", func() []corev1.Toleration { return decodeKubernetes(jsonList) })
		workload.Run(b, "impl=tolerate", func() toleration.List { return decodeTolerate(jsonList) })
		if held[0].IsZero() {
			b.Fatal("not held")
		}
	})
}

// BenchmarkMerge joins two lists of two. None covers another, so Kubernetes' merging and
// the library's have the same result.
func BenchmarkMerge(b *testing.B) {
	all := workload.Pod()
	theirs := fields.As[core.Toleration](coreTolerations(all))
	workload.Run(b, "tolerations=2+2/impl=kubernetes", func() []core.Toleration { return tolerations.MergeTolerations(theirs[:2], theirs[2:]) })
	workload.Run(b, "tolerations=2+2/impl=tolerate", func() toleration.List { return cover.Merge(all[:2], all[2:]) })
}
