package filtertest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/preemptiontest/clustergen"
)

// Error lists the violations that [Check] found, at most one of each rule.
type Error struct {
	// Filter is the name of the filter.
	Filter     string
	Violations []Violation
}

// phases are the checks, each of which looks for a violation of one rule. A phase runs only if the phases
// before it found nothing. Concurrency comes last, because there memory that two states share could end the
// whole program. ruleNamed, ruleNoPanic and ruleSay have no check here: Check itself, try and checkSay find
// their violations.
var phases = [][]checkFunc{
	{checkNil, checkReadOnly, checkSameAnswer},
	{
		checkStatus, checkKeptStatus, checkCheck, checkClone, checkRestore, checkOrder,
		checkFollow, checkUnresolvable, checkAttempts, checkConcern, checkTracked,
	},
	{checkConcurrency, checkTrackedConcurrency},
}

type checkFunc = func(*scene) *Violation

// Error lists the violations, each with what shows it.
func (e *Error) Error() string {
	var b strings.Builder
	for i := range e.Violations {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "filter %s: %s", e.Filter, e.Violations[i].text())
	}
	return b.String()
}

// Check runs a filter over generated clusters and reports which rules of its contract it breaks. The error is
// nil, an *[Error], an *[outrank.InputError] about the options, or an error about a Prepare that does not do
// the same thing twice.
//
// The rules, in the order in which they are checked:
//
//   - it has a name, which is not that of a built-in filter, and what it is asked by;
//   - no call panics;
//   - a filter without a say about a pod returns a nil state, and no clone is nil;
//   - nothing that is shown is changed: no pod, no node, not the snapshot;
//   - the same question gives the same answer;
//   - a status is Success without reasons, Unschedulable or UnschedulableAndUnresolvable, and
//     one that was returned does not change any more;
//   - Check has no effect on later answers;
//   - a clone answers like its original and changes apart from it;
//   - adding what was removed restores all answers, and the order does not matter;
//   - following changes equals starting on a snapshot with these changes;
//   - removing pods does not help on a node that is unresolvable;
//   - what one attempt does shows in no other;
//   - pods that do not concern the filter make no difference;
//   - what a [preemption.Tracker] knows follows the snapshot;
//   - answers are the same when several goroutines ask at once;
//   - the filter turns some pod away from some node;
//   - a guard allows that nobody is away ([CheckGuard] alone).
//
// It takes some hundred calls of the filter for each cluster, in all well below a second for a filter of
// ordinary speed, and memory for one cluster. For the rule about several goroutines, some call the filter at
// once, and have ended before Check returns; all other calls come from the caller's goroutine. Several
// goroutines may call Check.
func Check(filter *preemption.Filter, options Options) error {
	if err := options.validate(); err != nil {
		return err
	}
	if filter == nil {
		return fmt.Errorf("%w: no filter", outrank.ErrInvalid)
	}
	config := preemption.Config{Filters: []*preemption.Filter{filter}}
	if err := config.Validate(); err != nil {
		return &Error{Filter: filter.Name, Violations: []Violation{{Rule: ruleNamed, Text: err.Error()}}}
	}
	c := &checker{name: filter.Name, filter: subjectOf(filter), options: options.withDefaults(), phases: phases}
	return c.result()
}

// result runs all checks and returns the violations as an *Error.
func (c *checker) result() error {
	if err := c.run(); err != nil {
		return err
	}
	if len(c.found) == 0 {
		return nil
	}
	return &Error{Filter: c.name, Violations: c.found}
}

// checker is one run of [Check].
type checker struct {
	filter  subject
	options Options
	phases  [][]checkFunc
	name    string
	found   []Violation
	tally   tally
}

// run makes the checks. Violations go into found; the error is about the options.
func (c *checker) run() error {
	for _, checks := range c.phases {
		if err := c.onEveryScene(checks); err != nil || len(c.found) > 0 {
			return err
		}
	}
	c.checkSay()
	return nil
}

// onEveryScene makes the checks on every cluster, each of them until it has found a violation.
func (c *checker) onEveryScene(checks []checkFunc) error {
	found := make([]*Violation, len(checks))
	for i := range c.options.Clusters {
		s, err := c.newScene(i)
		if err != nil {
			return err
		}
		for at, check := range checks {
			if found[at] != nil {
				continue
			}
			found[at] = s.try(check)

			// Once one of these rules is broken other answers mean nothing, and neither do violations
			// found before.
			if found[at] != nil && slices.Contains(first, found[at].Rule) {
				c.found = []Violation{*found[at]}
				return nil
			}
		}
	}

	for _, v := range found {
		if v != nil {
			c.found = append(c.found, *v)
		}
	}
	return nil
}

// checkSay checks [ruleSay]: that the filter turned some pod away.
func (c *checker) checkSay() {
	tally := &c.tally
	if tally.turnedAway > 0 || c.options.MayBeSilent {
		return
	}

	text := "it said Success to everything: Options.Prepare can add to pods and nodes what it looks at"
	switch {
	case tally.started == 0 && tally.failure != nil:
		text = "Start returned an error for every pod, such as: " + tally.failure.Error()
	case tally.started == 0:
		text = "Start returned a nil state for every pod: Options.Prepare can add to pods and nodes what it looks at"
	}
	c.found = append(c.found, Violation{Rule: ruleSay, Text: text})
}

// newScene generates cluster i, with two pods that look for a place in it.
func (c *checker) newScene(i int) (*scene, error) {
	s := &scene{filter: c.filter, shape: c.options.shapeOf(i), seed: c.options.Seed + uint64(i), tally: &c.tally}
	var err error
	if s.here, err = c.newStage(s.shape, s.seed, s.seed); err != nil {
		return nil, err
	}
	if s.untouched, err = c.newStage(s.shape, s.seed, s.seed); err != nil {
		return nil, err
	}
	if s.changed() != "" {
		return nil, errPrepare
	}

	// The other pod has the complement of the seed, which no other cluster uses.
	stranger, err := c.newStage(s.shape, s.seed, ^s.seed)
	s.other = stranger.pod
	return s, err
}

// newStage generates a cluster and a pod for it, prepares both, and takes a snapshot.
func (c *checker) newStage(shape clustergen.Shape, seed, podSeed uint64) (stage, error) {
	cluster, err := clustergen.Cluster(shape, seed)
	if err != nil {
		return stage{}, err
	}
	pod, err := clustergen.Preemptor(shape, podSeed)
	if err != nil {
		return stage{}, err
	}

	// Generated objects share maps, which Prepare may write to.
	for _, n := range cluster.Nodes {
		n.Labels, n.Allocatable = ownLabels(n.Labels), n.Allocatable.Clone()
	}
	for _, p := range append(slices.Clone(cluster.Pods), pod) {
		own(p)
	}
	if c.options.Prepare != nil {
		c.options.Prepare(cluster, pod)
	}

	snap, err := engine.NewSnapshot(cluster)
	if err != nil {
		return stage{}, fmt.Errorf("after Prepare: %w", err)
	}
	if err := pod.Validate(); err != nil {
		return stage{}, fmt.Errorf("after Prepare: %w", err)
	}
	return stage{cluster, pod, snap}, nil
}
