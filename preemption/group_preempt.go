package preemption

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/outrank-go/outrank"
)

// PreemptGroup decides which pods have to leave so that a group of pods can run, or as many of it as the
// policy of the group asks for (group 12.9):
//
//  1. If there is a place for the group as things are, it fits.
//  2. The group has to be allowed to preempt.
//  3. All units of lower priority in the whole cluster are taken away, and the group is placed again. If
//     there is still no place, nothing helps.
//  4. The units are put back one by one, units that violate a budget first. The placement of step 3 stays.
//     A unit has to leave if one of the placed pods fails on its node beside it.
//
// Groups have to preempt in the release of the cluster (rule 12.9.1). Of the configuration Filters, Profile,
// Eligibility, Guard and Importance count; the comment of [Config] lists what is refused. Errors: those of
// [Preempt] about the configuration and the cluster; an [outrank.InputError] that names every pod that does
// not belong in the group; [ErrState] for pods that run; those of filters, guards and placing functions.
//
// Time is linear in the nodes and pods for each pod of the group, and in the units times the placed pods.
func PreemptGroup(cluster *outrank.Cluster, req GroupRequest, config Config) (*GroupPlan, error) {
	g, err := beginGroup(cluster, req, &config)
	if err != nil {
		return nil, err
	}

	// Step 1. A caller that has found no place is believed.
	var now placement
	if !req.Refused {
		if now, err = g.place(g.cluster); err != nil {
			return nil, err
		}
	}
	g.plan.TurnedDown = now.refused

	// Step 2. A plan says why the group may not preempt even if it fits.
	possible := g.possibleVictims()
	g.plan.Ineligible = g.mayPreempt(possible)

	// Steps 3 and 4 follow where they are needed. Nothing helps unless makeRoom says otherwise.
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
	// attempt is an attempt for the first pod, in cluster. It knows the units of the whole cluster, but asks
	// no filters: for that each pod has an attempt of its own (memberAttempt).
	attempt *attempt
	// cluster is the cluster of the caller, with all waiting pods of the group pending.
	cluster *outrank.Cluster
	config  *Config
	// members lists the waiting pods in the order in which they are placed.
	members []*outrank.Pod
	// owner is the group for which they preempt, and quota says how many of them need a place.
	owner   owner
	quota   *quota
	request GroupRequest
	plan    *GroupPlan
}

// beginGroup checks the configuration, the cluster and the question, in this order, and prepares an attempt.
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

	// The checks need to know the nodes and groups, and no pod yet: there may be none.
	if err := newAttempt(cluster, config, nil, req.Now).checkGroup(req); err != nil {
		return nil, err
	}

	// An attempt needs a preemptor. The first pod can stand for all of them, because they have one priority,
	// one preemption policy and one scheduler (rule 12.9.2).
	waiting := withPending(cluster, req.Pods)
	a := newAttempt(waiting, config, req.Pods[0], req.Now)
	a.findUnits()

	g := &groupAttempt{attempt: a, cluster: waiting, config: config, request: req}
	g.owner = a.ownerOf(req.Pods)
	g.quota = a.quotaOf(req.Pods)
	g.members = g.quota.inOrder()
	g.plan = &GroupPlan{Release: cluster.Release.OrDefault(), Now: req.Now, Group: g.owner.key, Composite: g.owner.composite}
	return g, g.startAll()
}

// startAll starts the guard for the whole group (rule 13.6.8), and returns any error of the filters about one
// of its pods.
func (g *groupAttempt) startAll() error {
	if guard := g.config.Guard; guard != nil {
		state, err := guard.Start(slices.Clone(g.members), plainView{g.attempt})
		switch {
		case err != nil && g.owner.key == "":
			return fmt.Errorf("guard %s: pod %s: %w", guard.Name, g.members[0].Key(), err)
		case err != nil:
			return fmt.Errorf("guard %s: podgroup %s: %w", guard.Name, g.owner.key, err)
		}
		g.attempt.guard = state
	}

	// An error about any pod ends the decision, even if the group would be given up before that pod. With a
	// placing function the filters are asked only about pods that it asks about or places.
	if g.request.Place != nil {
		return nil
	}
	for _, p := range g.members {
		if _, err := g.memberAttempt(g.cluster, p); err != nil {
			return err
		}
	}
	return nil
}

// withPending returns the cluster with pods of a group as pending ones. Each has the nomination that the
// cluster knows of, or else its own (rule 12.9.5).
func withPending(c *outrank.Cluster, members []*outrank.Pod) *outrank.Cluster {
	for _, p := range members {
		waits := *p
		waits.NodeName, waits.NominatedNodeName = "", nominationOf(c, p)
		c = withoutMember(c, p)
		c.Pods = append(c.Pods, &waits)
	}
	return c
}

