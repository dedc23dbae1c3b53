package explain

import (
	"cmp"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/kubeletadmit"
	"github.com/outrank-go/outrank/qos"
	"github.com/outrank-go/outrank/resource"
)

// order is that in which tiers of a priority are decided on (rules 17.5.3 to 17.5.5).
var tierOrder = []outrank.QOSClass{outrank.Guaranteed, outrank.Burstable, outrank.BestEffort}

// tierKey is a tier: its class, and its priority where priorities make tiers.
type tierKey struct {
	priority int32
	class    outrank.QOSClass
}

// keyOf returns the tier of a pod of a class.
func (x *explainer) keyOf(p *outrank.Pod, class outrank.QOSClass) tierKey {
	if x.question.Config.PriorityFirst {
		return tierKey{p.PriorityValue(), class}
	}
	return tierKey{class: class}
}

// keys lists the tiers in the order in which they are decided on: the three classes, or
// those of each priority that have pods (rule 17.8.2).
func (x *explainer) keys(movable map[tierKey][]*outrank.Pod) (keys []tierKey) {
	if !x.question.Config.PriorityFirst {
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

// frees is what evicting a pod frees (rule 17.5.8).
func (n *need) frees(p *outrank.Pod) int64 {
	if n.name == resource.Pods {
		return 1
	}
	return p.KubeletRequests().Amount(n.name)
}

// decide tells of the tiers, and of the pods that are in none.
func (x *explainer) decide(r *Report) {
	var needs []need
	for i := range x.adm.Failures {
		if f := &x.adm.Failures[i]; f.Resource != "" && f.Shortage() > 0 {
			needs = append(needs, need{f.Resource, f.Shortage()})
		}
	}
	movable := map[tierKey][]*outrank.Pod{}
	for _, p := range x.active {
		class := qos.Of(x.question.Config.Release, p)
		if kubeletadmit.Preemptable(x.pod, p) && slices.Contains(tierOrder, class) {
			key := x.keyOf(p, class)
			movable[key] = append(movable[key], p)
		} else if len(r.Stay.Items) < x.most {
			r.Stay.Items = append(r.Stay.Items, ref(p))
		} else {
			r.Stay.More++
		}
	}
	chosen := map[tierKey][]*outrank.Pod{}
	for _, e := range x.adm.Evictions {
		key := x.keyOf(e.Pod, e.Tier)
		chosen[key] = append(chosen[key], e.Pod)
	}
	keys := x.keys(movable)
	below := x.below(needs, movable, keys)
	above := needs
	for i, key := range keys {
		tier := Tier{Class: key.class, Pods: len(movable[key])}
		left := lessAll(above, below[i])
		if above = spared(above, chosen[key]); len(r.Missing) > 0 { // no tier comes to its turn
			left = nil
		}
		if x.question.Config.PriorityFirst {
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

// below adds up, for each tier, what all pods of the tiers below it hold.
func (x *explainer) below(needs []need, movable map[tierKey][]*outrank.Pod, keys []tierKey) [][]int64 {
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

// lessAll returns what is needed beyond these amounts. A need that is covered stays, with 0.
func lessAll(needs []need, sums []int64) []need {
	out := slices.Clone(needs)
	for i := range out {
		out[i].amount = max(0, resource.SubSat(out[i].amount, sums[i]))
	}
	return out
}

// spared returns what is needed beyond what pods free. A need that is covered stays, with 0.
func spared(needs []need, pods []*outrank.Pod) []need {
	out := slices.Clone(needs)
	for i := range out {
		for _, p := range pods {
			out[i].amount = max(0, resource.SubSat(out[i].amount, out[i].frees(p)))
		}
	}
	return out
}

// held adds up what pods hold of what is needed.
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

// amounts lists what is needed still.
func amounts(needs []need) []kubeletadmit.ResourceNeed {
	out := []kubeletadmit.ResourceNeed{}
	for _, n := range needs {
		if n.amount > 0 {
			out = append(out, kubeletadmit.ResourceNeed{Resource: n.name, Amount: n.amount})
		}
	}
	return out
}

// rounds follows the choice in one tier, with the pod that would have been next in each
// round (rules 17.6.1 to 17.6.6).
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
		round := Round{Pod: ref(e.Pod), Distance: e.Distance, Frees: slices.Clone(e.Contributions)}
		at := slices.Index(list, e.Pod)
		if at < 0 { // an admission of other pods
			continue
		}
		if round.DecidedBy = bySearch; !x.question.Config.Exact {
			round.DecidedBy = ""
			next(&round, list, at, left)
		}
		tier.Rounds.Items = append(tier.Rounds.Items, round)
		list[at] = list[len(list)-1]
		list = list[:len(list)-1]
		left = spared(left, []*outrank.Pod{e.Pod})
	}
}

// next finds the runner-up of a round.
func next(round *Round, list []*outrank.Pod, at int, left []need) {
	best, least := -1, 0.0
	for i, p := range list {
		if i == at {
			continue
		}
		d := distance(left, p)
		if best < 0 || d < least || d == least && byRequests(p, list[best]) <= 0 {
			best, least = i, d
		}
	}
	if best < 0 {
		return
	}
	p := ref(list[best])
	round.RunnerUp, round.RunnerUpDistance = &p, least
	switch {
	case least > round.Distance:
		round.DecidedBy = byDistance
	case requested(list[at], resource.Memory) != requested(list[best], resource.Memory):
		round.DecidedBy = byMemory
	case requested(list[at], resource.CPU) != requested(list[best], resource.CPU):
		round.DecidedBy = byCPU
	default:
		round.DecidedBy = byListing
	}
}

// distance is how far a pod is from covering what is left (rules 17.6.2 and 17.6.3).
func distance(left []need, p *outrank.Pod) (sum float64) {
	for i := range left {
		n := &left[i]
		if frees := n.frees(p); n.amount > frees {
			part := float64(n.amount-frees) / float64(n.amount)
			sum += float64(part * part)
		}
	}
	return sum
}

func requested(p *outrank.Pod, name resource.Name) int64 { return p.KubeletRequests().Amount(name) }

// byRequests settles ties of the distance (rule 17.6.4).
func byRequests(a, b *outrank.Pod) int {
	return cmp.Or(
		cmp.Compare(requested(a, resource.Memory), requested(b, resource.Memory)),
		cmp.Compare(requested(a, resource.CPU), requested(b, resource.CPU)),
	)
}
