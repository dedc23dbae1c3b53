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

// ErrContradiction is wrapped by errors about a change that another change, or the cluster,
// rules out.
var ErrContradiction = errors.New("the changes contradict each other")

// Change is one change of a cluster.
type Change interface {
	// String names the change in headings and errors.
	String() string
	apply(s *Scenario) error
}

// Scenario is a cluster with changes, made one after the other. Pods that lose their place
// are recreated by their controllers and wait, and so do new pods; no scheduler has had a
// turn. Every question can be asked about it: [Scenario.Setting] is its cluster.
//
// The setting that it was made from is left as it is. A Scenario must not be used by two
// goroutines at once.
type Scenario struct {
	before *Setting
	*scene
	// cluster has what the snapshot does not keep.
	cluster *outrank.Cluster
	// owner is the change that an object owes its state to, by kind and name.
	owner map[string]Change
	moved map[outrank.Key]motion
	// unmeasured are new budgets, whose status follows from the pods.
	unmeasured map[outrank.Key]*outrank.PodDisruptionBudget
	// gone and added are nodes; tied, lost and leaving pods have no replacement that waits.
	gone, added         []string
	tied, lost, leaving []Pod
	// resizes are those of the changes.
	resizes []pendingResize
	// forbidden were not created.
	forbidden []quotas.Forbidden
	// workloads make the new pods.
	workloads []*Workload
	// drains are the nodes that go, change by change, with the scenario just before.
	drains []drainage
	// reclassed are the classes that a change asks about.
	reclassed []*outrank.PriorityClass
}

// drainage is a change that takes nodes away.
type drainage struct {
	before *Scenario
	nodes  []string
}

// motion is why a pod waits.
type motion struct {
	origin Origin
	// from is its node before; workload makes it, counted from 1.
	from     string
	workload int
	pushedOutBy       outrank.Key
	// aside is set for a pod that waits whatever the changes, and for those pushed out for one.
	aside bool
}

// Origin is why a pod takes a turn.
type Origin string

// The origins.
const (
	// FromNode: its node goes.
	FromNode Origin = "node-gone"
	// Deleted: a change deletes it.
	Deleted Origin = "deleted"
	// New: a change creates it.
	New Origin = "new"
	// Ending: it is being deleted as things are.
	Ending Origin = "ending"
	// Waiting: it waits as things are.
	Waiting Origin = "waiting"
	// PushedOut: another pod pushes it out.
	PushedOut Origin = "pushed-out"
	// Resizing: a change resizes it on its node, which has no room for that yet.
	Resizing Origin = "resized"
)

