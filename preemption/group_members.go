package preemption

import (
	"errors"
	"fmt"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/release"
)

// checkGroup returns what keeps the pods from being a group that preempts.
func (a *attempt) checkGroup(req GroupRequest) error {
	if err := a.config.checkForGroups(); err != nil {
		return err
	}
	if err := checkRelease(a.cluster.Release.OrDefault(), a.rules); err != nil {
		return err
	}

	// Pods are compared with their group only if each of them is valid, and the topology is checked only if
	// they are a group. A placing function of the caller may follow the topology (rule 12.9.14).
	valid, problems := checkEach(req.Pods)
	if len(problems) == 0 {
		problems = a.unlikeOwner(req.Pods)
	}
	var topologies []outrank.Problem
	if len(problems) == 0 && req.Place == nil {
		topologies = a.checkTopologies(req.Pods)
	}

	// Pods that run are reported together with the other problems, the topology only if nothing else is wrong.
	var errs []error
	for _, p := range valid {
		errs = append(errs, a.checkWaits(p))
	}
	if err := errors.Join(append(errs, refuseAll(problems))...); err != nil {
		return err
	}
	return refuseAll(topologies)
}

// refuseAll returns an error about problems, nil if there are none.
func refuseAll(problems []outrank.Problem) error {
	if len(problems) == 0 {
		return nil
	}
	return &outrank.InputError{Problems: problems}
}

// checkForGroups refuses settings that PreemptGroup does not follow. If it ignored one, it could preempt where
// the setting forbids it, or take other victims than the setting asks for.
func (c *Config) checkForGroups() error {
	var problems []outrank.Problem
	refuse := func(field, what string) {
		problems = append(problems, outrank.Problem{
			Object: "preemption config", Field: field, Text: what + ", which a group of pods is not decided by",
		})
	}

	// Victims are found in one way only: units are put back one by one beside the placed pods. And of the
	// variants only today's kube-scheduler lets groups preempt (rule 12.9.1).
	switch c.Victims.(type) {
	case Exact, Across:
		refuse("Victims", "the best ones are searched for")
	case Chooser:
		refuse("Victims", "a rule of the caller chooses them")
	}
	if c.Variant != 0 {
		refuse("Variant", fmt.Sprintf("%v", c.Variant))
	}

	// Budgets are charged for all possible victims, and no caller has the last word on eligibility (rule 8.13).
	switch c.Budgets {
	case ChargeVictims:
		refuse("Budgets", "charged for the victims alone")
	case NeverViolate:
		refuse("Budgets", "never violated")
	}
	if c.Eligibility.Refuse != nil {
		refuse("Eligibility.Refuse", "set")
	}

	if err := refuseAll(problems); err != nil {
		return fmt.Errorf("preempting by a group: %w", err)
	}
	return nil
}

// checkRelease refuses a release in which groups do not preempt as one, or not without a gate (rule 12.9.1).
func checkRelease(of outrank.Release, rules release.Rules) error {
	const gate = "GenericWorkload"
	switch {
	case rules.GroupsPreempt:
		return nil
	case release.Release(of).HasGroups():
		return fmt.Errorf("%w: a group of pods preempts in %v only with the feature gate %s", outrank.ErrInvalid, of, gate)
	}
	return fmt.Errorf("%w: a group of pods does not preempt as one by the rules of %v, its pods do one by one; groups preempt by those of %v with the feature gate %s",
		outrank.ErrInvalid, of, outrank.V1_37, gate)
}

// checkEach checks each pod by itself (rule 12.9.2). It returns the valid ones, and the problems of the others.
// A pod that stands in the group twice is valid, but also has a problem.
func checkEach(pods []*outrank.Pod) (valid []*outrank.Pod, problems []outrank.Problem) {
	if len(pods) == 0 {
		return nil, []outrank.Problem{{Object: "group request", Field: "Pods", Text: "empty"}}
	}

	seen := map[outrank.Key]bool{}
	for i, p := range pods {
		var invalid *outrank.InputError
		if errors.As(p.Validate(), &invalid) {
			if p == nil {
				invalid.Problems[0].Object = fmt.Sprintf("pod number %d", i+1)
			}
			problems = append(problems, invalid.Problems...)
			continue
		}

		if seen[p.Key()] {
			problems = append(problems, outrank.Problem{Object: "pod " + string(p.Key()), Text: "stands in the group twice"})
		}
		seen[p.Key()] = true
		valid = append(valid, p)
	}
	return valid, problems
}

