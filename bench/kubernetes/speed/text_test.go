package speed

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/kubernetes/pkg/apis/core"
	corevalidation "k8s.io/kubernetes/pkg/apis/core/validation"
	"k8s.io/kubernetes/pkg/util/taints"
	"k8s.io/kubernetes/pkg/util/tolerations"

	"github.com/go-tolerate/tolerate/bench/workload"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/toleration/cover"
	"github.com/go-tolerate/tolerate/validate"
)

func TestSameKeyAndValue(t *testing.T) {
	if errs, err := validation.IsQualifiedName(workload.Key), validate.Key(workload.Key); len(errs) > 0 || err != nil {
		t.Errorf("key: Kubernetes %v, ours %v", errs, err)
	}
	if errs, err := validation.IsValidLabelValue(workload.Value), validate.Value(workload.Value); len(errs) > 0 || err != nil {
		t.Errorf("value: Kubernetes %v, ours %v", errs, err)
	}
}

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

func TestSameParse(t *testing.T) {
	specs := []string{workload.Taint}
	theirs, ours := parseKubernetes(specs), parseTolerate(specs)
	if got, err := taint.From(theirs[0].Key, theirs[0].Value, theirs[0].Effect); err != nil || got != ours {
		t.Errorf("Kubernetes %v, ours %v", theirs, ours)
	}
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

func TestSameText(t *testing.T) {
	ours := taint.MustParse(workload.Taint)
	theirs := coreTaints(taint.List{ours})[0]
	if got, want := ours.String(), theirs.ToString(); got != want {
		t.Errorf("Kubernetes %q, ours %q", want, got)
	}
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

func TestSameValidation(t *testing.T) {
	raw := coreTolerations(workload.Pod()[:3])
	if errs, err := validateKubernetes(internalTolerations(raw)), checkTolerate(raw); len(errs) > 0 || err != nil {
		t.Errorf("Kubernetes %v, ours %v", errs, err)
	}
	raw[2].Effect = corev1.TaintEffectNoSchedule // seconds need NoExecute
	if errs, err := validateKubernetes(internalTolerations(raw)), checkTolerate(raw); len(errs) == 0 || err == nil {
		t.Errorf("seconds under NoSchedule: Kubernetes %v, ours %v", errs, err)
	}
}

// BenchmarkValidate checks three valid tolerations.
func BenchmarkValidate(b *testing.B) {
	raw := coreTolerations(workload.Pod()[:3])
	internal := internalTolerations(raw)
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

func TestSameJSON(t *testing.T) {
	theirs, ours := fromCoreTolerations(decodeKubernetes(jsonList)), decodeTolerate(jsonList)
	if len(ours) != 2 || !slices.Equal(theirs, ours) {
		t.Errorf("Kubernetes %v, ours %v", theirs, ours)
	}
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

func TestSameMerge(t *testing.T) {
	all := workload.Pod()
	theirs := internalTolerations(coreTolerations(all))
	merged, ours := tolerations.MergeTolerations(theirs[:2], theirs[2:]), cover.Merge(all[:2], all[2:])
	if got := fromInternalTolerations(merged); len(ours) != 4 || !slices.Equal(ours, got) {
		t.Errorf("Kubernetes %v, ours %v", got, ours)
	}
}

// BenchmarkMerge joins two lists of two. None covers another, so Kubernetes' merging and
// the library's have the same result.
func BenchmarkMerge(b *testing.B) {
	all := workload.Pod()
	theirs := internalTolerations(coreTolerations(all))
	workload.Run(b, "tolerations=2+2/impl=kubernetes", func() []core.Toleration { return tolerations.MergeTolerations(theirs[:2], theirs[2:]) })
	workload.Run(b, "tolerations=2+2/impl=tolerate", func() toleration.List { return cover.Merge(all[:2], all[2:]) })
}
