// Package recording makes cases, evaluates them with Kubernetes, and writes both
// to files under the testdata of the library's packages, which internal/recorded
// describes and reads. The module file selects the version of Kubernetes
// (versions/).
package recording

import (
	"bytes"
	"compress/gzip"
	"errors"
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

// A File is the recording of one package of the library.
type File struct {
	Dir   string // of the package, beneath the repository's root
	kinds []kind
}

// A kind makes n cases, and fewer for an old version.
type kind struct {
	name string
	n    int
	make func(g *gen) any
}

// Files are all recordings. There is none of devices, whose taints are stable only since
// 1.37: the differential tests compare with that version itself.
var Files = []File{
	{"toleration", []kind{{"match", 400, match}, {"validate", 2400, validate}, {"update", 1600, update}, {"decode", 1200, decodeTolerations}}},
	{"taint", []kind{{"validate-taints", 1600, validateTaints}, {"edit", 2400, edit}, {"decode", 1000, decodeTaints}, {"parse", 1600, parse}}},
	{"match", []kind{{"filter", 3000, filter}, {"filter-invalid", 600, filterInvalid}}},
	{"match/eviction", []kind{{"evict", 3000, evict}}},
	{"toleration/cover", []kind{{"cover", 300, covers}, {"merge", 2000, merge}}},
	{"toleration/admission", []kind{{"default-seconds", 1200, defaultSeconds}, {"daemon", 800, daemon}, {"resources", 800, resources}, {"pod", 1600, pod}}},
}

// Make returns the recording as JSON lines. Old versions have a quarter of
// the cases, which is enough.
func (f File) Make(version string, seed uint64, part int) []byte {
	klog.SetLogger(logr.Discard()) // isSuperset writes a line for every numeric operator
	var kinds []recorded.Kind
	for _, k := range f.kinds {
		g := newGen(seed, k.name+" "+f.Dir)
		made := recorded.Kind{Name: k.name}
		for range k.n / part {
			made.Cases = append(made.Cases, k.make(g))
		}
		kinds = append(kinds, made)
	}
	var b bytes.Buffer
	must(recorded.Write(&b, recorded.Header{Kubernetes: version, Numeric: hasNumeric, Seed: seed}, kinds))
	return b.Bytes()
}

// Name is the file's, from the repository's root.
func (f File) Name(version string) string {
	minor := strings.Join(strings.Split(version, ".")[:2], ".")
	return filepath.Join(filepath.FromSlash(f.Dir), "testdata", "kubernetes-"+minor+".jsonl.gz")
}

// Write writes the recording beneath the root.
func (f File) Write(root, version string, data []byte) error {
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	must(err)
	z.Write(data) // to memory
	must(z.Close())
	name := filepath.Join(root, f.Name(version))
	return errors.Join(os.MkdirAll(filepath.Dir(name), 0o777), os.WriteFile(name, b.Bytes(), 0o666))
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
