package joint

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
)

// Plan lists the pods that have to leave so that several others can run, and compares their total with that
// of preempting one by one. It belongs to the caller. The pods that it points to are those that the caller
// passed in.
type Plan struct {
	// Placements has every pod of the request, in the order of the queue.
	Placements []Placement
	// Order has the indexes in Placements of the pods with a place, in the order in which
	// each fits beside those before it once all victims are gone. It is the order in which
	// they are bound one by one (rule 25.1.2).
	Order []int
	// Victims have to leave for the pods that one by one have a place. Each is named once,
	// the most important first.
	Victims []Victim
	// Total adds up the figures of Victims, OneByOne those of the victims of
	// preempting one by one. Without victims the top priority is the lowest that there is.
	// Total is never the worse of the two by the ranks of the policy. With Request.Moves
	// Own["moves"] is the cost of the losses. In OneByOne it goes by the first places that were found
	// for the replacements.
	Total, OneByOne preemption.Score
	// DecidedBy names the first rank in which the two differ, and "moves" where the losses decide. It is
	// empty where no rank tells them apart.
	DecidedBy string
	// Kept is set where no better plan was found that holds at once. The plan is then that of one by
	// one, without those of its victims that could stay (rule 25.1.7).
	Kept bool
	// Interrupted is set where the context ended the call once there was a plan: this one is the best that
	// was found by then, and holds. Where the search was over, as a Certificate that is optimal says, a
	// place for more pods or a reason of a Fate is missing.
	Interrupted bool
	// More is the total of the victims that leave for pods which have a place in this plan alone
	// (Placement.OneByOne has none).
	More preemption.Score
	// Certificate says how good Total is among all plans for the pods that one by one have a
	// place. Its Bound is a total that no plan beats by the ranks of the policy (group 25.5). Start is not
	// bounded, and is the zero time; where the ranks reach it before any gap, Gap is 0. Steps counts the
	// questions to nodes, and other steps like them, that the searches took together.
	Certificate preemption.Certificate
}

// Placement says what becomes of one pod.
type Placement struct {
	Pod *outrank.Pod
	// Choice is the node in the plan, with the victims that leave for this pod. The pod may evict each of
	// them, and would not fit beside any one of them when it is its turn, or once all is done (rule 25.1.5).
	// A pod that fits in the room that others made has no victims.
	Choice
	// OneByOne says what becomes of the pod one by one.
	OneByOne Choice
	// ClearedNominations are the pods of lower priority that are nominated to the node and
	// lose that nomination, by importance.
	ClearedNominations []*outrank.Pod
	// Refused is the status of a pod without a place; nil for a pod with one.
	Refused *preemption.Plan
}

// Choice is a node with the victims there.
type Choice struct {
	// Node is empty where there is no place.
	Node    string
	Victims []*outrank.Pod
}

// further reports whether the pod has a place in this plan and none one by one.
func (p *Placement) further() bool { return p.Node != "" && p.OneByOne.Node == "" }

// Victim is a pod that leaves.
type Victim struct {
	Pod *outrank.Pod
	// Node is where it runs.
	Node string
	// For is the pod that evicts it.
	For *outrank.Pod
	// Needs are the pods, in the order of the queue, that would not fit on their nodes if it stayed, with
	// those that leave together with it, and everything else went as planned. For is among them unless none
	// of them may evict it there (rule 25.1.5).
	Needs []*outrank.Pod
	// Rule is the name of the rule by which For takes from it, where Eligibility.Take or a Guard names one.
	Rule string
	// Violates is set if its loss violates a budget, charged for all victims of the plan.
	Violates bool
	// Fate is what becomes of its work, nil without Request.Moves.
	Fate *Fate
}

// plan turns the best solution into the answer.
func (r *run) plan(best *solution, certificate preemption.Certificate) (*Plan, error) {
	p := &Plan{
		Placements:  r.placements(),
		OneByOne:    r.totals.score(r.baseline.total),
		Certificate: certificate,
	}
	r.compare(p, best)
	// The plan of one by one without some victims is better only if everyone fits at once without them.
	p.Kept = p.DecidedBy == "" || best.kept && len(r.misfitsAtOnce(best)) > 0
	for _, m := range r.members {
		p.Order = append(p.Order, m.position)
	}

	turns := r.turns(best)
	after := r.fillIn(p, turns)

	// Replacements take their places before further pods do, so that these leave them alone (rule 25.6.6).
	var fates []Fate
	var replacements []*outrank.Pod
	if best.after != nil {
		fates, replacements = r.relocate(after, best.after)
	}
	var rest []turn
	if r.err == nil {
		var err error
		if rest, err = r.planFurther(p, turns, after, replacements); err != nil {
			return nil, err
		}
	}

	// The decisions one by one have named their rules. For another plan the rules are asked again.
	rules := r.oneByOne.rules
	if best != r.baseline {
		rules = r.rulesOf(turns)
	}
	r.nameVictims(p, rules, append(turns, rest...))

	// Fates are those of the same victims, and both lists are sorted by importance.
	for i := range fates {
		p.Victims[i].Fate = &fates[i]
	}
	p.Interrupted = r.brief
	return p, r.err
}

