package preemption

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/prose"
)

// spot is a place that a pod of the group has found. Its dry run is that of the time when the pod got it:
// what filters count over several nodes stays so but for the units that are put back (rule 12.9.9).
type spot struct {
	pod    *outrank.Pod
	dryRun *dryRun
}

// placing is a group that looks for places, with those found so far.
type placing struct {
	*groupAttempt
	cluster *outrank.Cluster
	spots   []*spot
	// first is the first pod without a place.
	first *Refusal
}

// placeFirstFit gives each pod the first node that takes it beside those before it. One pod at least has
// to find a place now (rule 12.9.3).
func (g *groupAttempt) placeFirstFit(c *outrank.Cluster) (placement, error) {
	l := &placing{groupAttempt: g, cluster: c}
	missing, err := l.fill(g.quota)
	switch {
	case err != nil:
		return placement{}, err
	case missing == "" && len(l.spots) > 0:
		return placement{spots: l.spots}, nil
	case missing == unplaced:
		missing = ""
	}
	if l.first == nil {
		l.first = &Refusal{}
	}
	l.first.Reason = missing
	return placement{refused: l.first}, nil
}

// fill places the pods of one group in their order, or the groups below a composite one. Those that find
// no place are passed over. As soon as too few are left to come it gives up, says why, and those that have
// a place lose it again (rules 12.9.3 and 12.9.4).
func (l *placing) fill(q *quota) (missing string, err error) {
	spots, cluster := len(l.spots), l.cluster
	placed, left := q.there, len(q.pods)+len(q.below)
	missing = q.missing(placed, left)
	for i := 0; left > 0 && missing == ""; i++ {
		found := false
		if i < len(q.pods) {
			found, err = l.placePod(q.pods[i])
		} else {
			var why string
			why, err = l.fill(q.below[i-len(q.pods)])
			found = why == ""
		}
		if err != nil {
			return "", err
		}
		if found {
			placed++
		}
		left--
		missing = q.missing(placed, left)
	}
	if missing != "" {
		l.spots, l.cluster = l.spots[:spots], cluster
	}
	return missing, nil
}

// placePod looks for a place for one pod: the first node, in the cluster's order, that takes it (rule 12.9.3).
func (l *placing) placePod(p *outrank.Pod) (found bool, err error) {
	a, err := l.memberAttempt(l.cluster, p)
	if err != nil {
		return false, err
	}
	var said []answer
	for _, s := range a.sites {
		status := a.asThingsAre(s)
		if status.Code == Success {
			l.take(a, s)
			return true, nil
		}
		said = append(said, answer{site: s, before: status})
	}
	if l.first == nil {
		l.first = &Refusal{Pod: p, Nodes: counted(said, func(one answer) (Status, bool) { return one.before, true })}
	}
	return false, nil
}

// take gives the pod of an attempt its place, where the others see it from now on (rule 12.9.5).
func (l *placing) take(a *attempt, s *site) {
	l.spots = append(l.spots, &spot{a.pod, a.dryRun(s)})
	l.cluster = withMember(l.cluster, a.pod, s.node.Name)
}

// memberAttempt is an attempt for one pod of the group, which the guard has no part in: it is asked about
// the whole.
func (g *groupAttempt) memberAttempt(c *outrank.Cluster, p *outrank.Pod) (*attempt, error) {
	if err := checkSelectors(p); err != nil {
		return nil, err
	}
	config := *g.config
	config.Guard = nil
	a := newAttempt(c, &config, p, g.now)
	a.steps.askedFirst = func(*attempt) *site { return nil } // rule 7.15.9
	return a, a.prepare()
}

// placeByFunction has the caller's function place the pods. What filters count is that of the order in which it
// names them (rule 12.9.9).
func (g *groupAttempt) placeByFunction(ctx context.Context, c *outrank.Cluster) (placement, error) {
	d := &groupDraft{plainView: plainView{newAttempt(c, g.config, g.members[0], g.now)}, of: g, cluster: c}
	at, refused, err := g.request.Place(ctx, d, slices.Clone(g.members))
	d.ended = true
	switch {
	case err != nil:
		return placement{}, fmt.Errorf("place: %w", err)
	case refused != nil:
		return placement{refused: refused}, nil
	}
	if err := g.checkPlacement(at); err != nil {
		return placement{}, err
	}

	l := &placing{groupAttempt: g, cluster: c}
	for _, one := range at {
		a, err := g.memberAttempt(l.cluster, g.memberOf(one.Pod))
		if err != nil {
			return placement{}, err
		}
		l.take(a, a.siteOf[one.Node])
	}
	return placement{spots: l.spots}, nil
}

