package backward

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/question"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
)

// Way is a way of sparing a pod.
type Way string

// The ways.
const (
	// ByBudget means that a disruption budget that covers the pod allows no disruption.
	ByBudget Way = "budget"
	// ByClass means that the pod has the lowest of the cluster's classes that spares it.
	ByClass Way = "class"
	// ByPriority means that the pod has the least priority that spares it, whatever the classes.
	ByPriority Way = "priority"
	// ByNode means that there is one more node like the pod's.
	ByNode Way = "node"
	// ByPolicy means that the preemptor has the preemption policy Never.
	ByPolicy Way = "policy"
)

// Trial is an attempt to spare the pod in one way.
type Trial struct {
	Way Way `json:"way"`
	// Spared is set if the pod stays. Impossible says why there was nothing to try. It is empty otherwise.
	Spared     bool   `json:"spared"`
	Impossible string `json:"impossible,omitempty"`
	// Budgets lists the pod's budgets, which allow no disruption in the trial. If it has none, Labels has the
	// labels that a new budget selects.
	Budgets []outrank.Key     `json:"budgets,omitempty"`
	Labels  map[string]string `json:"labels,omitempty"`
	// Class and Priority are the pod's in the trial: the lowest that spare it or, if none does, the highest
	// that were tried.
	Class    string `json:"class,omitempty"`
	Priority *int32 `json:"priority,omitempty"`
	// Like is the existing node that the new node resembles.
	Like string `json:"like,omitempty"`
	// Turn is the preemptor's turn in the trial: which pods leave instead, on which node, or that it waits.
	Turn *question.Turn `json:"turn,omitempty"`
}

// sparing tries ways of sparing a pod at the moment of the preemptor's turn.
type sparing struct {
	*Answer
	moment *question.Moment
	pod    *outrank.Pod
}

// spare tries every way, in the order of the constants.
func (a *Answer) spare(m *question.Moment, classes []*outrank.PriorityClass) error {
	pod, ok := m.Snapshot().Pod(a.Pod.Key)
	if !ok {
		return fmt.Errorf("pod %s: %w", a.Pod.Key, preemption.ErrNotFound)
	}

	s := &sparing{a, m, pod}
	for _, try := range []func() (Trial, error){
		s.budget, func() (Trial, error) { return s.class(classes) }, s.priority, s.node, s.policy,
	} {
		t, err := try()
		if err != nil {
			return err
		}
		a.Trials = append(a.Trials, t)
	}
	return nil
}

// try plays the preemptor's turn after a change, and records whether the pod stays.
func (s *sparing) try(t *Trial, change func(*engine.Snapshot) error) error {
	turn, err := s.moment.With(change)
	if err != nil {
		return err
	}
	t.Turn, t.Spared = &turn, !s.leaves(&turn)
	return nil
}

// budget tries budgets that allow nothing: those that cover the pod or, without any, a new one.
func (s *sparing) budget() (Trial, error) {
	t := Trial{Way: ByBudget}

	// A budget that allows no disruption in the cluster has not spared the pod.
	var put []*outrank.PodDisruptionBudget
	covering := s.moment.Covering(s.pod)
	for _, b := range covering {
		if t.Budgets = append(t.Budgets, b.Key()); b.DisruptionsAllowed > 0 {
			strict := *b
			strict.DisruptionsAllowed = 0
			put = append(put, &strict)
		}
	}

	switch {
	case len(covering) > 0 && len(put) == 0:
		t.Impossible = "allows no disruption as it is"
		return t, nil
	case len(covering) == 0:
		if t.Labels = ownLabels(s.pod); len(t.Labels) == 0 {
			t.Impossible = "the pod has no label that a budget could select it by"
			return t, nil
		}

		// The new budget also selects similar pods, as a budget that somebody writes would.
		put = append(put, s.newBudget(t.Labels))
	}

	return t, s.try(&t, func(snap *engine.Snapshot) error {
		for _, b := range put {
			if err := snap.PutBudget(b); err != nil {
				return err
			}
		}
		return nil
	})
}

// newBudget returns a budget with a free name that selects some labels and allows no disruption.
func (s *sparing) newBudget(labels map[string]string) *outrank.PodDisruptionBudget {
	b := &outrank.PodDisruptionBudget{Namespace: s.pod.NamespaceName(), Name: "spares-" + s.pod.Name, Selector: &outrank.LabelSelector{MatchLabels: labels}}
	for slices.ContainsFunc(slices.Collect(s.moment.Snapshot().Budgets()), func(known *outrank.PodDisruptionBudget) bool { return known.Key() == b.Key() }) {
		b.Name += "-x"
	}
	return b
}

