// Package recording makes cases, evaluates them with Kubernetes, and writes both
// to a file of bench/recorded, which describes and reads it. The module file selects
// the version of Kubernetes (versions/).
package recording

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/apis/core"

	"github.com/go-tolerate/tolerate/bench/kubernetes/fields"
	"github.com/go-tolerate/tolerate/internal/recorded"
)

// Seed is the seed of the recordings in the repository.
const Seed = 20261122

// A kind makes n cases, and fewer for an old version. Its stream selects the random
// numbers, and never changes, so that the cases stay.
type kind struct {
	name, stream string
	n            int
	make         func(g *gen) any
}

// kinds are all kinds. There is none of devices, whose taints are stable only since 1.37:
// the differential tests compare with that version itself.
var kinds = []kind{
	{"match", "match toleration", 400, match},
	{"filter", "filter match", 3000, filter},
	{"filter-invalid", "filter-invalid match", 600, filterInvalid},
	{"evict", "evict match/eviction", 3000, evict},
	{"validate", "validate toleration", 2400, validate},
	{"update", "update toleration", 1600, update},
	{"validate-taints", "validate-taints taint", 1600, validateTaints},
	{"decode", "decode toleration", 1200, decodeTolerations},
	{"decode-taints", "decode taint", 1000, decodeTaints},
	{"parse", "parse taint", 1600, parse},
	{"edit", "edit taint", 2400, edit},
	{"cover", "cover toleration/cover", 300, covers},
	{"merge", "merge toleration/cover", 2000, merge},
	{"default-seconds", "default-seconds toleration/admission", 1200, defaultSeconds},
	{"daemon", "daemon toleration/admission", 800, daemon},
	{"resources", "resources toleration/admission", 800, resources},
	{"pod", "pod toleration/admission", 1600, pod},
}

// Make returns the recording as JSON lines, with one in part cases: the first ones.
func Make(version string, seed uint64, part int) []byte {
	klog.SetLogger(logr.Discard()) // isSuperset writes a line for every numeric operator
	var all []recorded.Kind
	for _, k := range kinds {
		g := newGen(seed, k.stream)
		made := recorded.Kind{Name: k.name}
		for range k.n / part {
			made.Cases = append(made.Cases, k.make(g))
		}
		all = append(all, made)
	}
	var b bytes.Buffer
	must(recorded.Write(&b, recorded.Header{Kubernetes: version, Numeric: hasNumeric, Seed: seed}, all))
	return b.Bytes()
}

// Name is the recording's file, from the repository's root.
func Name(version string) string {
	return filepath.Join("bench", "recorded", recorded.Name(strings.Join(strings.Split(version, ".")[:2], ".")))
}

// Write writes the recording beneath the root.
func Write(root, version string, data []byte) error {
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	must(err)
	z.Write(data) // to memory
	must(z.Close())
	return os.WriteFile(filepath.Join(root, Name(version)), b.Bytes(), 0o666)
}

// withGate runs f with the process's feature gate for numeric operators.
func withGate(gate bool, f func()) {
	if hasNumeric {
		set := utilfeature.DefaultMutableFeatureGate.SetFromMap
		must(set(map[string]bool{"TaintTolerationComparisonOperators": gate}))
		defer set(map[string]bool{"TaintTolerationComparisonOperators": false})
	}
	f()
}

// gate draws whether numeric operators are enabled: usually, if the version
// has them.
func (g *gen) gate() bool { return !g.in(4) && hasNumeric }

func api(list []toleration) []corev1.Toleration { return fields.As[corev1.Toleration](list) }

func internal(list []toleration) []core.Toleration { return fields.As[core.Toleration](list) }

// recordable returns tolerations of any version of the API.
func recordable[T any](list []T) []toleration { return fields.As[toleration](list) }

func apiTaints(list []taint) []corev1.Taint {
	out := make([]corev1.Taint, len(list))
	for i, t := range list {
		out[i] = corev1.Taint{Key: t.Key, Value: t.Value, Effect: corev1.TaintEffect(t.Effect)}
		if t.TimeAdded != "" {
			at, err := time.Parse(time.RFC3339, t.TimeAdded)
			must(err)
			out[i].TimeAdded = &metav1.Time{Time: at}
		}
	}
	return out
}

func fromTaints(list []corev1.Taint) []taint {
	out := make([]taint, len(list))
	for i, t := range list {
		out[i] = taint{Key: t.Key, Value: t.Value, Effect: string(t.Effect)}
		if t.TimeAdded != nil {
			out[i].TimeAdded = t.TimeAdded.UTC().Format(time.RFC3339)
		}
	}
	return out
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
