package question

import (
	"context"
	"fmt"
	"slices"

	"github.com/outrank-go/outrank"
)

// AskClasses answers what a change of priority classes would do: the classes given take the
// place of those of their names, or are new. Nothing is asked about a class that goes away.
// Kubernetes itself lets nobody change the value of a class: it has to be deleted and made
// again, which is what is meant here.
//
// Which running pods could be pushed out goes by priorities and policies alone; for the pods
// that wait whole decisions are made, each for itself. Pods without a controller, mirror pods
// and those that are leaving are not recreated and keep what they have.
//
// Errors are those of the setting, of [priority.NewTable] about the classes after the change,
// of the context, and of [engine.Evaluator.Preempt]. Time is linear in the running pods
// for each class, and that of up to three decisions for each pod that waits. Groups of pods
// keep the priority that they have.
func AskClasses(ctx context.Context, set Setting, changed []*outrank.PriorityClass) (*ClassImpact, error) {
	if err := set.check(); err != nil {
		return nil, err
	}
	if slices.Contains(changed, nil) {
		return nil, fmt.Errorf("%w: a priority class is nil", outrank.ErrInvalid)
	}
	before, after, err := tables(set.Cluster.Classes, changed)
	if err != nil {
		return nil, err
	}
	q := &classQuestion{scene: set.scene(ctx), before: before, after: after, out: &ClassImpact{
		Changes: []ClassChange{}, Classes: []ClassReach{}, Pending: []PendingImpact{},
	}}
	q.changes(changed)
	if err := q.census(); err != nil {
		return nil, err
	}
	q.reaches()
	if err := q.pending(); err != nil {
		return nil, err
	}
	return q.out, nil
}

// changes records the change of each class.
func (q *classQuestion) changes(changed []*outrank.PriorityClass) {
	for _, c := range changed {
		before, after := valueOf(q.before, c.Name), valueOf(q.after, c.Name)
		if before == nil || *before != *after {
			q.out.Changes = append(q.out.Changes, ClassChange{c.Name, before, after})
		}
	}
	slices.SortFunc(q.out.Changes, func(a, b ClassChange) int { return compareText(a.Name, b.Name) })
	if c, ok := q.before.Default(); ok {
		q.out.DefaultBefore = c.Name
	}
	if c, ok := q.after.Default(); ok {
		q.out.DefaultAfter = c.Name
	}
}
