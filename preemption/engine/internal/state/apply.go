package state

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/prose"
	"github.com/outrank-go/outrank/preemption"
)

// Apply is engine.Snapshot.Apply.
func (s *Snapshot) Apply(d preemption.Decision) error {
	plan, group, err := PlanOf(d)
	if err != nil {
		return err
	}

	c := changeOfPlan(plan)
	if group != nil {
		c = changeOfGroup(group)
	}
	if c == nil {
		return fmt.Errorf("plan: %w: there is nothing to carry out", preemption.ErrState)
	}
	return s.carryOut(c)
}

// PlanOf returns the decision as a plan for a pod or as a plan for a group; the other result is nil. A value
// of any other type is an error, even if it embeds a plan and so has its methods.
func PlanOf(d preemption.Decision) (*preemption.Plan, *preemption.GroupPlan, error) {
	switch d := d.(type) {
	case *preemption.Plan:
		if d != nil {
			return d, nil, nil
		}
	case *preemption.GroupPlan:
		if d != nil {
			return nil, d, nil
		}
	case nil:
	default:
		return nil, nil, fmt.Errorf("%w: a %T is no plan; give what it embeds", outrank.ErrInvalid, d)
	}

	// A nil pointer to a plan is treated like nil itself.
	return nil, nil, fmt.Errorf("%w: no plan", outrank.ErrInvalid)
}

// changeOfPlan returns the change that a plan makes to the cluster, nil if it makes none.
func changeOfPlan(plan *preemption.Plan) *change {
	if plan == nil {
		return nil
	}
	c := change{plan: "plan for pod " + prose.Pod(plan.Pod), stays: plan.Resize}
	switch plan.Outcome {
	case preemption.Fits:
		c.placed = []preemption.Assignment{{Pod: plan.Pod, Node: plan.FirstFit}}

	case preemption.Preempts:
		c.placed = []preemption.Assignment{{Pod: plan.Pod, Node: plan.Node}}
		c.cleared = plan.ClearedNominations
		// A victim names its node only if that is not the node of the plan.
		for i := range plan.Victims {
			v := &plan.Victims[i]
			c.victims = append(c.victims, preemption.Assignment{Pod: v.Pod, Node: cmp.Or(v.Node, plan.Node)})
		}

	default:
		return nil
	}
	return &c
}

// changeOfGroup is changeOfPlan for the plan of a group. Its victims leave wherever they run by now.
func changeOfGroup(plan *preemption.GroupPlan) *change {
	if plan.Outcome != preemption.Fits && plan.Outcome != preemption.Preempts {
		return nil
	}

	c := change{plan: "plan for a group", placed: plan.Placement}
	for i := range plan.Victims {
		c.victims = append(c.victims, preemption.Assignment{Pod: plan.Victims[i].Pod})
	}
	return &c
}

// change has the effects of a plan on the cluster.
type change struct {
	// plan names the plan in error texts.
	plan string
	// victims has the pods that leave, each with the node that it must run on. An empty node stands for any.
	victims []preemption.Assignment
	// cleared has the pods that lose their nomination, if it is still to a node of placed.
	cleared []*outrank.Pod
	// placed has the preemptors, each with the node that it is nominated to.
	placed []preemption.Assignment
	// stays is set if the pods of placed already run on their nodes, and stay as they are.
	stays bool
}

// carryOut makes the change, or says why that is not possible. It checks everything before the
// first step, so that an error leaves the snapshot as it was.
func (s *Snapshot) carryOut(c *change) error {
	if err := s.checkChange(c); err != nil {
		return err
	}

	// A victim that the plan names twice is no longer known the second time.
	for _, v := range c.victims {
		if p, ok := s.Known(v.Pod); ok {
			s.Drop(p)
		}
	}

	// Since the plan was made, a pod may have started or been nominated elsewhere. It keeps what it got.
	used := map[string]bool{}
	for _, at := range c.placed {
		used[at.Node] = true
	}
	for _, pod := range c.cleared {
		if p, ok := s.Known(pod); ok && !p.Running && used[p.Nominated()] {
			s.replace(p, s.Moved(p, "", ""))
		}
	}

	// If the snapshot knows a newer version of a preemptor than the plan, the newer one is nominated.
	for _, at := range c.placed {
		pod := at.Pod
		if p, ok := s.Known(pod); ok && older(pod, p.Pod) {
			pod = p.Pod
		}
		if !c.stays {
			s.Seat(pod, "", at.Node)
		}
	}
	return nil
}

