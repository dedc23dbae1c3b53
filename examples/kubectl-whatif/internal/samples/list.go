package samples

// Things that several samples have in common: the folders of their scenarios, a pod, and a release.
const (
	decisions = "preemption/testdata/scenarios/"
	admission = "kubeletadmit/testdata/scenarios/"
	web       = "default/web"
	groups    = "v1.37,GenericWorkload=true"
)

// catalogue has all samples, the simple ones first.
var catalogue = []Sample{
	{
		Name: Default, Line: "an online shop on eight nodes in two zones, whose checkout no longer fits", Pod: "shop/checkout-2",
		About: "A pod of the shop is pending. Every node is looked at: all pods of lower priority are taken away, and if the pod fits then, as many " +
			"as possible are put back. What cannot be put back are the victims of that node, and the nodes are compared by them. Add --trace to see " +
			"that step by step, or --pending all for everything that waits.",
	},
	{
		Name: "ranks", Line: "two nodes would do: whose pods are the cheaper victims?", Pod: web, Scenario: decisions + "rank_3_priority_sum.txt",
		Case:  "The most important victim has priority 5 on both",
		Leave: []string{"b1", "b2"},
		About: "Both nodes would lose two pods, and on both the most important of them has priority 5. The next rank is the sum of the priorities: " +
			"n2 is chosen, because 5 and 1 are less than 5 and 3. Only where all ranks are equal the first node wins. Try --trace, and --why-not n1.",
	},
	{
		Name: "pdb", Line: "a disruption budget that allows nothing, and a pod that leaves all the same", Pod: web, Scenario: decisions + "budgets.txt",
		Case:  "Nothing is allowed: both violate",
		Leave: []string{"lo"},
		About: "Preemption tries to keep disruption budgets and breaks them where nothing else makes room. Budget b allows no disruption, and both pods " +
			"of n1 are under it. Pods whose leaving breaks a budget are put back first, the most important of them at the head: hi has room again, " +
			"and lo is left to leave, against the budget. A budget is no guarantee. With --pending default/web --set-budget default/b=1 the one that leaves is hi.",
	},
	{
		Name: "affinity", Line: "a pod has to be near another, which preemption must not take away", Pod: web, Scenario: decisions + "filter_inter_pod_affinity.txt",
		Case:  "An affinity to a pod that would have to leave",
		Leave: []string{"mid2"},
		About: "web has to be in the zone of a cache. On n1 the cache is of lower priority, so it is taken away with all others of lower priority before " +
			"anything is put back, and without it n1 is no place for web: nothing is tried any further. On n2 the cache is as important as web " +
			"and stays, so that mid2 leaves there, although n1 has less important pods. Try --exact: low1 could leave n1 and the cache stay, which the scheduler does not look for.",
	},
	{
		Name: "anti-affinity", Line: "a pod keeps away from others, one of which can leave", Pod: web, Scenario: decisions + "filter_inter_pod_affinity.txt",
		Case:  "Its own anti-affinity: bad leaves n2",
		Leave: []string{"bad"},
		About: "There is room on both nodes, but web must not share a zone with db or bad. db is more important than web and stays; bad is not, and leaves. " +
			"Its neighbour oth is in nobody's way: it is taken away with the others, and put back. Try --trace.",
	},
	{
		Name: "across", Line: "the pods in the way run on other nodes", Pod: web, Scenario: decisions + "across.txt",
		Case: "Both have to leave (rule 23.3)", Flags: []Flag{{"across", "true"}},
		Leave: []string{"worse", "bad"},
		About: "web keeps away from bad and worse, by zone, and all nodes are in one. kube-scheduler takes victims from the node of the pod alone, " +
			"so it finds no help here: --pending default/web says so. With --across, victims may be on any node, and two have to leave.",
	},
	{
		Name: "spread", Line: "a zone has its share of the pods already", Pod: web, Scenario: decisions + "filter_pod_topology_spread.txt",
		Case:  "Zone b has none of them",
		Leave: []string{"web1"},
		About: "No zone may have more than one pod of web above the emptiest zone. Zone b has none, so zone a may not get a second one, unless the first " +
			"leaves: web1 does. n2 in zone b would be right, but is full with a more important pod, and n3 is in no zone at all. Try --why-not n2.",
	},
	{
		Name: "ports", Line: "a host port is taken", Pod: web, Scenario: decisions + "filter_node_ports.txt",
		Case:  "holder has to leave n1",
		Leave: []string{"holder"},
		About: "There is room for web on both nodes, but it takes port 80 of its node, which is taken on both. On n1 the holder is less important, and leaves; " +
			"idle is even less important and stays, because its leaving helps nobody. Evicting is not about the least important pod, but about what is in the way.",
	},
	{
		Name: "volumes", Line: "a disk that one pod at a time can write", Pod: web, Scenario: decisions + "filter_volumes.txt",
		Case:  "VolumeRestrictions: a disk that can be shared",
		Leave: []string{"holder"},
		About: "web and holder use the same disk, which only readers can share. holder has to leave, and idle has not, although it is less important.",
	},
	{
		Name: "taint", Line: "the cheaper victim is behind a taint", Pod: web, Scenario: decisions + "filter_taint_toleration.txt",
		Case:  "The cheaper victim is behind a taint.",
		Leave: []string{"mid"},
		About: "n1 has the less important pod, but also a taint that web does not tolerate. No eviction removes a taint, so n1 is not even tried, and mid " +
			"leaves n2. Try --why-not n1.",
	},
	{
		Name: "nominated", Line: "room that was made for another pod is kept for it", Pod: web, Scenario: decisions + "nominated.txt",
		Case:  "With coming there are",
		Leave: []string{"low"},
		About: "n1 has room for web at this moment. But the more important pod coming is nominated to n1: pods left it for coming, and room is kept " +
			"until it arrives. So low has to leave as well.",
	},
	{
		Name: "leaving", Line: "a pod that waits for those who leave for it already", Pod: web, Scenario: decisions + "eligibility.txt",
		Case: "The nominated node is being emptied for this pod",
		About: "web was pending before, and leaving was evicted for it and is still on its way out of n1, to which web is nominated. Until it is gone, web " +
			"pushes nobody else out: without that rule it would take a new victim at each attempt.",
	},
	{
		Name: "exact", Line: "four pods leave where one would be enough", Pod: web, Scenario: decisions + "policy_exact.txt",
		Case: "Reprieve puts a back first", Flags: []Flag{{"exact", "true"}},
		Leave: []string{"b", "c", "d", "e"},
		About: "All pods of n1 have the same priority, and web needs 4 cpu. a started first, so it is put back first; then there is no room for any other, " +
			"and all four leave. The best set by the same ranks is a alone. Putting back one by one is quick and does not look for the best.",
	},
	{
		Name: "gang", Line: "a group of pods that starts as a whole or not at all", Pod: "default/a", Scenario: decisions + "groups.txt",
		Case: "Two places are wanted.", Release: groups,
		Leave: []string{"mid", "low"},
		About: "a and b are a gang of two. With everybody of lower priority away they are placed on n1 and n2, and stay there while the others are put back: " +
			"least returns to n3, though it is the least important of all, because the gang does not need its node.",
	},
	{
		Name: "units", Line: "a group that is disrupted as a whole", Pod: "default/p", Scenario: decisions + "units.txt",
		Case: "All pods of team leave together", Release: groups,
		Leave: []string{"t1", "t2"},
		About: "p needs the room of one pod. t1 and t2 belong to a group that needs both of them, so they leave together, t2 from " +
			"another node.",
	},
	{
		Name: "resize", Line: "a pod on a node that wants more than there is", Pod: "default/db", Scenario: decisions + "deferred_resizes.txt",
		Case: "The node counts 5 of 4 cpu", Release: "v1.37,InPlacePodVerticalScalingSchedulerPreemption=true",
		Leave: []string{"young"},
		About: "db runs on n1 with 2 cpu and wants 3, which the node has deferred. No other node is asked, although n2 has room: a resize happens in place. " +
			"Of two pods of one priority the one that started last leaves.",
	},
	{
		Name: "kubelet", Line: "a node's kubelet makes room for a critical pod", Pod: web, Scenario: admission + "tiers.txt",
		Case: "Two: the Burstable one as well.", Flags: []Flag{{"on-node", "n1"}},
		Leave: []string{"be", "bu"},
		About: "web is bound to n1 and critical, so the kubelet of n1 evicts others for it, by rules of its own: no disruption budget counts, and the " +
			"priorities of the others do not, either. Their quality of service does. One device is held by a pod of each class; two are wanted, and " +
			"BestEffort goes before Burstable, and that before Guaranteed.",
	},
}
