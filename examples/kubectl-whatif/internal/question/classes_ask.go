package question

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/outrank-go/outrank"
)

// AskClasses answers what a change of priority classes would do. Each given class is new or replaces the class
// of the same name; no class is removed. Kubernetes lets nobody change the value of a class, so a changed class
// stands for one that is deleted and created again.
//
// Whether a running pod could be pushed out is judged by priorities and policies alone. For waiting pods whole
// decisions are made, each independent of the others. Pods without a controller, static and mirror pods, and
// pods that are leaving are not recreated and keep their priorities. So do groups.
//
// Errors are those of the setting, of [priority.NewTable] about the classes before and after the change, of the
// context, and of [engine.Evaluator.Preempt]. The time is linear in the running pods for each class, plus up to
// three decisions for each waiting pod.
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

	// Each step needs the results of those before it: reaches compares the pods that census has listed.
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

// changes records the classes that change, by name, and the default class before and after.
func (q *classQuestion) changes(changed []*outrank.PriorityClass) {
	for _, c := range changed {
		before, after := valueOf(q.before, c.Name), valueOf(q.after, c.Name)
		if before == nil || *before != *after {
			q.out.Changes = append(q.out.Changes, ClassChange{c.Name, before, after})
		}
	}
	slices.SortFunc(q.out.Changes, func(a, b ClassChange) int { return cmp.Compare(a.Name, b.Name) })

	if c, ok := q.before.Default(); ok {
		q.out.DefaultBefore = c.Name
	}
	if c, ok := q.after.Default(); ok {
		q.out.DefaultAfter = c.Name
	}
}
