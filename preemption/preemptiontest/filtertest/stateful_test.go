package filtertest_test

import (
	"maps"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
)

// busy limits the busy pods on each node. Others do not concern it, and its state is
// tracked. Each of the functions, if not nil, replaces the right one.
type busy struct {
	limit   int
	remove  func(c busyCounts, p *outrank.Pod, n *outrank.Node)
	clone   func(c busyCounts) preemption.ClusterState
	attempt func(a *busyAttempt, n *outrank.Node)
}

func (b busy) filter() *preemption.Filter {
	tracker := &preemption.Tracker{Concerns: isBusy, New: func() preemption.ClusterState {
		return busyCounts{b, map[string]int{}}
	}}
	return &preemption.Filter{Name: "Busy", Concerns: isBusy, Start: func(_ *outrank.Pod, view preemption.View) (preemption.FilterState, error) {
		return &busyAttempt{b, view.Tracked(tracker).(busyCounts), map[string]int{}}, nil
	}}
}

// busyCounts counts busy pods by node.
type busyCounts struct {
	busy
	on map[string]int
}

func (c busyCounts) Add(p *outrank.Pod, n *outrank.Node) {
	if isBusy(p) {
		c.on[n.Name]++
	}
}

func (c busyCounts) Remove(p *outrank.Pod, n *outrank.Node) {
	switch {
	case c.busy.remove != nil:
		c.busy.remove(c, p, n)
	case isBusy(p):
		c.on[n.Name]--
	}
}

func (c busyCounts) Clone() preemption.ClusterState {
	if c.busy.clone != nil {
		return c.busy.clone(c)
	}
	return busyCounts{c.busy, maps.Clone(c.on)}
}

type busyAttempt struct {
	busy
	cluster busyCounts
	more    map[string]int
}

func (a *busyAttempt) change(p *outrank.Pod, n *outrank.Node, by int) {
	if isBusy(p) {
		a.more[n.Name] += by
	}
	if a.busy.attempt != nil {
		a.busy.attempt(a, n)
	}
}

func (a *busyAttempt) Add(p *outrank.Pod, n *outrank.Node)    { a.change(p, n, 1) }
func (a *busyAttempt) Remove(p *outrank.Pod, n *outrank.Node) { a.change(p, n, -1) }
func (a *busyAttempt) Clone() preemption.FilterState {
	return &busyAttempt{a.busy, a.cluster, maps.Clone(a.more)}
}

func (a *busyAttempt) Check(n *outrank.Node) preemption.Status {
	if a.cluster.on[n.Name]+a.more[n.Name] >= a.limit {
		return preemption.Unschedulable.Because("node(s) were busy")
	}
	return preemption.Status{}
}

// isBusy goes by the name, so that some of the generated pods are.
func isBusy(p *outrank.Pod) bool { return p.Name[len(p.Name)-1]%2 == 0 }

// tallied limits the busy pods on each rack.
func tallied() *preemption.Filter {
	tally := &preemption.Tally[int]{
		Domain:   func(_ *outrank.Pod, n *outrank.Node) string { return n.Labels["rack"] },
		Concerns: isBusy,
		Change:   func(count int, _ *outrank.Pod, by int) int { return count + by },
	}
	return tally.Filter("BusyRacks", func(count int, _ *outrank.Pod, _ *outrank.Node) preemption.Status {
		if count >= 2 {
			return preemption.Unschedulable.Because("rack(s) were busy")
		}
		return preemption.Status{}
	})
}
