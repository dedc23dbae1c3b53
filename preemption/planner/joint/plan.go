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

// Plan lists the pods that have to leave so that several others can run, and compares their total with the total
// of preempting one by one. It belongs to the caller, and points to the pods that the caller passed in.
type Plan struct {
	// Placements has every pod of the request, in the order of the queue.
	Placements []Placement
	// Order lists the pods with a place, by their index in Placements. Once all victims are gone, each fits
	// beside the pods before it. It is the order in which they are bound when they preempt one by one
	// (rule 25.1.2).
	Order []int
	// Victims lists the pods that leave for the pods which also find a place one by one. Each is named once,
	// the most important first.
	Victims []Victim
	// Total adds up the figures of Victims, and OneByOne the figures of the victims of preempting one by one.
	// A total of no victims has the lowest int32 as its top priority. By the ranks of the policy Total is never
	// worse than OneByOne. With Request.Moves, Own["moves"] is the cost of the losses; in OneByOne it is computed
	// for the first places that were found for the replacements.
	Total, OneByOne preemption.Score
	// DecidedBy names the first rank in which the two totals differ; "moves" means the cost of the losses. It
	// is empty if they are equal in every rank.
	DecidedBy string
	// Kept is set if no better plan was found that holds at once. The plan is then the one-by-one plan,
	// without the victims of it that could stay (rule 25.1.7).
	Kept bool
	// Interrupted is set if the context ended after a plan was found. The plan is the best one found by then,
	// and it holds. If its Certificate is optimal, the search itself was complete, and only places for
	// further pods or the reasons of a Fate are missing.
	Interrupted bool
	// More is the total of the victims of further pods: those with a place in this plan and none one by one
	// (Placement.OneByOne is empty).
	More preemption.Score
	// Certificate says how good Total is among all plans for the pods that find a place one by one. No plan
	// beats its Bound by the ranks of the policy (group 25.5). The Bound has no start: that figure is the zero
	// time, and Gap is 0 if the start is compared before any other rank has a gap. Steps counts the questions to
	// nodes, and comparable pieces of work, of all searches together.
	Certificate preemption.Certificate
}

// Placement says what becomes of one pod.
type Placement struct {
	Pod *outrank.Pod
	// Choice is the pod's node in the plan, with the victims that leave for it. The pod may evict each of
	// them. With any one of them back it would not fit, at its turn or after the whole plan (rule 25.1.5).
	// A pod that fits in the room that others made has no victims.
	Choice
	// OneByOne is the pod's node, with its victims, when the pods preempt one by one.
	OneByOne Choice
	// ClearedNominations lists the pods of lower priority that lose their nomination to the node, the most
	// important first.
	ClearedNominations []*outrank.Pod
	// Refused is the last decision about a pod without a place; it is nil for a pod with one.
	Refused *preemption.Plan
}

// Choice is a node for a pod, with the victims that leave for it.
type Choice struct {
	// Node is empty if the pod has no place.
	Node    string
	Victims []*outrank.Pod
}

// further reports whether the pod has a place in this plan and none one by one.
func (p *Placement) further() bool { return p.Node != "" && p.OneByOne.Node == "" }

// Victim is a pod that leaves, with the pods that need its room.
type Victim struct {
	Pod *outrank.Pod
	// Node is the node on which the victim runs before the plan.
	Node string
	// For is the pod that evicts the victim.
	For *outrank.Pod
	// Needs lists the pods, in the order of the queue, that would not fit on their nodes if the victim stayed
	// with all that leave together with it, and the rest of the plan were carried out. For is among them
	// unless none of them may evict the victim there (rule 25.1.5).
	Needs []*outrank.Pod
	// Rule names the rule by which For may evict the victim, if Eligibility.Take or a Guard names one.
	Rule string
	// Violates is set if the eviction violates a budget when all victims of the plan are charged together.
	Violates bool
	// Fate says what becomes of the victim's work. It is nil without Request.Moves.
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
	// The one-by-one plan with fewer victims counts as better only if all its pods fit at once.
	p.Kept = p.DecidedBy == "" || best.kept && len(r.misfitsAtOnce(best)) > 0
	for _, m := range r.members {
		p.Order = append(p.Order, m.position)
	}

	// The solution is carried out in a snapshot of its own, on which everything that follows builds.
	turns := r.turns(best)
	after := r.fillIn(p, turns)

	// Replacements are seated before further pods are placed, because further pods must not evict them (rule 25.6.6).
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

	// The one-by-one decisions have recorded their rules. Any other plan has to ask for its own.
	rules := r.oneByOne.rules
	if best != r.baseline {
		rules = r.rulesOf(turns)
	}
	r.nameVictims(p, rules, append(turns, rest...))

	// Both lists are about the same victims, and both are sorted by importance.
	for i := range fates {
		p.Victims[i].Fate = &fates[i]
	}
	p.Interrupted = r.brief
	return p, r.err
}

// placements returns a Placement for each pod of the request, with the pod's one-by-one choice filled in.
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

// compare sets the total of the plan, and the first rank in which it differs from the one-by-one total.
func (r *run) compare(p *Plan, best *solution) {
	p.Total = r.totals.score(best.total)
	_, p.DecidedBy = r.totals.compare(best.total, r.baseline.total)
}

// rulesOf returns the rule by which each victim may be evicted, as named by the guard, or else by
// Eligibility.Take. The turns are carried out one after the other, because a guard answers for the cluster as it
// is at the preemptor's turn.
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

