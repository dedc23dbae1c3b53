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

// Plan lists the pods that have to leave so that several others can run, and what preempting one by one
// would come to. It belongs to the caller. The pods that it points to are those that the
// caller passed in.
type Plan struct {
	// Placements has every pod of the request, in the order of the queue.
	Placements []Placement
	// Order has the indexes in Placements of the pods with a place, in the order in which
	// each fits beside those before it once all victims are gone. It is the order in which
	// they are bound one by one (rule 25.1.2).
	Order []int
	// Victims have to leave for the pods that one by one have a place, each named once,
	// the most important first.
	Victims []Victim
	// Total adds up the figures of Victims, OneByOne those of the victims of
	// preempting one by one. The top priority of no victims is the lowest that there is.
	// Total is never the worse of the two by the ranks of the policy. With Request.Moves
	// Own["moves"] is what the losses cost: in OneByOne, by the first places found for the replacements.
	Total, OneByOne preemption.Score
	// DecidedBy names the first rank in which the two differ: "moves" where it is what becomes of the
	// victims. It is empty if none does.
	DecidedBy string
	// Kept is set where no better plan was found that holds at once, so that this one is that of one by
	// one, without those of its victims that could stay (rule 25.1.7).
	Kept bool
	// Interrupted is set where the context ended the call once there was a plan: this one is the best that
	// was found by then, and holds. Where the search was over, as a Certificate that is optimal says, a
	// place for more pods or a reason of a Fate is missing.
	Interrupted bool
	// More is what the victims come to of the pods that have a place in this plan alone
	// (Placement.OneByOne has none).
	More preemption.Score
	// Certificate says how good Total is among all plans for the pods that one by one have a
	// place: Bound is a total that no plan beats by the ranks of the policy, but for Start, which
	// is not bounded and the zero time (group 25.5), and Steps is how many questions to nodes,
	// or steps like them, the searches took together. By the start nothing is known, and Gap is 0.
	Certificate preemption.Certificate
}

