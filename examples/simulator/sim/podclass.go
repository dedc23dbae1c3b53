package sim

import (
	"cmp"
	"context"
	"math"
	"reflect"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
)

// podClass holds pods that a scheduler cannot tell apart, with its answer to the
// last of them: a [queue.Class]. The answer is the same for all of them until a
// change concerns them.
type podClass struct {
	present   *present
	scheduler *schedulerState
	// pod is one of them, without the fields that tell it from the others.
	pod *outrank.Pod
	// alone is set for a nominated pod, which is in the snapshot and in no class
	// with others; host is its nominated node, nil if that is no node.
	alone bool
	host  *host
	// demand is that of each of them; its stay follows from the last answer.
	// plain is set if only this and the nodes themselves decide where they fit.
	demand demand
	plain  bool

	// plan is the last answer, made in that state; nil before the first.
	plan  *preemption.Plan
	state uint64
	// refused is set if the plan came to nothing, and filters are those that
	// turned the pods down. It holds for at least so many changes.
	refused bool
	filters []string
	seen    int
}

// present has everything that an answer depends on beside the pod.
type present struct {
	clock *clock
	tries *tries
	snap  *engine.Snapshot
}

// plain reports whether a stripped pod asks only for resources, and for nodes by
// their own fields. Filters for such pods come before NodeResourcesFit or have
// no say.
func plain(bare *outrank.Pod) bool {
	rest := *bare
	rest.Priority, rest.PreemptionPolicy, rest.SchedulerName = nil, "", ""
	rest.NodeSelector, rest.Affinity.NodeAffinity, rest.Tolerations = nil, nil, nil
	rest.Overhead, rest.SchedulingGates = nil, nil
	rest.Containers, rest.InitContainers = nil, nil
	return reflect.DeepEqual(rest, outrank.Pod{}) && plainContainers(bare.Containers) && plainContainers(bare.InitContainers)
}

func plainContainers(list []outrank.Container) bool {
	for _, c := range list {
		c.Name, c.Requests, c.Limits = "", nil, nil
		if !reflect.DeepEqual(c, outrank.Container{}) {
			return false
		}
	}
	return true
}

// learn records the answer to a pod of the class.
func (a *podClass) learn(plan *preemption.Plan) {
	a.plan, a.state, a.seen = plan, a.present.tries.state, a.present.tries.changes.count()
	if a.refused = a.refuses(plan); a.refused {
		a.filters = filtersOf(plan)
		a.refused = len(a.filters) > 0
		a.demand.stay = a.staying(plan)
	}
}

// refuses reports whether an attempt with this answer changes nothing: no plan, and
// no nomination to lose.
func (a *podClass) refuses(plan *preemption.Plan) bool {
	switch plan.Outcome {
	case preemption.NotEligible:
		return true
	case preemption.NothingHelps:
		return !a.alone
	}
	return false
}

// staying is the level from which on the pods of a node stay where they are: all
// of them where the class may push nobody out, which a change on another node
// than the nominated one does not alter.
func (a *podClass) staying(plan *preemption.Plan) int64 {
	if plan.Outcome == preemption.NotEligible {
		return math.MinInt64
	}
	return a.demand.level
}

// filtersOf lists the filters that turned the pod down, as
// [execution.Failure.Verdict] does; none where there are no nodes.
func filtersOf(plan *preemption.Plan) []string {
	var names []string
	for i := range plan.TurnedDown {
		status := &plan.TurnedDown[i].Status
		if name := cmp.Or(status.Filter, status.ExcludedBy); name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// planFor returns the answer to a pod of the class if it is known. For an
// observer it is known only in the state in which it was given, since nodes are
// counted by reasons.
func (a *podClass) planFor(obj *outrank.Pod, observed bool) *preemption.Plan {
	if !a.refused || a.state != a.present.tries.state && observed {
		return nil
	}
	if _, ok := a.Known(); !ok {
		return nil
	}
	plan := *a.plan
	plan.Pod = obj
	return &plan
}

// Known implements [queue.Class]. A later change may make up for one that
// concerns the class before it is asked, such as room that another pod takes.
func (a *podClass) Known() ([]string, bool) {
	if !a.refused || a.concerned() {
		return nil, false
	}
	a.seen = a.present.tries.changes.count()
	return a.filters, true
}

// concerned reports whether a change that the class has not seen may make another
// answer of the one that its pods are refused with.
//
// Such an answer says that no node takes the pod, even without the pods of lower
// priority. For plain pods, where one node has changed, it stays true as long as
// the node has too little left for that, and so do the names of the filters:
// before the change as well as after it the node turns the pod down by a filter
// that looks at no other pods and stands before NodeResourcesFit, or else by
// NodeResourcesFit. Before the change because a node that takes the pod does not
// give this answer, and the filters behind have nothing to say to plain pods.
func (a *podClass) concerned() bool {
	log := &a.present.tries.changes
	if a.seen == log.count() {
		return false
	}
	changes, ok := log.after(a.seen)
	if !a.plain || !ok {
		return true
	}
	var last *host
	for _, h := range changes {
		switch {
		case h == nil || a.alone && h == a.host:
			return true
		case h == last:
			continue
		case h.mayTake(&a.demand):
			return true
		}
		last = h
	}
	return false
}

// Refuses implements [queue.Class].
func (a *podClass) Refuses(obj *outrank.Pod) ([]string, bool) {
	plan, err := a.scheduler.eval.Preempt(context.Background(), a.present.snap, preemption.Request{Pod: obj, Now: a.present.clock.time()})
	if err != nil {
		return nil, false
	}
	a.learn(plan)
	return a.filters, a.refused
}

// Refused implements [queue.Class].
func (a *podClass) Refused(attempts int) { a.scheduler.refused += uint64(attempts) }
