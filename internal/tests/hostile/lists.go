package hostile

import (
	"fmt"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/resource"
)

// Lists is a case in which two long lists of a node and of pods have to be compared with each other.
type Lists struct {
	Name string
	// fill gives the node, a pod that runs on it and a preemptor lists of n entries each.
	fill func(n int, node *outrank.Node, runs, asks *outrank.Pod)
}

// Pairs lists the cases that must take time in proportion to the two lists, although they may be of any
// length.
var Pairs = []Lists{
	{"taints and tolerations", func(n int, node *outrank.Node, _, asks *outrank.Pod) {
		for i := range n {
			node.Taints = append(node.Taints, outrank.Taint{Key: fmt.Sprint("k", i), Value: "v", Effect: outrank.NoSchedule})
			asks.Tolerations = append(asks.Tolerations, outrank.Toleration{Key: fmt.Sprint("k", n-1-i), Operator: outrank.TolerationEqual, Value: "v"})
		}
	}},
	{"taints to avoid and tolerations", func(n int, node *outrank.Node, _, asks *outrank.Pod) {
		for i := range n {
			node.Taints = append(node.Taints, outrank.Taint{Key: fmt.Sprint("k", i), Effect: outrank.PreferNoSchedule})
			asks.Tolerations = append(asks.Tolerations, outrank.Toleration{Key: fmt.Sprint("k", n-1-i), Operator: outrank.TolerationExists})
		}
	}},
	{"taints and tolerations of another key", func(n int, node *outrank.Node, _, asks *outrank.Pod) {
		for i := range n {
			node.Taints = append(node.Taints, outrank.Taint{Key: "k", Value: fmt.Sprint("v", i), Effect: outrank.NoExecute})
			asks.Tolerations = append(asks.Tolerations, outrank.Toleration{Key: fmt.Sprint("other", i), Operator: outrank.TolerationExists, Effect: outrank.NoExecute})
		}
		asks.Tolerations[n-1] = outrank.Toleration{Key: "k", Operator: outrank.TolerationExists}
	}},
	{"labels and terms of node affinity", func(n int, node *outrank.Node, _, asks *outrank.Pod) {
		s := &outrank.NodeSelector{}
		for i := range n {
			node.Labels[fmt.Sprint("k", i)] = "v"
			s.NodeSelectorTerms = append(s.NodeSelectorTerms, outrank.NodeSelectorTerm{MatchExpressions: []outrank.NodeRequirement{{Key: fmt.Sprint("k", i), Operator: outrank.In, Values: []string{"w"}}}})
		}
		asks.Affinity.NodeAffinity = s
	}},
	{"labels and a node selector", func(n int, node *outrank.Node, _, asks *outrank.Pod) {
		asks.NodeSelector = map[string]string{}
		for i := range n {
			node.Labels[fmt.Sprint("k", i)] = "v"
			asks.NodeSelector[fmt.Sprint("k", i)] = "v"
		}
	}},
	{"preferred terms", func(n int, node *outrank.Node, _, asks *outrank.Pod) {
		asks.Preferences = &outrank.Preferences{}
		for i := range n {
			node.Labels[fmt.Sprint("k", i)] = "v"
			asks.Preferences.NodeAffinity = append(asks.Preferences.NodeAffinity, outrank.PreferredSchedulingTerm{Weight: 1, Preference: outrank.NodeSelectorTerm{
				MatchExpressions: []outrank.NodeRequirement{{Key: fmt.Sprint("k", i), Operator: outrank.Exists}}}})
		}
	}},
	{"containers and images", func(n int, node *outrank.Node, runs, asks *outrank.Pod) {
		for i := range n {
			node.Images = append(node.Images, outrank.NodeImage{Names: []string{fmt.Sprint("i", i)}, SizeBytes: 1 << 30})
			asks.Containers = append(asks.Containers, outrank.Container{Name: fmt.Sprint("c", i), Image: fmt.Sprint("i", n-1-i)})
			runs.Containers = append(runs.Containers, outrank.Container{Name: fmt.Sprint("c", i)})
		}
	}},
	{"zones of volumes and labels", func(n int, node *outrank.Node, _, asks *outrank.Pod) {
		node.Labels[outrank.ZoneLabel] = "z"
		for i := range n {
			asks.Volumes = append(asks.Volumes, outrank.Volume{Claim: fmt.Sprint("c", i), Zones: map[string][]string{outrank.ZoneLabel: {fmt.Sprint("y", i), "z"}}})
		}
	}},
	{"scheduling gates", func(n int, _ *outrank.Node, runs, asks *outrank.Pod) {
		for i := range n {
			asks.SchedulingGates = append(asks.SchedulingGates, fmt.Sprint("g", i))
		}
	}},
}

