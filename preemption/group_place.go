package preemption

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/prose"
)

// placement says where pods of the group go, or why there is no place.
type placement struct {
	spots []*spot
	// refused is nil if there is a place.
	refused *Refusal
}

// assignments lists the places in the order in which they were found.
func (p *placement) assignments() []Assignment {
	var places []Assignment
	for _, s := range p.spots {
		places = append(places, Assignment{Pod: s.pod, Node: s.dryRun.node().Name})
	}
	return places
}

// place looks for a place for the group in a cluster: by the caller's function, or by first fit in the order
// of the question (rule 12.9.5).
func (g *groupAttempt) place(c *outrank.Cluster) (placement, error) {
	if g.request.Place != nil {
		return g.placeByFunction(context.Background(), c)
	}
	return g.placeFirstFit(c)
}

// spot is a place that a pod of the group has found.
type spot struct {
	pod *outrank.Pod
	// dryRun is the node as it was when the pod got its place. What filters counted in the cluster then
	// changes only by the units that are put back (rule 12.9.9).
	dryRun *dryRun
}

// placing is the search for places for the pods of a group, one after another.
type placing struct {
	group *groupAttempt
	// cluster has the pods that were placed so far on their nodes. spots lists these pods in the order in
	// which they were placed.
	cluster *outrank.Cluster
	spots   []*spot
	// first says why the first pod without a place found none; nil if each has found one.
	first *Refusal
}

// placeFirstFit gives each pod the first node that takes it beside the pods before it. At least one pod has
// to find a place now (rule 12.9.3).
func (g *groupAttempt) placeFirstFit(c *outrank.Cluster) (placement, error) {
	l := &placing{group: g, cluster: c}
	missing, err := l.fill(g.quota)
	switch {
	case err != nil:
		return placement{}, err
	case missing == "" && len(l.spots) > 0:
		return placement{spots: l.spots}, nil
	case missing == unplaced:
		missing = "" // the policy of the group has nothing to say (rule 12.9.11)
	}

	if l.first == nil {
		l.first = &Refusal{}
	}
	l.first.Reason = missing
	return placement{refused: l.first}, nil
}

// fill places the members of a quota in their order: the pods of a group, or the groups below a composite
// one. Members that find no place are passed over. It gives up as soon as too few are left, and says why
// (rules 12.9.3 and 12.9.4).
func (l *placing) fill(q *quota) (missing string, err error) {
	spotsBefore, clusterBefore := len(l.spots), l.cluster

	// The group may have to be given up before its first pod.
	placed, left := q.there, len(q.pods)+len(q.below)
	missing = q.shortage(placed, left)
	for i := 0; left > 0 && missing == ""; i++ {
		found, err := l.fillOne(q, i)
		if err != nil {
			return "", err
		}
		if found {
			placed++
		}
		left--
		missing = q.shortage(placed, left)
	}

	// The places of a group that was given up are free again (rule 12.9.4).
	if missing != "" {
		l.spots, l.cluster = l.spots[:spotsBefore], clusterBefore
	}
	return missing, nil
}

// fillOne places one member of a quota, counted from 0, and reports whether it has found its place.
func (l *placing) fillOne(q *quota, member int) (found bool, err error) {
	if member < len(q.pods) {
		return l.placePod(q.pods[member])
	}
	missing, err := l.fill(q.below[member-len(q.pods)])
	return missing == "", err
}