// NewScenario makes changes to the cluster of a setting. Errors are those of the setting and
// of [Scenario.Apply].
func NewScenario(ctx context.Context, set Setting, changes ...Change) (*Scenario, error) {
	if err := set.check(); err != nil {
		return nil, err
	}
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

// Apply makes one more change. An error wraps [ErrContradiction] where another change or the
// cluster rules the change out, and names both; it wraps [outrank.ErrInvalid] for objects
// that cannot be, and [preemption.ErrNotFound] for one that is not there. The scenario is of
// no use after an error.
func (s *Scenario) Apply(c Change) error {
	if err := c.apply(s); err != nil {
		return err
	}
	if err := s.retryResizes(); err != nil {
		return err
	}
	return s.measureBudgets()
}

// Snapshot is the scenario as it stands, to look at. The caller must not change it, and reads it
// before the next change.
func (s *Scenario) Snapshot() *engine.Snapshot { return s.snap }

// Stage is the cluster before the changes, with the nodes that they add: what a picture shows
// moves on.
func (s *Scenario) Stage() (*engine.Snapshot, error) {
	stage := s.before.Snapshot.Clone()
	for _, name := range s.added {
		if n, ok := s.snap.Node(name); ok {
			if err := stage.PutNode(n); err != nil {
				return nil, err
			}
		}
	}
	return stage, nil
}

// Watch has progress reported, nil for nowhere.
func (s *Scenario) Watch(show func(done, total int)) {
	set := *s.set
	set.Progress, s.set = show, &set
}

// Forbidden are the pods that quotas have kept from being created so far, those of the changes in
// their order.
func (s *Scenario) Forbidden() []quotas.Forbidden { return slices.Clone(s.forbidden) }

// Cluster is the cluster as changed, without its nodes and pods: the classes, namespaces and
// claims that a new pod meets. The caller must not change it.
func (s *Scenario) Cluster() *outrank.Cluster { return s.cluster }

// Setting is the scenario as a setting, for any question. It shares no memory with it that
// later changes write. Time is linear in the cluster.
func (s *Scenario) Setting() Setting {
	set := *s.before
	set.Snapshot = s.snap.Clone()
	set.Cluster = s.clusterNow()
	set.Limits.Quotas = s.books.Quotas()
	return set
}

// clusterNow is the cluster as it stands: its pods in the order of the input, which a kubelet
// goes by where several would do as well, and the new ones behind them.
func (s *Scenario) clusterNow() *outrank.Cluster {
	c := *s.cluster
	now := s.snap.Cluster()
	c.Nodes, c.Budgets, c.Namespaces, c.Groups, c.Composites = now.Nodes, now.Budgets, now.Namespaces, now.Groups, now.Composites
	at := make(map[outrank.Key]int, len(now.Pods))
	for i, p := range now.Pods {
		at[p.Key()] = i
	}
	c.Pods = make([]*outrank.Pod, 0, len(now.Pods))
	for _, p := range s.before.Cluster.Pods {
		if i, ok := at[p.Key()]; ok {
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

// Fork is a second scenario with the changes so far, to which others can be made.
func (s *Scenario) Fork() *Scenario {
	f := s.branch()
	f.snap = s.snap.Clone()
	cluster := *s.cluster
	f.cluster = &cluster
	f.owner, f.unmeasured = maps.Clone(s.owner), maps.Clone(s.unmeasured)
	f.gone, f.added, f.workloads = slices.Clone(s.gone), slices.Clone(s.added), slices.Clone(s.workloads)
	f.drains, f.reclassed = slices.Clone(s.drains), slices.Clone(s.reclassed)
	return f
}

// branch is the scenario for one experiment that ends with the snapshot as it was: it shares
// that, and has what turns write of its own.
func (s *Scenario) branch() *Scenario {
	f := *s
	one := *s.scene
	one.allowed = slices.Clone(s.allowed)
	f.scene, f.moved = &one, maps.Clone(s.moved)
	f.tied, f.lost, f.leaving = slices.Clone(s.tied), slices.Clone(s.lost), slices.Clone(s.leaving)
	f.resizes = slices.Clone(s.resizes)
	return &f
}

// claim records that a change decides about an object, once.
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

// there is the error about an object that is in the cluster already.
func alreadyThere(c Change, kind, name string) error {
	return fmt.Errorf("%w: %s brings %s %s, which the cluster has already", ErrContradiction, c, kind, name)
}

// recreate puts the pod that a controller creates in place of another in the line, if quotas let
// it. A pod of a DaemonSet is created for the same node.
func (s *Scenario) recreate(p *outrank.Pod, m motion) error {
	next := s.withNewPriority(remade(s.templated(p), p.Name))
	if tied(p) {
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

// release takes a running pod from its node: it is recreated, unless nobody does that or it
// belongs to the node.
func (s *Scenario) release(p *outrank.Pod, m motion) error {
	if err := s.drop(p); err != nil {
		return err
	}
	switch _, stays := s.snap.Node(m.from); {
	case replaced(p):
		s.leaving = append(s.leaving, podOf(p, m.from))
	case tied(p) && (!stays || p.Owner.Kind != "DaemonSet"):
		s.tied = append(s.tied, podOf(p, m.from))
	case p.Owner == (outrank.Owner{}):
		s.lost = append(s.lost, podOf(p, m.from))
	default:
		return s.recreate(p, m)
	}
	return nil
}

// tied reports whether a pod belongs to its node.
func tied(p *outrank.Pod) bool {
	return p.Owner.Kind == "DaemonSet" || p.Owner.Kind == "Node" || p.Mirror || p.Static
}

// TiedToItsNode reports whether a pod belongs to its node: a pod of a DaemonSet and a static
// pod come back there alone.
func TiedToItsNode(p *outrank.Pod) bool { return tied(p) }

// pinned is a pod that may go to one node alone, as the controller of daemon sets asks for it:
// every term of its affinity names the node in place of what it says of names.
func pinned(p *outrank.Pod, node string) *outrank.Pod {
	c := *p
	name := []outrank.NodeRequirement{{Key: "metadata.name", Operator: outrank.In, Values: []string{node}}}
	terms := []outrank.NodeSelectorTerm{{MatchFields: name}}
	if has := p.Affinity.NodeAffinity; has != nil && len(has.NodeSelectorTerms) > 0 {
		terms = slices.Clone(has.NodeSelectorTerms)
		for i := range terms {
			terms[i].MatchFields = name
		}
	}
	c.Affinity.NodeAffinity = &outrank.NodeSelector{NodeSelectorTerms: terms}
	return &c
}

// priced is a pod that is created now: where a change gave its class another value or policy,
// it has that.
func (s *Scenario) withNewPriority(p *outrank.Pod) *outrank.Pod {
	if slices.Equal(s.cluster.Classes, s.before.Cluster.Classes) {
		return p
	}
	before, err := priority.NewTable(s.before.Cluster.Classes)
	if err != nil {
		return p // its priority comes from elsewhere
	}
	after, err := priority.NewTable(s.cluster.Classes)
	if err != nil {
		return p
	}
	was, is := valueOf(before, p.PriorityClassName), valueOf(after, p.PriorityClassName)
	if is == nil || was != nil && was.Value == is.Value && was.Policy == is.Policy {
		return p
	}
	c := *p
	c.Priority, c.PreemptionPolicy = outrank.Priority(is.Value), is.Policy
	return &c
}

// renew reads the budgets of the snapshot again.
func (s *Scenario) rereadBudgets() {
	list := slices.Collect(s.snap.Budgets())
	s.budgets, s.allowed = pdb.New(list), list
}

// measure gives the new budgets the status that follows from the pods.
func (s *Scenario) measureBudgets() error {
	if len(s.unmeasured) == 0 {
		return nil
	}
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
		measured := *b
		measured.DisruptionsAllowed, measured.CurrentHealthy, measured.DesiredHealthy = status.Allowed, status.Healthy, status.Desired
		if err := s.snap.PutBudget(&measured); err != nil {
			return err
		}
	}
	s.rereadBudgets()
	return nil
}
