// Package clustergen answers what a cluster looks like that puts preemption to the test: nearly
// full, and made of few distinct values, so that ties and conflicts are the rule. It is for the
// tests of programs that use package preemption, for simulators and for benchmarks.
//
// Experimental: v1.0 does not freeze this package (RELEASES, "What stays").
//
//	shape := clustergen.Full()
//	cluster, err := clustergen.Cluster(shape, seed)
//	pod, err := clustergen.Preemptor(shape, seed)
//
// A [Shape] says how much there is of everything. Pods belong to a few kinds, as if a controller
// had made them, and many nodes hold the same kinds, so that they tie in all ranks but the last.
// Every cluster has pods without a priority or a start time, pods that terminate or have
// finished, pods in the middle of a resize, init containers, overhead, and namespaces in which
// two pods have the same name. Budgets that cover nothing, nominations to nodes that do not
// exist and groups that do not exist are drawn where the shape asks for budgets, nominations and
// groups. [outrank.Cluster.Validate] and [outrank.Pod.Validate] return nil all the same.
//
// A seed and a shape give the same cluster to the byte, on every platform; a test compares with
// recorded hashes. A failing case can be made smaller by hand: with the same seed, a shape with
// fewer nodes gives the first nodes of the larger one with the same pods, and a shape without a
// feature gives the same pods and nodes without it. Only the room that is left differs; see
// [Shape].
//
// Time and memory are linear in the numbers of the shape, about 2 KB and 3 µs for each pod.
// [Shape.Validate] refuses shapes that ask for more than five million pods. Several goroutines may
// call all functions at once. Results belong to the caller; two pods of one cluster may share
// maps and slices, so a caller must replace one instead of changing it.
//
// [Benchmark] is apart from the rest: it takes no seed, and makes the cluster that the benchmarks of
// this module run on.
package clustergen