// placePod looks for a place for one pod: the first node, in the cluster's order, that takes it (rule 12.9.3).
func (l *placing) placePod(p *outrank.Pod) (found bool, err error) {
	a, err := l.group.memberAttempt(l.cluster, p)
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

// take gives the pod of an attempt its place. Pods that are placed later find it on the node (rule 12.9.5).
func (l *placing) take(a *attempt, s *site) {
	l.spots = append(l.spots, &spot{a.pod, a.dryRun(s)})
	l.cluster = withMember(l.cluster, a.pod, s.name())
}

// memberAttempt begins an attempt to place one pod of the group in a cluster. The guard has no part in it, as
// it is asked about the group as a whole (rule 13.6.8).
func (g *groupAttempt) memberAttempt(c *outrank.Cluster, p *outrank.Pod) (*attempt, error) {
	if err := checkSelectors(p); err != nil {
		return nil, err
	}
	config := *g.config
	config.Guard = nil
	a := newAttempt(c, &config, p, g.request.Now)
	a.steps.askedFirst = func(*attempt) *site { return nil } // rule 7.15.9
	return a, a.prepare()
}

// placeByFunction lets the caller's function place the pods.
func (g *groupAttempt) placeByFunction(ctx context.Context, c *outrank.Cluster) (placement, error) {
	d := &groupDraft{plainView: plainView{newAttempt(c, g.config, g.members[0], g.request.Now)}, group: g, cluster: c}
	places, refused, err := g.request.Place(ctx, d, slices.Clone(g.members))
	d.ended = true
	switch {
	case err != nil:
		return placement{}, fmt.Errorf("place: %w", err)
	case refused != nil:
		return placement{refused: refused}, nil
	}
	if err := g.checkPlacement(places); err != nil {
		return placement{}, err
	}

	// The pods take their places in the order in which the function names them. The order matters, because
	// the filters of each pod count the pods before it (rule 12.9.9).
	l := &placing{group: g, cluster: c}
	for _, one := range places {
		a, err := g.memberAttempt(l.cluster, g.memberOf(one.Pod))
		if err != nil {
			return placement{}, err
		}
		l.take(a, a.siteOf[one.Node])
	}
	return placement{spots: l.spots}, nil
}

// memberOf returns the waiting pod of the group that has the name of a pod; nil if there is none.
func (g *groupAttempt) memberOf(p *outrank.Pod) *outrank.Pod {
	for _, q := range g.members {
		if sameName(p, q) {
			return q
		}
	}
	return nil
}

// checkPlacement checks what a placing function returned: each pod is a waiting one of the group and stands
// there once, its node exists, and the pods are as many as the policy of the group asks for (rule 12.9.3).
func (g *groupAttempt) checkPlacement(places []Assignment) error {
	placed := map[outrank.Key]bool{}
	for _, one := range places {
		if one.Pod == nil {
			return fmt.Errorf("placement: %w: a pod is nil", outrank.ErrInvalid)
		}

		key := one.Pod.Key()
		if g.memberOf(one.Pod) == nil || placed[key] {
			return fmt.Errorf("placement: %w: %s was not asked for, or stands there twice", outrank.ErrInvalid, key)
		}
		placed[key] = true
		if g.attempt.siteOf[one.Node] == nil {
			return fmt.Errorf("placement: %w: %s: no node %q", outrank.ErrInvalid, key, one.Node)
		}
	}

	// Too few places are no answer: the function would have had to refuse, and to say why.
	if len(places) == 0 {
		return fmt.Errorf("placement: %w: no pod has a node, and nothing says why", outrank.ErrInvalid)
	}
	if why := g.quota.unmetBy(placed); why != "" {
		return fmt.Errorf("placement: %w: %d of %d pods have a node, and nothing says why: %s", outrank.ErrInvalid, len(places), len(g.members), why)
	}
	return nil
}

// groupDraft is the cluster as a placing function sees it ([Draft]).
type groupDraft struct {
	plainView
	group   *groupAttempt
	cluster *outrank.Cluster
	// ended is set once the function has returned: the draft is not valid any more.
	ended bool
}

// Nominated implements [View]. It leaves out the waiting pods of the group.
func (d *groupDraft) Nominated() iter.Seq2[*outrank.Pod, string] {
	return func(yield func(*outrank.Pod, string) bool) {
		for p, node := range d.plainView.Nominated() {
			if d.group.memberOf(p) == nil && !yield(p, node) {
				return
			}
		}
	}
}

// Feasible implements [Draft]. It builds the cluster with the other pods in their places, and asks every node.
func (d *groupDraft) Feasible(pod *outrank.Pod, beside ...Assignment) ([]*outrank.Node, error) {
	if d.ended {
		return nil, fmt.Errorf("draft: %w: the placing function has returned", ErrState)
	}

	// The pods take their places in the order of beside. Each stands for the group's own pod of its name.
	c := d.cluster
	seen := map[outrank.Key]bool{}
	for _, one := range beside {
		if err := d.check(one.Pod, seen); err != nil {
			return nil, err
		}
		if d.attempt.siteOf[one.Node] == nil {
			return nil, fmt.Errorf("draft: %w: %s: no node %q", outrank.ErrInvalid, one.Pod.Key(), one.Node)
		}
		c = withMember(c, d.group.memberOf(one.Pod), one.Node)
	}

	// The pod itself must not have a place in the same call.
	if err := d.check(pod, seen); err != nil {
		return nil, err
	}
	a, err := d.group.memberAttempt(c, d.group.memberOf(pod))
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

// check refuses a pod that is no waiting pod of the group, or that was seen already.
func (d *groupDraft) check(p *outrank.Pod, seen map[outrank.Key]bool) error {
	if p == nil {
		return fmt.Errorf("draft: %w: a pod is nil", outrank.ErrInvalid)
	}
	if d.group.memberOf(p) == nil || seen[p.Key()] {
		return fmt.Errorf("draft: %w: %s is no waiting pod of the group, or has its place already", outrank.ErrInvalid, prose.Pod(p))
	}
	seen[p.Key()] = true
	return nil
}
