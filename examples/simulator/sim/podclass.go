package sim

import (
	"cmp"
	"context"
	"math"
	"reflect"
	"slices"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
)

// podClass is a class of pods that a scheduler cannot tell apart, with its answer to the last of them. It
// implements [queue.Class]. The answer is the same for all of them until a change concerns them.
type podClass struct {
	present   *present
	scheduler *schedulerState
	// pod is one pod of the class, without the fields that tell it from the others.
	pod *outrank.Pod
	// alone is set for a nominated pod: it is in the snapshot, and shares its class with no other pod.
	alone bool
	// host is the node that such a pod is nominated to, nil if there is no node of that name.
	host *host
	// demand is the demand of each pod of the class; its stay follows from the last answer.
	demand demand
	// plain is set if demand and the nodes' own fields alone decide where the pods fit.
	plain bool

	// plan is the last answer, nil before the first.
	plan *preemption.Plan
	// state is the state of the cluster in which plan was made.
	state uint64
	// refused is set if the last answer refuses the pods, and filters names the filters that turned them
	// down.
	refused bool
	filters []string
	// seen is the number of changes up to which the last answer is known to hold.
	seen int
}

// present has everything that an answer depends on beside the pod.
type present struct {
	clock *clock
	tries *tries
	snap  *engine.Snapshot
}

// now returns the virtual time.
func (p *present) now() time.Time { return p.clock.time() }

// state returns the number of the cluster's state.
func (p *present) state() uint64 { return p.tries.state }

// lastBefore returns the number of the last attempt before this state began.
func (p *present) lastBefore() int64 { return p.tries.since }

// changeCount counts the changes so far.
func (p *present) changeCount() int { return p.tries.changeCount() }

// changesSince returns the changes that follow the first seen ones, as [changeLog.after] does.
func (p *present) changesSince(seen int) ([]*host, bool) { return p.tries.changesSince(seen) }

// plain reports whether a stripped pod asks only for resources, and for nodes by
// their own fields. Filters for such pods come before NodeResourcesFit or have
// no say.
func plain(bare *outrank.Pod) bool {
	// What may be set is cleared. Whatever is left, a field of a later version among it, makes the pod one
	// that is not plain.
	rest := *bare
	rest.Priority, rest.PreemptionPolicy, rest.SchedulerName = nil, "", ""
	rest.NodeSelector, rest.Affinity.NodeAffinity, rest.Tolerations = nil, nil, nil
	rest.Overhead, rest.SchedulingGates = nil, nil
	rest.Containers, rest.InitContainers = nil, nil

	return reflect.DeepEqual(rest, outrank.Pod{}) && plainContainers(bare.Containers) && plainContainers(bare.InitContainers)
}

// plainContainers reports whether the containers ask for resources alone.
func plainContainers(list []outrank.Container) bool {
	for _, c := range list {
		c.Name, c.Requests, c.Limits = "", nil, nil
		if !reflect.DeepEqual(c, outrank.Container{}) {
			return false
		}
	}
	return true
}

// learn records the answer to a pod of the class. A refusal that names no filter, as where there are no
// nodes, is not shared.
func (a *podClass) learn(plan *preemption.Plan) {
	a.plan = plan
	a.state = a.present.state()
	a.seen = a.present.changeCount()

	a.refused = a.changesNothing(plan)
	if a.refused {
		a.filters = filtersOf(plan)
		a.refused = len(a.filters) > 0
		a.demand.stay = a.staying(plan)
	}
}

// changesNothing reports whether an attempt with this answer changes nothing: there is no plan, and
// no nomination to lose.
func (a *podClass) changesNothing(plan *preemption.Plan) bool {
	switch plan.Outcome {
	case preemption.NotEligible:
		return true
	case preemption.NothingHelps:
		return !a.alone
	}
	return false
}

// staying returns the level from which on the pods of a node stay where they are. Where the class may push
// nobody out all pods stay; only a change on the nominated node can alter that.
func (a *podClass) staying(plan *preemption.Plan) int64 {
	if plan.Outcome == preemption.NotEligible {
		return math.MinInt64
	}
	return a.demand.level
}

// filtersOf lists the filters that turned the pod down, by name, as [execution.Failure.Verdict] does. The
// list is empty where there are no nodes.
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

// planFor returns the answer to a pod of the class, nil if it is not known. An observer reads how many nodes
// turned the pod down for each reason, and a change may alter these numbers where the refusal itself stays
// true. So for an observer the answer is known only in the state in which it was given.
func (a *podClass) planFor(obj *outrank.Pod, observed bool) *preemption.Plan {
	if !a.refused || a.state != a.present.state() && observed {
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
	a.seen = a.present.changeCount()
	return a.filters, true
}

// concerned reports whether the class may be refused no longer, or by other filters, because of a change
// that it has not seen.
//
// The refusal says that no node takes the pod, even without the pods of lower priority. For plain pods it
// stays true while each changed node still has too little left for that. The names of the filters stay the
// same, too. After the change such a node turns the pod down by a filter that looks at no other pods and
// stands before NodeResourcesFit, or else by NodeResourcesFit. Before the change it did so by the same one:
// a node that takes the pod would not have given this answer, and the filters behind NodeResourcesFit have
// nothing to say to plain pods.
func (a *podClass) concerned() bool {
	if a.seen == a.present.changeCount() {
		return false
	}
	changes, ok := a.present.changesSince(a.seen)
	if !a.plain || !ok {
		return true
	}

	// One node often changes several times in a row, and looks the same each time it is asked now.
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
	plan, err := a.scheduler.preempt(context.Background(), a.present.snap, preemption.Request{Pod: obj, Now: a.present.now()})
	if err != nil {
		return nil, false
	}
	a.learn(plan)
	return a.filters, a.refused
}

// Refused implements [queue.Class].
func (a *podClass) Refused(attempts int) { a.scheduler.refused += uint64(attempts) }
