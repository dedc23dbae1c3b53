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

// podClass is a class of pods that a scheduler cannot tell apart, with the scheduler's last answer about one
// of them. The answer holds for all of them until a change concerns them. It implements [queue.Class].
type podClass struct {
	present   *present
	scheduler *schedulerState
	// pod is a pod of the class without the fields that differ within the class.
	pod *outrank.Pod
	// alone is set for the class of a nominated pod. Such a pod is in the snapshot, and is alone in its
	// class.
	alone bool
	// host is the node to which that pod is nominated, or nil if there is no node with this name.
	host *host
	// demand is the demand of each pod of the class. Its stay depends on the last answer.
	demand demand
	// plain is set if the demand and the nodes' own fields alone decide where the pods fit.
	plain bool

	// plan is the last answer, or nil before the first.
	plan *preemption.Plan
	// state is the state of the cluster in which plan was made.
	state uint64
	// refused is set if the last answer was that nothing helps the pods. filters are the names of the filters
	// that rejected them.
	refused bool
	filters []string
	// seen is the number of changes of the cluster after which the last answer is known to hold.
	seen int
}

// present has everything besides the pod that an answer depends on.
type present struct {
	clock *clock
	tries *tries
	snap  *engine.Snapshot
}

// now returns the virtual time.
func (p *present) now() time.Time { return p.clock.time() }

// state returns the number of the cluster's state.
func (p *present) state() uint64 { return p.tries.state }

// lastBefore returns the number of the last attempt before the present state.
func (p *present) lastBefore() int64 { return p.tries.since }

// changeCount returns the number of changes so far.
func (p *present) changeCount() int { return p.tries.changeCount() }

// changesSince returns the changes behind the first seen ones, as [changeLog.after] does.
func (p *present) changesSince(seen int) ([]*host, bool) { return p.tries.changesSince(seen) }

// plain reports whether a pod, without the fields that differ within its class, constrains only resources and
// the nodes' own fields. The filters that reject such pods come before NodeResourcesFit or do not apply.
func plain(bare *outrank.Pod) bool {
	// Fields that a plain pod may have are cleared. Anything left, such as a field that is added later, makes
	// the pod not plain.
	rest := *bare
	rest.Priority, rest.PreemptionPolicy, rest.SchedulerName = nil, "", ""
	rest.NodeSelector, rest.Affinity.NodeAffinity, rest.Tolerations = nil, nil, nil
	rest.Overhead, rest.SchedulingGates = nil, nil
	rest.Containers, rest.InitContainers = nil, nil

	return reflect.DeepEqual(rest, outrank.Pod{}) && plainContainers(bare.Containers) && plainContainers(bare.InitContainers)
}

// plainContainers reports whether the containers constrain nothing but resources.
func plainContainers(list []outrank.Container) bool {
	for _, c := range list {
		c.Name, c.Requests, c.Limits = "", nil, nil
		if !reflect.DeepEqual(c, outrank.Container{}) {
			return false
		}
	}
	return true
}

// learn records an answer about a pod of the class. A refusal that names no filter, as in a cluster without
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

// changesNothing reports whether an attempt with this answer leaves everything as it is: there is neither a
// plan nor a nomination to clear.
func (a *podClass) changesNothing(plan *preemption.Plan) bool {
	switch plan.Outcome {
	case preemption.NotEligible:
		return true
	case preemption.NothingHelps:
		return !a.alone
	}
	return false
}

// staying returns the level from which on pods cannot be preempted for the class. If the class is not
// eligible to preempt, no pod can; only a change on the nominated node can alter that.
func (a *podClass) staying(plan *preemption.Plan) int64 {
	if plan.Outcome == preemption.NotEligible {
		return math.MinInt64
	}
	return a.demand.level
}

// filtersOf returns the names of the filters that rejected the pod, sorted, as [execution.Failure.Verdict]
// does. It is empty if there are no nodes.
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

// planFor returns the answer for a pod of the class, or nil if it is not known. An observer reads how many
// nodes rejected the pod for each reason. A change may alter these numbers even if the refusal still holds,
// so with an observer an answer only holds in the state in which it was given.
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

// Known implements [queue.Class]. The class may still be refused after a change that concerned it, if a later
// change undoes its effect before anybody asks.
func (a *podClass) Known() ([]string, bool) {
	if !a.refused || a.concerned() {
		return nil, false
	}
	a.seen = a.present.changeCount()
	return a.filters, true
}

// concerned reports whether a change that the class has not seen may end the refusal, or change the filters
// that it names.
//
// The refusal says that no node takes the pod, even without all pods of lower priority. For plain pods it
// holds as long as each changed node still has too little room for that. The names of the filters stay the
// same, too: after the change such a node rejects the pod by a filter that looks at no other pods and comes
// before NodeResourcesFit, or else by NodeResourcesFit itself. Before the change it rejected the pod by the
// same filter: had it taken the pod, the answer would have been another one, and filters behind
// NodeResourcesFit do not apply to plain pods.
func (a *podClass) concerned() bool {
	if a.seen == a.present.changeCount() {
		return false
	}
	changes, ok := a.present.changesSince(a.seen)
	if !a.plain || !ok {
		return true
	}

	// A node often changes several times in a row. Only its present state counts, so it is asked once.
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
