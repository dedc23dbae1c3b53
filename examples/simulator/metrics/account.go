package metrics

import (
	"time"

	"github.com/outrank-go/outrank/examples/simulator/sim"
)

// account has the sums of a group of pods: of all pods, of one priority, or of one tenant.
type account struct {
	name     string
	priority int32 // of a group by priority

	arrived, finished int
	evicted           []int // by cause
	lostSeconds       float64
	// flows and slowdowns have a sample for each job that has finished.
	flows, slowdowns []float64
	// now is the present state, which holds from since on.
	now   state
	since time.Duration

	// The lines have a value for each stretch of time. Those of a state hold its integral.
	waiting, running, dominant     *line
	arrivals, ends, flow, slowdown *line
	evictions                      []*line // by cause
	held, good, lost, cut          []*line // by resource
}

// state is the part of an account that lasts for a time.
type state struct {
	// waiting and running count the pods without a node and on a node.
	waiting, running int
	// held is the demand of the pods on nodes, by resource.
	held []float64
	// dominant is the largest share of a capacity that these pods hold.
	dominant float64
}

// newAccount makes an account, whose lines are on the timeline.
func newAccount(name string, t *timeline, resources int) *account {
	a := &account{
		name: name, waiting: t.line(), running: t.line(), dominant: t.line(), arrivals: t.line(), ends: t.line(), flow: t.line(), slowdown: t.line(),
		evicted: make([]int, len(sim.Causes())+1), now: state{held: make([]float64, resources)},
	}

	for range a.evicted {
		a.evictions = append(a.evictions, t.line())
	}
	for _, list := range []*[]*line{&a.held, &a.good, &a.lost, &a.cut} {
		for range resources {
			*list = append(*list, t.line())
		}
	}
	return a
}

// advance holds the present state up to a time.
func (a *account) advance(to time.Duration) {
	if to <= a.since {
		return
	}
	a.waiting.spread(a.since, to, float64(a.now.waiting))
	a.running.spread(a.since, to, float64(a.now.running))
	a.dominant.spread(a.since, to, a.now.dominant)
	for i, v := range a.now.held {
		a.held[i].spread(a.since, to, v)
	}
	a.since = to
}

// present reports whether a pod of the group waits or is on a node.
func (a *account) present() bool { return a.now.waiting+a.now.running > 0 }

// hold counts the demand of a pod as held; with sign -1 it counts it no longer.
func (a *account) hold(demand []float64, sign float64) {
	a.now.running += int(sign)
	for i, v := range demand {
		a.now.held[i] += sign * v
	}
}

// share renews the dominant share: the largest part of a capacity that the group holds.
func (a *account) share(capacity []float64) {
	a.now.dominant = 0
	for i, v := range a.now.held {
		if capacity[i] > 0 {
			a.now.dominant = max(a.now.dominant, v/capacity[i])
		}
	}
}

// evict counts an eviction.
func (a *account) evict(at time.Duration, c sim.Cause) {
	a.evicted[c]++
	a.evictions[c].put(at, 1)
}

// finish counts the end of a job: flow is the time since the job began.
func (a *account) finish(at time.Duration, flow, slowdown float64) {
	a.finished++
	a.flows = append(a.flows, flow)
	a.slowdowns = append(a.slowdowns, slowdown)
	a.ends.put(at, 1)
	a.flow.put(at, flow)
	a.slowdown.put(at, slowdown)
}

// spend enters the work of a life in a book: that of good, lost or cut work.
func spend(book []*line, from, to time.Duration, demand []float64) {
	for i, v := range demand {
		book[i].spread(from, to, v)
	}
}
