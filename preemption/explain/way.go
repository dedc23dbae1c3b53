package explain

import (
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
)

// mostSteps is how many things in the way on one node are looked for.
const mostSteps = 8

// ways finds what stands behind the first obstacle for groups of nodes that take the pod
// neither way, the largest first, at most as many as lists have names. One node of each is
// asked, its example.
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

// way finds everything in the way on a node.
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

// step asks the node, and takes what it says out of the way. more reports whether there is
// something to ask again.
func (b *bench) step(w *Way, pod *outrank.Pod, node string) (more bool, err error) {
	a, err := b.ask(pod, node)
	if err != nil {
		return false, err
	}
	if a.behind == nil {
		w.Trial = Trial{node, a.outcome, b.victims(a.victims)}
		return false, nil
	}
	c := &changing{bench: b, pod: pod, at: a.at, Step: Step{Obstacle: a.behind}}
	if known, ok := told[a.behind.Filter]; ok {
		err = known.change(c, a.behind)
	} else if a.behind.Filter == "" {
		err = c.unasked(a.behind)
	}
	slices.Sort(c.Changes)
	a.behind.cut(b.most)
	w.Steps = append(w.Steps, c.Step)
	return len(c.Changes) > 0, err
}
