package question

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/quotas"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/planner/quota"
	"github.com/outrank-go/outrank/priority"
)

// AddObjects adds everything but pods: nodes, classes, budgets, namespaces and groups. An
// object that the cluster has already is no change where it says the same.
type AddObjects struct {
	Of string
	// Objects has them; its pods are not looked at.
	Objects *outrank.Cluster
	Quotas  []*quota.Quota
}

// AddPods creates the pods of a workload, as far as quotas let it.
type AddPods struct {
	Of string
	Workload
}

// Workload makes pods.
type Workload struct {
	// Kind and Name are those of the object, and Namespace is that of its pods.
	Kind, Namespace, Name string
	// Pod is the pod as the API server would create it, but for its name.
	Pod *outrank.Pod
	// Replicas counts its pods. A workload that is PerNode makes one for each node that it
	// may go to instead, as a DaemonSet does.
	Replicas int
	PerNode  bool
	// Deadline and PrefersAcross are what a quota looks at beside the pod; see quota.Pod.
	Deadline, PrefersAcross bool
	// Ordinal is the first number in the names of pods that are counted, as a StatefulSet
	// does; below 0 names are made up.
	Ordinal int
}

// String names the workload as an owner.
func (w *Workload) String() string { return w.Kind + "/" + w.Name }

// String names the change.
func (c *AddObjects) String() string { return c.Of }

// String names the change.
func (c *AddPods) String() string { return c.Of }

func (c *AddObjects) apply(s *Scenario) error {
	for _, add := range []func(*Scenario) error{c.classes, c.nodes, c.budgets, c.groups, c.namespaces, c.claims, c.quotas} {
		if err := add(s); err != nil {
			return err
		}
	}
	return nil
}

func (c *AddObjects) classes(s *Scenario) error {
	var fresh []*outrank.PriorityClass
	for _, class := range c.Objects.Classes {
		at := slices.IndexFunc(s.cluster.Classes, func(known *outrank.PriorityClass) bool { return known.Name == class.Name })
		switch {
		case at < 0:
			fresh = append(fresh, class)
		case *s.cluster.Classes[at] != *class:
			return fmt.Errorf("%w, with another value or policy; nobody can change these: --set-class asks about a class that is deleted and made anew",
				alreadyThere(c, "priorityclass", class.Name))
		}
	}
	return s.putClasses(c, fresh)
}

func (c *AddObjects) nodes(s *Scenario) error {
	return (&AddNodes{Of: c.Of, Nodes: c.Objects.Nodes}).apply(s)
}

func (c *AddObjects) budgets(s *Scenario) error {
	for _, b := range c.Objects.Budgets {
		at := slices.IndexFunc(s.allowed, func(known *outrank.PodDisruptionBudget) bool { return known.Key() == b.Key() })
		if at >= 0 {
			if s.owner["budget "+string(b.Key())] == nil && sameBudget(s.allowed[at], b) {
				continue
			}
			if err := s.claim(c, "budget", string(b.Key())); err != nil {
				return err
			}
			return alreadyThere(c, "budget", string(b.Key()))
		}
		if err := s.claim(c, "budget", string(b.Key())); err != nil {
			return err
		}
		if err := s.snap.PutBudget(b); err != nil {
			return err
		}
		s.rereadBudgets()
		s.unmeasured[b.Key()] = b
	}
	return nil
}

// sameBudget compares what is asked for, whatever the status.
func sameBudget(a, b *outrank.PodDisruptionBudget) bool {
	return reflect.DeepEqual(a.Selector, b.Selector) && reflect.DeepEqual(a.MinAvailable, b.MinAvailable) &&
		reflect.DeepEqual(a.MaxUnavailable, b.MaxUnavailable) && a.UnhealthyPodEvictionPolicy == b.UnhealthyPodEvictionPolicy
}

// groups gives the groups the priority of their classes, as the API server does.
func (c *AddObjects) groups(s *Scenario) error {
	if len(c.Objects.Composites)+len(c.Objects.Groups) == 0 {
		return nil
	}
	table, err := priority.NewTable(s.cluster.Classes)
	if err != nil {
		return err
	}
	for _, g := range c.Objects.Composites {
		if err := s.claim(c, "compositepodgroup", string(g.Key())); err != nil {
			return err
		}
		if _, known := s.snap.Composite(g.Key()); known {
			return alreadyThere(c, "compositepodgroup", string(g.Key()))
		}
		r, err := table.ResolveComposite(s.snap.Release(), g)
		if err != nil {
			return err
		}
		created := r.ApplyToComposite(*g)
		if err := s.snap.PutComposite(&created); err != nil {
			return err
		}
	}
	for _, g := range c.Objects.Groups {
		if err := s.claim(c, "podgroup", string(g.Key())); err != nil {
			return err
		}
		if _, known := s.snap.Group(g.Key()); known {
			return alreadyThere(c, "podgroup", string(g.Key()))
		}
		r, err := table.ResolveGroup(s.snap.Release(), g)
		if err != nil {
			return err
		}
		created := r.ApplyToGroup(*g)
		if err := s.snap.PutGroup(&created); err != nil {
			return err
		}
	}
	return nil
}

