package explain

import (
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/prose"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/resource"
)

// chosen explains the pods of the chosen node: who leaves, and who stays.
func (f *finder) chosen(r *Report, ex *preemption.Plan) error {
	at, err := f.at(ex.Node)
	if err != nil {
		return err
	}
	var gone []*outrank.Pod
	for i := range ex.Victims {
		gone = append(gone, f.known(ex.Victims[i].Pod))
	}
	after := at.without(gone)
	told := cut(ex.Victims, 10*f.most, &r.Victims.More)
	for i := range told {
		v := f.victim(&told[i], ex.Node)
		if i > 0 && f.leaveTogether(gone[i-1], gone[i]) {
			before := &r.Victims.Items[i-1]
			v.Blocks, v.AtItsTurn = before.Blocks, before.AtItsTurn // they stay or leave together
		} else {
			v.Blocks, v.AtItsTurn = f.blocks(at, gone, gone[i], &told[i])
		}
		r.Victims.Items = append(r.Victims.Items, v)
	}
	r.Budgets = f.budgets(ex.Victims)
	r.Stay = f.stay(after, ex)
	return nil
}

// victim says who has to leave.
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

// blocks says why a victim, one of those that are gone, has to leave, by asking the node with it
// back: what is in the way then or, if nothing is, what was at its turn.
func (f *finder) blocks(at *place, gone []*outrank.Pod, victim *outrank.Pod, v *preemption.Victim) (why *Obstacle, atItsTurn bool) {
	if v.Blocks.Code == preemption.Success {
		return nil, false
	}
	back := at.without(slices.DeleteFunc(slices.Clone(gone), func(p *outrank.Pod) bool {
		return f.leaveTogether(p, victim)
	}))
	if s := back.view.Check(back.gonePods...); s.Code != preemption.Success {
		return f.find(back, s), false
	}
	turn := &v.Blocks
	return &Obstacle{Filter: turn.Filter, ExcludedBy: turn.ExcludedBy, Reasons: slices.Clone(turn.Reasons)}, true
}

// keys names the first of some budgets.
func (f *finder) keys(budgets []*outrank.PodDisruptionBudget) (out List[outrank.Key]) {
	for _, b := range cut(budgets, f.most, &out.More) {
		out.Items = append(out.Items, b.Key())
	}
	return out
}

// known returns the snapshot's version of a pod, since an extender may name a copy.
func (f *finder) known(p *outrank.Pod) *outrank.Pod {
	if q, ok := f.snap.Pod(p.Key()); ok && (q.UID == p.UID || q.UID == "" || p.UID == "") {
		return q
	}
	return p
}

// budgets lists the budgets that the victims break, in the order of the victims.
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

// stay says who stays on the chosen node, which is asked with the victims gone.
func (f *finder) stay(after *place, ex *preemption.Plan) *Stay {
	out := &Stay{}
	rooms := f.room(after)
	for _, r := range rooms {
		out.Room = append(out.Room, r.room())
	}
	possible := after.view.Possible()
	var violated [][]*outrank.PodDisruptionBudget
	if chargesPossible(&f.config) {
		violated = after.view.Violated(possible...)
	}
	last := -1 // the least important victim
	for i, p := range possible {
		if after.isGone(p) {
			last = i
		}
	}
	movable := make(map[*outrank.Pod]bool, len(possible))
	for i := len(possible) - 1; i >= 0; i-- {
		p := possible[i]
		movable[p] = true
		if after.isGone(p) || f.snap.NodeOf(p.Key()) != ex.Node {
			continue
		}
		if len(out.Spared.Items) == f.most {
			out.Spared.More++
			continue
		}
		spared := Spared{Pod: *f.ref(p, ex.Node), Takes: f.takes(p, rooms), Below: i > last}
		if violated != nil {
			spared.Budgets = f.keys(violated[i])
		}
		out.Spared.Items = append(out.Spared.Items, spared)
	}
	f.others(out, ex.Node, movable)
	return out
}

// chargesPossible reports whether budgets are charged for all possible victims of a node, rather than for those that
// leave in the end (rules 6.3.7, 13.3.5 and 13.5.5).
func chargesPossible(c *preemption.Config) bool {
	return c.Victims == nil && c.Variant != outrank.VariantSimplified && c.Budgets != preemption.ChargeVictims
}

// takes lists what a pod on the node takes of what is asked for.
func (f *finder) takes(p *outrank.Pod, rooms []amounts) resource.List {
	out := resource.List{}
	for _, r := range rooms {
		if n := takes(f.snap, p, r.resource); r.resource != resource.Pods && n != 0 {
			out[r.resource] = prose.Quantity(r.resource, n)
		}
	}
	return out
}

// others counts who could not have been a victim.
func (f *finder) others(out *Stay, node string, movable map[*outrank.Pod]bool) {
	var protected []Pod
	for _, p := range f.snap.PodsOn(node) {
		switch {
		case movable[p] || p.Key() == f.pod.Key():
		case f.snap.CountsAs(p) >= f.pod.PriorityValue():
			out.Higher++
		default:
			protected = append(protected, *f.ref(p, node))
		}
	}
	out.Protected = listOf(protected, f.most)
}
