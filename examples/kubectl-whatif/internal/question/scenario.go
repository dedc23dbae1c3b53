package question

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/quotas"
	"github.com/outrank-go/outrank/pdb"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/planner/quota"
	"github.com/outrank-go/outrank/priority"
)

// ErrContradiction is wrapped by errors about a change that contradicts another change or the cluster.
var ErrContradiction = errors.New("the changes contradict each other")

// Change is one change of a cluster.
type Change interface {
	// String names the change in headings and errors.
	String() string
	apply(s *Scenario) error
}

// Scenario is a cluster with changes, made one after the other. Pods that lose their place are recreated by
// their controllers and wait, as new pods do; no scheduler has had a turn. Every question can be asked about
// [Scenario.Setting], which has the changed cluster.
//
// The setting that the scenario was made from does not change. A Scenario must not be used by two goroutines
// at once.
type Scenario struct {
	// before is the setting that the scenario was made from.
	before *Setting
	*scene
	// cluster holds the objects that the snapshot does not keep, such as classes and claims. Its nodes and pods
	// are empty.
	cluster *outrank.Cluster
	// owner maps an object, by kind and name, to the change that has set it.
	owner map[string]Change
	// moved says why a pod waits. A pod without an entry would wait even without the changes.
	moved map[outrank.Key]motion
	// unmeasured holds the new budgets. Their status is computed from the pods after each change.
	unmeasured map[outrank.Key]*outrank.PodDisruptionBudget
	// gone lists the nodes that changes removed, and added the nodes that they added.
	gone, added []string
	// tied, lost and leaving list the pods that have left their node and are not recreated: because they belong
	// to their node, have no controller, or were replaced when they began to leave.
	tied, lost, leaving []Pod
	// resizes lists the resizes of all changes with their outcomes so far.
	resizes []pendingResize
	// forbidden counts the pods that quotas kept from being created.
	forbidden []quotas.Forbidden
	// workloads lists the objects that make the new pods.
	workloads []*Workload
	// drains has an entry for each change that removes nodes.
	drains []drainage
	// reclassed lists the priority classes that changes have set.
	reclassed []*outrank.PriorityClass
}

// drainage is a change that removes nodes. Its drain is played from before, the scenario just before that
// change.
type drainage struct {
	before *Scenario
	nodes  []string
}

// motion says why a pod waits.
type motion struct {
	origin Origin
	// from is the node that the pod was on. It is empty if there was none.
	from string
	// workload is the number, counted from 1, of the workload that makes the pod. It is 0 if none does.
	workload int
	// pushedOutBy is the pod for which this one had to leave. It is empty if there was none.
	pushedOutBy outrank.Key
	// aside is set for a pod that would wait even without the changes, and for the pods that it pushes out.
	aside bool
}

// Origin says why a pod takes a turn.
type Origin string

// The origins.
const (
	// FromNode means that the pod's node is removed.
	FromNode Origin = "node-gone"
	// Deleted means that a change deletes the pod.
	Deleted Origin = "deleted"
	// New means that a change creates the pod.
	New Origin = "new"
	// Ending means that the pod was being deleted already.
	Ending Origin = "ending"
	// Waiting means that the pod was waiting already.
	Waiting Origin = "waiting"
	// PushedOut means that another pod pushes the pod out.
	PushedOut Origin = "pushed-out"
	// Resizing means that a change resizes the pod on its node, which has no room for that yet.
	Resizing Origin = "resized"
)