func (c *AddObjects) namespaces(s *Scenario) error {
	s.cluster.Namespaces = slices.Clone(s.cluster.Namespaces)
	for _, ns := range c.Objects.Namespaces {
		if slices.ContainsFunc(s.cluster.Namespaces, func(known *outrank.Namespace) bool { return known.Name == ns.Name }) {
			continue // a chart that says --create-namespace names one that may be there
		}
		if err := s.snap.PutNamespace(ns); err != nil {
			return err
		}
		s.cluster.Namespaces = append(s.cluster.Namespaces, ns)
	}
	return nil
}

func (c *AddObjects) claims(s *Scenario) error {
	s.cluster.Claims = slices.Clone(s.cluster.Claims)
	for _, vc := range c.Objects.Claims {
		if slices.ContainsFunc(s.cluster.Claims, func(known *outrank.VolumeClaim) bool { return known.Key() == vc.Key() }) {
			continue // it keeps the volume that it has
		}
		s.cluster.Claims = append(s.cluster.Claims, vc)
	}
	return nil
}

func (c *AddObjects) quotas(s *Scenario) error {
	var pods []quota.Pod
	for _, q := range c.Quotas {
		name := string(outrank.NewKey(q.Namespace, q.Name))
		if err := s.claim(c, "resourcequota", name); err != nil {
			return err
		}
		if s.books.Has(q) {
			return alreadyThere(c, "resourcequota", name)
		}
		if pods == nil {
			for p := range s.snap.Pods() {
				pods = append(pods, quota.Pod{Pod: p})
			}
		}
		s.books.Put(q, pods)
	}
	return nil
}

// mostPods bounds the pods of one change.
const mostPods = 200_000

func (c *AddPods) apply(s *Scenario) error {
	if c.Pod == nil {
		return fmt.Errorf("%w: %s: no pod", outrank.ErrInvalid, c)
	}
	if c.Replicas > mostPods {
		return fmt.Errorf("%w: %s: %d pods are more than the %d that can be asked about", outrank.ErrInvalid, c, c.Replicas, mostPods)
	}
	if err := s.claim(c, c.Kind, c.Namespace+"/"+c.Name); err != nil {
		return err
	}
	for p := range s.snap.Pods() {
		if p.Owner.Kind == c.Kind && p.Owner.Name == c.Name && p.NamespaceName() == c.Namespace {
			return fmt.Errorf("%w; pod %s is of it", alreadyThere(c, c.Kind, c.Namespace+"/"+c.Name), p.Key())
		}
	}
	pods := make([]*outrank.Pod, 0, c.Replicas)
	if c.PerNode {
		nodes, err := s.eligible(c.Pod)
		if err != nil {
			return err
		}
		for _, node := range nodes {
			pods = append(pods, pinned(c.Pod, node))
		}
	} else {
		for range c.Replicas {
			pods = append(pods, c.Pod)
		}
	}
	s.workloads = append(s.workloads, &c.Workload)
	names := namer{scenario: s, workload: &c.Workload}
	for i, p := range pods {
		one := *p
		one.Name, one.UID = names.next(), ""
		f, err := s.books.Admit(quota.Pod{Pod: &one, Deadline: c.Deadline, PrefersAcross: c.PrefersAcross})
		if err != nil {
			return err
		}
		if f != nil { // and the same holds for those behind it
			f.Workload, f.Pods = c.Workload.String(), len(pods)-i
			s.forbidden = quotas.Add(s.forbidden, *f)
			pods = pods[:i]
			break
		}
		if _, err := s.snap.PutPod(&one); err != nil {
			return err
		}
		s.moved[one.Key()] = motion{origin: New, workload: len(s.workloads)}
		pods[i] = &one
	}
	return s.expectMore(pods)
}

// namer names the pods of a workload: a Pod by its own name, replicas of a StatefulSet by their
// numbers, others by numbers that are free.
type namer struct {
	scenario *Scenario
	workload *Workload
	made     int
}

func (n *namer) next() string {
	for {
		name := n.workload.Pod.Name
		if n.workload.Kind != "Pod" || n.made > 0 {
			first := n.workload.Ordinal
			if first < 0 {
				first = 1
			}
			name = n.workload.Name + "-" + strconv.Itoa(first+n.made)
		}
		n.made++
		if _, taken := n.scenario.snap.Pod(outrank.NewKey(n.workload.Pod.Namespace, name)); !taken {
			return name
		}
	}
}

// eligible are the nodes that a pod may go to by its selector, its affinity and its
// tolerations, whatever runs there: those that a DaemonSet makes pods for.
func (s *Scenario) eligible(pod *outrank.Pod) ([]string, error) {
	var empty outrank.Cluster
	empty.Release = s.snap.Release()
	for n := range s.snap.Nodes() {
		empty.Nodes = append(empty.Nodes, n)
	}
	snap, err := engine.NewSnapshot(&empty)
	if err != nil {
		return nil, err
	}
	eval, err := engine.New(preemption.Config{})
	if err != nil {
		return nil, err
	}
	probe := &outrank.Pod{Namespace: pod.Namespace, Name: "probe", NodeSelector: pod.NodeSelector, Tolerations: pod.Tolerations,
		Affinity: outrank.Affinity{NodeAffinity: pod.Affinity.NodeAffinity}}
	nodes, err := eval.Feasible(s.ctx, snap, probe)
	if err != nil {
		return nil, err
	}
	out := make([]string, len(nodes))
	for i, n := range nodes {
		out[i] = n.Name
	}
	return out, nil
}
