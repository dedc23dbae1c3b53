package clustergen

import (
	"fmt"
	"time"

	"github.com/outrank-go/outrank"
)

// bystanders generates pods that count nowhere: a pending one without a
// nomination, and one on a node that does not exist. Either may be missing.
func (g *generator) bystanders(kinds []*outrank.Pod) []placedPod {
	var pods []placedPod
	for i, node := range []string{"", "gone"} {
		r := g.stream(ofBystanders, i)
		p := *pick(r, kinds...)
		p.Name, p.NodeName = fmt.Sprintf("bystander-%d", i), node
		p.Priority = g.residentPriority(r)
		if oneIn(r, 2) {
			pods = append(pods, placedPod{&p, r.Uint64()})
		}
	}
	return pods
}

// nominated generates pods that wait for a node, one of which, in addition, may
// be the preemptor itself, seen as its entry among the pending pods.
func (g *generator) nominated(kinds []*outrank.Pod) []placedPod {
	var pods []placedPod
	for i := range g.Nominated {
		r := g.stream(ofNominated, i)
		p := *pick(r, kinds...)
		p.Name, p.Priority = fmt.Sprintf("nominated-%d", i), g.nominatedPriority(r)
		p.NominatedNodeName = g.nomination(r)
		if oneIn(r, 8) {
			p.DeletionTimestamp = Now().Add(-time.Minute)
		}
		g.join(g.stream(ofMembers, g.Nodes+i), &p)
		pods = append(pods, placedPod{&p, r.Uint64()})
	}
	if r := g.stream(ofNominated, g.Nominated); g.Nominated > 0 && oneIn(r, 4) {
		p := &outrank.Pod{Name: preemptorName, NominatedNodeName: g.nomination(r), Priority: g.nominatedPriority(r)}
		p.Containers = []outrank.Container{{Name: "c0", Requests: g.preemptorRequests(r)}}
		pods = append(pods, placedPod{p, r.Uint64()})
	}
	return pods
}
