package groups

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/release"
	"github.com/outrank-go/outrank/internal/work"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine/internal/dryrun"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
	"github.com/outrank-go/outrank/preemption/internal/rank"
)

// begin prepares a run for the pods of a request. The error says why they are not a group that can preempt.
// firstFit is set if first fit places the pods, and not a function of the caller.
func begin(ctx context.Context, terms *dryrun.Terms, snap *state.Snapshot, req *preemption.GroupRequest, firstFit bool) (*run, error) {
	if err := check(terms, snap, req.Pods, firstFit); err != nil {
		return nil, err
	}

	owner := ownerOf(snap, req.Pods)
	r := &run{
		look:  work.NewWatch(ctx),
		terms: unguarded(terms), snap: snap, work: snap.Scratch(), pods: slices.Clone(req.Pods),
		owner: owner, priority: owner.priority, now: rank.InstantOf(req.Now), place: req.Place, mostAnswers: cmp.Or(terms.Answers, mostAnswers),
		plan: &preemption.GroupPlan{Release: snap.Release(), Now: req.Now, Group: owner.key, Composite: owner.composite},
	}

	// The pods of a tree of groups are placed group by group (rule 12.9.4).
	r.quorum = quorumOf(snap, r.pods)
	if r.quorum.below != nil {
		r.pods = r.quorum.inOrder(r.pods)
	}

	// In work the pods are pending, with their present nominations (rule 12.9.5).
	for _, p := range req.Pods {
		r.work.Seat(p, "", r.nominationOf(p))
	}
	if terms.Guard == nil {
		return r, nil
	}
	return r, r.startGuard(ctx, terms.Guard)
}

// check returns one error with every reason for which the pods are not a group that can preempt. firstFit is
// as for begin.
func check(terms *dryrun.Terms, snap *state.Snapshot, pods []*outrank.Pod, firstFit bool) error {
	if err := checkTerms(terms); err != nil {
		return err
	}
	if err := checkGates(snap); err != nil {
		return err
	}

	valid, ps := checkPods(pods)
	if len(ps) == 0 {
		ps = unlikeOwner(snap, pods)
	}
	var topologies []outrank.Problem
	if len(ps) == 0 && firstFit {
		topologies = checkTopologies(snap, pods)
	}

	// Pods that already run are reported together with all other problems. A topology is reported only if
	// there is no other problem.
	var errs []error
	for _, p := range valid {
		errs = append(errs, snap.CheckWaits(p))
	}
	if err := errors.Join(append(errs, refuse(ps))...); err != nil {
		return err
	}
	return refuse(topologies)
}

// checkTerms refuses settings that have no meaning for a group. Ignoring them could preempt against a rule,
// or in another way than was asked for.
func checkTerms(terms *dryrun.Terms) error {
	var ps []outrank.Problem
	add := func(field, text string) {
		ps = append(ps, outrank.Problem{Object: "preemption config", Field: field, Text: text + ", which a group of pods is not decided by"})
	}

	// No step of a group's decision reads these settings.
	switch {
	case terms.Exact || terms.Across:
		add("Victims", "the best ones are searched for")
	case terms.Chooser != nil:
		add("Victims", "a rule of the caller chooses them")
	}
	if terms.Variant != 0 {
		add("Variant", fmt.Sprintf("%v", terms.Variant))
	}
	switch terms.Budgets {
	case preemption.ChargeVictims:
		add("Budgets", "charged for the victims alone")
	case preemption.NeverViolate:
		add("Budgets", "never violated")
	}
	if terms.Eligibility.Refuse != nil {
		add("Eligibility.Refuse", "set")
	}

	if len(ps) > 0 {
		return fmt.Errorf("preempting by a group: %w", refuse(ps))
	}
	return nil
}

// groupGate is the feature gate that lets groups of pods preempt.
const groupGate = "GenericWorkload"

// checkGates refuses a release in which groups do not preempt (rule 12.9.1).
func checkGates(snap *state.Snapshot) error {
	if snap.Rules.GroupsPreempt {
		return nil
	}
	if release.Release(snap.Of).HasGroups() {
		return fmt.Errorf("%w: a group of pods preempts in %v only with the feature gate %s", outrank.ErrInvalid, snap.Of, groupGate)
	}
	return fmt.Errorf("%w: a group of pods does not preempt as one by the rules of %v, its pods do one by one; groups preempt by those of %v with the feature gate %s",
		outrank.ErrInvalid, snap.Of, outrank.V1_37, groupGate)
}

// checkPods returns the pods that are valid by themselves, and the problems of all pods. A pod that is listed
// twice is valid, and still a problem.
func checkPods(pods []*outrank.Pod) (valid []*outrank.Pod, ps []outrank.Problem) {
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
			ps = append(ps, invalid.Problems...)
			continue
		}

		if seen[p.Key()] {
			ps = append(ps, outrank.Problem{Object: "pod " + string(p.Key()), Text: "stands in the group twice"})
		}
		seen[p.Key()] = true
		valid = append(valid, p)
	}
	return valid, ps
}

// refuse returns the problems as an error, nil if there are none.
func refuse(ps []outrank.Problem) error {
	if len(ps) == 0 {
		return nil
	}
	return &outrank.InputError{Problems: ps}
}
