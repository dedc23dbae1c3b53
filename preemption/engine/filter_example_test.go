package engine_test

import (
	"context"
	"fmt"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/resource"
)

// oneLicence is a filter: a node runs one pod that holds a licence, and no more.
type oneLicence struct{}

func holdsLicence(p *outrank.Pod) bool { return p.Labels["licence"] == "yes" }

func (f oneLicence) filter() *preemption.Filter {
	return &preemption.Filter{Name: "OneLicence", Start: f.start, Concerns: f.concerns}
}

// start counts the holders on each node. Pods that hold no licence are none of its business.
func (oneLicence) start(pod *outrank.Pod, view preemption.View) (preemption.FilterState, error) {
	if !holdsLicence(pod) {
		return nil, nil
	}
	s := licences{}
	for n := range view.Nodes() {
		for _, p := range view.PodsOn(n.Name) {
			s.change(p, n, 1)
		}
	}
	return s, nil
}

// Only holders of a licence are removed and added one by one.
func (oneLicence) concerns(p *outrank.Pod) bool { return holdsLicence(p) }

// licences is the number of holders by node, as the attempt has it.
type licences map[string]int

func (s licences) Check(n *outrank.Node) preemption.Status {
	if s[n.Name] > 0 {
		return preemption.Unschedulable.Because("the licence is taken")
	}
	return preemption.Status{}
}

func (s licences) change(p *outrank.Pod, n *outrank.Node, by int) {
	if holdsLicence(p) {
		s[n.Name] += by
	}
}

func (s licences) Add(p *outrank.Pod, n *outrank.Node)    { s.change(p, n, 1) }
func (s licences) Remove(p *outrank.Pod, n *outrank.Node) { s.change(p, n, -1) }

func (s licences) Clone() preemption.FilterState {
	c := licences{}
	for node, n := range s {
		c[node] = n
	}
	return c
}

// A node has room for another pod, but its licence is taken: the one who holds it has to leave.
func ExampleConfig_filter() {
	pod := func(name, node, licence string, priority int32) *outrank.Pod {
		return &outrank.Pod{
			Name: name, NodeName: node, Labels: map[string]string{"licence": licence}, Priority: outrank.Priority(priority),
			Containers: []outrank.Container{{Requests: resource.MustList("cpu", "1")}},
		}
	}
	snap := must(engine.NewSnapshot(&outrank.Cluster{
		Nodes: []*outrank.Node{{Name: "n1", Allocatable: resource.MustList("cpu", "8", "pods", "10")}},
		Pods:  []*outrank.Pod{pod("web", "n1", "no", 1), pod("solver", "n1", "yes", 5)},
	}))
	eval := must(engine.New(preemption.Config{Filters: []*preemption.Filter{oneLicence{}.filter()}}))
	plan := must(eval.Preempt(context.Background(), snap, preemption.Request{Pod: pod("urgent", "", "yes", 100), Now: now}))
	fmt.Println(plan.Outcome, plan.Victims, plan.TurnedDown)
	// Output: preempt [default/solver] [1 OneLicence: the licence is taken]
}