// NewScenario makes changes to the cluster of a setting. Errors are those of the setting and of [Scenario.Apply].
func NewScenario(ctx context.Context, set Setting, changes ...Change) (*Scenario, error) {
	if err := set.check(); err != nil {
		return nil, err
	}

	// From here on only the snapshot has the nodes and pods, so that nothing can read stale ones.
	cluster := *set.Cluster
	cluster.Nodes, cluster.Pods = nil, nil

	s := &Scenario{
		before: &set, scene: set.scene(ctx), cluster: &cluster,
		owner: map[string]Change{}, moved: map[outrank.Key]motion{}, unmeasured: map[outrank.Key]*outrank.PodDisruptionBudget{},
	}
	for _, c := range changes {
		if err := s.Apply(c); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// Apply makes one more change. An error wraps [ErrContradiction] and names both sides if another change or the
// cluster rules the change out. It wraps [outrank.ErrInvalid] for an invalid object, and
// [preemption.ErrNotFound] for a missing one. The scenario must not be used after an error.
func (s *Scenario) Apply(c Change) error {
	if err := c.apply(s); err != nil {
		return err
	}

	// The change may have made room for a deferred resize. Budgets come last, because they count the pods as
	// they are in the end.
	if err := s.retryResizes(); err != nil {
		return err
	}
	return s.measureBudgets()
}

// Snapshot returns the present state of the scenario. The caller must not change it, and must not read it after
// the next change.
func (s *Scenario) Snapshot() *engine.Snapshot { return s.snap }

// Stage returns the cluster before the changes, together with the nodes that they add. Every move can be drawn
// on it.
func (s *Scenario) Stage() (*engine.Snapshot, error) {
	before := s.before
	stage := before.Snapshot.Clone()
	for _, name := range s.added {
		if n, ok := s.snap.Node(name); ok {
			if err := stage.PutNode(n); err != nil {
				return nil, err
			}
		}
	}
	return stage, nil
}

// Watch makes the scenario, and its settings from then on, report their progress to show. With nil they report
// nothing.
func (s *Scenario) Watch(show func(done, total int)) {
	set := *s.set
	set.Progress = show
	s.set = &set
}

// Forbidden returns the pods that quotas have kept from being created so far, in the order of the changes.
func (s *Scenario) Forbidden() []quotas.Forbidden { return slices.Clone(s.forbidden) }

// Cluster returns the changed cluster without its nodes and pods. It has the classes, namespaces and claims that
// a new pod meets. The caller must not change it.
func (s *Scenario) Cluster() *outrank.Cluster { return s.cluster }

// Setting returns the scenario as a setting, for any question. Later changes of the scenario do not affect it.
// It takes time linear in the cluster.
func (s *Scenario) Setting() Setting {
	set := *s.before
	set.Progress = s.set.Progress
	set.Snapshot = s.snap.Clone()
	set.Cluster = s.clusterNow()
	set.Limits.Quotas = s.books.Quotas()
	return set
}

// clusterNow returns the present cluster. Its pods are in the order of the input, followed by the new ones,
// because a kubelet chooses by that order among pods that it could evict equally well.
func (s *Scenario) clusterNow() *outrank.Cluster {
	now := s.snap.Cluster()
	c := *s.cluster
	c.Nodes, c.Budgets, c.Namespaces = now.Nodes, now.Budgets, now.Namespaces
	c.Groups, c.Composites = now.Groups, now.Composites

	index := make(map[outrank.Key]int, len(now.Pods))
	for i, p := range now.Pods {
		index[p.Key()] = i
	}

	// Pods of the input that still exist come first. Each is deleted from the map, so that only new pods are
	// left in it.
	input := s.before.Cluster
	c.Pods = make([]*outrank.Pod, 0, len(now.Pods))
	for _, p := range input.Pods {
		if i, ok := index[p.Key()]; ok {
			c.Pods = append(c.Pods, now.Pods[i])
			now.Pods[i] = nil
		}
	}
	for _, p := range now.Pods {
		if p != nil {
			c.Pods = append(c.Pods, p)
		}
	}
	return &c
}

// Fork returns a second scenario with the changes so far. Further changes of one do not affect the other.
func (s *Scenario) Fork() *Scenario {
	f := s.branch()
	f.snap = s.snap.Clone()

	// branch copies only what turns write. Changes also write the following.
	cluster := *s.cluster
	f.cluster = &cluster
	f.owner = maps.Clone(s.owner)
	f.unmeasured = maps.Clone(s.unmeasured)
	f.gone = slices.Clone(s.gone)
	f.added = slices.Clone(s.added)
	f.workloads = slices.Clone(s.workloads)
	f.drains = slices.Clone(s.drains)
	f.reclassed = slices.Clone(s.reclassed)
	return f
}

// branch returns a scenario for one experiment. It shares the snapshot, which the experiment has to restore,
// and has its own copy of everything else that turns write.
func (s *Scenario) branch() *Scenario {
	scene := *s.scene
	scene.allowed = slices.Clone(s.allowed)

	f := *s
	f.scene = &scene
	f.moved = maps.Clone(s.moved)
	f.tied = slices.Clone(s.tied)
	f.lost = slices.Clone(s.lost)
	f.leaving = slices.Clone(s.leaving)
	f.resizes = slices.Clone(s.resizes)
	return &f
}

// claim records that a change sets an object. It fails if a change has set the object before, even the same
// one.
func (s *Scenario) claim(c Change, kind, name string) error {
	object := kind + " " + name
	if first, taken := s.owner[object]; taken && first == c {
		return fmt.Errorf("%w: %s names %s twice", ErrContradiction, c, object)
	} else if taken {
		return fmt.Errorf("%w: %s and %s both decide about %s", ErrContradiction, first, c, object)
	}
	s.owner[object] = c
	return nil
}

// alreadyThere returns the error about a change that adds an object that the cluster has already.
func alreadyThere(c Change, kind, name string) error {
	return fmt.Errorf("%w: %s brings %s %s, which the cluster has already", ErrContradiction, c, kind, name)
}

// recreate adds the pod that a controller creates in place of p; it waits from then on. If a quota forbids it,
// the pod is counted as forbidden. A pod of a DaemonSet is created for the same node.
func (s *Scenario) recreate(p *outrank.Pod, m motion) error {
	next := s.withNewPriority(remade(s.templated(p), p.Name))
	if TiedToItsNode(p) {
		next = pinned(next, m.from)
	}

	f, err := s.books.Admit(quota.Pod{Pod: next})
	if err != nil {
		return err
	}
	if f != nil {
		f.Recreated = true
		s.forbidden = quotas.Add(s.forbidden, *f)
		return nil
	}

	s.moved[next.Key()] = m
	_, err = s.snap.PutPod(next)
	return err
}

// release takes a running pod off its node. Its controller recreates it, unless the pod has none or was
// replaced already. A pod that is tied to its node is recreated only by a DaemonSet, and only on a node that
// stays.
func (s *Scenario) release(p *outrank.Pod, m motion) error {
	if err := s.drop(p); err != nil {
		return err
	}

	// A DaemonSet makes a new pod for a node that stays. Any other tied pod returns only with its node.
	switch _, stays := s.snap.Node(m.from); {
	case replaced(p):
		s.leaving = append(s.leaving, NameOf(p, m.from))
	case TiedToItsNode(p) && (!stays || p.Owner.Kind != "DaemonSet"):
		s.tied = append(s.tied, NameOf(p, m.from))
	case p.Owner == (outrank.Owner{}):
		s.lost = append(s.lost, NameOf(p, m.from))
	default:
		return s.recreate(p, m)
	}
	return nil
}

// TiedToItsNode reports whether a pod belongs to its node: it comes from a DaemonSet, or is a static or mirror
// pod. Such a pod returns on that node and on no other.
func TiedToItsNode(p *outrank.Pod) bool {
	return p.Owner.Kind == "DaemonSet" || p.Owner.Kind == "Node" || p.Mirror || p.Static
}

// pinned returns a copy of the pod that may go only to one node. As the controller of DaemonSets does, it sets
// the node's name in every term of the affinity, and removes other names there.
func pinned(p *outrank.Pod, node string) *outrank.Pod {
	name := []outrank.NodeRequirement{{Key: "metadata.name", Operator: outrank.In, Values: []string{node}}}
	terms := []outrank.NodeSelectorTerm{{MatchFields: name}}
	if required := p.Affinity.NodeAffinity; required != nil && len(required.NodeSelectorTerms) > 0 {
		terms = slices.Clone(required.NodeSelectorTerms)
		for i := range terms {
			terms[i].MatchFields = name
		}
	}

	c := *p
	c.Affinity.NodeAffinity = &outrank.NodeSelector{NodeSelectorTerms: terms}
	return &c
}

// withNewPriority returns the pod as it would be created now. If a change gave its class another value or
// policy, it returns a copy with these, and otherwise p itself.
func (s *Scenario) withNewPriority(p *outrank.Pod) *outrank.Pod {
	classes := s.before.classes()
	if slices.Equal(s.cluster.Classes, classes) {
		return p
	}

	// Invalid classes give no pod a priority, so that the pod keeps its own.
	before, err := priority.NewTable(classes)
	if err != nil {
		return p
	}
	after, err := priority.NewTable(s.cluster.Classes)
	if err != nil {
		return p
	}

	// A class that no change touches explains no difference. The pod may have the priority of an older value,
	// and keeps it.
	was, is := valueOf(before, p.PriorityClassName), valueOf(after, p.PriorityClassName)
	if is == nil || was != nil && was.Value == is.Value && was.Policy == is.Policy {
		return p
	}

	c := *p
	c.Priority, c.PreemptionPolicy = outrank.Priority(is.Value), is.Policy
	return &c
}

// rereadBudgets takes the budgets and their allowances from the snapshot after they have changed there.
func (s *Scenario) rereadBudgets() {
	list := slices.Collect(s.snap.Budgets())
	s.budgets, s.allowed = pdb.New(list), list
}

// measureBudgets sets the status of the new budgets as it follows from the pods.
func (s *Scenario) measureBudgets() error {
	if len(s.unmeasured) == 0 {
		return nil
	}

	// One pass over the pods serves all new budgets. The keys of spaces are the namespaces with a new budget.
	spaces := map[string][]*outrank.Pod{}
	for _, b := range s.unmeasured {
		spaces[b.NamespaceName()] = nil
	}
	for p := range s.snap.Pods() {
		if list, asked := spaces[p.NamespaceName()]; asked {
			spaces[p.NamespaceName()] = append(list, p)
		}
	}

	for _, key := range slices.Sorted(maps.Keys(s.unmeasured)) {
		b := s.unmeasured[key]
		status, err := pdb.StatusOf(pdb.StatusInput{Budget: b, Pods: spaces[b.NamespaceName()], Now: s.set.Now})
		if err != nil {
			return err
		}

		// unmeasured keeps the budget as the change added it, because its status is computed anew after the
		// next change.
		measured := *b
		measured.DisruptionsAllowed = status.Allowed
		measured.CurrentHealthy = status.Healthy
		measured.DesiredHealthy = status.Desired
		if err := s.snap.PutBudget(&measured); err != nil {
			return err
		}
	}
	s.rereadBudgets()
	return nil
}
