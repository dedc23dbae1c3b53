// Package tenancy answers: which tenant may take from which where tenants share a cluster? It has
// ready-made rules for that: what Kueue, YuniKorn and Nomad do, as rules of a configuration of package
// preemption.
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
// A pod then takes by the policies of its queue ([Policy]): from its own queue, where the policy can also allow
// newer pods of equal priority or anybody, and from queues that have more than their own. A guard
// follows the victims on each node, so that no queue falls below its quota because of a
// decision. A filter keeps pods waiting whose queue has too little left. Plans name
// the rule for each victim ([preemption.Victim].Rule). Nominated pods use quota, too.
//
// A gang asks as one workload, for what all its pods want together, with victims in the whole
// cluster (PreemptGroup of an engine.Evaluator). Pods of the queues that leave together count
// as one workload. Victims, guard and filter are the same as for a single pod:
//
//	plan, err := eval.PreemptGroup(ctx, snap, preemption.GroupRequest{Pods: gang, Now: now})
//	for _, v := range plan.Victims {
//		fmt.Println(v, v.Rule)
//	}
//
// [Tree.Reclaim] decides by quotas alone, as Kueue does, which admits workloads and leaves
// nodes to the scheduler. [Closest] chooses victims as Nomad does.
//
// Tests compare Reclaim with Kueue's own preemption package, of its main branch at ff69552e of August 22,
// 2026. Their data are 6,000 random trees with the decisions of that package. Every decision comes out with
// the same victims, rules and order, or with one of those that Kueue gives where it goes by the order of
// a map. The trees have boosts of priorities. [Protection] and [Selection], which Kueue has got
// since, follow its proposals 9876 (July 2026) and 13396 with its API v1alpha1 (September
// 2026). Tests compare them with a plain way of deciding, which agrees with Kueue where both can be asked.
// Topologies are left out, and a rule that asks about one is an error. Shares of local queues,
// partial admission, and the choice among flavors are left out as well.
//
// Windows of protection spare workloads that started a short while ago, and the answer says when it makes
// sense to ask again ([Answer].RetryAt, [Rules.RetryAt]). The time is an argument: [Request].Now, and
// [Rules.At] for pods on nodes.
//
// Chapter 24 of RULES.md in this package's folder states what this package does and where
// it differs, and comments cite it, as in "rule 24.3.4". All functions only read what they
// are given; any number of goroutines may call them at once.
package tenancy
