// Package tenancy answers: whose pods may a tenant preempt in a shared cluster? It has ready-made rules for a
// configuration of package preemption, after Kueue, YuniKorn and Nomad.
//
// Experimental: v1.0 does not freeze this package (RELEASES, "What stays").
//
//	own := tenancy.Quota{Nominal: resource.MustList("cpu", "4")}
//	tree, err := tenancy.NewTree(tenancy.Config{Queues: []tenancy.Queue{
//		{Name: "ads", Cohort: "shop", Quota: own, Policy: policy},
//		{Name: "search", Cohort: "shop", Quota: own, Policy: policy},
//	}})
//	rules, err := tenancy.New(tenancy.Options{Tree: tree, QueueOf: func(p *outrank.Pod) string { return p.Labels["queue"] }})
//	var config preemption.Config
//	rules.Use(&config)
//
// The policies of its queue ([Policy]) then say which pods a pod may preempt: in its own queue pods of lower
// priority, or also newer pods of equal priority, or any; and pods of queues that use more than their quota. A
// guard follows the victims on each node, so that no decision brings a queue below its quota. A filter keeps a pod
// pending while its queue has too little quota left. Plans name the rule for each victim
// ([preemption.Victim].Rule). Nominated pods use quota, too.
//
// A gang asks as one workload, for the requests of all its pods together, with victims in the whole cluster
// (PreemptGroup of an engine.Evaluator). Running pods that leave together count as one workload. Victims, guard and
// filter are the same as for a single pod:
//
//	plan, err := eval.PreemptGroup(ctx, snap, preemption.GroupRequest{Pods: gang, Now: now})
//	for _, v := range plan.Victims {
//		fmt.Println(v, v.Rule)
//	}
//
// [Tree.Reclaim] decides by quotas alone, without nodes. So does Kueue, which admits workloads and leaves nodes to
// the scheduler. [Closest] chooses victims as Nomad does.
//
// Tests compare Reclaim with Kueue's own preemption package, of its main branch at ff69552e of August 22,
// 2026. Their data are 6,000 random trees, also with boosts of priorities, and the decisions of that package. Every
// decision has the same victims, rules and order; where Kueue depends on the order of a map, it equals one of
// Kueue's answers. [Protection] and [Selection] are newer than that. They follow Kueue's proposals 9876 (July
// 2026) and 13396 with its API v1alpha1 (September 2026). Tests compare them with a plain reference, which agrees
// with Kueue on every question that both can answer. Topologies are left out, and a rule that needs one is an
// error. Shares of local queues, partial admission, and the choice among flavors are left out as well.
//
// Windows of protection spare workloads that started a short while ago, and the answer says when it makes
// sense to ask again ([Answer].RetryAt, [Rules.RetryAt]). The time is an argument: [Request].Now, and
// [Rules.At] for pods on nodes.
//
// Chapter 24 of RULES.md in this package's folder states what this package does and where it differs from the
// originals; comments cite it, as in "rule 24.3.4". No function changes its arguments, unless its comment says so,
// and any number of goroutines may call them at once.
package tenancy
