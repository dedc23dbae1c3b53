package preemption

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/outrank-go/outrank"
)

// PreemptGroup decides which pods have to leave so that a group of pods can run: all of them, or as many
// as the policy of the group asks for (group 12.9):
//
//  1. If there is a place for the group as things are, it fits.
//  2. The group has to be allowed to preempt.
//  3. All units of lower priority in the whole cluster are taken away, and the group is placed again. If
//     there is still no place, nothing helps.
//  4. The units are put back one by one, those that violate a budget first. The placement of step 3
//     stays, and a unit beside which one of the placed pods fails on its node has to leave.
//
// The release has to be one in which groups preempt (rule 12.9.1). Of the configuration Filters, Profile,
// Eligibility, Guard and Importance count; what a group cannot be decided by is refused, as the comment
// of [Config] lists. Errors: those of [Preempt] about the configuration and the cluster; an
// [outrank.InputError] that names every pod that cannot be of the group; [ErrState] for pods that run;
// those of filters, guards and placing functions.
//
// Time is linear in the nodes and pods for each pod of the group, and in the units times the placed pods.
func PreemptGroup(cluster *outrank.Cluster, req GroupRequest, config Config) (*GroupPlan, error) {
	g, err := beginGroup(cluster, req, &config)
	if err != nil {
		return nil, err
	}

	// Step 1.
	var now placement
	if !req.Refused {
		if now, err = g.place(g.cluster); err != nil {
			return nil, err
		}
	}
	possible := g.possibleVictims()
	g.plan.TurnedDown = now.refused

	// Step 2.
	g.plan.Ineligible = g.mayPreempt(possible)
	switch {
	case now.refused == nil && !req.Refused:
		g.plan.Outcome, g.plan.Placement = Fits, now.assignments()
	case g.plan.Ineligible != "":
		g.plan.Outcome = NotEligible
		g.sayIneligible()
	case len(possible) == 0:
		g.plan.Outcome = NothingHelps
		g.say(UnschedulableAndUnresolvable, "No preemption victims found for incoming preemptor")
	default:
		g.plan.Outcome = NothingHelps
		if err := g.makeRoom(possible); err != nil {
			return nil, err
		}
	}
	return g.plan, nil
}

// groupAttempt is one attempt to make room for a group.
type groupAttempt struct {
	// attempt is that of the first pod; it knows the units of the whole cluster, in which the pods of the
	// group are pending.
	*attempt
	// members are the pods in the order in which they are placed.
	members []*outrank.Pod
	owner   owner
	quota   *quota
	request GroupRequest
	plan    *GroupPlan
}

// beginGroup checks the question and prepares an attempt.
func beginGroup(cluster *outrank.Cluster, req GroupRequest, config *Config) (*groupAttempt, error) {
	if err := config.Validate(); err != nil {
		return nil, err
	}
	if cluster == nil {
		cluster = &outrank.Cluster{}
	}
	if err := cluster.Validate(); err != nil {
		return nil, err
	}
	g := &groupAttempt{attempt: newAttempt(cluster, config, nil, req.Now), request: req}
	if err := g.checkGroup(req); err != nil {
		return nil, err
	}

	g.owner = g.ownerOf(req.Pods)
	g.attempt = newAttempt(withPending(cluster, req.Pods), config, req.Pods[0], req.Now)
	g.findUnits()
	g.quota = g.quotaOf(req.Pods)
	g.members = g.quota.inOrder()
	g.plan = &GroupPlan{Release: cluster.Release.OrDefault(), Now: req.Now, Group: g.owner.key, Composite: g.owner.composite}
	return g, g.startAll()
}

// startAll starts the guard for the whole group (rule 13.6.8), and finds out whether each of its pods can be asked
// about.
func (g *groupAttempt) startAll() error {
	if guard := g.config.Guard; guard != nil {
		state, err := guard.Start(slices.Clone(g.members), plainView{g.attempt})
		switch {
		case err != nil && g.owner.key == "":
			return fmt.Errorf("guard %s: pod %s: %w", guard.Name, g.members[0].Key(), err)
		case err != nil:
			return fmt.Errorf("guard %s: podgroup %s: %w", guard.Name, g.owner.key, err)
		}
		g.guard = state
	}
	for _, p := range g.members {
		if g.request.Place != nil {
			break // the function says which pods it has a place for
		}
		if _, err := g.memberAttempt(g.cluster, p); err != nil {
			return err
		}
	}
	return nil
}

// withPending is the cluster with pods of a group among those that wait, each nominated as the cluster
// knows, or else as the pod says (rule 12.9.5).
func withPending(c *outrank.Cluster, members []*outrank.Pod) *outrank.Cluster {
	for _, p := range members {
		waits := *p
		waits.NodeName, waits.NominatedNodeName = "", nominationOf(c, p)
		c = withoutMember(c, p)
		c.Pods = append(c.Pods, &waits)
	}
	return c
}

// withMember is the cluster with a pod of the group on a node. Its own nomination ends there (rule
// 12.9.5).
func withMember(c *outrank.Cluster, p *outrank.Pod, node string) *outrank.Cluster {
	placed := *p
	placed.NodeName, placed.NominatedNodeName = node, ""
	c = withoutMember(c, p)
	c.Pods = append(c.Pods, &placed)
	return c
}