// memberOf is a pod of the group by its name; nil if it is none.
func (g *groupAttempt) memberOf(p *outrank.Pod) *outrank.Pod {
	for _, q := range g.members {
		if sameName(p, q) {
			return q
		}
	}
	return nil
}

// checkPlacement checks that pods of the group have a node each, which there is, and as many of them as
// its policy asks for (rule 12.9.3).
func (g *groupAttempt) checkPlacement(at []Assignment) error {
	placed := map[outrank.Key]bool{}
	for _, one := range at {
		if one.Pod == nil {
			return fmt.Errorf("placement: %w: a pod is nil", outrank.ErrInvalid)
		}
		key := one.Pod.Key()
		if g.memberOf(one.Pod) == nil || placed[key] {
			return fmt.Errorf("placement: %w: %s was not asked for, or stands there twice", outrank.ErrInvalid, key)
		}
		placed[key] = true
		if g.siteOf[one.Node] == nil {
			return fmt.Errorf("placement: %w: %s: no node %q", outrank.ErrInvalid, key, one.Node)
		}
	}
	if len(at) == 0 {
		return fmt.Errorf("placement: %w: no pod has a node, and nothing says why", outrank.ErrInvalid)
	}
	if why := g.quota.missed(placed); why != "" {
		return fmt.Errorf("placement: %w: %d of %d pods have a node, and nothing says why: %s", outrank.ErrInvalid, len(at), len(g.members), why)
	}
	return nil
}

// groupDraft is the cluster as a placing function sees it ([Draft]).
type groupDraft struct {
	plainView
	of      *groupAttempt
	cluster *outrank.Cluster
	ended   bool
}

// Nominated implements [View] without the pods of the group.
func (d *groupDraft) Nominated() iter.Seq2[*outrank.Pod, string] {
	return func(yield func(*outrank.Pod, string) bool) {
		for p, node := range d.plainView.Nominated() {
			if d.of.memberOf(p) == nil && !yield(p, node) {
				return
			}
		}
	}
}

// Feasible implements [Draft].
func (d *groupDraft) Feasible(pod *outrank.Pod, beside ...Assignment) ([]*outrank.Node, error) {
	if d.ended {
		return nil, fmt.Errorf("draft: %w: the placing function has returned", ErrState)
	}
	c := d.cluster
	seen := map[outrank.Key]bool{}
	for _, one := range beside {
		if err := d.check(one.Pod, seen); err != nil {
			return nil, err
		}
		if d.siteOf[one.Node] == nil {
			return nil, fmt.Errorf("draft: %w: %s: no node %q", outrank.ErrInvalid, one.Pod.Key(), one.Node)
		}
		c = withMember(c, d.of.memberOf(one.Pod), one.Node)
	}
	if err := d.check(pod, seen); err != nil {
		return nil, err
	}

	a, err := d.of.memberAttempt(c, d.of.memberOf(pod))
	if err != nil {
		return nil, err
	}
	var nodes []*outrank.Node
	for _, s := range a.sites {
		if a.asThingsAre(s).Code == Success {
			nodes = append(nodes, s.node)
		}
	}
	return nodes, nil
}

// check refuses a pod that is none of the group, or has its place already.
func (d *groupDraft) check(p *outrank.Pod, seen map[outrank.Key]bool) error {
	if p == nil {
		return fmt.Errorf("draft: %w: a pod is nil", outrank.ErrInvalid)
	}
	if d.of.memberOf(p) == nil || seen[p.Key()] {
		return fmt.Errorf("draft: %w: %s is no waiting pod of the group, or has its place already", outrank.ErrInvalid, prose.Pod(p))
	}
	seen[p.Key()] = true
	return nil
}
