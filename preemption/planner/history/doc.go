// Package history answers: does preemption move a cluster forward, or round and round? A [Log]
// records every preemption that was carried out, and its [Summary] has
//
//   - cascades: A evicts B, and B, recreated, evicts C;
//   - cycles: the same, but the last pod evicts A, and all begins again;
//   - repeats: pods that are evicted more than once, by the same pods or others.
//
// Experimental: v1.0 does not freeze this package (RELEASES, "What stays").
//
// A recreated pod has another name or UID, so a Log identifies pods by their lineage: a name, chosen by the
// caller, that a pod shares with the pods it replaces. [LineageOf] returns the controller. All replicas of a
// controller then have one lineage, so the findings are an estimate.
//
// A link is one lineage evicting another. The chain of a lineage lists the links that led to its
// latest eviction: when P evicts V, the chain of V becomes the chain of P with the link from P to V
// appended. If V already occurs in that chain, the links from there on are one round of a cycle,
// which is counted and removed from the chain. A cascade is the set of all chains with the same
// beginning, and its length is the number of links in the longest chain it ever had. Chapter 16 of
// [RULES.md] defines each of these exactly.
//
// No pod is evicted by a pod of equal or lower priority, so a cycle needs priorities that change
// when a pod is recreated, or schedulers with different rules. A repeat needs neither.
//
// A [Log] is for one goroutine at a time; a [Summary] belongs to the caller. Recording takes time linear
// in the victims and in the length of the chain, which [Config.MaxChain] limits. Memory holds one record
// for every lineage that was ever evicted, and one for every distinct cycle, which [Config.MaxCycles]
// limits. The result depends only on the preemptions and their order. Kubernetes has nothing like this.
//
// [RULES.md]: https://github.com/outrank-go/outrank/blob/main/preemption/planner/history/RULES.md
package history
