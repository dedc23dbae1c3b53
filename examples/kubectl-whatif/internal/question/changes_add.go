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

// AddObjects adds objects of every kind except pods: classes, nodes, budgets, groups, namespaces, claims and
// quotas. A class, budget, namespace or claim that the cluster has already stays as it is; a class or a budget
// that differs from the cluster's is an error. A node, group or quota that the cluster has already is always an
// error.
type AddObjects struct {
	Of string
	// Objects holds the objects. Its pods are ignored.
	Objects *outrank.Cluster
	Quotas  []*quota.Quota
}

// AddPods creates the pods of a workload, up to the first that a quota forbids.
type AddPods struct {
	Of string
	Workload
}

// Workload is an object that makes pods.
type Workload struct {
	// Kind and Name identify the object, and Namespace is the namespace of its pods.
	Kind, Namespace, Name string
	// Pod is the pod as the API server would create it, without its name.
	Pod *outrank.Pod
	// Replicas is the number of pods. If PerNode is set, the workload instead makes one pod for each node that
	// the pod may go to, as a DaemonSet does.
	Replicas int
	PerNode  bool
	// Deadline and PrefersAcross are properties of the pod that a quota looks at; see quota.Pod.
	Deadline, PrefersAcross bool
	// Ordinal is the first number in the names of the pods, for a StatefulSet. Below 0 the numbers begin with 1.
	Ordinal int
}

// String names the workload as an owner, as Kind/Name.
func (w *Workload) String() string { return w.Kind + "/" + w.Name }

// String names the change.
func (c *AddObjects) String() string { return c.Of }

// String names the change.
func (c *AddPods) String() string { return c.Of }

// apply adds classes first, because groups get their priority from them.
func (c *AddObjects) apply(s *Scenario) error {
	for _, add := range []func(*Scenario) error{c.classes, c.nodes, c.budgets, c.groups, c.namespaces, c.claims, c.quotas} {
		if err := add(s); err != nil {
			return err
		}
	}
	return nil
}

// classes adds the classes that the cluster does not have. The API server lets nobody change the value or the
// policy of a class, so that a different class of a known name is an error.
func (c *AddObjects) classes(s *Scenario) error {
	var fresh []*outrank.PriorityClass
	for _, class := range c.Objects.Classes {
		i := slices.IndexFunc(s.cluster.Classes, func(known *outrank.PriorityClass) bool { return known.Name == class.Name })
		switch {
		case i < 0:
			fresh = append(fresh, class)
		case *s.cluster.Classes[i] != *class:
			return fmt.Errorf("%w, with another value or policy; nobody can change these: --set-class asks about a class that is deleted and made anew",
				alreadyThere(c, "priorityclass", class.Name))
		}
	}
	return s.putClasses(c, fresh)
}

// nodes adds the nodes.
func (c *AddObjects) nodes(s *Scenario) error {
	return (&AddNodes{Of: c.Of, Nodes: c.Objects.Nodes}).apply(s)
}