// withoutMember is a copy of the cluster without a pod of the group that waits (rule 12.9.5). Its list of pods may
// be appended to.
func withoutMember(c *outrank.Cluster, p *outrank.Pod) *outrank.Cluster {
	other := *c
	other.Pods = slices.DeleteFunc(slices.Clone(c.Pods), func(q *outrank.Pod) bool { return q.NodeName == "" && sameName(p, q) })
	return &other
}

// without is the cluster without the pods of units (rules 12.9.8 and 23.9).
func without(c *outrank.Cluster, units []*unit) *outrank.Cluster {
	gone := map[*outrank.Pod]bool{}
	for _, p := range podsOf(units) {
		gone[p.pod] = true
	}
	other := *c
	other.Pods = slices.DeleteFunc(slices.Clone(c.Pods), func(p *outrank.Pod) bool { return gone[p] })
	return &other
}

// possibleVictims are the units in the whole cluster that the group may take, the most important first (rule
// 12.9.8).
func (g *groupAttempt) possibleVictims() []*unit {
	var possible []*unit
	seen := map[*unit]bool{}
	for _, s := range g.sites {
		for _, u := range s.units {
			if !seen[u] && g.mayTake(u) {
				possible = append(possible, u)
			}
			seen[u] = true
		}
	}
	return g.byImportance(possible)
}

// mayTake: units of lower priority than the group, or of any where the caller says so. Where the caller
// says who may be taken, it is asked about each pod of the unit for each pod that waits, and pods of the
// group itself are nobody's victims (rules 12.9.8 and 13.6.7).
func (g *groupAttempt) mayTake(u *unit) bool {
	rules := &g.config.Eligibility
	if u.priority >= g.owner.priority && !rules.AnyPriority {
		return false
	}
	if rules.Take == nil && !rules.AnyPriority {
		return true
	}
	for _, p := range u.pods {
		if p.pod.Group != "" && g.owner.has(g.tree, p.pod) {
			return false
		}
		for _, member := range g.members {
			if !g.config.allowsTaking(member, p.pod) {
				return false
			}
		}
	}
	return true
}

// mayPreempt says why the group may not preempt: its policy is Never, or victims of an earlier preemption
// still leave a node that one of its pods is nominated to, whatever that node says (rules 12.9.6 and
// 12.9.7).
func (g *groupAttempt) mayPreempt(possible []*unit) Ineligibility {
	nominated := map[string]bool{}
	for _, p := range g.members {
		nominated[nominationOf(g.cluster, p)] = true
	}
	switch {
	case slices.Contains(g.config.Profile.Off, DefaultPreemption):
		return Disabled
	case g.owner.never:
		return PolicyNever
	}
	for _, p := range podsOf(possible) {
		if leavesByPreemption(p.pod) && nominated[p.site.node.Name] {
			return VictimsTerminating
		}
	}
	return ""
}

// say is what kube-scheduler says of the group (rule 12.9.11).
func (g *groupAttempt) say(code Code, text string) {
	g.plan.Status = Status{Code: code, Reasons: []string{"pod group preemption: " + text}}
}

// sayIneligible: while the group waits for victims that is a success, and its pods keep the nominations
// that they have (rule 12.9.7).
func (g *groupAttempt) sayIneligible() {
	if g.plan.Ineligible != VictimsTerminating {
		g.say(Unschedulable, g.plan.Ineligible.Message())
		return
	}
	g.say(Success, "ongoing preemption on nominated nodes")
	for _, p := range g.members {
		g.plan.Nominations = append(g.plan.Nominations, Assignment{Pod: p, Node: nominationOf(g.cluster, p)})
	}
}

// makeRoom takes the units away that the guard lets go, and places the group (steps 3 and 4).
func (g *groupAttempt) makeRoom(possible []*unit) error {
	leaving, kept, refusal, guard := g.letUnitsGo(possible)
	placed, err := g.place(without(g.cluster, leaving))
	switch {
	case err != nil:
		return err
	case placed.refused == nil:
		g.reprieveUnits(placed, leaving, guard)
		return nil
	case len(kept) == 0:
		g.refuse(placed.refused)
		return nil
	}

	// There is no place. Is that because of those that the guard keeps (rule 13.6.10)?
	all, err := g.place(without(g.cluster, possible))
	switch {
	case err != nil:
		return err
	case all.refused != nil:
		g.refuse(all.refused)
		return nil
	}
	placed.refused.Guard = refusal
	g.plan.Unhelpful = placed.refused
	g.say(Unschedulable, refusal.String())
	return nil
}

// refuse says that there is no place whoever leaves (rule 12.9.11).
func (g *groupAttempt) refuse(why *Refusal) {
	g.plan.Unhelpful = why
	g.say(Unschedulable, cmp.Or(why.Reason, unplaced))
}

// placement is where pods of the group go, or why there is no place.
type placement struct {
	spots   []*spot
	refused *Refusal
}

// assignments are the places, in the order in which they were found.
func (p *placement) assignments() []Assignment {
	var at []Assignment
	for _, s := range p.spots {
		at = append(at, Assignment{Pod: s.pod, Node: s.dryRun.site.node.Name})
	}
	return at
}

// place places the group in a cluster, by the caller's function or each pod on the first node that takes
// it (rule 12.9.5).
func (g *groupAttempt) place(c *outrank.Cluster) (placement, error) {
	if g.request.Place != nil {
		return g.placeByFunction(context.Background(), c)
	}
	return g.placeFirstFit(c)
}
