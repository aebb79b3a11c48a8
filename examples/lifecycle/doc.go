// Lifecycle simulates a day of a cluster on a virtual clock: nodes fail and
// recover, their conditions become taints at the zone's rate, and pods are
// evicted and scheduled again.
package main
