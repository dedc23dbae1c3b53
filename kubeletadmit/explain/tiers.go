package explain

import (
	"cmp"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/kubeletadmit"
	"github.com/outrank-go/outrank/qos"
	"github.com/outrank-go/outrank/resource"
)

// tierOrder lists the classes in the order in which their tiers choose (rules 17.5.3 to 17.5.5).
var tierOrder = []outrank.QOSClass{outrank.Guaranteed, outrank.Burstable, outrank.BestEffort}

// tierKey identifies a tier: by its class, and by its priority where priorities make tiers.
type tierKey struct {
	priority int32
	class    outrank.QOSClass
}

// keyOf returns the tier of a pod of a class.
func (x *explainer) keyOf(p *outrank.Pod, class outrank.QOSClass) tierKey {
	if x.config.PriorityFirst {
		return tierKey{p.PriorityValue(), class}
	}
	return tierKey{class: class}
}

// keys lists the tiers in the order in which they choose, the last to be evicted first: the
// three classes, or each priority and class that has pods (rule 17.8.2).
func (x *explainer) keys(movable map[tierKey][]*outrank.Pod) (keys []tierKey) {
	if !x.config.PriorityFirst {
		for _, class := range tierOrder {
			keys = append(keys, tierKey{class: class})
		}
		return keys
	}

	for key := range movable {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, func(a, b tierKey) int {
		return cmp.Or(cmp.Compare(b.priority, a.priority), cmp.Compare(slices.Index(tierOrder, a.class), slices.Index(tierOrder, b.class)))
	})
	return keys
}

// need is a shortage that has to be covered (rule 17.6.7).
type need struct {
	name   resource.Name
	amount int64
}

// frees returns how much of the need evicting a pod frees (rule 17.5.8).
func (n *need) frees(p *outrank.Pod) int64 {
	if n.name == resource.Pods {
		return 1
	}
	return p.KubeletRequests().Amount(n.name)
}

// explainTiers fills in the report's tiers, and the pods that stay because they are in no tier.
func (x *explainer) explainTiers(r *Report) {
	needs := x.needs()
	movable := x.movable(&r.Stay)
	chosen := map[tierKey][]*outrank.Pod{}
	for _, e := range x.adm.Evictions {
		key := x.keyOf(e.Pod, e.Tier)
		chosen[key] = append(chosen[key], e.Pod)
	}

	// uncovered is what the chosen pods of earlier tiers leave of the needs. A tier has to cover
	// the part of it that exceeds what all pods of later tiers hold.
	keys := x.keys(movable)
	below := heldBelow(needs, movable, keys)
	uncovered := needs
	for i, key := range keys {
		tier := Tier{Class: key.class, Pods: len(movable[key])}
		left := beyondSums(uncovered, below[i])
		uncovered = beyondPods(uncovered, chosen[key])

		// If not enough can be freed, no tier chooses (rule 17.5.2).
		if len(r.Missing) > 0 {
			left = nil
		}

		// Priorities may make many tiers. Only tiers with chosen pods are listed, if there are
		// any, and not more than fit the list.
		if x.config.PriorityFirst {
			tier.Priority = &key.priority
			if len(r.Tiers.Items) >= x.most || len(chosen[key]) == 0 && len(r.Missing) == 0 {
				r.Tiers.More++
				continue
			}
		}

		tier.Holds, tier.Covers = held(needs, movable[key]), amounts(left)
		x.rounds(&tier, key, movable[key], left)
		r.Tiers.Items = append(r.Tiers.Items, tier)
	}
}

// needs lists the shortages that have to be covered.
func (x *explainer) needs() (needs []need) {
	for i := range x.adm.Failures {
		if f := &x.adm.Failures[i]; f.Resource != "" && f.Shortage() > 0 {
			needs = append(needs, need{f.Resource, f.Shortage()})
		}
	}
	return needs
}

// movable returns, by tier, the pods that may be evicted, in the order of the active pods. It
// adds the others to stay, a list that is cut.
func (x *explainer) movable(stay *List[Pod]) map[tierKey][]*outrank.Pod {
	movable := map[tierKey][]*outrank.Pod{}
	for _, p := range x.active {
		class := qos.Of(x.config.Release, p)
		if kubeletadmit.Preemptable(x.pod, p) && slices.Contains(tierOrder, class) {
			key := x.keyOf(p, class)
			movable[key] = append(movable[key], p)
		} else if len(stay.Items) < x.most {
			stay.Items = append(stay.Items, ref(p))
		} else {
			stay.More++
		}
	}
	return movable
}

// heldBelow returns, for each tier and need, what all pods of the tiers behind it in keys hold.
// These tiers are evicted before it, and their pods are chosen after its own.
func heldBelow(needs []need, movable map[tierKey][]*outrank.Pod, keys []tierKey) [][]int64 {
	sums := make([][]int64, len(keys))
	sum := make([]int64, len(needs))
	for i := len(keys) - 1; i >= 0; i-- {
		sums[i] = slices.Clone(sum)
		for _, p := range movable[keys[i]] {
			for j := range needs {
				sum[j] = resource.AddSat(sum[j], needs[j].frees(p))
			}
		}
	}
	return sums
}

