// Package history answers: does preemption move a cluster forward, or round and
// round? A [Log] records every preemption that was carried out, and its
// [Summary] has
//
//   - cascades: A evicts B, and B, recreated, evicts C;
//   - cycles: the same, but the last pod evicts A, and all begins again;
//   - repeats: pods that are evicted more than once, by the same pods or others.
//
// # Lineages
//
// A pod that is recreated has another name or UID, so this package knows pods by
// their lineage: the name, chosen by the caller, that a pod shares with the pods
// it replaces. A simulator that makes pods anew itself knows it exactly. Where
// only the controller is known, [LineageOf] uses that; replicas then count as one
// another's replacement, and what is found is an estimate.
//
// # Definitions
//
// A link is one lineage evicting another. A preemption makes one link for every
// lineage among its victims, however many victims of that lineage there are.
//
// The chain of a lineage is the list of links that led to its latest eviction.
// It is empty for a lineage that was never evicted, or longer ago than
// [Config.Within]. When P evicts V, the chain of V becomes the chain of P as it
// was before this preemption, with the link from P to V at its end.
//
// If V had a place in the chain of P already, the links from there to its end and
// the new link are one round of a cycle: V evicted the next lineage, and so on to
// P, which evicted V. The round is counted and taken out of the chain, which then
// ends in V's earlier place. So no lineage is twice in a chain, every cycle is a
// simple cycle, and a cycle within a cycle is counted apart from the outer one. A
// lineage that evicts itself is a cycle of one.
//
// A cascade is all chains with the same beginning: a preemption by a lineage
// whose chain was empty, and what followed from it. Its length is the number of
// links of the longest chain that it ever had, also where a round took links out
// of it later. It counts from a length of two. No cascade has as many links as
// there are lineages, however many rounds are in it.
//
// No pod is evicted by a pod of equal or lower priority. So a cycle needs
// priorities that change when a pod is recreated, or several schedulers with
// different rules. A repeat needs neither.
//
// Chapter 16 of RULES.md in this package's folder has these definitions as
// numbered rules, which comments cite, as in "rule 16.3.2".
//
// # Calls at once, and cost
//
// A [Log] is for one goroutine at a time; a [Summary] is a value of the caller's
// own. Recording takes time linear in the victims and in the length of the chain,
// which is short and limited by [Config.MaxChain]. Memory is one record for every
// lineage that was ever evicted, the links in the chains of these records, which
// are shared, and one record for every distinct cycle, limited by
// [Config.MaxCycles]. A lineage that only ever evicted others leaves nothing.
//
// The result depends on the preemptions and their order alone. The reference has
// nothing of this kind, so there are no deviations to list.
package history
