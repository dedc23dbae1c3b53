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

// PlanOf returns the plan that a decision is, for a pod or for a group. What embeds a plan is a
// decision for Go, too, and an error here.
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
	return nil, nil, fmt.Errorf("%w: no plan", outrank.ErrInvalid)
}

// changeOfPlan returns what a plan does to the cluster, nil for nothing.
func changeOfPlan(plan *preemption.Plan) *change {
	if plan == nil {
		return nil
	}
	c := change{plan: "plan for pod " + prose.Pod(plan.Pod), stays: plan.Resize}
	switch plan.Outcome {
	case preemption.Fits:
		c.placed = []preemption.Assignment{{Pod: plan.Pod, Node: plan.FirstFit}}
	case preemption.Preempts:
		c.placed, c.cleared = []preemption.Assignment{{Pod: plan.Pod, Node: plan.Node}}, plan.ClearedNominations
		for i := range plan.Victims {
			v := &plan.Victims[i]
			c.victims = append(c.victims, preemption.Assignment{Pod: v.Pod, Node: cmp.Or(v.Node, plan.Node)})
		}
	default:
		return nil
	}
	return &c
}

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

// change is what a plan does to the cluster.
type change struct {
	plan string // whose, for errors
	// victims leave, each from its node; an empty one stands for any.
	victims []preemption.Assignment
	// cleared lose their nomination to a node of placed.
	cleared []*outrank.Pod
	// placed are nominated to their nodes, or, where stays is set, there already.
	placed []preemption.Assignment
	stays  bool
}

// carryOut makes the change, or says why that is not possible.
func (s *Snapshot) carryOut(c *change) error {
	if err := s.checkChange(c); err != nil {
		return err
	}
	for _, v := range c.victims {
		if p, ok := s.Known(v.Pod); ok { // not one that has left already
			s.Drop(p)
		}
	}
	used := map[string]bool{}
	for _, at := range c.placed {
		used[at.Node] = true
	}
	for _, pod := range c.cleared {
		if p, ok := s.Known(pod); ok && !p.Running && used[p.Nominated()] {
			s.replace(p, s.Moved(p, "", ""))
		}
	}
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

func (s *Snapshot) checkChange(c *change) error {
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

// checkPlaced is CheckPreemptor for a pod that may be on its node already.
func (s *Snapshot) checkPlaced(at preemption.Assignment, stays bool) error {
	err := s.CheckPreemptor(at.Pod)
	if stays && errors.Is(err, preemption.ErrState) {
		if p, ok := s.Known(at.Pod); ok && p.Node() == at.Node {
			return nil
		}
	}
	return err
}

// checkVictim reports a victim that does not run where it should, or has become more
// important.
func (s *Snapshot) checkVictim(v preemption.Assignment) error {
	p, ok := s.PodStates.Of(v.Pod)
	if ok && !SamePod(p.Pod, v.Pod) {
		return fmt.Errorf("pod %s: %w: another pod has its name", v.Pod.Key(), preemption.ErrNotFound)
	}
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

// Seat puts a pod on a node or nominates it to one. The snapshot may know the
// pod already.
func (s *Snapshot) Seat(pod *outrank.Pod, node, nominated string) {
	if p, ok := s.PodStates.Of(pod); ok {
		s.Drop(p)
	}
	s.Put(s.NewPodState(pod, node, nominated, s.ClassOf(pod)))
}

// checkSelectors refuses a preemptor with a selector that the scheduler cannot
// read. On a pod that is there such a selector matches nothing.
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

// CheckPreemptor reports what keeps a pod from being placed at all.
func (s *Snapshot) CheckPreemptor(pod *outrank.Pod) error {
	if err := pod.Validate(); err != nil {
		return err
	}
	if err := checkSelectors(pod); err != nil {
		return err
	}
	return s.CheckWaits(pod)
}

// CheckWaits reports a pod that runs, or whose name another pod has.
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
