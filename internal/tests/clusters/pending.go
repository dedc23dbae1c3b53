package clusters

import (
	"fmt"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/draw"
)

// bystanders draws pods that no decision counts: a pending one without a nomination, and one on a node that
// does not exist. Either may be missing.
func (g *generator) bystanders(kinds []*outrank.Pod) []placedPod {
	var pods []placedPod
	for i, node := range []string{"", "gone"} {
		s := g.numbers.Of("bystander", i)
		if !draw.OneIn(s, "is there", 2) {
			continue
		}

		p := *draw.Pick(s, "kind", kinds...)
		draw.Rename(&p, fmt.Sprintf("bystander-%d", i))
		p.NodeName, p.Priority = node, g.Priority(s)

		// The group comes from numbers of its own, so that a shape with groups changes nothing else about the
		// pod.
		g.join(g.numbers.Of("bystander in a group", i), &p)
		pods = append(pods, placed(s, &p))
	}
	return pods
}

// nominated draws pending pods with a nomination. One more may be the preemptor itself, as the cluster lists
// it among its pending pods.
func (g *generator) nominated(kinds []*outrank.Pod) []placedPod {
	var pods []placedPod
	for i := range g.Nominated {
		s := g.numbers.Of("nominated", i)
		p := *draw.Pick(s, "kind", kinds...)
		draw.Rename(&p, fmt.Sprintf("nominated-%d", i))

		// Two pods in different namespaces share a name, so that nothing may go by the name alone.
		if i%2 == 1 {
			shareName(&p, pods[i-1].Pod)
		}

		p.Priority, p.NominatedNodeName = g.nominatedPriority(s), g.nomination(s)
		if draw.OneIn(s, "leaving", 8) {
			p.DeletionTimestamp = draw.Now().Add(-time.Minute)
		}
		if draw.OneIn(s, "gated", 8) {
			p.SchedulingGates = []string{"wait"}
		}
		p.SchedulerName = draw.Pick(s, "scheduler", "", "", outrank.DefaultScheduler, "second", "foreign")

		g.join(g.numbers.Of("nominated in a group", i), &p)
		pods = append(pods, placed(s, &p))
	}

	// The preemptor's own entry may ask for other amounts and have another priority than the preemptor: it
	// must not count, whatever it says.
	if s := g.numbers.Of("pending preemptor", 0); g.Nominates && draw.OneIn(s, "preemptor is pending", 4) {
		p := &outrank.Pod{Name: PreemptorName, NominatedNodeName: g.nomination(s), Priority: g.nominatedPriority(s)}
		p.Containers = []outrank.Container{{Name: "c0", Requests: g.askingRequests(s)}}
		g.join(g.numbers.Of("pending preemptor in a group", 0), p)
		pods = append(pods, placed(s, p))
	}

	return pods
}

// nomination draws the name of a node, or of one that does not exist.
func (g *generator) nomination(s draw.Source) string {
	if draw.OneIn(s, "gone", 8) {
		return "gone"
	}
	return g.Named.Some(s, "nominated node")
}