// placements lists the pods of the request with what became of each one by one.
func (r *run) placements() []Placement {
	out := make([]Placement, len(r.pods))
	for i, pod := range r.pods {
		out[i].Pod = pod
		out[i].OneByOne = Choice{r.oneByOne.nodes[i], r.oneByOne.victims[i]}
		if out[i].OneByOne.Node == "" {
			out[i].Refused = r.oneByOne.last[i]
		}
	}
	return out
}

// fillIn enters the nodes and victims of the turns into the plan, and returns the cluster in which they are
// carried out. A nomination is cleared at the turn of the first pod that ends it, so each turn sees the
// nominations that those before it have left.
func (r *run) fillIn(p *Plan, turns []turn) *engine.Snapshot {
	after := r.plain.Clone()
	for _, t := range turns {
		placement := &p.Placements[t.position]
		placement.Victims = t.victims
		if t.node >= 0 {
			placement.Node = r.nodes[t.node].Name
			placement.ClearedNominations = cleared(after, placement.Pod, placement.Node, len(t.victims))
		}
		r.clearOut(after, []turn{t})
	}

	for _, t := range turns {
		if t.node >= 0 {
			r.fail(after.Bind(r.pods[t.position].Key(), r.nodes[t.node].Name))
		}
	}
	return after
}

// compare enters the total of a solution into the plan, and the rank that tells it from that of one by one.
func (r *run) compare(p *Plan, best *solution) {
	p.Total = r.totals.score(best.total)
	_, p.DecidedBy = r.totals.compare(best.total, r.baseline.total)
}

// rulesOf names the rule by which each victim may be taken from, where the caller's rules name one: the
// guard's, and else that of Eligibility.Take. The turns are carried out one after the other, because a guard
// answers for the cluster as it is at the turn of the preemptor.
func (r *run) rulesOf(turns []turn) map[*outrank.Pod]string {
	config := r.eval.Config()
	rules := map[*outrank.Pod]string{}
	take := config.Eligibility.Take
	if take == nil && config.Guard == nil {
		return rules
	}

	mark := r.snap.Mark()
	defer func() { r.undo(mark) }()
	for i, t := range turns {
		pod := r.pods[t.position]

		// A guard names rules for victims that have left.
		guard := r.guard(pod)
		if guard != nil {
			r.leave(guard, t.victims)
		}

		for _, v := range t.victims {
			if guard != nil {
				rules[v] = guard.Rule(v)
			}
			if rules[v] == "" && take != nil {
				rules[v], _ = take(pod, v)
			}
		}
		r.carryOut(r.snap, turns[i:i+1])
	}
	return rules
}

// nameVictims lists the victims of the pods that have a place one by one. Each is named once, with the pods
// that need its room once everything is done. Replacements do not run in the cluster that is asked: one could
// go elsewhere, and is no reason to leave (rule 25.1.5).
func (r *run) nameVictims(p *Plan, rules map[*outrank.Pod]string, turns []turn) {
	after := r.plain.Clone()
	r.carryOut(after, turns)

	lacked := r.misfitsAtEnd(after, turns, nil, nil)
	for _, unit := range r.unitsOf(turns) {
		evictor := &p.Placements[r.evictor(turns, unit[0])]
		if evictor.further() { // the totals do not count its victims (rule 25.1.6)
			continue
		}

		misfits := r.misfitsWithBack(after, turns, unit, lacked)
		slices.Sort(misfits)
		var needs []*outrank.Pod
		for _, i := range misfits {
			needs = append(needs, r.pods[i])
		}

		for _, v := range unit {
			p.Victims = append(p.Victims, Victim{
				Pod: v, Node: r.plain.NodeOf(v.Key()), For: evictor.Pod, Needs: slices.Clone(needs), Rule: rules[v],
			})
		}
	}

	r.sortVictims(p)
}

// sortVictims puts the victims of a plan in order of importance, and finds out which of them violate a budget.
func (r *run) sortVictims(p *Plan) {
	var pods []*outrank.Pod
	for _, v := range p.Victims {
		pods = append(pods, v.Pod)
	}

	// Budgets are charged by importance (rule 25.2.2).
	totals := r.totals
	totals.sort(pods)
	violating, _ := totals.budgets.Split(totals.release, pods)
	for i := range p.Victims {
		p.Victims[i].Violates = slices.Contains(violating, p.Victims[i].Pod)
	}

	place := make(map[*outrank.Pod]int, len(pods))
	for i, pod := range pods {
		place[pod] = i
	}
	slices.SortFunc(p.Victims, func(v, w Victim) int { return cmp.Compare(place[v.Pod], place[w.Pod]) })
}

