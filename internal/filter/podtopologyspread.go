package filter

import (
	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/draw"
)

var podTopologySpreadEntry = Entry{
	Name:  PodTopologySpread,
	Fails: AnyFailure,
	// A pod that leaves another node may lower the minimum over all domains, with which the node's domain is
	// compared.
	Gains: func(_ *outrank.Pod, far bool) bool { return !far },
	Helped: Hints{
		EventNodeAdded:          comes(inDomains),
		EventNodeUpdated:        movesDomain,
		EventNodeDeleted:        comes(inDomains),
		EventAssignedPodAdded:   isCounted,
		EventAssignedPodUpdated: countsOther,
		EventAssignedPodDeleted: isCounted,
		EventPodUpdated:         spreadsOther,
	},
	Draw: Draw{
		Topic: Spread,
		Asking: func(s draw.Source, _ draw.Nodes, p *outrank.Pod) {
			if draw.OneIn(s, "not spread", 4) {
				return
			}
			p.TopologySpreadConstraints = draw.List(s, "constraints", draw.Between(1, 2), func(s draw.Source) outrank.TopologySpreadConstraint {
				return drawConstraint(s, p.Labels)
			})
		},
		Room: true,
	},
}

// drawConstraint draws a constraint for a pod with the labels own. In two of three cases it selects pods with
// the same labels.
func drawConstraint(s draw.Source, own map[string]string) outrank.TopologySpreadConstraint {
	picks := &outrank.LabelSelector{MatchLabels: own}
	if draw.OneIn(s, "spreads others", 3) {
		picks = draw.Selector(s)
	}
	return outrank.TopologySpreadConstraint{
		MaxSkew:            draw.Pick[int32](s, "max skew", 1, 1, 1, 2),
		TopologyKey:        draw.TopologyKey(s),
		WhenUnsatisfiable:  draw.Pick(s, "when unsatisfiable", outrank.DoNotSchedule, outrank.DoNotSchedule, "", outrank.ScheduleAnyway),
		LabelSelector:      picks,
		MinDomains:         draw.Pick[int32](s, "min domains", 0, 0, 1, 2, 3),
		NodeAffinityPolicy: draw.Pick(s, "affinity policy", "", outrank.NodeHonor, outrank.NodeIgnore),
		NodeTaintsPolicy:   draw.Pick(s, "taints policy", "", outrank.NodeHonor, outrank.NodeIgnore),
		MatchLabelKeys:     draw.LabelKeys(s),
	}
}
