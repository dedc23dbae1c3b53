package sim

import (
	"cmp"
	"context"
	"reflect"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
)

// alike are pods that a scheduler cannot tell apart, with what it said to the
// last of them: a [queue.Class]. As long as nothing concerns them that has
// changed since, it says the same to all of them.
type alike struct {
	s         *Simulation
	scheduler *schedulerState
	// pod is one of them, stripped of what makes it this one.
	pod *outrank.Pod
	// alone is set for a nominated pod, which is in the snapshot and alike to no
	// other; host is where it is nominated to, nil if that is no node.
	alone bool
	host  *host
	// asks is what each of them takes of each resource, level their priority. plain
	// says that nothing but these, and what nodes have for themselves, decides where
	// they fit.
	asks  []int64
	level int64
	plain bool

	// plan is the last answer, made in that state; nil before the first. By it the
	// pods of the level stay and of higher ones remain where they are.
	plan  *preemption.Plan
	state uint64
	stay  int64
	// refused: the plan came to nothing, and filters are those that turned the
	// pods down. It holds at least as long as there were so many changes.
	refused bool
	filters []string
	seen    int
}

// likeness finds pods that may be alike.
type likeness struct {
	scheduler   *schedulerState
	priority    int32
	prioritized bool
	cpu, memory int64
}

// alikeTo returns the class of a pod that waits, nil for one that shares nothing.
func (s *Simulation) alikeTo(p *pod) *alike {
	if !s.sharing || !p.scheduler.shares || p.obj.Group != "" {
		return nil
	}
	if p.class == nil {
		p.class = s.findAlike(p)
	}
	return p.class
}

func (s *Simulation) findAlike(p *pod) *alike {
	bare := s.stripped(p.obj)
	if node := p.obj.NominatedNodeName; node != "" || s.nominator.NodeOf(p.obj.Key()) != "" {
		a := s.newAlike(p, bare)
		a.alone, a.host = true, s.hosts[node]
		return a
	}
	key := likeness{p.scheduler, p.obj.PriorityValue(), p.obj.Priority != nil, p.asks[cpuColumn], p.asks[memoryColumn]}
	for _, a := range s.classes[key] {
		if reflect.DeepEqual(a.pod, bare) {
			return a
		}
	}
	a := s.newAlike(p, bare)
	s.classes[key] = append(s.classes[key], a)
	return a
}

func (s *Simulation) newAlike(p *pod, bare *outrank.Pod) *alike {
	return &alike{s: s, scheduler: p.scheduler, pod: bare, asks: p.asks, level: int64(p.obj.PriorityValue()), plain: s.plain(bare)}
}

// stripped returns a copy without what no attempt looks at. Labels and namespace
// matter only where pods ask for the company of others.
func (s *Simulation) stripped(obj *outrank.Pod) *outrank.Pod {
	bare := *obj
	bare.Name, bare.UID, bare.NominatedNodeName, bare.Value = "", "", "", nil
	bare.Owner, bare.PriorityClassName = outrank.Owner{}, ""
	if !s.related {
		bare.Namespace, bare.Labels = "", nil
	}
	return &bare
}

// relate notes a pod that minds what other pods are near. Where the first of them
// comes after pods were compared without regard to that, nothing is shared any
// more.
func (s *Simulation) relate(p *pod) {
	if s.related || !relational(p.obj) {
		return
	}
	s.related = true
	if len(s.classes) > 0 {
		s.share(false)
	}
}

// share begins or ends sharing. From its end on pods know for themselves in which
// state they were tried.
func (s *Simulation) share(yes bool) {
	if s.sharing && !yes {
		pending := s.queue.Pending()
		for _, e := range podsOf(pending.Active, pending.Backoff, pending.Unschedulable, pending.Gated) {
			if e.Cycle > s.since {
				s.pods[e.Pod.Key()].tried = s.state
			}
		}
	}
	s.sharing = yes
}

// relational reports whether a pod's place depends on other pods' labels.
func relational(obj *outrank.Pod) bool {
	a := &obj.Affinity
	return len(a.PodAffinity)+len(a.PodAntiAffinity)+len(obj.TopologySpreadConstraints) > 0
}

// plain reports whether a stripped pod asks for resources, and for nodes by what
// they have for themselves, and for nothing else. Filters for such pods come
// before NodeResourcesFit or have nothing to say.
func (s *Simulation) plain(bare *outrank.Pod) bool {
	if s.related {
		return false
	}
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

// sharesAnswers reports whether pods that are alike get the same answer by these
// rules: none of the caller's own is asked.
func sharesAnswers(c preemption.Config) bool {
	c.Policy, c.Variant, c.Workers = preemption.Policy{}, 0, 0
	return reflect.ValueOf(c).IsZero()
}

// learn notes the answer to a pod of the class.
func (a *alike) learn(plan *preemption.Plan) {
	a.plan, a.state, a.seen = plan, a.s.state, a.s.changes.count()
	if a.refused = a.refuses(plan); a.refused {
		a.filters = filtersOf(plan)
		a.refused = len(a.filters) > 0
		a.stay = a.staying(plan)
	}
}

// refuses reports whether an attempt with this answer changes nothing: no plan, and
// no nomination to lose.
func (a *alike) refuses(plan *preemption.Plan) bool {
	switch plan.Outcome {
	case preemption.NotEligible:
		return true
	case preemption.NothingHelps:
		return !a.alone
	}
	return false
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

// planFor returns the answer to a pod of the class if it is known. To an observer
// it is only where it was given in the present state, since nodes are counted by
// reasons.
func (a *alike) planFor(p *pod) *preemption.Plan {
	if !a.refused || a.state != a.s.state && a.s.config.Observe != nil {
		return nil
	}
	if _, ok := a.Known(); !ok {
		return nil
	}
	plan := *a.plan
	plan.Pod = p.obj
	return &plan
}

// Known implements [queue.Class]. A change that concerns the class may be made up
// for by a later one before anybody asks, such as room that another pod takes.
func (a *alike) Known() ([]string, bool) {
	if !a.refused || a.s.changes.concern(a) {
		return nil, false
	}
	a.seen = a.s.changes.count()
	return a.filters, true
}

// Refuses implements [queue.Class].
func (a *alike) Refuses(obj *outrank.Pod) ([]string, bool) {
	plan, err := a.scheduler.eval.Preempt(context.Background(), a.s.snap, obj, a.s.Time())
	if err != nil {
		return nil, false
	}
	a.learn(plan)
	return a.filters, a.refused
}

// Refused implements [queue.Class].
func (a *alike) Refused(attempts int) { a.scheduler.refused += uint64(attempts) }
