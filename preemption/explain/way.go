package explain

import (
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
)

// mostSteps bounds the number of obstacles that are looked for on one node.
const mostSteps = 8

// ways finds the obstacles behind the first one on nodes that do not take the pod even by preemption. It looks at the
// example of each group, in the order of the report, and at no more than most groups.
func (b *bench) ways(groups []NodeGroup) error {
	found := 0
	for i := range groups {
		g := &groups[i]
		if found == b.most || b.left <= 0 {
			return nil
		}
		if g.Stage != InVain && g.Stage != NoHelp {
			continue
		}
		found++

		var err error
		if g.Way, err = b.way(g.Example); err != nil {
			return err
		}
	}
	return nil
}

// way finds the obstacles on a node, one behind the other. For that it changes a copy of the pod, and the scratch; the
// changes of the scratch are undone at the end.
func (b *bench) way(node string) (*Way, error) {
	w := &Way{Trial: Trial{Node: node, Outcome: preemption.NothingHelps}}
	pod := *b.req.Pod
	return w, b.trial(func() error {
		for range mostSteps {
			if b.left <= 0 {
				break
			}
			more, err := b.step(w, &pod, node)
			if err != nil || !more {
				return err
			}
		}
		w.Limited = true
		return nil
	})
}

// step asks the node, and removes the obstacle that it names. more reports whether something was changed, so that
// it makes sense to ask the node again.
func (b *bench) step(w *Way, pod *outrank.Pod, node string) (more bool, err error) {
	a, err := b.ask(pod, node)
	if err != nil {
		return false, err
	}
	if a.behind == nil {
		w.Trial = Trial{node, a.outcome, b.victims(a.victims)}
		return false, nil
	}

	// Filters of the caller are not in the table, because no change is known that would satisfy them.
	c := &changing{bench: b, pod: pod, at: a.at, Step: Step{Obstacle: a.behind}}
	if known, ok := explanations[a.behind.Filter]; ok {
		err = known.change(c, a.behind)
	} else if a.behind.Filter == "" {
		err = c.unasked(a.behind)
	}
	slices.Sort(c.Changes)

	// The lists are only cut now, because the change needed everything that is in the way.
	a.behind.cut(b.most)
	w.Steps = append(w.Steps, c.Step)
	return len(c.Changes) > 0, err
}
