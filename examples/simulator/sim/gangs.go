package sim

import (
	"fmt"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/simulator/report"
	"github.com/outrank-go/outrank/preemption/scheduler/queue"
)

// gang is a pod group that is queued as one.
type gang struct {
	group *outrank.PodGroup // the latest version, whose MinCount may have fallen
	// members are the lineages of the gang.
	members []*lineage
	// over counts the members that will not return.
	over int
	// placed is set once an attempt has found places for the gang.
	placed bool
	// evictions counts the steps in which pods of the gang were evicted. evictedIn is the last of these
	// steps.
	evictions, evictedIn int
	// preemptions counts the carried-out plans that made room for the gang.
	preemptions int
}

// evicted counts an eviction of the gang. Several pods evicted in one step count once. A nil gang counts
// nothing.
func (g *gang) evicted(step int) {
	if g != nil && g.evictedIn != step {
		g.evictions++
		g.evictedIn = step
	}
}

// gangs holds the groups that are queued as one. It is nil if there are none.
type gangs struct {
	queue   *queue.Queue
	cluster *cluster
	byKey   map[outrank.Key]*gang
	inOrder []*gang
}

// formGangs adds the groups to the queue. It returns nil if groups are not queued as one.
func formGangs(config *Config, c *cluster, q *queue.Queue, groups []*outrank.PodGroup) *gangs {
	if config.Discipline != PriorityQueue || len(groups) == 0 || !c.release.Gates()["GenericWorkload"] {
		return nil
	}

	gs := &gangs{queue: q, cluster: c, byKey: map[outrank.Key]*gang{}}
	for _, group := range groups {
		g := &gang{group: group}
		gs.byKey[group.Key()] = g
		gs.inOrder = append(gs.inOrder, g)
		q.PutGroup(group)
	}
	return gs
}

// refuseTopologies rejects groups whose topology constrains where their pods may go, because the simulated
// schedulers do not follow it (rule 12.9.14 of package preemption).
func refuseTopologies(given *outrank.Cluster) error {
	gates := given.Release.Gates()
	if !gates["TopologyAwareWorkloadScheduling"] {
		return nil
	}

	invalid := &outrank.InputError{}
	refuse := func(object string, topology []string) {
		if len(topology) > 0 {
			invalid.Problems = append(invalid.Problems, outrank.Problem{
				Object: object, Field: "spec.schedulingConstraints.topology", Text: fmt.Sprintf("%q is not followed", topology),
			})
		}
	}

	for _, g := range given.Groups {
		refuse("podgroup "+string(g.Key()), g.Topology)
	}
	for _, g := range given.Composites {
		if gates["CompositePodGroup"] {
			refuse("compositepodgroup "+string(g.Key()), g.Topology)
		}
	}

	if len(invalid.Problems) == 0 {
		return nil
	}
	return invalid
}

// of returns the gang of a pod, or nil.
func (gs *gangs) of(obj *outrank.Pod) *gang {
	if gs == nil || obj.Group == "" {
		return nil
	}
	return gs.byKey[obj.GroupKey()]
}

// enlist adds a new lineage to its gang.
func (gs *gangs) enlist(p *pod) {
	if g := gs.of(p.obj); g != nil {
		g.members = append(g.members, p.lineage)
	}
}

// retire records that a lineage will not return. The gang then needs at most as many pods as can still
// return, so that it can run once more after an eviction.
func (gs *gangs) retire(p *pod) {
	g := gs.of(p.obj)
	if g == nil {
		return
	}

	// MinCount applies to the gang policy alone. It only ever falls.
	g.over++
	left := int32(max(len(g.members)-g.over, 1))
	if g.group.Policy != outrank.GangPolicy || left >= g.group.MinCount {
		return
	}

	group := *g.group
	group.MinCount = left
	g.group = &group
	gs.cluster.putGroup(&group)
	gs.queue.PutGroup(&group)
	gs.cluster.changed(nil)
}

// sum counts the gangs that have arrived, by what happened to them. It is nil if there are none.
func (gs *gangs) sum() *report.Gangs {
	if gs == nil {
		return nil
	}
	sum := &report.Gangs{}
	for _, g := range gs.inOrder {
		arrived, waiting := false, false
		for _, l := range g.members {
			now := l.current()
			arrived = arrived || l.arrived
			waiting = waiting || l.arrived && (now.phase == Queued || now.phase == Coming)
		}

		sum.Arrived += one(arrived)
		sum.Placed += one(g.placed)
		sum.Waiting += one(waiting)
		sum.Preempted += one(g.evictions > 0)
		sum.PreemptedAgain += one(g.evictions > 1)
		sum.Preemptions += g.preemptions
	}
	return sum
}
