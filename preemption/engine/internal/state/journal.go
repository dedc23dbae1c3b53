package state

import (
	"errors"
	"slices"

	"github.com/outrank-go/outrank"
)

// The errors of package engine.
var (
	ErrMark    = errors.New("mark no longer valid")
	ErrStale   = errors.New("plan is stale")
	ErrUnsound = errors.New("plan is not sound")
)

// Mark is a point in the history of a snapshot that Undo can return to.
type Mark struct {
	journal *journal
	depth   int
	serial  uint64
}

// step is one change, with what is needed to revert it.
type step struct {
	kind     stepKind
	pod      *PodState
	node     *outrank.Node
	position int
	budgets  *BudgetSet
	classes  map[*PodClass]*PodClass // what took the place of which
	// group, composite and namespace are the objects before the change, nil for none;
	// name is that of either.
	group     *outrank.PodGroup
	composite *outrank.CompositePodGroup
	namespace *outrank.Namespace
	name      string
}

type stepKind uint8

const (
	putPod stepKind = iota
	dropPod
	putNode
	dropNode
	changeNode
	putBudgets
	putClasses
	putGroup
	putComposite
	putNamespace
)

// journal records the steps since the first mark that was not used up. Without
// a mark it records nothing.
type journal struct {
	// changes counts all steps that were ever made, those that revert others among them.
	changes uint64
	watcher watcher
	Steps   []step
	marks   []markAt
	serial  uint64
}

type markAt struct {
	at     int // steps before the mark
	serial uint64
}

func (j *journal) record(st step) {
	j.changes++
	if len(j.marks) > 0 {
		j.Steps = append(j.Steps, st)
	}
}

func (j *journal) mark() Mark {
	j.serial++
	j.marks = append(j.marks, markAt{len(j.Steps), j.serial})
	return Mark{j, len(j.marks) - 1, j.serial}
}

// take returns the steps since a mark.
func (j *journal) take(m Mark) ([]step, error) {
	if m.journal != j || m.depth >= len(j.marks) || j.marks[m.depth].serial != m.serial {
		return nil, ErrMark
	}
	return j.Steps[j.marks[m.depth].at:], nil
}

// forget drops a mark, the later ones and all steps since.
func (j *journal) forget(m Mark) {
	at := j.marks[m.depth].at
	clear(j.Steps[at:])
	j.Steps = j.Steps[:at]
	j.marks = j.marks[:m.depth]
}

// keep drops a mark and the later ones. It drops the steps only if no earlier
// mark needs them.
func (j *journal) keep(m Mark) {
	j.marks = j.marks[:m.depth]
	if len(j.marks) == 0 {
		clear(j.Steps)
		j.Steps = j.Steps[:0]
	}
}

// watcher is who keeps something in line with a snapshot, with what it has not seen yet.
// Nothing is noted while nobody follows.
type watcher struct {
	by any
	// point is how far the follower had come with its own changes.
	point uint64
	// pods are versions that were put or dropped since, and nodes the names of nodes that came
	// or went. lost is set where there were too many to list.
	pods  []*outrank.Pod
	nodes []string
	lost  bool
}

// mostUnseen bounds the list of changed pods where there are few nodes.
const mostUnseen = 1024

// notePod notes that a version of a pod was put or dropped, in a snapshot of so many nodes.
func (w *watcher) notePod(pod *outrank.Pod, nodes int) {
	switch {
	case w.by == nil || w.lost:
	case len(w.pods) >= mostUnseen+2*nodes:
		w.pods, w.nodes, w.lost = nil, nil, true
	default:
		if w.pods == nil {
			w.pods = make([]*outrank.Pod, 0, 16)
		}
		w.pods = append(w.pods, pod)
	}
}

// noteNode notes that a node came or went.
func (w *watcher) noteNode(name string) {
	switch {
	case w.by == nil || w.lost:
	case len(w.nodes) >= mostUnseen:
		w.pods, w.nodes, w.lost = nil, nil, true
	default:
		w.nodes = append(w.nodes, name)
	}
}

// share returns the same for another snapshot; what either notes from then on the other
// does not see.
func (w *watcher) share() watcher {
	c := *w
	c.pods, c.nodes = slices.Clip(w.pods), slices.Clip(w.nodes)
	return c
}

// seen begins anew after the follower has seen everything.
func (w *watcher) seen(by any, point uint64) { *w = watcher{by: by, point: point} }
