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

// load puts all pods into a new snapshot. It sorts the pods of each node only
// once.
func (s *Snapshot) load(pods []*outrank.Pod) {
	running, waiting := map[string][]*PodState{}, map[string][]*PodState{}
	covering, alike := s.BudgetSet.matcher.Finder().Covering, map[Taking]*Taking{}
	for _, p := range pods {
		if p.Finished() {
			continue
		}
		if at := cmp.Or(p.NodeName, p.NominatedNodeName); at != "" {
			s.writable(at)
		}
		takes := s.taking(p, p.NodeName != "")
		shared := alike[takes] // amounts without a column differ by their address, and are not shared
		if shared == nil {
			own := takes
			shared, alike[takes] = &own, &own
		}
		ps := &PodState{p, s.classFor(p, covering), shared, s.refOf(cmp.Or(p.NodeName, p.NominatedNodeName))}
		s.PodStates.set(ps)
		if ps.Running {
			running[ps.At.Name] = append(running[ps.At.Name], ps)
		} else if ps.At != nil {
			waiting[ps.At.Name] = append(waiting[ps.At.Name], ps)
		}
		s.join(ps)
		s.useClaims(ps, 1)
	}
	for _, n := range s.NodeStates {
		n.load(running[n.Name], waiting[n.Name], s.traits)
	}
	s.loadUnits()
	for slot, n := range s.NodeStates {
		n.sumUp(s.traits)
		s.summarize(int32(slot), n)
	}
}

// indexed is New for a cluster without fault.
func indexed(c *outrank.Cluster, traits filterTraits) *Snapshot {
	o := &Owner{}
	s := &Snapshot{snapshotState: snapshotState{
		Owner: o, lists: nodeLists{nodes: o, order: o},
		Of:        c.Release.OrDefault(),
		Rules:     release.Of(release.Release(c.Release)),
		traits:    traits,
		positions: &NodePositions{},
		Slots:     NewSharedIndex[int32](len(c.Nodes)),
		PodStates: newPodIndex(len(c.Pods)),
		Columns:   ColumnsFor(c),
		Summaries: Summaries{smallest: AmountRow{math.MaxInt64, math.MaxInt64, math.MaxInt64}},
		Topology:  newTopology(),
		Cache:     &AnswerCache{},
		ofPods:    &podAnswers{},
		Answers:   newRuleAnswers(),
		attached:  new(attachments),
		Classes:   classIndex{byKey: NewSharedIndex[*ClassMembers](0)},
		Claims:    claimIndex{NewSharedIndex[*ClaimUsers](0)},
		BudgetSet: newBudgetSet(c.Budgets),
	}}
	s.objects = clusterObjects{
		namespaces: NewSharedIndex[*outrank.Namespace](len(c.Namespaces)), budgetAt: NewSharedIndex[int32](0),
		groups: groupObjects{
			byKey: NewSharedIndex[*outrank.PodGroup](len(c.Groups)), composites: NewSharedIndex[*outrank.CompositePodGroup](len(c.Composites)),
			leveled: s.Rules.CompositeUnits,
		},
	}
	s.Units = newUnitIndex()
	for _, ns := range c.Namespaces {
		s.objects.namespaces.Set(ns.Name, ns)
	}
	for _, g := range c.Groups {
		s.objects.groups.byKey.Set(string(g.Key()), g)
	}
	for _, g := range c.Composites {
		s.objects.groups.composites.Set(string(g.Key()), g)
	}
	for _, n := range c.Nodes {
		s.setNode(n.Name, n, len(s.Order))
	}
	s.load(c.Pods)
	return s
}

// UsualTraits are those of the built-in filters, which the filter layer sets.
var UsualTraits filterTraits

// Empty returns the state of an empty cluster.
func Empty() *Snapshot { return indexed(&outrank.Cluster{}, UsualTraits) }