// beyondSums returns the needs less these amounts. A need that is covered stays, with 0.
func beyondSums(needs []need, sums []int64) []need {
	out := slices.Clone(needs)
	for i := range out {
		out[i].amount = max(0, resource.SubSat(out[i].amount, sums[i]))
	}
	return out
}

// beyondPods returns the needs less what the pods free. A need that is covered stays, with 0.
func beyondPods(needs []need, pods []*outrank.Pod) []need {
	out := slices.Clone(needs)
	for i := range out {
		for _, p := range pods {
			out[i].amount = max(0, resource.SubSat(out[i].amount, out[i].frees(p)))
		}
	}
	return out
}

// held returns what the pods hold together of each need.
func held(needs []need, pods []*outrank.Pod) []kubeletadmit.ResourceNeed {
	out := []kubeletadmit.ResourceNeed{}
	for _, n := range needs {
		var sum int64
		for _, p := range pods {
			sum = resource.AddSat(sum, n.frees(p))
		}
		out = append(out, kubeletadmit.ResourceNeed{Resource: n.name, Amount: sum})
	}
	return out
}

// amounts lists the needs that are not covered.
func amounts(needs []need) []kubeletadmit.ResourceNeed {
	out := []kubeletadmit.ResourceNeed{}
	for _, n := range needs {
		if n.amount > 0 {
			out = append(out, kubeletadmit.ResourceNeed{Resource: n.name, Amount: n.amount})
		}
	}
	return out
}

// rounds follows the choice in one tier, and finds the runner-up of each round (rules 17.6.1 to
// 17.6.6). pods are all pods of the tier, and left is what it has to cover.
func (x *explainer) rounds(tier *Tier, key tierKey, pods []*outrank.Pod, left []need) {
	list := slices.Clone(pods)
	for i := range x.adm.Evictions {
		e := &x.adm.Evictions[i]
		if x.keyOf(e.Pod, e.Tier) != key {
			continue
		}
		if len(tier.Rounds.Items) == x.most {
			tier.Rounds.More++
			continue
		}

		chosen := slices.Index(list, e.Pod)
		if chosen < 0 {
			continue // the answer names a pod that the question does not have
		}
		round := Round{Pod: ref(e.Pod), Distance: e.Distance, Frees: slices.Clone(e.Contributions)}
		if x.config.Exact {
			round.DecidedBy = bySearch
		} else {
			findRunnerUp(&round, list, chosen, left)
		}
		tier.Rounds.Items = append(tier.Rounds.Items, round)

		// The last pod takes the place of the chosen one, which decides ties (rule 17.6.6).
		list[chosen] = list[len(list)-1]
		list = list[:len(list)-1]
		left = beyondPods(left, []*outrank.Pod{e.Pod})
	}
}

// findRunnerUp finds the pod that would have been chosen without the chosen one, and says what
// decided between the two. A round without another pod has no runner-up.
func findRunnerUp(round *Round, list []*outrank.Pod, chosen int, left []need) {
	best, least := -1, 0.0
	for i, p := range list {
		if i == chosen {
			continue
		}

		// Of pods that tie in distance and requests, the later one in the list wins (rule 17.6.5).
		d := distance(left, p)
		if best < 0 || d < least || d == least && byRequests(p, list[best]) <= 0 {
			best, least = i, d
		}
	}
	if best < 0 {
		return
	}

	// The first of these in which the two differ has decided (rules 17.6.3 to 17.6.5).
	p := ref(list[best])
	round.RunnerUp, round.RunnerUpDistance = &p, least
	switch {
	case least > round.Distance:
		round.DecidedBy = byDistance
	case requested(list[chosen], resource.Memory) != requested(list[best], resource.Memory):
		round.DecidedBy = byMemory
	case requested(list[chosen], resource.CPU) != requested(list[best], resource.CPU):
		round.DecidedBy = byCPU
	default:
		round.DecidedBy = byListing
	}
}

// distance returns how far a pod is from covering what is left (rules 17.6.2 and 17.6.3).
func distance(left []need, p *outrank.Pod) (sum float64) {
	for i := range left {
		n := &left[i]
		if frees := n.frees(p); n.amount > frees {
			// The conversion keeps the compiler from fusing the product into the sum, which
			// would round differently on some machines.
			part := float64(n.amount-frees) / float64(n.amount)
			sum += float64(part * part)
		}
	}
	return sum
}

// requested returns the amount of a resource with which the kubelet counts the pod.
func requested(p *outrank.Pod, name resource.Name) int64 { return p.KubeletRequests().Amount(name) }

// byRequests settles ties of the distance (rule 17.6.4).
func byRequests(a, b *outrank.Pod) int {
	return cmp.Or(
		cmp.Compare(requested(a, resource.Memory), requested(b, resource.Memory)),
		cmp.Compare(requested(a, resource.CPU), requested(b, resource.CPU)),
	)
}