// ownLabels returns the labels that somebody chose for a pod, without those that its controller adds to tell
// its pods apart. If there are no others, it returns all.
func ownLabels(p *outrank.Pod) map[string]string {
	out := maps.Clone(p.Labels)
	maps.DeleteFunc(out, func(key, _ string) bool {
		switch key {
		case "pod-template-hash", "controller-revision-hash", "pod-template-generation", "controller-uid", "batch.kubernetes.io/controller-uid",
			"statefulset.kubernetes.io/pod-name", "apps.kubernetes.io/pod-index", "batch.kubernetes.io/job-completion-index":
			return true
		}
		return false
	})
	if len(out) == 0 {
		return p.Labels
	}
	return out
}

// mostClasses is the most classes that are tried.
const mostClasses = 50

// class tries the classes of the cluster above the pod's priority, the lowest first, until one spares the pod.
// The system's classes are tried only for pods of the system.
func (s *sparing) class(classes []*outrank.PriorityClass) (Trial, error) {
	above := slices.DeleteFunc(slices.Clone(classes), func(c *outrank.PriorityClass) bool {
		return c.Value <= s.pod.PriorityValue() || strings.HasPrefix(c.Name, "system-") && s.pod.Namespace != "kube-system"
	})
	slices.SortFunc(above, func(a, b *outrank.PriorityClass) int {
		return cmp.Or(cmp.Compare(a.Value, b.Value), cmp.Compare(a.Name, b.Name))
	})

	// Classes with the same value have the same effect, so that only one of them is tried.
	above = slices.CompactFunc(above, func(a, b *outrank.PriorityClass) bool { return a.Value == b.Value })
	if len(above) == 0 {
		return Trial{Way: ByClass, Impossible: "the dump has no class above the pod's priority"}, nil
	}

	var t Trial
	for _, c := range above[:min(len(above), mostClasses)] {
		t = Trial{Way: ByClass, Class: c.Name, Priority: outrank.Priority(c.Value)}
		if err := s.try(&t, s.prioritized(c.Value, c.Name)); err != nil || t.Spared {
			return t, err
		}
	}
	return t, nil
}

// prioritized returns a change that gives the pod another priority and class.
func (s *sparing) prioritized(value int32, class string) func(*engine.Snapshot) error {
	return func(snap *engine.Snapshot) error {
		p := *s.pod
		p.Priority, p.PriorityClassName = outrank.Priority(value), class
		p.NodeName = snap.NodeOf(p.Key())
		_, err := snap.PutPod(&p)
		return err
	}
}

// priority searches, up to the preemptor's priority, for a priority that spares the pod while one less does
// not.
func (s *sparing) priority() (Trial, error) {
	// The pod has left for a pod whose priority is not above its own. So it counted with the lower priority of
	// its group, which no priority of the pod itself changes.
	if s.By.Priority <= s.pod.PriorityValue() {
		return Trial{Way: ByPriority, Impossible: "the pod counts with the priority of its group"}, nil
	}

	try := func(value int32) (Trial, error) {
		t := Trial{Way: ByPriority, Priority: outrank.Priority(value)}
		return t, s.try(&t, s.prioritized(value, ""))
	}
	least, err := try(s.By.Priority)
	if err != nil || !least.Spared {
		return least, err
	}

	// The pod's own priority is not enough, because the pod leaves with it.
	enough := int64(s.By.Priority)
	for not := int64(s.pod.PriorityValue()); enough-not > 1; {
		between := not + (enough-not)/2
		t, err := try(int32(between))
		if err != nil {
			return t, err
		}
		if t.Spared {
			least, enough = t, between
		} else {
			not = between
		}
	}
	return least, nil
}

// node tries one more node like the pod's.
func (s *sparing) node() (Trial, error) {
	t := Trial{Way: ByNode, Like: s.Pod.Node}
	n, err := s.moment.NodeLike(t.Like)
	if errors.Is(err, preemption.ErrNotFound) {
		t.Impossible = "its node is gone by then"
		return t, nil
	}
	if err != nil {
		return t, err
	}
	return t, s.try(&t, func(snap *engine.Snapshot) error { return snap.PutNode(n) })
}

// policy tries a preemptor that may push nobody out and waits for room instead. All pods of a group get that
// policy.
func (s *sparing) policy() (Trial, error) {
	t := Trial{Way: ByPolicy}
	pods, err := s.moment.Pods()
	if err != nil {
		return t, err
	}
	return t, s.try(&t, func(snap *engine.Snapshot) error {
		for _, p := range pods {
			// A pod that waits for its resize stays on its node.
			polite := *p
			polite.PreemptionPolicy = outrank.PreemptNever
			polite.NodeName, polite.NominatedNodeName = cmp.Or(snap.NodeOf(p.Key()), p.NodeName), snap.NominationOf(p.Key())
			if _, err := snap.PutPod(&polite); err != nil {
				return err
			}
		}
		return nil
	})
}
