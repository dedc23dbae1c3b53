package kubeletadmit

import (
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/qos"
	"github.com/outrank-go/outrank/resource"
)

// tiers are the classes in the order in which their pods go.
var tiers = [...]outrank.QOSClass{bestEffort: outrank.BestEffort, burstable: outrank.Burstable, guaranteed: outrank.Guaranteed}

// Places in tiers.
const (
	bestEffort = iota
	burstable
	guaranteed
)

// pool holds the pods that one preemptor may push out, with everything that
// choosing among them depends on counted once: a flat table of amounts with a
// row per pod. No amount in it is negative.
type pool struct {
	preemptor *outrank.Pod
	needs     []Need
	pods      []*outrank.Pod
	// rows has width columns per pod: one per need, then memory and cpu for
	// breaking ties.
	rows  []int64
	width int
	// members are the pods of each of tiers, as indices into pods in the
	// caller's order.
	members [len(tiers)][]int
}

// newPool counts the pods of which the preemptor may push out; needs are above
// 0. Without needs the pool stays empty.
func newPool(preemptor *outrank.Pod, active []*outrank.Pod, needs []Need) (*pool, error) {
	p := &pool{preemptor: preemptor, needs: needs, width: len(needs) + 2}
	if len(needs) == 0 {
		return p, nil
	}
	var problems []outrank.Problem
	for _, a := range active {
		tier := slices.Index(tiers[:], qos.Of(a))
		if tier < 0 || !MayPreempt(preemptor, a) {
			continue
		}
		p.members[tier] = append(p.members[tier], len(p.pods))
		if !p.add(a) {
			problems = append(problems, problemsIn(a.Validate())...)
		}
	}
	return p, inputError(problems)
}

// add appends the pod and its row. It reports whether no amount is negative.
func (p *pool) add(pod *outrank.Pod) bool {
	for _, n := range p.needs {
		if n.Resource == resource.Pods {
			p.rows = append(p.rows, 1)
		} else {
			p.rows = append(p.rows, kubeletAmount(pod, n.Resource))
		}
	}
	p.rows = append(p.rows, kubeletAmount(pod, resource.Memory), kubeletAmount(pod, resource.CPU))
	p.pods = append(p.pods, pod)
	return slices.Min(p.row(len(p.pods)-1)) >= 0
}

// kubeletAmount is what the kubelet's preemption counts a pod with.
func kubeletAmount(pod *outrank.Pod, name resource.Name) int64 {
	return resource.Amount(name, pod.KubeletRequestOf(name))
}

// row gives the amounts of the i-th pod.
func (p *pool) row(i int) []int64 { return p.rows[i*p.width : (i+1)*p.width] }

// choose picks the pods to go (steps 4 to 6 of Resolve; getPodsToPreempt). The
// answers of the tiers depend on one another from the last to the first, and
// are listed from the first to the last.
func (p *pool) choose() ([]Eviction, error) {
	if short := p.missing(p.after(p.members[:]...)); len(short) > 0 {
		return nil, &NotEnoughError{Pod: p.preemptor.Key(), Missing: short}
	}
	top, last := p.nearest(guaranteed, p.after(p.members[bestEffort], p.members[burstable]))
	middle, next := p.nearest(burstable, p.after(p.members[bestEffort], top))
	_, first := p.nearest(bestEffort, p.after(middle, top))
	return slices.Concat(first, next, last), nil
}

// after gives what is still needed, in the order of needs and 0 where nothing
// is, once all pods of the groups have gone. The slice is new.
func (p *pool) after(groups ...[]int) []int64 {
	left := make([]int64, len(p.needs))
	for i, n := range p.needs {
		left[i] = n.Amount
	}
	for _, group := range groups {
		for _, pod := range group {
			subtract(left, p.row(pod))
		}
	}
	return left
}

// subtract takes what a pod frees off what is needed, down to 0.
func subtract(left, row []int64) {
	for i, n := range left {
		left[i] = max(n-row[i], 0)
	}
}

// covered reports whether nothing is needed any more.
func covered(left []int64) bool {
	return !slices.ContainsFunc(left, func(n int64) bool { return n > 0 })
}

// nearest takes pods of the tier, by distance, until nothing is left of what
// is needed, or no pod (step 5; getPodsToPreemptByDistance). It overwrites
// left and mixes up the members of the tier.
func (p *pool) nearest(tier int, left []int64) (chosen []int, why []Eviction) {
	candidates := p.members[tier]
	for !covered(left) && len(candidates) > 0 {
		at, distance := p.closest(candidates, left)
		pod, end := candidates[at], len(candidates)-1
		chosen = append(chosen, pod)
		why = append(why, p.explain(pod, tiers[tier], left, distance))
		subtract(left, p.row(pod))
		candidates[at], candidates = candidates[end], candidates[:end]
	}
	return chosen, why
}

// closest finds the candidate with the least distance, ties broken as in step
// 5 of Resolve. There is at least one.
func (p *pool) closest(candidates []int, left []int64) (at int, least float64) {
	least = distance(left, p.row(candidates[0]))
	for i := 1; i < len(candidates); i++ {
		d := distance(left, p.row(candidates[i]))
		if d < least || d == least && p.notLarger(candidates[i], candidates[at]) {
			at, least = i, d
		}
	}
	return at, least
}

// distance sums the squares of the parts of left that the pod would leave, in
// their order. The conversion keeps the compiler from fusing the product into
// the sum, which would round differently on some machines.
func distance(left, row []int64) float64 {
	var sum float64
	for i, n := range left {
		if n > row[i] {
			part := float64(n-row[i]) / float64(n)
			sum += float64(part * part)
		}
	}
	return sum
}

// notLarger reports whether pod a requests no more than pod b, memory first,
// then cpu (smallerResourceRequest).
func (p *pool) notLarger(a, b int) bool {
	return slices.Compare(p.row(a)[len(p.needs):], p.row(b)[len(p.needs):]) <= 0
}

// explain keeps why a pod was chosen.
func (p *pool) explain(pod int, tier outrank.QOSClass, left []int64, distance float64) Eviction {
	e := Eviction{Pod: p.pods[pod], Tier: tier, Distance: distance}
	for i, n := range left {
		if n > 0 {
			e.Shares = append(e.Shares, Share{p.needs[i].Resource, n, p.row(pod)[i]})
		}
	}
	return e
}

// missing names what is left, leaving out what is not.
func (p *pool) missing(left []int64) []Need {
	var list []Need
	for i, n := range left {
		if n > 0 {
			list = append(list, Need{p.needs[i].Resource, n})
		}
	}
	return list
}
