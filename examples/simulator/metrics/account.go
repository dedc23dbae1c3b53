package metrics

import (
	"time"

	"github.com/outrank-go/outrank/examples/simulator/sim"
)

// account has the sums of a group of pods: all pods, those of one priority, or those of one tenant.
type account struct {
	name     string
	priority int32 // the priority of the pods, for a group by priority

	arrived, finished int
	evicted           []int // the number of evictions for each sim.Cause
	lostSeconds       float64
	// flows and slowdowns have a sample for each finished job.
	flows, slowdowns []float64
	// now is the present state. It holds from since on.
	now   state
	since time.Duration

	// Lines have a value for each stretch of time. The lines of a state have its integral.
	waiting, running, dominant     *line
	arrivals, ends, flow, slowdown *line
	evictions                      []*line // one line for each sim.Cause
	held, good, lost, cut          []*line // one line for each resource
}

// state is the part of an account that lasts for some time.
type state struct {
	// waiting and running count the pods that wait for a node and those that are on one.
	waiting, running int
	// held is the sum of the requests of the pods on nodes, by resource.
	held []float64
	// dominant is the largest share that these pods hold of a resource's capacity.
	dominant float64
}

// newAccount returns an account whose lines are on the timeline.
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

// advance adds the present state to the lines, up to a time.
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

// hold counts a pod with these requests on a node; with sign -1 it stops counting it.
func (a *account) hold(demand []float64, sign float64) {
	a.now.running += int(sign)
	for i, v := range demand {
		a.now.held[i] += sign * v
	}
}

// share computes the dominant share: the largest share that the group holds of a resource's capacity.
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

// finish counts a finished job. flow is the time from its first arrival to its end, in seconds.
func (a *account) finish(at time.Duration, flow, slowdown float64) {
	a.finished++
	a.flows = append(a.flows, flow)
	a.slowdowns = append(a.slowdowns, slowdown)
	a.ends.put(at, 1)
	a.flow.put(at, flow)
	a.slowdown.put(at, slowdown)
}

// spend adds the work of a pod to the lines of good, lost or cut work.
func spend(book []*line, from, to time.Duration, demand []float64) {
	for i, v := range demand {
		book[i].spread(from, to, v)
	}
}
