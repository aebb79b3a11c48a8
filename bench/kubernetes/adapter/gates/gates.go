// Package gates reports the state of the API server's feature gates to adapters.
package gates

import (
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/kubernetes/pkg/features"
)

// Numeric reports whether tolerations can have numeric operators.
func Numeric() bool {
	return utilfeature.DefaultFeatureGate.Enabled(features.TaintTolerationComparisonOperators)
}
