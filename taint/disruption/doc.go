// Package disruption limits how fast the nodes of a zone are tainted with NoExecute when
// many of them fail, as Kubernetes' node lifecycle controller does.
//
//	cluster := disruption.NewLimiter[string](disruption.DefaultRates())
//
//	if entered, _ := cluster.Update(now, counts); entered {
//		… // remove the taints of condition.NodeEviction from every node
//	}
//	cluster.Add(zone, "node-1") // it waits for its taint
//	for name := range cluster.Take(now) {
//		… // taint the node
//	}
//	at, ok := cluster.Next(now) // when to call Take again
//
// # Rules
//
//  1. A zone is in full disruption if it has nodes and none is ready. It is in partial
//     disruption if more than two nodes are not ready and their share reaches a
//     threshold.
//  2. The usual rate is one node in ten seconds. In partial disruption, the rate of a
//     large zone is reduced, and that of any other is 0.
//  3. If every zone with nodes is in full disruption, the control plane has probably lost
//     its network. Then all rates are 0, and the NoExecute taints are removed once.
//
// # Differences from Kubernetes
//
//   - The nodes of a zone are tainted in the order of Add. In Kubernetes, each pass of the
//     controller queues all waiting nodes again, in any order: see the example AnyOrder.
//   - Only the present nodes count for the state and the rate of a zone. In Kubernetes,
//     earlier passes count too.
package disruption
