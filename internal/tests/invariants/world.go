package invariants

import (
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/scenario"
	"github.com/outrank-go/outrank/resource"
)

// World is a cluster in plain numbers, with those who ask for room in it and the caller's own rules.
type World struct {
	// Release is the text of the release, such as "v1.37,GenericWorkload=true".
	Release string
	Nodes   []Node
	// Pods run on a node, or wait with a nomination to one.
	Pods    []Pod
	Budgets []Budget
	Groups  []Group
	// Asks is the preemptor, or the pods of a group that preempt together.
	Asks []Pod
	// Known is set if the preemptor waits in the cluster, which then knows its nomination, and the question does not.
	Known bool
	Rules

	// priorities are what the priorities of pods are drawn from.
	priorities []int64
}

// Node is a node: whole cores, Gi of memory and places for pods.
type Node struct {
	Name              string
	CPU, Memory, Pods int64
	Cordoned          bool
	// Found is what the caller's scheduler has found about the node, one of the words fits, unschedulable, unresolvable
	// and unasked. It is empty on all nodes if the filters are asked.
	Found string
}

// Pod is a pod: whole cores and Gi of memory.
type Pod struct {
	Name        string
	Node        string // where it runs, empty for a pod that waits
	Nominated   string
	CPU, Memory int64
	// Priority counts as 0 if Unset.
	Priority int32
	Unset    bool
	// Started is how many minutes before now the pod started, 0 for a pod that has no start time. It may be after now,
	// by another clock.
	Started int64
	// App and Tier are labels, empty for a pod without them.
	App, Tier string
	// Port is a host port, 0 for none.
	Port  int32
	Group string
	Never bool
	// Leaving is why the pod is being deleted, empty if it is not.
	Leaving string
	// Names are the only nodes that may take the pod, by its affinity; empty for any.
	Names []string
	// Avoids is an app whose pods cannot be on the same node, empty for none.
	Avoids string
}

// The reasons for which pods are being deleted.
const (
	byPreemption = "PreemptionByScheduler"
	byEviction   = "EvictionByEvictionAPI"
)

// Budget covers the pods with one label. Without a label its selector is empty.
type Budget struct {
	Name, Label, Value string
	Allowed            int32
	// Disrupted is a pod whose disruption counts already; empty for none.
	Disrupted string
	// Elsewhere is set if the budget is in another namespace than all pods, so that it covers none.
	Elsewhere bool
}

// Group is a pod group. Whole groups leave together. The pods of a group have its priority.
type Group struct {
	Name     string
	Whole    bool
	Priority int32
}

// units reports whether groups count: their pods have the group's priority as victims, and whole ones leave
// together (rules 12.6.1 to 12.6.3).
func (w *World) units() bool { return w.Release == withGroups }

// The releases that worlds are decided by.
const (
	v136       = "v1.36"
	v137       = "v1.37"
	withGroups = "v1.37,GenericWorkload=true"
)

// elsewhere is a namespace without pods.
const elsewhere = "elsewhere"

// Cluster returns the world as the library's objects, made anew by each call.
func (w *World) Cluster() *outrank.Cluster {
	release, err := outrank.ParseRelease(w.Release)
	if err != nil {
		panic(err)
	}
	c := &outrank.Cluster{Release: release}
	for i := range w.Nodes {
		c.Nodes = append(c.Nodes, w.Nodes[i].object(w.someAvoid()))
	}
	for i := range w.Pods {
		c.Pods = append(c.Pods, w.Pods[i].object())
	}
	if w.Known {
		c.Pods = append(c.Pods, w.Asks[0].object())
	}
	for i := range w.Budgets {
		c.Budgets = append(c.Budgets, w.Budgets[i].object())
	}
	for _, g := range w.Groups {
		group := &outrank.PodGroup{Name: g.Name, Priority: &g.Priority}
		if g.Whole {
			group.DisruptionMode = outrank.DisruptPodGroup
		}
		c.Groups = append(c.Groups, group)
	}
	return c
}