// Placement says what becomes of one pod.
type Placement struct {
	Pod *outrank.Pod
	// The choice is that of the plan. Its victims leave for this pod: it may evict them, and would not fit
	// beside any one of them when it is its turn, or once all is done (rule 25.1.5). A pod that fits in the room
	// that others made has none.
	Choice
	// OneByOne says what becomes of the pod one by one.
	OneByOne Choice
	// ClearedNominations are the pods of lower priority that are nominated to the node and
	// lose that, by importance.
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

// further reports whether the pod has a place in this plan, and none one by one.
func (p *Placement) further() bool { return p.Node != "" && p.OneByOne.Node == "" }

// Victim is a pod that leaves.
type Victim struct {
	Pod *outrank.Pod
	// Node is where it runs.
	Node string
	// For is the pod that evicts it. Needs are the pods, in the order of the queue, that would not fit on
	// their nodes if it stayed, with those that leave together with it, and everything else went as planned.
	// For is one of them unless none of them may evict it there (rule 25.1.5).
	For   *outrank.Pod
	Needs []*outrank.Pod
	// Rule is the name of the rule by which For takes from it, where Eligibility.Take or a Guard names one.
	Rule string
	// Violates is set if its loss violates a budget, charged for all victims of the plan.
	Violates bool
	// Fate is what becomes of its work, nil without Request.Moves.
	Fate *Fate
}

// plan makes the answer.
func (r *run) plan(best *solution, certificate preemption.Certificate) (*Plan, error) {
	p := &Plan{Placements: make([]Placement, len(r.pods)), OneByOne: r.totals.tell(r.first.total), Certificate: certificate}
	r.compare(p, best)
	p.Kept = p.DecidedBy == "" || best.kept && len(r.late(best)) > 0
	for i, pod := range r.pods {
		at := &p.Placements[i]
		at.Pod, at.OneByOne = pod, Choice{r.one.nodes[i], r.one.victims[i]}
		if at.OneByOne.Node == "" {
			at.Refused = r.one.last[i]
		}
	}
	for _, m := range r.members {
		p.Order = append(p.Order, m.at)
	}
	after := r.plain.Clone()
	turns := r.turns(best)
	for _, t := range turns {
		at := &p.Placements[t.at]
		if at.Victims = t.victims; t.node >= 0 {
			at.Node = r.nodes[t.node].Name
			at.ClearedNominations = cleared(after, at.Pod, at.Node, len(t.victims))
		}
		r.clearOut(after, []turn{t})
	}
	for _, t := range turns {
		if t.node >= 0 {
			r.fail(after.Bind(r.pods[t.at].Key(), r.nodes[t.node].Name))
		}
	}

	var fates []Fate
	var replacements []*outrank.Pod
	if best.after != nil {
		fates, replacements = r.relocate(after, best.after)
	}
	var rest []turn
	if r.err == nil {
		var err error
		if rest, err = r.more(p, turns, after, replacements); err != nil {
			return nil, err
		}
	}
	rules := r.one.rules
	if best != r.first {
		rules = r.rulesOf(turns)
	}
	r.name(p, rules, append(turns, rest...))
	for i := range fates {
		p.Victims[i].Fate = &fates[i]
	}
	p.Interrupted = r.brief
	return p, r.err
}

// compare tells the plan what a solution comes to beside that of one by one.
func (r *run) compare(p *Plan, best *solution) {
	p.Total = r.totals.tell(best.total)
	_, p.DecidedBy = r.totals.compare(best.total, r.first.total)
}

// rulesOf names the rule by which each victim of a plan may be taken from, where the caller's rules
// name one.
func (r *run) rulesOf(turns []turn) map[*outrank.Pod]string {
	config := r.eval.Config()
	rules := map[*outrank.Pod]string{}
	take := config.Eligibility.Take
	if take == nil && config.Guard == nil {
		return rules
	}
	mark := r.snap.Mark()
	defer func() { r.undo(mark) }()
	for i, at := range turns {
		pod := r.pods[at.at]
		guard := r.guard(pod)
		if guard != nil {
			r.leave(guard, at.victims)
		}
		for _, v := range at.victims {
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

// name lists the victims of the pods that one by one have a place, each once, with who needs it once
// everything is done. A replacement of a victim, which could go elsewhere, is no reason to leave.
func (r *run) name(p *Plan, rules map[*outrank.Pod]string, turns []turn) {
	after := r.plain.Clone()
	r.carryOut(after, turns)
	lacked := r.lacking(after, turns, nil, nil)
	for _, unit := range r.unitsOf(turns) {
		at := &p.Placements[r.evictor(turns, unit[0])]
		if at.further() {
			continue
		}
		lacking := r.lackingWith(after, turns, unit, lacked)
		slices.Sort(lacking)
		var needs []*outrank.Pod
		for _, i := range lacking {
			needs = append(needs, r.pods[i])
		}
		for _, v := range unit {
			p.Victims = append(p.Victims, Victim{Pod: v, Node: r.plain.NodeOf(v.Key()), For: at.Pod, Needs: slices.Clone(needs), Rule: rules[v]})
		}
	}
	var pods []*outrank.Pod
	for _, v := range p.Victims {
		pods = append(pods, v.Pod)
	}
	r.totals.sort(pods)
	violating, _ := r.totals.budgets.Split(r.totals.release, pods)
	for i := range p.Victims {
		p.Victims[i].Violates = slices.Contains(violating, p.Victims[i].Pod)
	}
	place := make(map[*outrank.Pod]int, len(pods))
	for i, pod := range pods {
		place[pod] = i
	}
	slices.SortFunc(p.Victims, func(v, w Victim) int { return cmp.Compare(place[v.Pod], place[w.Pod]) })
}

// more has the pods without a place preempt one by one in what the plan, whose turns these are, leaves.
// Nothing is added if the plan could then not be carried out at once, if a pod evicted others and
// found no place after all, or if a victim of the plan could stay then. The replacements of victims,
// which run by now, are spared (rule 25.6.6). It returns the turns that are added.
func (r *run) more(p *Plan, turns []turn, after *engine.Snapshot, replacements []*outrank.Pod) ([]turn, error) {
	p.More = r.totals.tell(nobody())
	var waiting []int
	for i := range p.Placements {
		if p.Placements[i].Node == "" {
			waiting = append(waiting, i)
		}
	}
	if len(waiting) == 0 || p.Kept || r.over() {
		return nil, nil
	}
	eval, err := sparing(r.eval, slices.Concat(r.pods, replacements))
	if err != nil {
		return nil, err
	}
	rest := newOneByOne(r.ctx, eval, after, r.pods, r.req.Now)
	if err := rest.run(waiting); err != nil {
		if r.over() {
			return nil, nil
		}
		return nil, err
	}
	if !r.together(p, rest, replacements) || !r.spareMore(p, turns, rest, replacements) {
		return nil, nil
	}
	for _, i := range waiting {
		at := &p.Placements[i]
		if rest.last[i] != nil {
			at.Refused = rest.last[i]
		}
		if at.Node = rest.nodes[i]; at.Node != "" {
			at.Refused = nil
			at.Victims, at.ClearedNominations = rest.victims[i], rest.cleared[i]
		}
	}
	p.Order = append(p.Order, rest.order...)
	p.More = r.totals.tell(r.totals.total(rest.all()))
	return r.turnsOf(rest), nil
}

// turnsOf lists the pods that found a place one by one, as they are bound.
func (r *run) turnsOf(rest *oneByOne) []turn {
	var out []turn
	for _, i := range rest.order {
		out = append(out, turn{i, r.index[rest.nodes[i]], rest.victims[i]})
	}
	return out
}

// spareMore has the victims of further pods stay that could (rule 25.1.7), and returns false where one
// of the plan itself could then.
func (r *run) spareMore(p *Plan, turns []turn, rest *oneByOne, replacements []*outrank.Pod) bool {
	known := map[*outrank.Pod]bool{} // those that the ranks keep from staying
	for _, unit := range r.idle(turns, nil) {
		for _, v := range unit {
			known[v] = true
		}
	}
	leaves := map[*outrank.Pod]bool{}
	for _, v := range rest.all() {
		leaves[v] = true
	}
	further := &furtherPods{run: r, plan: p, turns: turns, rest: rest, replacements: replacements}
	leave := maps.Clone(known)
	for r.err == nil {
		units := r.idle(slices.Concat(turns, r.turnsOf(rest)), leave)
		own := slices.ContainsFunc(units, func(unit []*outrank.Pod) bool { return !leaves[unit[0]] })
		units = slices.DeleteFunc(units, func(unit []*outrank.Pod) bool { return !leaves[unit[0]] })
		if len(units) == 0 {
			return !own
		}

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
			leave = maps.Clone(known)
		}
	}
	return false
}

// furtherPods are the pods behind those of a plan, with what they are placed beside: the turns of the
// plan, and the replacements of its victims.
type furtherPods struct {
	run          *run
	plan         *Plan
	turns        []turn
	rest         *oneByOne
	replacements []*outrank.Pod
}

// drop takes some victims of further pods off, unless they have to leave after all.
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

// together reports whether the plan and further pods hold, as rule 25.1.4 says, with the replacements
// of the victims of the plan.
func (r *run) together(p *Plan, rest *oneByOne, replacements []*outrank.Pod) bool {
	snap := r.plain.Clone()
	place := func(pod *outrank.Pod, node string) bool {
		ok := r.takesNow(snap, pod, r.index[node])
		r.fail(snap.Bind(pod.Key(), node))
		return ok && r.err == nil
	}
	for i := range p.Placements {
		at := &p.Placements[i]
		for _, v := range slices.Concat(at.Victims, rest.victims[i]) {
			r.fail(snap.RemovePod(v.Key()))
		}
		for _, c := range slices.Concat(at.ClearedNominations, rest.cleared[i]) {
			r.fail(snap.Nominate(c.Key(), ""))
		}
		if rest.nodes[i] == "" && len(rest.victims[i]) > 0 {
			return false
		}
	}
	for _, m := range r.members {
		if !place(m.pod, p.Placements[m.at].Node) {
			return false
		}
	}
	for _, again := range replacements {
		node := rest.snap.NodeOf(again.Key())
		if !r.takesNow(snap, again, r.index[node]) {
			return false
		}
		r.seat(snap, again, r.index[node])
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
//     each has a place again, and what all victims come to together is no worse by the
//     ranks of the policy (groups 25.1 and 25.2). Nobody leaves for a pod that may not
//     evict it, or that would fit without.
//  3. The search for a better plan ends with a proof that there is none, or where
//     [Request].Limit ends it (groups 25.4 and 25.5). [Plan].Certificate says which.
//  4. The other pods take what room there is by now, one after the other (rule 25.1.6).
//
// With [Request].Moves the plan also says what becomes of the work of each victim, and is compared
// by what that costs (group 25.6).
//
// The zero configuration is meant. Of others, Filters, Profile, Eligibility, Guard, Importance, Cost and
// Ranks count; a Chooser, a Rank with a Figure or a second Cost, Extenders and budgets that are never violated are errors,
// because they decide about one pod. By a Sample and by the rule for Victims pods preempt one by one; the joint
// plan looks at all nodes and sets of victims.
//
// The snapshot stays as it is, but it is cloned, so that no other call may use it at the
// same time; a clone for each goroutine lets several plan at once. Errors are those of
// [engine.Evaluator.Preempt] about any of the pods, also ErrState for a pod that runs,
// and an *outrank.InputError about the request. A context that ends before the pods have
// preempted one after the other, and their victims' replacements have places, is an error; one that ends
// later leaves the best plan by then, which says so ([Plan].Interrupted). Either comes soon: what such a plan says
// is still tried, and where that takes more than some hundred questions to nodes, the end of the context is an
// error after all. The plan is the caller's.
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