// unlikeOwner lists where pods differ from their group, including pods of it that run. All must be of one
// group, or of one tree with no more levels than trees may have. They must have one scheduler, and the priority
// and the preemption policy of the group (rules 12.9.2 and 12.9.13).
func (a *attempt) unlikeOwner(pods []*outrank.Pod) []outrank.Problem {
	first := pods[0]
	if deep := a.tooDeep(first.GroupKey()); deep != nil {
		return deep
	}

	// A pod of another group is reported once, and not compared any further.
	own := a.ownerOf(pods)
	var problems []outrank.Problem
	var groups []outrank.Key
	seen := map[outrank.Key]bool{}
	for _, p := range pods {
		if p.GroupKey() != first.GroupKey() && (own.composite == nil || !own.includes(a.tree, p)) {
			problems = append(problems, outrank.Problem{
				Object: "pod " + string(p.Key()), Field: "spec.schedulingGroup.podGroupName",
				Text: fmt.Sprintf("group %q, and %s has %q", p.GroupKey(), first.Key(), first.GroupKey()),
			})
			continue
		}

		problems = append(problems, a.differences(p, first, &own)...)
		if key := p.GroupKey(); !seen[key] {
			seen[key] = true
			groups = append(groups, key)
		}
	}

	// In a tree, running pods count even if no pod of their group waits.
	if own.composite != nil {
		groups = a.groupsBelow(own.composite)
	}
	for _, p := range a.runningOf(groups) {
		problems = append(problems, a.differences(p, first, &own)...)
	}
	return problems
}

// tooDeep returns a problem if a group is in a tree of more levels than trees may have (rule 12.9.13).
func (a *attempt) tooDeep(key outrank.Key) []outrank.Problem {
	// A lineage ends at the last level that a tree may have, whether or not the group there has a parent.
	group, above := a.tree.lineage(key)
	if len(above) == 0 || a.tree.composites[above[len(above)-1].ParentKey()] == nil {
		return nil
	}
	return []outrank.Problem{{
		Object: "podgroup " + string(group.Key()), Field: "spec.parentCompositePodGroupName",
		Text: fmt.Sprintf("more than %d levels of groups", outrank.MaxGroupLevels),
	}}
}

// differences lists where one pod differs from the group (rules 12.9.2 and 12.9.6). The first pod speaks for
// a group that is not known.
func (a *attempt) differences(p, first *outrank.Pod, own *owner) []outrank.Problem {
	var problems []outrank.Problem
	differs := func(field, format string, args ...any) {
		problems = append(problems, outrank.Problem{Object: "pod " + string(p.Key()), Field: field, Text: fmt.Sprintf(format, args...)})
	}

	// The text names the object whose priority and policy the pod should have: the group, or the first pod if
	// the group is not known. Where groups have no policy of their own, the first pod's policy counts.
	whose := string(first.Key())
	if group, _ := a.tree.lineage(first.GroupKey()); group != nil {
		whose = "the group " + string(own.key)
	}
	if p.PriorityValue() != own.priority {
		differs("spec.priority", "%d, and %s has %d", p.PriorityValue(), whose, own.priority)
	}
	if !a.rules.GroupPolicyCounts {
		whose = string(first.Key())
	}
	if (p.PreemptionPolicy == outrank.PreemptNever) != own.never {
		differs("spec.preemptionPolicy", "not that of %s", whose)
	}

	if p.Scheduler() != first.Scheduler() {
		differs("spec.schedulerName", "%q, and %s has %q", p.Scheduler(), first.Key(), first.Scheduler())
	}
	return problems
}

// groupsBelow lists the groups of pods below a composite group in the order of their keys (rule 12.9.4).
func (a *attempt) groupsBelow(top *outrank.CompositePodGroup) []outrank.Key {
	var below []outrank.Key
	for key := range a.tree.groups {
		if _, above := a.tree.lineage(key); len(above) > 0 && above[len(above)-1] == top {
			below = append(below, key)
		}
	}
	slices.Sort(below)
	return below
}

// runningOf lists the running pods of groups, group by group and in each by importance. A pod runs if it is on
// a node that is there (rule 12.6.7).
func (a *attempt) runningOf(groups []outrank.Key) []*outrank.Pod {
	byGroup := map[outrank.Key][]*outrank.Pod{}
	for _, p := range a.cluster.Pods {
		if p.Group != "" && !p.Finished() && a.siteOf[p.NodeName] != nil {
			byGroup[p.GroupKey()] = append(byGroup[p.GroupKey()], p)
		}
	}

	var running []*outrank.Pod
	for _, key := range groups {
		slices.SortFunc(byGroup[key], byPriorityAndStart)
		running = append(running, byGroup[key]...)
	}
	return running
}

// checkTopologies refuses each group with a topology, which says where its pods may be placed. First fit does
// not look at that (rule 12.9.14).
func (a *attempt) checkTopologies(pods []*outrank.Pod) []outrank.Problem {
	if !a.rules.GroupTopologies {
		return nil
	}

	var problems []outrank.Problem
	seen := map[string]bool{}
	refuse := func(object string, topology []string) {
		if len(topology) == 0 || seen[object] {
			return
		}
		seen[object] = true
		problems = append(problems, outrank.Problem{
			Object: object, Field: "spec.schedulingConstraints.topology",
			Text: fmt.Sprintf("%q is not followed: who leaves depends on where the pods may be placed; the placing function of a caller can hold to it", topology),
		})
	}

	// A topology anywhere above a pod limits where the pod may be placed.
	for _, p := range pods {
		group, above := a.tree.lineage(p.GroupKey())
		if group == nil {
			continue
		}
		refuse("podgroup "+string(group.Key()), group.Topology)
		for _, c := range above {
			refuse("compositepodgroup "+string(c.Key()), c.Topology)
		}
	}
	return problems
}
