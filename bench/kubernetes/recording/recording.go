// Package recording makes cases, evaluates them with Kubernetes, and writes both
// to a file of bench/recorded, which describes and reads it. The module file selects
// the version of Kubernetes (versions/).
package recording

import (
	"bytes"
	"compress/gzip"
	"fmt"
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
	"github.com/go-tolerate/tolerate/bench/kubernetes/upstream"
	"github.com/go-tolerate/tolerate/internal/tests/recorded"
)

// Seed is the seed of the recordings in the repository.
const Seed = 20261122

// A kind makes n cases, fewer for an old version, and all edges. A case is nil if the
// version cannot have it.
type kind struct {
	name  string
	n     int
	make  func(g *gen) any
	edges func() []any
}

var kinds = []kind{
	{"match", 400, match, matchEdges},
	{"filter", 2400, filter, nil},
	{"filter-invalid", 600, filterInvalid, nil},
	{"evict", 2400, evict, evictEdges},
	{"history", 800, history, historyEdges},
	{"validate", 2400, validate, validateEdges},
	{"update", 1600, update, nil},
	{"validate-taints", 1600, validateTaints, taintEdges},
	{"decode", 1200, decodeTolerations, decodeEdges},
	{"decode-taints", 1000, decodeTaints, decodeTaintEdges},
	{"parse", 1600, parse, parseEdges},
	{"edit", 2000, edit, editEdges},
	{"cover", 300, covers, coverEdges},
	{"merge", 2000, merge, mergeEdges},
	{"default-seconds", 1200, defaultSeconds, defaultSecondsEdges},
	{"daemon", 800, daemon, nil},
	{"resources", 800, resources, resourceEdges},
	{"pod", 1600, pod, nil},
}

// Make returns the recording as JSON lines, with one in part cases: the first ones. A
// case depends only on the seed and its id. It must run in a bubble of synctest.
func Make(version string, seed uint64, part int) []byte {
	klog.SetLogger(logr.Discard()) // isSuperset writes a line for every numeric operator
	var all []recorded.Kind
	for _, k := range append(kinds, deviceKinds...) {
		made := recorded.Kind{Name: k.name}
		add := func(id string, c any) {
			if c != nil {
				made.Cases = append(made.Cases, recorded.Case{ID: id, Case: c})
			}
		}
		for i := range k.n / part {
			id := fmt.Sprint(k.name, "-", i)
			add(id, k.make(newGen(seed, id)))
		}
		if k.edges != nil {
			for i, c := range k.edges() {
				add(fmt.Sprint(k.name, "-edge-", i), c)
			}
		}
		all = append(all, made)
	}
	var b bytes.Buffer
	must(recorded.Write(&b, recorded.Header{Kubernetes: version, Numeric: upstream.HasNumeric, Seed: seed}, all))
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
	if upstream.HasNumeric {
		set := utilfeature.DefaultMutableFeatureGate.SetFromMap
		must(set(map[string]bool{"TaintTolerationComparisonOperators": gate}))
		defer set(map[string]bool{"TaintTolerationComparisonOperators": false})
	}
	f()
}

// gate draws whether numeric operators are enabled: usually, if the version
// has them.
func (g *gen) gate() bool { return !g.in(4) && upstream.HasNumeric }

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
