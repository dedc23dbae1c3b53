package gen

import (
	"fmt"
	"slices"

	"github.com/outrank-go/outrank"
)

// realTeamTaint is the key of the taint that says which team a node is for.
const realTeamTaint = "team"

// realNodeRows are the rows in which taints, labels and names of nodes decide.
var realNodeRows = []realRow{
	{"tolerations-40", func(w *realWorld) { w.taints(2 * realTeams) }, func(p *outrank.Pod, name string) {
		realTolerates(p, realTeams)
		realLabelled(p, name)
	}},
	{"tenants-40", func(w *realWorld) { w.taints(realTeams) }, func(p *outrank.Pod, name string) {
		realTolerates(p, 1)
		realLabelled(p, name)
	}},
	{"nodes-not-in", func(*realWorld) {}, func(p *outrank.Pod, name string) {
		realWants(p, outrank.NodeRequirement{Key: realTypeKey, Operator: outrank.NotIn, Values: []string{"type-1", "absent-" + name}},
			outrank.NodeRequirement{Key: outrank.ZoneLabel, Operator: outrank.NotIn, Values: []string{"zone-2", "absent-" + name}})
	}},
	{"gt", func(*realWorld) {}, func(p *outrank.Pod, name string) {
		realWants(p, outrank.NodeRequirement{Key: realGenerationKey, Operator: outrank.Gt, Values: []string{"4"}},
			outrank.NodeRequirement{Key: "retired-" + name, Operator: outrank.DoesNotExist})
	}},
	{"daemon", func(w *realWorld) {
		// The preemptor is a pod of a DaemonSet, whose controller names the node.
		node := w.cluster.Nodes[len(w.cluster.Nodes)/2].Name
		w.preemptor.Affinity.NodeAffinity = &outrank.NodeSelector{NodeSelectorTerms: []outrank.NodeSelectorTerm{
			{MatchFields: []outrank.NodeRequirement{{Key: outrank.FieldName, Operator: outrank.In, Values: []string{node}}}},
		}}
		for _, key := range []string{"not-ready", "unreachable", "disk-pressure", "memory-pressure", "pid-pressure", "unschedulable"} {
			w.preemptor.Tolerations = append(w.preemptor.Tolerations, outrank.Toleration{Key: "node.kubernetes.io/" + key, Operator: outrank.TolerationExists})
		}
	}, realLabelled},
}

// taints taints the nodes for that many teams in turn.
func (w *realWorld) taints(teams int) {
	for i, n := range w.cluster.Nodes {
		n.Taints = []outrank.Taint{{Key: realTeamTaint, Value: fmt.Sprint("team-", i%teams), Effect: outrank.NoSchedule}}
	}
}

// realTolerates lets the preemptor onto the nodes of the first teams.
func realTolerates(p *outrank.Pod, teams int) {
	p.Tolerations = slices.Clip(p.Tolerations)
	for i := range teams {
		p.Tolerations = append(p.Tolerations, outrank.Toleration{Key: realTeamTaint, Operator: outrank.TolerationEqual, Value: fmt.Sprint("team-", i), Effect: outrank.NoSchedule})
	}
}

// realWants gives the preemptor a required node affinity with one term.
func realWants(p *outrank.Pod, all ...outrank.NodeRequirement) {
	p.Affinity.NodeAffinity = &outrank.NodeSelector{NodeSelectorTerms: []outrank.NodeSelectorTerm{{MatchExpressions: all}}}
}