// Bounded lists the cases in which each entry is compared with every other one. There a list that is too long
// is an error.
var Bounded = []Lists{
	{"host ports", func(n int, _ *outrank.Node, runs, asks *outrank.Pod) {
		for i := range n {
			runs.Containers[0].Ports = append(runs.Containers[0].Ports, outrank.Port{HostPort: int32(i%30000 + 1), HostIP: fmt.Sprint("10.0.0.", i%200+1)})
			asks.Containers[0].Ports = append(asks.Containers[0].Ports, outrank.Port{HostPort: int32(i%30000 + 30001), HostIP: fmt.Sprint("10.0.0.", i%200+1)})
		}
	}},
	{"terms of pod affinity and labels", func(n int, node *outrank.Node, runs, asks *outrank.Pod) {
		for i := range n {
			node.Labels[fmt.Sprint("zone", i)] = "v"
			runs.Labels[fmt.Sprint("k", i)] = "v"
			asks.Affinity.PodAffinity = append(asks.Affinity.PodAffinity, outrank.PodAffinityTerm{TopologyKey: fmt.Sprint("zone", i), LabelSelector: &outrank.LabelSelector{MatchLabels: map[string]string{fmt.Sprint("k", i): "v"}}})
		}
	}},
	{"terms of anti-affinity of both", func(n int, node *outrank.Node, runs, asks *outrank.Pod) {
		for i := range n {
			node.Labels[fmt.Sprint("zone", i)] = "v"
			term := outrank.PodAffinityTerm{TopologyKey: fmt.Sprint("zone", i), LabelSelector: &outrank.LabelSelector{MatchLabels: map[string]string{fmt.Sprint("k", i): "v"}}}
			runs.Affinity.PodAntiAffinity = append(runs.Affinity.PodAntiAffinity, term)
			asks.Affinity.PodAntiAffinity = append(asks.Affinity.PodAntiAffinity, term)
		}
	}},
	{"spread constraints", func(n int, node *outrank.Node, runs, asks *outrank.Pod) {
		for i := range n {
			node.Labels[fmt.Sprint("zone", i)] = "v"
			runs.Labels[fmt.Sprint("k", i)] = "v"
			asks.TopologySpreadConstraints = append(asks.TopologySpreadConstraints, outrank.TopologySpreadConstraint{MaxSkew: 1, TopologyKey: fmt.Sprint("zone", i), WhenUnsatisfiable: outrank.DoNotSchedule,
				LabelSelector: &outrank.LabelSelector{MatchLabels: map[string]string{fmt.Sprint("k", i): "v"}}})
		}
	}},
	{"requests of many resources", func(n int, node *outrank.Node, runs, asks *outrank.Pod) {
		for i := range n {
			name := resource.Name(fmt.Sprint("example.com/r", i))
			node.Allocatable[name] = resource.MustParse("1")
			runs.Containers[0].Requests[name] = resource.MustParse("1")
			asks.Containers[0].Requests[name] = resource.MustParse("1")
		}
	}},
	{"volumes", func(n int, _ *outrank.Node, runs, asks *outrank.Pod) {
		for i := range n {
			v := outrank.Volume{Claim: fmt.Sprint("c", i), OncePod: true, Driver: "d", Handle: fmt.Sprint("h", i)}
			runs.Volumes, asks.Volumes = append(runs.Volumes, v), append(asks.Volumes, v)
		}
	}},
	{"disks", func(n int, _ *outrank.Node, runs, asks *outrank.Pod) {
		for i := range n {
			runs.Volumes = append(runs.Volumes, outrank.Volume{Disk: outrank.Disk{Kind: outrank.GCEPersistentDisk, ID: fmt.Sprint("d", i)}})
			asks.Volumes = append(asks.Volumes, outrank.Volume{Disk: outrank.Disk{Kind: outrank.GCEPersistentDisk, ID: fmt.Sprint("e", i)}})
		}
	}},
}

// Cluster returns a node on which a pod of priority 0 runs, and a preemptor of priority 1, with lists of n
// entries.
func (l Lists) Cluster(n int) (*outrank.Cluster, *outrank.Pod) {
	node := &outrank.Node{Name: "n", Labels: map[string]string{}, Allocatable: resource.MustList("cpu", "1", "pods", "9")}
	pod := func(name string, priority int32) *outrank.Pod {
		return &outrank.Pod{Name: name, Labels: map[string]string{}, Priority: outrank.Priority(priority), Containers: []outrank.Container{{Name: "c", Requests: resource.MustList("cpu", "1")}}}
	}
	runs, asks := pod("runs", 0), pod("asks", 1)
	runs.NodeName = "n"
	l.fill(n, node, runs, asks)
	return &outrank.Cluster{Nodes: []*outrank.Node{node}, Pods: []*outrank.Pod{runs}}, asks
}
