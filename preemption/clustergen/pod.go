package clustergen

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/outrank-go/outrank"
)

// minKinds is the least number of kinds of pods, and sharedLayouts the number of
// layouts that several nodes have.
const (
	minKinds      = 4
	sharedLayouts = 3
)

// kinds generates the fields that pods of one kind share, as if one controller
// had made them. Every size is that of a kind.
func (g *generator) kinds() []*outrank.Pod {
	var list []*outrank.Pod
	for i := range max(minKinds, g.Sizes) {
		list = append(list, g.kind(i))
	}
	return list
}

func (g *generator) kind(i int) *outrank.Pod {
	r := g.stream(ofKinds, i)
	p := &outrank.Pod{Namespace: namespace(r), Labels: labels(r)}
	addRequests(r, p, g.residentRequests(r, i%g.Sizes))
	if oneIn(r, 6) {
		resize(r, p)
	}
	if g.Ports {
		if r := g.stream(ofKindPorts, i); oneIn(r, 2) {
			addPorts(r, p)
		}
	}
	if g.Affinity {
		addPodTerms(g.stream(ofKindAffinity, i), p)
	}
	if g.Volumes {
		p.Volumes = podVolumes(g.stream(ofKindVolumes, i), 2)
	}
	return p
}

func namespace(r *rand.Rand) string { return pick(r, "default", "default", "", "team-a", "team-b") }

// labels has few values, and sometimes nothing at all.
func labels(r *rand.Rand) map[string]string {
	set := map[string]string{}
	if app := pick(r, "web", "db", "web", ""); app != "" {
		set["app"] = app
	}
	if tier := pick(r, "", "front", "back"); tier != "" {
		set["tier"] = tier
	}
	if len(set) == 0 {
		return nil
	}
	return set
}

// layouts are the layouts that several nodes share.
func (g *generator) layouts(kinds []*outrank.Pod) [sharedLayouts]layout {
	var shared [sharedLayouts]layout
	for i := range shared {
		shared[i] = g.layout(g.stream(ofLayouts, i), kinds)
	}
	return shared
}

// layoutOf chooses the layout of node i: two nodes in three share one with others,
// so that they are equal in all ranks but the last, and one in three has its own.
func (g *generator) layoutOf(kinds []*outrank.Pod, shared *[sharedLayouts]layout, i int) layout {
	r := g.stream(ofLayouts, sharedLayouts+i)
	if oneIn(r, 3) {
		return g.layout(r, kinds)
	}
	return shared[r.IntN(sharedLayouts)]
}

func (g *generator) layout(r *rand.Rand, kinds []*outrank.Pod) layout {
	var l layout
	fill, slots, roomy := int64(g.Fill+pick(r, 0, 0, 5, -5)), pick[int64](r, 10, 10, 100, 1, 0, 0), oneIn(r, 2)
	least := (g.PodsPerNode + 1) / 2
	if oneIn(r, 8) {
		least = 0
	}
	for range between(r, least, g.PodsPerNode) {
		l.pods = append(l.pods, g.resident(r, kinds))
	}
	l.allocatable = g.allocatable(l.pods, max(1, fill), slots, roomy && g.podsDecide())
	return l
}

// resident draws a pod of some kind that is on a node.
func (g *generator) resident(r *rand.Rand, kinds []*outrank.Pod) *outrank.Pod {
	p := *pick(r, kinds...)
	p.Priority = g.residentPriority(r)
	p.Phase = pick(r, outrank.PhaseRunning, outrank.PhaseRunning, "", outrank.PhasePending)
	if oneIn(r, 20) {
		p.Phase = pick(r, outrank.PhaseSucceeded, outrank.PhaseFailed)
	}
	often := 12
	if oneIn(r, 8) {
		p.DeletionTimestamp = Now().Add(-time.Minute)
		often = 2
	}
	if oneIn(r, often) {
		p.DisruptionReason = pick(r, outrank.PreemptionByScheduler, outrank.PreemptionByScheduler, outrank.TerminationByKubelet)
	}
	return &p
}

// residents are the layout's pods on node i. Start times, now and then a UID,
// and the group are each pod's own.
func (g *generator) residents(l layout, i int) []placedPod {
	r, members := g.stream(ofResidents, i), g.stream(ofMembers, i)
	pods := make([]placedPod, len(l.pods))
	for at, like := range l.pods {
		p := *like
		p.NodeName = nodeName(i)
		p.Name = fmt.Sprintf("p%d-%d", i, at)
		// Every second pod has the name of the one before it, if that is in another
		// namespace.
		if at%2 == 1 && pods[at-1].NamespaceName() != p.NamespaceName() {
			p.Name = pods[at-1].Name
		}
		p.StartTime = g.start(r)
		if oneIn(r, 4) {
			p.UID = fmt.Sprintf("uid-%d-%d", i, at)
		}
		g.join(members, &p)
		pods[at] = placedPod{&p, r.Uint64()}
	}
	return pods
}

// start draws one of the shape's start times, or none, or one after now.
func (g *generator) start(r *rand.Rand) time.Time {
	step, odd := r.IntN(g.Starts), r.IntN(16)
	switch {
	case odd < 2:
		return time.Time{}
	case odd == 2:
		return Now().Add(30 * time.Minute)
	}
	return Now().Add(-10 * time.Minute * time.Duration(1+step))
}
