package clusters

import (
	"fmt"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/draw"
)

// kinds draws the kinds of pods: what pods share as if one controller had made them.
func (g *generator) kinds() []*outrank.Pod {
	kinds := make([]*outrank.Pod, g.Kinds)
	for i := range kinds {
		kinds[i] = g.kind(i)
	}
	return kinds
}

func (g *generator) kind(i int) *outrank.Pod {
	s := g.numbers.Of("kind", i)
	p := &outrank.Pod{Namespace: draw.Namespace(s), Labels: draw.Labels(s), Priority: g.Priority(s)}
	if g.Alike {
		p.Containers = []outrank.Container{{Name: "c0", Requests: unit(s)}}
		return p
	}
	demand(s, p, g.runningRequests(s, i%max(1, g.Sizes)))
	if draw.OneIn(s, "resizing", 6) {
		resize(s, p)
	}
	for _, e := range g.entries {
		if e.Draw.Running != nil {
			e.Draw.Running(g.numbers.Of("kind for "+e.Name, i), p)
		}
	}
	return p
}

// resident draws a pod of some kind that is on a node.
func (g *generator) resident(s draw.Source, kinds []*outrank.Pod) *outrank.Pod {
	p := *draw.Pick(s, "kind", kinds...)
	if draw.OneIn(s, "own priority", g.OwnPriority) {
		p.Priority = g.Priority(s)
	}

	p.Phase = draw.Pick(s, "phase", outrank.PhaseRunning, outrank.PhaseRunning, "", outrank.PhasePending)
	if draw.OneIn(s, "finished", 20) {
		p.Phase = draw.Pick(s, "how it ended", outrank.PhaseSucceeded, outrank.PhaseFailed)
	}

	// Terminating pods have a disruption reason more often, because rules about pods that preemption is
	// already removing read both.
	often := 12
	if draw.OneIn(s, "terminating", 5) {
		p.DeletionTimestamp = draw.Now().Add(-time.Minute)
		often = 2
	}
	if draw.OneIn(s, "disrupted", often) {
		p.DisruptionReason = draw.Pick(s, "disruption reason",
			outrank.PreemptionByScheduler, outrank.PreemptionByScheduler, outrank.TerminationByKubelet)
	}
	return &p
}

// residents copies the layout's pods to the node with index i. Each copy draws its own start time and group,
// and now and then a UID.
func (g *generator) residents(l layout, i int) []placedPod {
	s, members := g.numbers.Of("residents", i), g.numbers.Of("members", i)
	pods := make([]placedPod, len(l.pods))
	for at, like := range l.pods {
		p := *like
		p.NodeName = g.Named.Name(i)
		draw.Rename(&p, fmt.Sprintf("p%d-%d", i, at))

		if at%2 == 1 {
			shareName(&p, pods[at-1].Pod)
		}

		p.StartTime = g.start(s)
		if draw.OneIn(s, "has uid", 4) {
			p.UID = fmt.Sprintf("uid-%d-%d", i, at)
		}
		g.join(members, &p)
		pods[at] = placed(s, &p)
	}
	return pods
}

// shareName gives a pod the name of another one in another namespace. Two pods in one namespace keep their
// names.
func shareName(p, other *outrank.Pod) {
	if other.NamespaceName() != p.NamespaceName() {
		draw.Rename(p, other.Name)
	}
}

// lastYear is the last second that RFC 3339 can express.
var lastYear = time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC)

// start draws a start time. Now and then it is zero, which means that the pod has none. With Shape.Starts
// above 0 the start times are ten minutes apart, and a few lie in the future.
func (g *generator) start(s draw.Source) time.Time {
	if g.Starts == 0 {
		return anyStart(s)
	}
	step := s.Int("start", 0, g.Starts-1)
	switch odd := s.Int("odd start", 0, 15); {
	case odd > 13:
		return time.Time{}
	case odd == 13:
		return draw.Now().Add(30 * time.Minute)
	}
	return draw.Now().Add(-10 * time.Minute * time.Duration(1+step))
}

// anyStart draws a start time: often an equal one or none, and often one in the same second as other pods or
// as now. A few are in years that only a kubelet could write.
func anyStart(s draw.Source) time.Time {
	if draw.OneIn(s, "odd year", 24) {
		return draw.Pick(s, "year", lastYear, lastYear.Add(time.Second), time.Date(-1, 12, 31, 0, 1, 0, 0, time.UTC), time.Date(3026, 1, 1, 0, 0, 0, 0, time.UTC))
	}
	const early, late, none = -50 * time.Minute, -40 * time.Minute, time.Duration(-1 << 63)
	ago := draw.Pick(s, "start",
		early, early, late, late, late+1, late+time.Second-1, -30*time.Minute,
		none, none, none, 0, 0, -1, 1, 500*time.Millisecond, 30*time.Minute,
	)
	if ago == none {
		return time.Time{}
	}
	return draw.Now().Add(ago)
}
