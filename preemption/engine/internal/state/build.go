package state

import (
	"cmp"
	"math"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/release"
)

// New indexes a cluster for filters with these traits.
func New(c *outrank.Cluster, traits filterTraits) (*Snapshot, error) {
	if c == nil {
		c = &outrank.Cluster{}
	}
	if err := c.Validate(); err != nil {
		return nil, err
	}
	return indexed(c, traits), nil
}

// load puts all pods into a new snapshot. It sorts the pods of each node once, instead of inserting one after
// another.
func (s *Snapshot) load(pods []*outrank.Pod) {
	running, waiting := map[string][]*PodState{}, map[string][]*PodState{}
	covering, alike := s.BudgetSet.finder().Covering, map[Taking]*Taking{}
	for _, p := range pods {
		if p.Finished() {
			continue
		}
		at := cmp.Or(p.NodeName, p.NominatedNodeName)
		if at != "" {
			s.writable(at)
		}

		takes := sharedTaking(alike, s.taking(p, p.NodeName != ""))
		ps := &PodState{p, s.classFor(p, covering), takes, s.refOf(at)}
		s.PodStates.set(ps)
		if ps.Running {
			running[at] = append(running[at], ps)
		} else if ps.At != nil {
			waiting[at] = append(waiting[at], ps)
		}
		s.join(ps)
		s.useClaims(ps, 1)
	}

	for _, n := range s.NodeStates { // no slot is free yet
		n.load(running[n.Name], waiting[n.Name], s.traits)
	}

	// Units are found before the nodes are summarized, because summaries have flags for them.
	s.loadUnits()
	for slot, n := range s.NodeStates {
		n.sumUp(s.traits)
		s.summarize(int32(slot), n)
	}
}

// sharedTaking returns one Taking for all pods that take the same, because a cluster has few sizes of pods.
// Amounts without a column are compared by address, so that pods with such amounts share nothing.
func sharedTaking(alike map[Taking]*Taking, takes Taking) *Taking {
	if shared := alike[takes]; shared != nil {
		return shared
	}
	own := takes
	alike[takes] = &own
	return &own
}

// indexed is New for a valid cluster.
func indexed(c *outrank.Cluster, traits filterTraits) *Snapshot {
	s := sizedFor(c, traits)
	s.objects = objectsOf(c, s.Rules.CompositeUnits)
	for _, n := range c.Nodes {
		s.setNode(n.Name, n, len(s.Order))
	}
	s.load(c.Pods)
	return s
}

// sizedFor returns a snapshot with the budgets of a cluster, and with room for its other objects in the
// indexes.
func sizedFor(c *outrank.Cluster, traits filterTraits) *Snapshot {
	o := &Owner{}
	return &Snapshot{snapshotState: snapshotState{
		Owner: o, lists: nodeLists{nodes: o, order: o},
		Of:        c.Release.OrDefault(),
		Rules:     release.Of(release.Release(c.Release)),
		traits:    traits,
		positions: &NodePositions{},
		Slots:     NewSharedIndex[int32](len(c.Nodes)),
		PodStates: newPodIndex(len(c.Pods)),
		Columns:   ColumnsFor(c),
		Summaries: Summaries{smallest: AmountRow{math.MaxInt64, math.MaxInt64, math.MaxInt64}}, // the minimum of no nodes
		Topology:  newTopology(),
		Cache:     &AnswerCache{},
		ofPods:    &podAnswers{},
		Answers:   newRuleAnswers(),
		attached:  new(attachments),
		Classes:   newClassIndex(),
		Claims:    claimIndex{NewSharedIndex[*ClaimUsers](0)},
		BudgetSet: newBudgetSet(c.Budgets),
		Units:     newUnitIndex(),
	}}
}

// objectsOf indexes the namespaces, groups and composite groups of a cluster. leveled says that composite
// groups count.
func objectsOf(c *outrank.Cluster, leveled bool) clusterObjects {
	groups := groupObjects{
		byKey:      NewSharedIndex[*outrank.PodGroup](len(c.Groups)),
		composites: NewSharedIndex[*outrank.CompositePodGroup](len(c.Composites)),
		leveled:    leveled,
	}
	for _, g := range c.Groups {
		groups.byKey.Set(string(g.Key()), g)
	}
	for _, g := range c.Composites {
		groups.composites.Set(string(g.Key()), g)
	}

	namespaces := NewSharedIndex[*outrank.Namespace](len(c.Namespaces))
	for _, ns := range c.Namespaces {
		namespaces.Set(ns.Name, ns)
	}
	return clusterObjects{namespaces: namespaces, budgetAt: NewSharedIndex[int32](0), groups: groups}
}

// UsualTraits are the traits of the built-in filters. Package filters sets them when the program starts.
var UsualTraits filterTraits

// Empty returns the state of an empty cluster.
func Empty() *Snapshot { return indexed(&outrank.Cluster{}, UsualTraits) }
