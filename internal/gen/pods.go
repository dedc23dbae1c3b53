package gen

import (
	"fmt"
	"time"

	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
)

// podKind draws the fields that pods of one kind share, as if one controller
// had made them.
func podKind(s Shape) *rapid.Generator[*outrank.Pod] {
	return rapid.Custom(func(t *rapid.T) *outrank.Pod {
		p := &outrank.Pod{
			Namespace: namespace(t),
			Labels:    labels(t),
			Priority:  residentPriority(t),
		}
		if s.Alike {
			p.Containers = []outrank.Container{{Name: "c0", Requests: unit(t)}}
			return p
		}
		demand(t, p, residentRequests)
		if oneIn(t, "resizing", 6) {
			resize(t, p)
		}
		if s.Ports && oneIn(t, "has ports", 2) {
			addPorts(t, p)
		}
		if s.Affinity {
			p.Affinity.PodAntiAffinity = podTerms(t, "anti-affinity", 3)
			p.Affinity.PodAffinity = podTerms(t, "affinity", 6)
		}
		if s.Volumes {
			podVolumes(t, p, 6)
		}
		return p
	})
}

func namespace(t *rapid.T) string {
	return pick(t, "namespace", "default", "default", "", "team-a", "team-b")
}

// labels has few values, and sometimes nothing at all.
func labels(t *rapid.T) map[string]string {
	set := map[string]string{}
	if app := pick(t, "app", "web", "db", "web", ""); app != "" {
		set["app"] = app
	}
	if tier := pick(t, "tier", "", "front", "back"); tier != "" {
		set["tier"] = tier
	}
	if len(set) == 0 {
		return nil
	}
	return set
}

// residentPriority is mostly below that of preemptors; nil is a priority that
// was never given.
func residentPriority(t *rapid.T) *int32 {
	if oneIn(t, "no priority", 8) {
		return nil
	}
	return outrank.Priority(pick[int32](t, "priority", 0, 0, 10, 10, 50, -5, 100, 2000))
}

// lastYear is the last second that RFC 3339 can write.
var lastYear = time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC)

// start draws a start time, often the same or none, and often one within the
// same second as others or as Now. A kubelet may write any year.
func start(t *rapid.T) time.Time {
	if oneIn(t, "odd year", 24) {
		return pick(t, "year", lastYear, lastYear.Add(time.Second), time.Date(-1, 12, 31, 0, 1, 0, 0, time.UTC), time.Date(3026, 1, 1, 0, 0, 0, 0, time.UTC))
	}
	const early, late, none = -50 * time.Minute, -40 * time.Minute, time.Duration(-1 << 63)
	switch ago := pick(t, "start",
		early, early, late, late, late+1, late+time.Second-1, -30*time.Minute,
		none, none, none, 0, 0, -1, 1, 500*time.Millisecond, 30*time.Minute,
	); ago {
	case none:
		return time.Time{}
	default:
		return Now.Add(ago)
	}
}

// resident draws a pod of the kind that is on a node.
func resident(t *rapid.T, kinds []*outrank.Pod) *outrank.Pod {
	p := *rapid.SampledFrom(kinds).Draw(t, "kind")
	if oneIn(t, "own priority", 4) {
		p.Priority = residentPriority(t)
	}
	p.Phase = pick(t, "phase", outrank.PhaseRunning, outrank.PhaseRunning, "", outrank.PhasePending)
	if oneIn(t, "finished", 20) {
		p.Phase = pick(t, "how it ended", outrank.PhaseSucceeded, outrank.PhaseFailed)
	}
	often := 12
	if oneIn(t, "terminating", 5) {
		p.DeletionTimestamp = Now.Add(-time.Minute)
		often = 2
	}
	if oneIn(t, "disrupted", often) {
		p.DisruptionReason = pick(t, "disruption reason",
			outrank.PreemptionByScheduler, outrank.PreemptionByScheduler, outrank.TerminationByKubelet)
	}
	return &p
}

// bystanders are pods that count nowhere: pending ones without a nomination,
// and ones on a node that does not exist.
func bystanders(t *rapid.T, kinds []*outrank.Pod) []*outrank.Pod {
	return drawList(t, "bystanders", 1, func(t *rapid.T) *outrank.Pod {
		p := *rapid.SampledFrom(kinds).Draw(t, "kind")
		p.NodeName = pick(t, "nowhere", "", "gone")
		return &p
	})
}

// nominated draws pods that wait for a node. One of them may be the preemptor
// itself, seen as its entry among the pending pods.
func nominated(t *rapid.T, s Shape, kinds []*outrank.Pod) []*outrank.Pod {
	pods := drawList(t, "nominated", s.Nominated, func(t *rapid.T) *outrank.Pod {
		p := *rapid.SampledFrom(kinds).Draw(t, "kind")
		p.Priority = nominatedPriority(t)
		p.NominatedNodeName = pick(t, "nominated node", s.nodeNames()...)
		if oneIn(t, "leaving", 8) {
			p.DeletionTimestamp = Now.Add(-time.Minute)
		}
		if oneIn(t, "gated", 8) {
			p.SchedulingGates = []string{"wait"}
		}
		p.SchedulerName = pick(t, "scheduler", "", "", outrank.DefaultScheduler, "second", "foreign")
		return &p
	})
	if s.Nominated > 0 && oneIn(t, "preemptor is pending", 4) {
		pods = append(pods, &outrank.Pod{
			Name:              preemptorName,
			NominatedNodeName: pick(t, "its node", s.nodeNames()...),
			Priority:          nominatedPriority(t),
			Containers:        []outrank.Container{{Requests: preemptorRequests(t)}},
		})
	}
	return pods
}

func nominatedPriority(t *rapid.T) *int32 {
	if oneIn(t, "no priority", 8) {
		return nil
	}
	return outrank.Priority(pick[int32](t, "nominated priority", 0, 10, 100, 100, 1000, 1000, 2000))
}

func layout(s Shape, kinds []*outrank.Pod) *rapid.Generator[nodeLayout] {
	return rapid.Custom(func(t *rapid.T) nodeLayout {
		least := min(2, s.PodsPerNode)
		if oneIn(t, "few pods", 8) {
			least = 0
		}
		l := nodeLayout{room: drawSlack(t, s), bare: oneIn(t, "bare", 8)}
		if s.Alike {
			l.room = pick(t, "room", slack{}, slack{}, slack{cpu: 100, memory: 64, pods: 1})
			kind := rapid.SampledFrom(kinds).Draw(t, "kind")
			for range rapid.IntRange(min(6, s.PodsPerNode), s.PodsPerNode).Draw(t, "equal pods") {
				p := *kind
				l.pods = append(l.pods, &p)
			}
			return l
		}
		for range rapid.IntRange(least, s.PodsPerNode).Draw(t, "pods") {
			l.pods = append(l.pods, resident(t, kinds))
		}
		return l
	})
}

// residents are the layout's pods on the node called name. Start times, and now
// and then a UID, are each pod's own.
func (l nodeLayout) residents(t *rapid.T, name string) []*outrank.Pod {
	var pods []*outrank.Pod
	for i, like := range l.pods {
		p := *like
		p.NodeName = name
		p.StartTime = start(t)
		if oneIn(t, "has uid", 4) {
			p.UID = fmt.Sprintf("uid-%s-%d", name, i)
		}
		pods = append(pods, &p)
	}
	return pods
}