// withMember returns the cluster with a waiting pod of the group on a node. Its nomination ends with that
// (rule 12.9.5).
func withMember(c *outrank.Cluster, p *outrank.Pod, node string) *outrank.Cluster {
	placed := *p
	placed.NodeName, placed.NominatedNodeName = node, ""
	c = withoutMember(c, p)
	c.Pods = append(c.Pods, &placed)
	return c
}

// withoutMember returns a copy of the cluster without a waiting pod of the group. The list of pods is the
// copy's own, so that it may be appended to.
func withoutMember(c *outrank.Cluster, p *outrank.Pod) *outrank.Cluster {
	other := *c
	other.Pods = slices.DeleteFunc(slices.Clone(c.Pods), func(q *outrank.Pod) bool { return q.NodeName == "" && sameName(p, q) })
	return &other
}

// without returns the cluster without the pods of units (rules 12.9.8 and 23.9).
func without(c *outrank.Cluster, units []*unit) *outrank.Cluster {
	gone := map[*outrank.Pod]bool{}
	for _, p := range podsOf(units) {
		gone[p.pod] = true
	}
	other := *c
	other.Pods = slices.DeleteFunc(slices.Clone(c.Pods), func(p *outrank.Pod) bool { return gone[p] })
	return &other
}

// possibleVictims lists the units in the whole cluster that the group may take, the most important first
// (rule 12.9.8). A unit with pods on several nodes is listed once.
func (g *groupAttempt) possibleVictims() []*unit {
	var possible []*unit
	seen := map[*unit]bool{}
	for _, s := range g.attempt.sites {
		for _, u := range s.units {
			if !seen[u] && g.mayTake(u) {
				possible = append(possible, u)
			}
			seen[u] = true
		}
	}
	return g.attempt.byImportance(possible)
}

// mayTake reports whether the group may take a unit. Its priority has to be lower than the group's
// (rule 12.9.8), unless the caller has units of any priority taken (rule 13.6.7).
func (g *groupAttempt) mayTake(u *unit) bool {
	rules := g.config.Eligibility
	if u.priority >= g.owner.priority && !rules.AnyPriority {
		return false
	}
	if rules.Take == nil && !rules.AnyPriority {
		return true
	}

	// The caller's Take is asked about each pod of the unit, for each pod that waits. With it, or with
	// AnyPriority, a unit with a pod of the group itself is not a victim (rule 13.6.7).
	for _, p := range u.pods {
		if p.pod.Group != "" && g.owner.includes(g.attempt.tree, p.pod) {
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

// mayPreempt returns why the group may not preempt, empty if it may.
func (g *groupAttempt) mayPreempt(possible []*unit) Ineligibility {
	switch {
	case g.config.switchesOff(DefaultPreemption):
		return Disabled // rule 13.1.5
	case g.owner.never:
		return PolicyNever // rule 12.9.6
	}

	// The group waits while a possible victim leaves any node that one of its pods is nominated to. Unlike
	// for a single pod it does not matter what that node says by now (rule 12.9.7).
	nominated := map[string]bool{}
	for _, p := range g.members {
		nominated[nominationOf(g.cluster, p)] = true
	}
	for _, p := range podsOf(possible) {
		if leavesByPreemption(p.pod) && nominated[p.site.name()] {
			return VictimsTerminating
		}
	}
	return ""
}

// say writes the status that kube-scheduler gives the group into the plan (rule 12.9.11).
func (g *groupAttempt) say(code Code, text string) {
	g.plan.Status = Status{Code: code, Reasons: []string{"pod group preemption: " + text}}
}

// sayIneligible writes into the plan that the group may not preempt.
func (g *groupAttempt) sayIneligible() {
	if why := g.plan.Ineligible; why != VictimsTerminating {
		g.say(Unschedulable, why.Message())
		return
	}

	// To wait for victims is a success, and each pod keeps the nomination that it has (rule 12.9.7).
	g.say(Success, "ongoing preemption on nominated nodes")
	for _, p := range g.members {
		g.plan.Nominations = append(g.plan.Nominations, Assignment{Pod: p, Node: nominationOf(g.cluster, p)})
	}
}

// makeRoom takes the units away that the guard lets go, and places the group (steps 3 and 4 of PreemptGroup).
// Without a guard all of them leave.
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

	// There is no place. If there is one without the units that the guard keeps, it is the guard that stands
	// in the way (rule 13.6.10).
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

// refuse writes into the plan that there is no place for the group, whichever units leave (rule 12.9.11).
func (g *groupAttempt) refuse(why *Refusal) {
	g.plan.Unhelpful = why
	g.say(Unschedulable, cmp.Or(why.Reason, unplaced))
}