// checkChange reports what keeps a change from being made: the first problem of the preemptors,
// then of the victims, then of the cleared nominations.
func (s *Snapshot) checkChange(c *change) error {
	// Everything that is placed is checked first: errors about the plan come before those about its victims.
	for _, at := range c.placed {
		if at.Pod == nil {
			return fmt.Errorf("%s: %w: no preemptor", c.plan, outrank.ErrInvalid)
		}
		if err := s.checkPlaced(at, c.stays); err != nil {
			return err
		}
		if _, ok := s.Node(at.Node); !ok {
			return fmt.Errorf("%s: %w", prose.Object("node", at.Node), preemption.ErrNotFound)
		}
	}

	for i, v := range c.victims {
		if v.Pod == nil {
			return fmt.Errorf("%s: %w: victim %d is missing", c.plan, outrank.ErrInvalid, i)
		}
		if err := s.checkVictim(v); err != nil {
			return err
		}
	}

	for i, p := range c.cleared {
		if p == nil {
			return fmt.Errorf("%s: %w: cleared nomination %d is missing", c.plan, outrank.ErrInvalid, i)
		}
	}
	return nil
}

// checkPlaced is CheckPreemptor, except that with stays the pod may already run on its node.
func (s *Snapshot) checkPlaced(at preemption.Assignment, stays bool) error {
	err := s.CheckPreemptor(at.Pod)
	if stays && errors.Is(err, preemption.ErrState) {
		if p, ok := s.Known(at.Pod); ok && p.Node() == at.Node {
			return nil
		}
	}
	return err
}

// checkVictim reports a victim that does not run where the plan says, or whose priority has become
// higher than in the plan. A node that is not there counts as one that no pod runs on.
func (s *Snapshot) checkVictim(v preemption.Assignment) error {
	p, ok := s.PodStates.Of(v.Pod)
	if ok && !SamePod(p.Pod, v.Pod) {
		return fmt.Errorf("pod %s: %w: another pod has its name", v.Pod.Key(), preemption.ErrNotFound)
	}
	// A pod can name a node that the snapshot does not have. Such a pod runs nowhere.
	there := false
	if ok && p.Running {
		_, there = s.Node(p.Node())
	}

	switch {
	case !there || v.Node != "" && v.Node != p.Node():
		return fmt.Errorf("pod %s on node %s: %w", v.Pod.Key(), cmp.Or(v.Node, "of the snapshot"), preemption.ErrNotFound)
	case p.Priority() > v.Pod.PriorityValue():
		return fmt.Errorf("pod %s: %w: its priority is %d, and was %d in the plan", v.Pod.Key(), preemption.ErrState, p.Priority(), v.Pod.PriorityValue())
	}
	return nil
}

// Seat puts a pod on node or, if that is empty, nominates it to nominated. It replaces the state that the
// snapshot may have of the pod.
func (s *Snapshot) Seat(pod *outrank.Pod, node, nominated string) {
	if p, ok := s.PodStates.Of(pod); ok {
		s.Drop(p)
	}
	s.Put(s.NewPodState(pod, node, nominated, s.ClassOf(pod)))
}

// checkSelectors refuses a preemptor with a selector that the scheduler cannot
// read. On a pod that the snapshot holds, such a selector matches nothing.
func checkSelectors(pod *outrank.Pod) error {
	if err := checkTerms(pod); err != nil {
		return err
	}
	for i := range pod.TopologySpreadConstraints {
		c := &pod.TopologySpreadConstraints[i]
		if err := c.LabelSelector.Validate(); err != nil && c.WhenUnsatisfiable != outrank.ScheduleAnyway {
			return fmt.Errorf("pod %s: spec.topologySpreadConstraints[%d].labelSelector: %w: %w", pod.Key(), i, outrank.ErrInvalid, err)
		}
	}
	return nil
}

// checkTerms is checkSelectors for the terms of affinity between pods.
func checkTerms(pod *outrank.Pod) error {
	for _, terms := range [...][]outrank.PodAffinityTerm{pod.Affinity.PodAffinity, pod.Affinity.PodAntiAffinity} {
		for i := range terms {
			if err := errors.Join(terms[i].LabelSelector.Validate(), terms[i].NamespaceSelector.Validate()); err != nil {
				return fmt.Errorf("pod %s: pod affinity term %d: %w: %w", pod.Key(), i, outrank.ErrInvalid, err)
			}
		}
	}
	return nil
}

// CheckPreemptor returns an error if nobody can ask about the pod: it is invalid, has a selector that the
// scheduler cannot read, already runs, or has the name of another pod.
func (s *Snapshot) CheckPreemptor(pod *outrank.Pod) error {
	if err := pod.Validate(); err != nil {
		return err
	}
	if err := checkSelectors(pod); err != nil {
		return err
	}
	return s.CheckWaits(pod)
}

// CheckWaits returns an error for a pod that already runs, or whose name another pod has.
func (s *Snapshot) CheckWaits(pod *outrank.Pod) error {
	p, ok := s.PodStates.Of(pod)
	switch {
	case ok && !SamePod(p.Pod, pod):
		return fmt.Errorf("pod %s: %w: another pod has its name", pod.Key(), preemption.ErrState)
	case ok && p.Running:
		return fmt.Errorf("pod %s: %w: it runs on node %s", pod.Key(), preemption.ErrState, p.Node())
	}
	return nil
}
