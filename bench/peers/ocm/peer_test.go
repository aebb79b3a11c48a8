package main

import (
	"context"
	"fmt"
	"testing"

	clusterapiv1 "open-cluster-management.io/api/cluster/v1"
	clusterapiv1beta1 "open-cluster-management.io/api/cluster/v1beta1"
	testinghelpers "open-cluster-management.io/ocm/pkg/placement/helpers/testing"
	"open-cluster-management.io/ocm/pkg/placement/plugins/tainttoleration"

	"github.com/go-tolerate/tolerate/bench/peers/peer"
)

// Half of the clusters have a taint, and the placement tolerates half of these.
func BenchmarkFilter(b *testing.B) {
	var clusters []*clusterapiv1.ManagedCluster
	for i := range 1000 {
		c := testinghelpers.NewManagedCluster(fmt.Sprint("cluster", i))
		if i%2 == 0 {
			c = c.WithTaint(&clusterapiv1.Taint{Key: "example.com/team", Value: fmt.Sprint("team", i%4), Effect: clusterapiv1.TaintEffectNoSelect})
		}
		clusters = append(clusters, c.Build())
	}
	placement := testinghelpers.NewPlacement("default", "placement").AddToleration(&clusterapiv1beta1.Toleration{
		Key: "example.com/region", Operator: clusterapiv1beta1.TolerationOpExists,
	}).AddToleration(&clusterapiv1beta1.Toleration{
		Key: "example.com/team", Operator: clusterapiv1beta1.TolerationOpEqual, Value: "team2",
	}).Build()
	plugin := tainttoleration.New(testinghelpers.NewFakePluginHandle(nil, nil))
	peer.Compare(b, func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			result, status := plugin.Filter(context.Background(), placement, clusters)
			if len(result.Filtered) != 750 {
				b.Fatal(len(result.Filtered), status)
			}
		}
	})
}
