package invariants

import (
	"fmt"
	"maps"
	"strconv"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/scenario"
	"github.com/outrank-go/outrank/preemption"
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
	// MostOfA is a filter of the caller's: no more pods of the app a on a node than this, -1 without the filter.
	MostOfA int
	// Spared is an app whose pods a rule of the caller's protects, and Taken one whose pods may be taken whatever their
	// priority. At most one of the two is set.
	Spared, Taken string
}

// Node is a node: whole cores, Gi of memory and places for pods.
type Node struct {
	Name              string
	CPU, Memory, Pods int64
	Cordoned          bool
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
	// Started is how many minutes before now the pod started, 0 for a pod that has no start time.
	Started int64
	// App and Tier are labels, empty for a pod without them.
	App, Tier string
	// Port is a host port, 0 for none.
	Port  int32
	Group string
	Never bool
	// Leaving is set if an earlier preemption is deleting the pod.
	Leaving bool
}

// Budget covers the pods with one label.
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
	for _, n := range w.Nodes {
		c.Nodes = append(c.Nodes, &outrank.Node{
			Name: n.Name, Unschedulable: n.Cordoned,
			Allocatable: resource.MustList("cpu", text(n.CPU), "memory", text(n.Memory)+"Gi", "pods", text(n.Pods)),
		})
	}
	for i := range w.Pods {
		c.Pods = append(c.Pods, w.Pods[i].object())
	}

	for _, b := range w.Budgets {
		budget := &outrank.PodDisruptionBudget{
			Name: b.Name, DisruptionsAllowed: b.Allowed,
			Selector: &outrank.LabelSelector{MatchLabels: map[string]string{b.Label: b.Value}},
		}
		if b.Elsewhere {
			budget.Namespace = elsewhere
		}
		if b.Disrupted != "" {
			budget.DisruptedPods = map[string]time.Time{b.Disrupted: scenario.Now}
		}
		c.Budgets = append(c.Budgets, budget)
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

// object returns the pod as an object of the library.
func (p *Pod) object() *outrank.Pod {
	o := &outrank.Pod{
		Name: p.Name, NodeName: p.Node, NominatedNodeName: p.Nominated, Group: p.Group,
		Containers: []outrank.Container{{Name: "main", Requests: resource.MustList("cpu", text(p.CPU), "memory", text(p.Memory)+"Gi")}},
	}
	if !p.Unset {
		o.Priority = &p.Priority
	}
	if p.Started > 0 {
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
	if p.Leaving {
		o.DeletionTimestamp, o.DisruptionReason = scenario.Now, "PreemptionByScheduler"
	}
	return o
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

// Config returns the caller's rules of the world.
func (w *World) Config() preemption.Config {
	var config preemption.Config
	if w.MostOfA >= 0 {
		config.Filters = []*preemption.Filter{atMost(w.MostOfA)}
	}
	switch spared, taken := w.Spared, w.Taken; {
	case spared != "":
		config.Eligibility.Take = func(_, victim *outrank.Pod) (string, bool) { return "", victim.Labels["app"] != spared }
	case taken != "":
		config.Eligibility.AnyPriority = true
		config.Eligibility.Take = func(preemptor, victim *outrank.Pod) (string, bool) {
			return "", victim.Labels["app"] == taken || victim.PriorityValue() < preemptor.PriorityValue()
		}
	}
	return config
}

// atMost is the caller's filter: it turns a pod of the app a away where as many of them are.
func atMost(most int) *preemption.Filter {
	return &preemption.Filter{
		Name: "AtMost",
		Start: func(pod *outrank.Pod, view preemption.View) (preemption.FilterState, error) {
			if pod.Labels["app"] != "a" {
				return nil, nil
			}
			s := &ofA{most: most, there: map[string]int{}}
			for node := range view.Nodes() {
				for _, p := range view.PodsOn(node.Name) {
					s.Add(p, node)
				}
			}
			return s, nil
		},
	}
}

// ofA counts the pods of the app a on each node.
type ofA struct {
	most  int
	there map[string]int
}

func (s *ofA) Add(p *outrank.Pod, n *outrank.Node)    { s.count(p, n, 1) }
func (s *ofA) Remove(p *outrank.Pod, n *outrank.Node) { s.count(p, n, -1) }

func (s *ofA) count(p *outrank.Pod, n *outrank.Node, by int) {
	if p.Labels["app"] == "a" {
		s.there[n.Name] += by
	}
}

func (s *ofA) Check(n *outrank.Node) preemption.Status {
	if s.there[n.Name] < s.most {
		return preemption.Status{}
	}
	return preemption.Unschedulable.Because(fmt.Sprintf("%d of a are there", s.there[n.Name]))
}

func (s *ofA) Clone() preemption.FilterState {
	return &ofA{most: s.most, there: maps.Clone(s.there)}
}