// nameVictims fills in the victims of the plan, without the victims of further pods. Each is named once, with the
// pods that need its room after the whole plan. Replacements do not run in the cluster that is asked, because a
// replacement could go elsewhere, and so is no reason for a victim to leave (rule 25.1.5).
func (r *run) nameVictims(p *Plan, rules map[*outrank.Pod]string, turns []turn) {
	after := r.plain.Clone()
	r.carryOut(after, turns)

	lacked := r.misfitsAtEnd(after, turns, nil, nil)
	for _, unit := range r.unitsOf(turns) {
		evictor := &p.Placements[r.evictor(turns, unit[0])]
		if evictor.further() { // victims of further pods are not part of the totals (rule 25.1.6)
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

// planFurther lets the pods without a place preempt one by one in the cluster that the plan leaves, and returns
// the turns of those that found a place (rule 25.1.6). turns are the turns of the plan. Its replacements already
// run in that cluster, and are never victims (rule 25.6.6).
//
// Nothing is added if plan and further pods together would not hold at once, if a pod evicted others in vain, or
// if a victim of the plan could stay then.
func (r *run) planFurther(p *Plan, turns []turn, after *engine.Snapshot, replacements []*outrank.Pod) ([]turn, error) {
	p.More = r.totals.score(nobody())
	var waiting []int
	for i := range p.Placements {
		if p.Placements[i].Node == "" {
			waiting = append(waiting, i)
		}
	}
	// Preempting one by one ended when a round changed nothing, so a plan that was kept has no room for anyone.
	if len(waiting) == 0 || p.Kept || r.over() {
		return nil, nil
	}

	eval, err := sparing(r.eval, slices.Concat(r.pods, replacements))
	if err != nil {
		return nil, err
	}
	rest := newOneByOne(r.ctx, eval, after, r.pods, r.req.Now)
	if err := rest.run(waiting); err != nil {
		if r.over() { // an interrupted plan is still good without further pods
			return nil, nil
		}
		return nil, err
	}

	// Only the snapshot after has changed, so nothing need be undone if the whole does not hold.
	if !r.together(p, rest, replacements) || !r.spareFurther(p, turns, rest, replacements) {
		return nil, nil
	}

	// For a pod that still has no place, the last decision replaces the earlier reason: it was made in the
	// cluster with all other pods in place.
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

// spareFurther lets the idle victims of further pods stay (rule 25.1.7). It returns false if a victim of the
// plan itself could stay after that.
func (r *run) spareFurther(p *Plan, turns []turn, rest *oneByOne, replacements []*outrank.Pod) bool {
	// spare has already kept every victim of the plan that may stay. A victim that is idle even so has to leave
	// for one of the reasons of the rule, such as the ranks, and must not be counted against the further pods.
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

	// leave marks idle units that have to leave. The loop ends: each pass marks more of them, or has fewer victims.
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

		// Usually all of them can stay together. Otherwise the most important one that can stay does. That may
		// make others idle, or needed, so all are asked about again.
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

// furtherPods are the pods that find a place in the cluster after a plan (rest), with the turns of that plan
// and the replacements of its victims.
type furtherPods struct {
	run          *run
	plan         *Plan
	turns        []turn
	rest         *oneByOne
	replacements []*outrank.Pod
}

// drop lets some victims of further pods stay, and reports whether the guard and the filters still allow
// everything else. If they do not, nothing changes.
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
// (rule 25.1.4): with all victims gone, each pod fits on its node beside the pods before it.
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

	// Members come in the order of Plan.Order, and replacements before further pods (rule 25.6.6). The snapshot of
	// the further pods knows the node of each replacement.
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
//  1. The pods preempt one after the other, as in kube-scheduler (group 25.3).
//  2. The pods that found a place are planned again, together, against the snapshot: each has a place again,
//     and the total of all victims is no worse by the ranks of the policy (groups 25.1 and 25.2). Nobody
//     leaves for a pod that may not evict it, or that would fit beside it.
//  3. The search for a better plan ends with a proof that there is none, or when it reaches
//     [Request].Limit (groups 25.4 and 25.5). [Plan].Certificate says which.
//  4. The other pods preempt one after the other in the cluster after the plan (rule 25.1.6).
//
// With [Request].Moves the plan also says what becomes of the work of each victim, and plans are compared
// by the cost of these losses (group 25.6).
//
// Preempt is made for the zero configuration. It also honours Filters, Profile, Eligibility, Guard, Importance,
// Cost and Ranks. A Chooser, a Rank with a Figure, a second Rank with a Cost, Extenders and
// [preemption.NeverViolate] are errors, because they decide about a single pod. Sample and Victims only matter
// while the pods preempt one by one; the joint plan considers all nodes and all sets of victims.
//
// The snapshot stays as it is, but it is cloned, so no other call may use it at the same time; give each
// goroutine a clone of its own. The errors are those of [engine.Evaluator.Preempt] about any of the pods,
// ErrState for a pod that already runs, and an *outrank.InputError about the request. The plan is the caller's.
//
// If the context ends before the pods have preempted one after the other, or before the replacements of those
// victims have places, the call returns an error. If it ends later, the call soon returns the best plan found by
// then, with [Plan].Interrupted set. That plan is still checked, and if the check takes more than some hundred
// questions to nodes, the call returns the context's error after all.
//
// The call takes the time of the one-by-one decisions, of some questions to every node for each pod, and of at
// most three times the limit's steps, four times with Moves. Memory is linear in the number of pods on the nodes.
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