// object returns the node as an object of the library, with a label of its own or without.
func (n *Node) object(labelled bool) *outrank.Node {
	o := &outrank.Node{
		Name: n.Name, Unschedulable: n.Cordoned,
		Allocatable: resource.MustList("cpu", text(n.CPU), "memory", text(n.Memory)+"Gi", "pods", text(n.Pods)),
	}
	if labelled {
		o.Labels = map[string]string{hostLabel: n.Name}
	}
	return o
}

// object returns the budget as an object of the library.
func (b *Budget) object() *outrank.PodDisruptionBudget {
	o := &outrank.PodDisruptionBudget{Name: b.Name, DisruptionsAllowed: b.Allowed, Selector: &outrank.LabelSelector{}}
	if b.Label != "" {
		o.Selector.MatchLabels = map[string]string{b.Label: b.Value}
	}
	if b.Elsewhere {
		o.Namespace = elsewhere
	}
	if b.Disrupted != "" {
		o.DisruptedPods = map[string]time.Time{b.Disrupted: scenario.Now}
	}
	return o
}

// hostLabel tells nodes apart, where some pods avoid others on their node.
const hostLabel = "host"

// someAvoid reports whether any pod avoids others.
func (w *World) someAvoid() bool {
	avoids := func(p Pod) bool { return p.Avoids != "" }
	return slices.ContainsFunc(w.Pods, avoids) || slices.ContainsFunc(w.Asks, avoids)
}

// object returns the pod as an object of the library.
func (p *Pod) object() *outrank.Pod {
	o := &outrank.Pod{
		Name: p.Name, NodeName: p.Node, NominatedNodeName: p.Nominated, Group: p.Group,
		Containers: []outrank.Container{{Name: "main", Requests: resource.MustList("cpu", text(p.CPU), "memory", text(p.Memory)+"Gi")}},
	}
	if !p.Unset {
		o.Priority = &p.Priority
	}
	if p.Started != 0 {
		o.StartTime = scenario.Now.Add(-time.Duration(p.Started) * time.Minute)
	}
	if labels := p.labels(); len(labels) > 0 {
		o.Labels = maps.Clone(labels)
	}
	if p.Port > 0 {
		o.Containers[0].Ports = []outrank.Port{{HostPort: p.Port}}
	}
	if p.Never {
		o.PreemptionPolicy = outrank.PreemptNever
	}
	if p.Leaving != "" {
		o.DeletionTimestamp, o.DisruptionReason = scenario.Now, p.Leaving
	}
	o.Affinity = p.affinity()
	return o
}

// affinity returns whom the pod avoids, and the nodes that it names.
func (p *Pod) affinity() (a outrank.Affinity) {
	if p.Avoids != "" {
		app := &outrank.LabelSelector{MatchLabels: map[string]string{"app": p.Avoids}}
		a.PodAntiAffinity = []outrank.PodAffinityTerm{{LabelSelector: app, TopologyKey: hostLabel}}
	}
	if len(p.Names) == 0 {
		return a
	}
	a.NodeAffinity = &outrank.NodeSelector{}
	for _, name := range p.Names {
		field := outrank.NodeRequirement{Key: outrank.FieldName, Operator: outrank.In, Values: []string{name}}
		term := outrank.NodeSelectorTerm{MatchFields: []outrank.NodeRequirement{field}}
		a.NodeAffinity.NodeSelectorTerms = append(a.NodeAffinity.NodeSelectorTerms, term)
	}
	return a
}

func (p *Pod) labels() map[string]string {
	labels := map[string]string{}
	if p.App != "" {
		labels["app"] = p.App
	}
	if p.Tier != "" {
		labels["tier"] = p.Tier
	}
	return labels
}

func text(n int64) string { return strconv.FormatInt(n, 10) }