// planFurther has the pods without a place preempt one by one in the cluster that the plan leaves, and
// returns the turns of those that found a place (rule 25.1.6). The turns given are those of the plan, and its
// replacements run by now and are spared (rule 25.6.6). Nothing is added where the whole would not hold at
// once, where a pod evicted others and found no place after all, or where a victim of the plan could stay
// then.
func (r *run) planFurther(p *Plan, turns []turn, after *engine.Snapshot, replacements []*outrank.Pod) ([]turn, error) {
	p.More = r.totals.score(nobody())
	var waiting []int
	for i := range p.Placements {
		if p.Placements[i].Node == "" {
			waiting = append(waiting, i)
		}
	}
	// One by one ended when a further round changed nothing, so a plan that is kept leaves no room either.
	if len(waiting) == 0 || p.Kept || r.over() {
		return nil, nil
	}

	eval, err := sparing(r.eval, slices.Concat(r.pods, replacements))
	if err != nil {
		return nil, err
	}
	rest := newOneByOne(r.ctx, eval, after, r.pods, r.req.Now)
	if err := rest.run(waiting); err != nil {
		if r.over() { // the plan stands without further pods
			return nil, nil
		}
		return nil, err
	}
	if !r.together(p, rest, replacements) || !r.spareFurther(p, turns, rest, replacements) {
		return nil, nil
	}

	// A pod that still has no place is told why by its last decision, made beside all others.
	for _, i := range waiting {
		placement := &p.Placements[i]
		if rest.last[i] != nil {
			placement.Refused = rest.last[i]
		}
		if placement.Node = rest.nodes[i]; placement.Node != "" {
			placement.Refused = nil
			placement.Victims = rest.victims[i]
			placement.ClearedNominations = rest.cleared[i]
		}
	}
	p.Order = append(p.Order, rest.order...)
	p.More = r.totals.score(r.totals.total(rest.allVictims()))
	return r.turnsOf(rest), nil
}

// turnsOf lists the pods that found a place one by one, in the order in which they are bound.
func (r *run) turnsOf(rest *oneByOne) []turn {
	var out []turn
	for _, i := range rest.order {
		out = append(out, turn{i, r.index[rest.nodes[i]], rest.victims[i]})
	}
	return out
}

// spareFurther has the idle victims of further pods stay (rule 25.1.7). It returns false where a victim of
// the plan itself could stay once they have.
func (r *run) spareFurther(p *Plan, turns []turn, rest *oneByOne, replacements []*outrank.Pod) bool {
	// Without the further pods, spare has had every victim of the plan stay that may. Those that are idle all
	// the same have to leave, by the ranks or another reason of the rule.
	kept := map[*outrank.Pod]bool{}
	for _, unit := range r.idle(turns, nil) {
		for _, v := range unit {
			kept[v] = true
		}
	}
	forFurther := map[*outrank.Pod]bool{}
	for _, v := range rest.allVictims() {
		forFurther[v] = true
	}

	further := &furtherPods{run: r, plan: p, turns: turns, rest: rest, replacements: replacements}
	leave := maps.Clone(kept)
	for r.err == nil {
		units := r.idle(slices.Concat(turns, r.turnsOf(rest)), leave)
		ofPlan := func(unit []*outrank.Pod) bool { return !forFurther[unit[0]] }
		planHasIdle := slices.ContainsFunc(units, ofPlan)
		units = slices.DeleteFunc(units, ofPlan)
		if len(units) == 0 {
			return !planHasIdle
		}

		// All at once is the usual case. Where some have to leave, the most important that may stay does, and
		// then all are asked about anew: others may be idle now, or no longer.
		dropped := further.drop(slices.Concat(units...))
		for i := 0; !dropped && i < len(units); i++ {
			if len(units) > 1 {
				dropped = further.drop(units[i])
			}
			if !dropped {
				leave[units[i][0]] = true
			}
		}
		if dropped {
			leave = maps.Clone(kept)
		}
	}
	return false
}

// furtherPods are the pods that find a place beside those of a plan, with what is there before them: the
// turns of the plan, and the replacements of its victims.
type furtherPods struct {
	run          *run
	plan         *Plan
	turns        []turn
	rest         *oneByOne
	replacements []*outrank.Pod
}

