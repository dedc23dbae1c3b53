package explain

import (
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/prose"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/resource"
)

// chosen explains the pods of the chosen node: those that leave, and those that stay.
func (f *finder) chosen(r *Report, ex *preemption.Plan) error {
	at, err := f.placeOn(ex.Node)
	if err != nil {
		return err
	}
	var gone []*outrank.Pod
	for i := range ex.Victims {
		gone = append(gone, f.inSnapshot(ex.Victims[i].Pod))
	}

	listed := cut(ex.Victims, 10*f.most, &r.Victims.More)
	for i := range listed {
		v := f.victim(&listed[i], ex.Node)

		// The pods of a unit are neighbours in the list (rule 12.8.5). They stay or leave together, so all of them have
		// the same reason.
		if i > 0 && f.leaveTogether(gone[i-1], gone[i]) {
			before := &r.Victims.Items[i-1]
			v.Blocks, v.AtItsTurn = before.Blocks, before.AtItsTurn
		} else {
			v.Blocks, v.AtItsTurn = f.blocks(at, gone, gone[i], &listed[i])
		}
		r.Victims.Items = append(r.Victims.Items, v)
	}

	r.Budgets = f.budgets(ex.Victims)
	r.Stay = f.stay(at.without(gone), ex)
	return nil
}

// victim describes a victim of a plan for node, except for Blocks and AtItsTurn.
func (f *finder) victim(v *preemption.Victim, node string) Victim {
	if v.Node != "" {
		node = v.Node
	}
	out := Victim{Pod: *f.ref(v.Pod, node), Owner: v.Pod.Owner.String(), Rule: v.Rule, Terminating: v.Pod.Terminating()}
	switch {
	case v.Group != nil:
		out.With = v.Group.Key()
	case v.Composite != nil:
		out.With = v.Composite.Key()
	}
	out.Budgets = f.keys(v.Violated)
	return out
}

// blocks says what keeps the preemptor out if the victim stays and the others in gone leave. If nothing does, it
// says what kept the preemptor out when the victim's reprieve was tried.
func (f *finder) blocks(at *place, gone []*outrank.Pod, victim *outrank.Pod, v *preemption.Victim) (why *Obstacle, atItsTurn bool) {
	if v.Blocks.Code == preemption.Success {
		return nil, false // an extender named it
	}

	back := at.without(slices.DeleteFunc(slices.Clone(gone), func(p *outrank.Pod) bool {
		return f.leaveTogether(p, victim)
	}))
	if s := back.view.Check(back.gonePods...); s.Code != preemption.Success {
		return f.find(back, s), false
	}

	// At that moment other pods were away than the victims, and a filter may answer differently about these (see
	// rule 13.6.5). The moment cannot be restored, so only the filter's own words are known.
	turn := &v.Blocks
	return &Obstacle{Filter: turn.Filter, ExcludedBy: turn.ExcludedBy, Reasons: slices.Clone(turn.Reasons)}, true
}

// keys lists the names of budgets.
func (f *finder) keys(budgets []*outrank.PodDisruptionBudget) (out List[outrank.Key]) {
	for _, b := range cut(budgets, f.most, &out.More) {
		out.Items = append(out.Items, b.Key())
	}
	return out
}

// inSnapshot returns the snapshot's object for a pod. An extender may name a copy of it, and places compare pods by
// pointer.
func (f *finder) inSnapshot(p *outrank.Pod) *outrank.Pod {
	if q, ok := f.snap.Pod(p.Key()); ok && (q.UID == p.UID || q.UID == "" || p.UID == "") {
		return q
	}
	return p
}

// budgets lists the budgets that the victims violate, in the order of the first victim that violates each.
func (f *finder) budgets(victims []preemption.Victim) List[Budget] {
	var out []Budget
	index := map[*outrank.PodDisruptionBudget]int{}
	for i := range victims {
		for _, b := range victims[i].Violated {
			at, ok := index[b]
			if !ok {
				at = len(out)
				index[b] = at
				out = append(out, Budget{Key: b.Key(), Allowed: b.DisruptionsAllowed})
			}

			if broken := &out[at].Victims; len(broken.Items) < f.most {
				broken.Items = append(broken.Items, victims[i].Pod.Key())
			} else {
				broken.More++
			}
		}
	}
	return listOf(out, f.most)
}

// stay describes the pods that stay on the chosen node, and the room on it, once the victims are gone.
func (f *finder) stay(after *place, ex *preemption.Plan) *Stay {
	out := &Stay{}
	rooms := f.room(after)
	for _, r := range rooms {
		out.Room = append(out.Room, r.room())
	}

	possible := after.view.Possible()
	out.Spared = f.spared(after, ex.Node, possible, rooms)
	out.Protected, out.Higher = f.others(ex.Node, possible)
	return out
}

// spared lists the possible victims that stay on the node, the least important first. The possible victims
// come by importance, the most important first.
func (f *finder) spared(after *place, node string, possible []*outrank.Pod, rooms []amounts) (out List[Spared]) {
	// Budgets only decide who is reprieved first if they are charged for all possible victims.
	var violated [][]*outrank.PodDisruptionBudget
	if chargesPossible(&f.config) {
		violated = after.view.Violated(possible...)
	}

	leastVictim := -1 // index of the least important victim
	for i, p := range possible {
		if after.isGone(p) {
			leastVictim = i
		}
	}

	for i := len(possible) - 1; i >= 0; i-- {
		p := possible[i]
		if after.isGone(p) || f.snap.NodeOf(p.Key()) != node {
			continue // the pod leaves, or is the part of a unit that runs on another node
		}
		if len(out.Items) == f.most {
			out.More++
			continue
		}

		spared := Spared{Pod: *f.ref(p, node), Takes: f.takes(p, rooms), Below: i > leastVictim}
		if violated != nil {
			spared.Budgets = f.keys(violated[i])
		}
		out.Items = append(out.Items, spared)
	}
	return out
}

// chargesPossible reports whether budgets are charged for all possible victims of a node, and not only for the final
// victims (rules 6.3.7, 13.3.5 and 13.5.5).
func chargesPossible(c *preemption.Config) bool {
	return c.Victims == nil && c.Variant != outrank.VariantSimplified && c.Budgets != preemption.ChargeVictims
}

// takes lists the amounts that a pod takes of the resources that the preemptor asks for.
func (f *finder) takes(p *outrank.Pod, rooms []amounts) resource.List {
	out := resource.List{}
	for _, r := range rooms {
		if n := takes(f.snap, p, r.resource); r.resource != resource.Pods && n != 0 {
			out[r.resource] = prose.Quantity(r.resource, n)
		}
	}
	return out
}

// others describes the pods on the node that cannot be victims. It lists the pods of lower priority, and
// counts the pods with the preemptor's priority or a higher one.
func (f *finder) others(node string, possible []*outrank.Pod) (protected List[Pod], higher int) {
	movable := make(map[*outrank.Pod]bool, len(possible))
	for _, p := range possible {
		movable[p] = true
	}

	var lower []Pod
	for _, p := range f.snap.PodsOn(node) {
		switch {
		case movable[p] || p.Key() == f.pod.Key():
		case f.snap.CountsAs(p) >= f.pod.PriorityValue():
			higher++
		default:
			lower = append(lower, *f.ref(p, node))
		}
	}
	return listOf(lower, f.most), higher
}