// budgets adds the budgets that the cluster does not have. Apply computes their status afterwards.
func (c *AddObjects) budgets(s *Scenario) error {
	for _, b := range c.Objects.Budgets {
		i := slices.IndexFunc(s.allowed, func(known *outrank.PodDisruptionBudget) bool { return known.Key() == b.Key() })
		if i >= 0 {
			if s.owner["budget "+string(b.Key())] == nil && sameBudget(s.allowed[i], b) {
				continue
			}
			// If another change has set the budget already, the error of claim explains that better.
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

// sameBudget reports whether two budgets demand the same. It ignores their status.
func sameBudget(a, b *outrank.PodDisruptionBudget) bool {
	return reflect.DeepEqual(a.Selector, b.Selector) && reflect.DeepEqual(a.MinAvailable, b.MinAvailable) &&
		reflect.DeepEqual(a.MaxUnavailable, b.MaxUnavailable) && a.UnhealthyPodEvictionPolicy == b.UnhealthyPodEvictionPolicy
}

// groups adds the groups, with the priority of their classes, as the API server does.
func (c *AddObjects) groups(s *Scenario) error {
	if len(c.Objects.Composites)+len(c.Objects.Groups) == 0 {
		return nil
	}

	// The classes include those that this change has added just before.
	table, err := priority.NewTable(s.cluster.Classes)
	if err != nil {
		return err
	}
	if err := c.composites(s, table); err != nil {
		return err
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

// composites adds the groups of groups, with the priority of their classes.
func (c *AddObjects) composites(s *Scenario, table *priority.Table) error {
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
	return nil
}

// namespaces adds the namespaces that the cluster does not have. An existing one is no error, because a chart
// that is installed with --create-namespace names its namespace in any case.
func (c *AddObjects) namespaces(s *Scenario) error {
	s.cluster.Namespaces = slices.Clone(s.cluster.Namespaces)
	for _, ns := range c.Objects.Namespaces {
		if slices.ContainsFunc(s.cluster.Namespaces, func(known *outrank.Namespace) bool { return known.Name == ns.Name }) {
			continue
		}
		if err := s.snap.PutNamespace(ns); err != nil {
			return err
		}
		s.cluster.Namespaces = append(s.cluster.Namespaces, ns)
	}
	return nil
}

// claims adds the claims that the cluster does not have. An existing claim keeps its volume.
func (c *AddObjects) claims(s *Scenario) error {
	s.cluster.Claims = slices.Clone(s.cluster.Claims)
	for _, vc := range c.Objects.Claims {
		if slices.ContainsFunc(s.cluster.Claims, func(known *outrank.VolumeClaim) bool { return known.Key() == vc.Key() }) {
			continue
		}
		s.cluster.Claims = append(s.cluster.Claims, vc)
	}
	return nil
}

// quotas adds the quotas, each with the amounts that the pods in the cluster use already.
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

		// The pods are listed once, and only if there is a quota.
		if pods == nil {
			for p := range s.snap.Pods() {
				pods = append(pods, quota.Pod{Pod: p})
			}
		}
		s.books.Put(q, pods)
	}
	return nil
}

// mostPods is the most pods that one change creates.
const mostPods = 200_000

// apply creates the pods. They wait at first, and the budgets that cover them demand more healthy pods.
func (c *AddPods) apply(s *Scenario) error {
	if err := c.check(s); err != nil {
		return err
	}
	pods, err := c.wanted(s)
	if err != nil {
		return err
	}

	s.workloads = append(s.workloads, &c.Workload)
	names := namer{scenario: s, workload: &c.Workload}
	for i, p := range pods {
		one := *p
		one.Name, one.UID = names.next(), ""

		// The pods are alike, so that a quota that forbids one forbids the following ones, too.
		f, err := s.books.Admit(quota.Pod{Pod: &one, Deadline: c.Deadline, PrefersAcross: c.PrefersAcross})
		if err != nil {
			return err
		}
		if f != nil {
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

// check refuses a workload without a pod, one with too many pods, and one that the cluster has already. It
// claims the workload for this change.
func (c *AddPods) check(s *Scenario) error {
	if c.Pod == nil {
		return fmt.Errorf("%w: %s: no pod", outrank.ErrInvalid, c)
	}
	if c.Replicas > mostPods {
		return fmt.Errorf("%w: %s: %d pods are more than the %d that can be asked about", outrank.ErrInvalid, c, c.Replicas, mostPods)
	}

	// A snapshot holds no workloads. An existing one shows in the owner of its pods.
	if err := s.claim(c, c.Kind, c.Namespace+"/"+c.Name); err != nil {
		return err
	}
	for p := range s.snap.Pods() {
		if p.Owner.Kind == c.Kind && p.Owner.Name == c.Name && p.NamespaceName() == c.Namespace {
			return fmt.Errorf("%w; pod %s is of it", alreadyThere(c, c.Kind, c.Namespace+"/"+c.Name), p.Key())
		}
	}
	return nil
}

// wanted lists the pods that the workload wants to create, before they are named.
func (c *AddPods) wanted(s *Scenario) ([]*outrank.Pod, error) {
	if !c.PerNode {
		return slices.Repeat([]*outrank.Pod{c.Pod}, max(0, c.Replicas)), nil
	}

	nodes, err := s.eligible(c.Pod)
	if err != nil {
		return nil, err
	}
	pods := make([]*outrank.Pod, 0, len(nodes))
	for _, node := range nodes {
		pods = append(pods, pinned(c.Pod, node))
	}
	return pods, nil
}

// namer names the pods of a workload: a Pod by its own name, other pods by the workload's name and a number. It
// skips names that are taken.
type namer struct {
	scenario *Scenario
	workload *Workload
	// made counts the names that were tried so far.
	made int
}

// next returns the next free name.
func (n *namer) next() string {
	w, snap := n.workload, n.scenario.snap
	namespace := w.Pod.Namespace
	for {
		name := w.Pod.Name
		if w.Kind != "Pod" || n.made > 0 {
			first := w.Ordinal
			if first < 0 {
				first = 1
			}
			name = w.Name + "-" + strconv.Itoa(first+n.made)
		}
		n.made++
		if _, taken := snap.Pod(outrank.NewKey(namespace, name)); !taken {
			return name
		}
	}
}

// eligible lists the nodes that a pod may go to by its selector, its affinity and its tolerations, whatever
// runs there. A DaemonSet makes its pods for these nodes.
func (s *Scenario) eligible(pod *outrank.Pod) ([]string, error) {
	// A pod without requests fits every node of a cluster without pods, unless one of those three rules keeps
	// it out.
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