// drop has some victims of further pods stay, and reports whether that works. Otherwise nothing changes.
func (f *furtherPods) drop(stay []*outrank.Pod) bool {
	if len(stay) == 0 {
		return false
	}

	r, rest := f.run, f.rest
	before := slices.Clone(rest.victims)
	for i, victims := range rest.victims {
		rest.victims[i] = slices.DeleteFunc(slices.Clone(victims), func(v *outrank.Pod) bool { return slices.Contains(stay, v) })
	}
	if r.guarded(slices.Concat(f.turns, r.turnsOf(rest))) && r.together(f.plan, rest, f.replacements) {
		return true
	}
	rest.victims = before
	return false
}

// together reports whether the plan, the replacements of its victims and the further pods hold at once
// (rule 25.1.4): with all victims gone each finds its node ready, beside those before it.
func (r *run) together(p *Plan, rest *oneByOne, replacements []*outrank.Pod) bool {
	snap := r.plain.Clone()

	// All victims leave before the first pod is placed, and take the nominations with them.
	for i := range p.Placements {
		if rest.nodes[i] == "" && len(rest.victims[i]) > 0 { // it evicted others in vain
			return false
		}
		placement := &p.Placements[i]
		for _, v := range slices.Concat(placement.Victims, rest.victims[i]) {
			r.fail(snap.RemovePod(v.Key()))
		}
		for _, pod := range slices.Concat(placement.ClearedNominations, rest.cleared[i]) {
			r.fail(snap.Nominate(pod.Key(), ""))
		}
	}

	place := func(pod *outrank.Pod, node string) bool {
		ok := r.takesNow(snap, pod, r.index[node])
		r.fail(snap.Bind(pod.Key(), node))
		return ok && r.err == nil
	}

	// Members come in the order of Plan.Order, and replacements before further pods (rule 25.6.6). The rest ran on
	// the snapshot in which the replacements have their nodes.
	for _, m := range r.members {
		if !place(m.pod, p.Placements[m.position].Node) {
			return false
		}
	}
	for _, again := range replacements {
		node := r.index[rest.snap.NodeOf(again.Key())]
		if !r.takesNow(snap, again, node) {
			return false
		}
		r.seat(snap, again, node)
	}
	for _, i := range rest.order {
		if !place(r.pods[i], rest.nodes[i]) {
			return false
		}
	}
	return true
}

// Preempt plans for several pending pods at once who has to leave so that they can run:
//
//  1. The pods preempt one after the other, as kube-scheduler has them do (group 25.3).
//  2. The pods that have a place then are planned anew, together, against the snapshot:
//     each has a place again, and the total of all victims is no worse by the
//     ranks of the policy (groups 25.1 and 25.2). Nobody leaves for a pod that may not
//     evict it, or that would fit beside it.
//  3. The search for a better plan ends with a proof that there is none, or where
//     [Request].Limit ends it (groups 25.4 and 25.5). [Plan].Certificate says which.
//  4. The other pods take what room there is by now, one after the other (rule 25.1.6).
//
// With [Request].Moves the plan also says what becomes of the work of each victim, and is compared
// by what that costs (group 25.6).
//
// The zero configuration is meant. Of others, Filters, Profile, Eligibility, Guard, Importance, Cost and
// Ranks count. A Chooser, a Rank with a Figure or a second Cost, Extenders and budgets that are never violated
// are errors, because they decide about one pod. A Sample and the rule for Victims count where pods preempt one
// by one; the joint plan looks at all nodes and sets of victims.
//
// The snapshot stays as it is, but it is cloned, so that no other call may use it at the
// same time; a clone for each goroutine lets several plan at once. Errors are those of
// [engine.Evaluator.Preempt] about any of the pods, also ErrState for a pod that runs,
// and an *outrank.InputError about the request. The plan is the caller's.
//
// A context that ends before the pods have preempted one after the other, and before their victims'
// replacements have places, is an error. One that ends later leaves the best plan by then, which says so
// ([Plan].Interrupted). Either comes soon. What such a plan says is still tried; where that takes more than
// some hundred questions to nodes, the end of the context is an error after all.
//
// Time is that of the decisions one by one, of some questions to every node for each pod,
// and of at most three times as many steps as the limit allows, four with Moves. Memory is linear in the pods
// on the nodes that are looked at.
func Preempt(ctx context.Context, eval *engine.Evaluator, snap *engine.Snapshot, req Request) (*Plan, error) {
	if ctx == nil || eval == nil || snap == nil {
		return nil, fmt.Errorf("planning jointly: no context, no evaluator or no snapshot: %w", outrank.ErrInvalid)
	}
	config := eval.Config()
	if err := req.check(&config); err != nil {
		return nil, err
	}

	r := &run{ctx: ctx, eval: eval, req: &req, pods: req.queued()}
	if err := r.begin(snap); err != nil {
		return nil, err
	}
	best, certificate, err := r.search()
	if err != nil {
		return nil, err
	}
	return r.plan(best, certificate)
}
