package invariants

import (
	"fmt"
	"slices"
	"testing"

	"github.com/outrank-go/outrank/preemption"
)

// ANodeIsRefusedOnlyIfNobodyCanHelp holds that each node that the pod could run on without all who may leave is a
// candidate, and one of them is chosen unless the pod fits or may not preempt (rules 9.1 to 9.3). So there is an answer,
// and no error, about every world.
func (d Decider) ANodeIsRefusedOnlyIfNobodyCanHelp(t *testing.T) {
	d.alwaysAnswers(t, func(w *World, a *answer, err error) string {
		if err != nil {
			return fmt.Sprintf("no node has an answer, but the error %q", err)
		}
		for i := range w.Nodes {
			n := &w.Nodes[i]
			helps := w.takes(n)
			gone := names(podsOf(w.letGo(w.possible(w.unitsOn(n.Name)))))
			listed := slices.ContainsFunc(a.candidates, func(c choice) bool { return c.node == n })
			switch {
			case helps && !listed:
				return fmt.Sprintf("%s is no candidate, but would have room without %s", n.Name, gone)
			case !helps && listed:
				return fmt.Sprintf("%s is a candidate, but would have no room without %s", n.Name, gone)
			case helps && slices.Contains([]preemption.Outcome{a.plan.Outcome, a.explained.Outcome}, preemption.NothingHelps):
				return fmt.Sprintf("nothing helps, it is said, but %s would have room without %s", n.Name, gone)
			}
		}
		return ""
	})
}

// EachNodeSaysWhyItTurnsThePodDown holds that the answer of each node is that of the filter which fails first: as things
// are, once all are gone that could leave, and with a victim back (rules 7.1.3, 7.15.2, 7.15.9, 9.2, 9.3, 9.9, 13.5.2 and
// 13.6.4).
func (d Decider) EachNodeSaysWhyItTurnsThePodDown(t *testing.T) {
	d.always(t, func(w *World, a *answer) string {
		if len(a.explained.Nodes) != len(w.Nodes) {
			return fmt.Sprintf("%d nodes have an answer, and there are %d", len(a.explained.Nodes), len(w.Nodes))
		}
		for i := range w.Nodes {
			n, report := &w.Nodes[i], &a.explained.Nodes[i]
			if says, is := readStatus(report.Status), w.now(n); says != is {
				return fmt.Sprintf("the answer of %s is said to be: %s, and is: %s", n.Name, says, is)
			}
			switch tried := report.AfterRemoval != nil; {
			case tried != w.tried(n):
				return fmt.Sprintf("%s, which says: %s, was tried: %t", n.Name, w.now(n), tried)
			case !tried:
				continue
			}
			if says, is := readStatus(*report.AfterRemoval), w.afterwards(n); says != is {
				return fmt.Sprintf("once all are gone that could leave, the answer of %s is said to be: %s, and is: %s", n.Name, says, is)
			}
		}
		return first(a.all(), w.misblocked)
	})
}

// misblocked says of which victim the answer with it back is told wrong.
func (w *World) misblocked(c choice) string {
	inTurn := w.onNode(c.node)
	if w.Policy != exact && w.outOfOrder(inTurn, c.victims) != "" {
		return "" // others leave, which is not this invariant's business
	}

	// An exact set is found in one piece, not by putting back one after the other. What a victim blocks is then asked
	// beside all who stay.
	if w.Policy == exact {
		inTurn = nil
		for _, u := range w.unitsOf(c.victims) {
			inTurn = append(inTurn, fate{u, true, w.onceGone(c.node, without(c.victims, u.pods))})
		}
	}

	// All pods of a unit come back together, and so get one answer.
	for _, f := range inTurn {
		for _, p := range f.pods {
			if says := c.blocks[p]; f.leaves && leaves(c.victims, f.unit) && says != f.blocks {
				return fmt.Sprintf("the answer of %s with %s back is said to be: %s, and is: %s", c.node.Name, p.Name, says, f.blocks)
			}
		}
	}
	return ""
}

// NominatedPodsKeepTheirRoom holds that pods of the same or a higher priority that wait for a node have room there beside
// the pod that asks: nobody takes the room that was made for them (rules 7.16.1 and 7.16.2). Those of a lower priority
// lose it, the most important first (rule 14.3.3).
func (d Decider) NominatedPodsKeepTheirRoom(t *testing.T) {
	both(t, func(t *testing.T) {
		d.always(t, (*World).takesNobodysRoom)
	}, func(t *testing.T) {
		d.alwaysGroups(t, (*World).groupTakesNobodysRoom)
	})
}

// takesNobodysRoom looks at the room that is kept on each candidate, with its victims gone, and on the node that the pod
// fits on as it is.
func (w *World) takesNobodysRoom(a *answer) string {
	asks := &w.Asks[0]
	broken := first(a.all(), func(c choice) string {
		if broken := w.takesRoom(c.node, without(w.on(c.node.Name), c.victims), asks); broken != "" {
			return broken
		}
		return w.clearsOthers(c)
	})
	if broken != "" {
		return broken
	}

	// Where the caller has given the answers of the nodes, a node may be said to fit that does not.
	if n := w.node(a.plan.FirstFit); n != nil && !w.given() {
		return w.takesRoom(n, w.on(n.Name), asks)
	}
	return ""
}

// groupTakesNobodysRoom looks at the members of a group in the order in which they were placed: each finds the members
// before it on its node, and the victims of the whole group gone.
func (w *World) groupTakesNobodysRoom(a *groupAnswer) string {
	for i, at := range a.placed {
		there := without(w.on(at.node.Name), a.victims)
		for _, before := range a.placed[:i] {
			if before.node == at.node {
				there = append(there, before.pod)
			}
		}

		if broken := w.takesRoom(at.node, there, at.pod); broken != "" {
			return broken
		}
	}
	return ""
}

func (w *World) takesRoom(n *Node, there []*Pod, asks *Pod) string {
	with := w.nominated(n.Name, asks)
	if said := w.answer(n, slices.Concat(there, with), asks); len(with) > 0 && said != takesIt {
		return fmt.Sprintf("%s takes room on %s that is kept for %s: beside these the answer is: %s", asks.Name, n.Name, names(with), said)
	}
	return ""
}

// clearsOthers says if other nominations are cleared than those of lower priority. If all victims are leaving already,
// the present scheduler clears none (rule 14.2.6).
func (w *World) clearsOthers(c choice) string {
	var lower []*Pod
	for i := range w.Pods {
		if p := &w.Pods[i]; p.Node == "" && p.Nominated == c.node.Name && p.priority() < w.Asks[0].priority() {
			lower = append(lower, p)
		}
	}
	stays := func(p *Pod) bool { return p.Leaving == "" }
	if w.Policy != v113 && w.Policy != simplified && !slices.ContainsFunc(c.victims, stays) {
		lower = nil
	}
	slices.SortFunc(lower, beforeInLine)
	if !slices.Equal(lower, c.cleared) {
		return fmt.Sprintf("%s lose their nominations to %s, and not %s", names(c.cleared), c.node.Name, names(lower))
	}
	return ""
}
