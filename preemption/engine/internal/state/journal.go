package state

import (
	"errors"
	"slices"

	"github.com/outrank-go/outrank"
)

// These errors are exported by package engine, which documents when they are returned.
var (
	ErrMark    = errors.New("mark no longer valid")
	ErrStale   = errors.New("plan is stale")
	ErrUnsound = errors.New("plan is not sound")
)

// Mark is a point in the history of a snapshot that Undo can return to.
type Mark struct {
	// journal is the journal that made the mark. No other one accepts it.
	journal *journal
	// depth is the index of the mark among the open marks.
	depth int
	// serial distinguishes the mark from one that was used up and had the same depth.
	serial uint64
}

// step is one change, with what is needed to revert it.
type step struct {
	kind stepKind
	// pod is the pod that was put or dropped.
	pod *PodState
	// node is the node that was put or dropped, and position its position in the order. For changeNode it is
	// the node before the change.
	node     *outrank.Node
	position int
	// budgets is the set of budgets before the change.
	budgets *BudgetSet
	// classes maps each replaced class to the one that took its place.
	classes map[*PodClass]*PodClass
	// group, composite and namespace are the objects before the change, nil if there was none.
	group     *outrank.PodGroup
	composite *outrank.CompositePodGroup
	namespace *outrank.Namespace
	// name is the key of the group or composite group, or the name of the namespace.
	name string
}

// stepKind says what a step changed, and so which of its fields are set.
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

// journal records the steps since the first open mark. Without an open mark it records nothing.
type journal struct {
	// changes counts all steps that were ever made, including those that reverted others.
	changes uint64
	// watcher hears of changes even without an open mark.
	watcher watcher
	Steps   []step
	// marks has the open marks, the oldest first.
	marks []openMark
	// serial is the serial number of the newest mark. It never falls, so that no two marks share one.
	serial uint64
}

// openMark is a mark that has not been used up.
type openMark struct {
	steps  int // number of steps recorded before the mark
	serial uint64
}

// record counts a step, and keeps it if there is an open mark.
func (j *journal) record(st step) {
	j.changes++
	if len(j.marks) > 0 {
		j.Steps = append(j.Steps, st)
	}
}

// mark opens a mark after the last step.
func (j *journal) mark() Mark {
	j.serial++
	j.marks = append(j.marks, openMark{len(j.Steps), j.serial})
	return Mark{j, len(j.marks) - 1, j.serial}
}

// take returns the steps since a mark, which stays open. The error is ErrMark for a mark that was used up or
// is another snapshot's.
func (j *journal) take(m Mark) ([]step, error) {
	if m.journal != j || m.depth >= len(j.marks) || j.marks[m.depth].serial != m.serial {
		return nil, ErrMark
	}
	return j.Steps[j.marks[m.depth].steps:], nil
}

// forget uses up a mark and all later ones, and drops the steps since the mark. It clears them, so that they
// do not keep objects in memory.
func (j *journal) forget(m Mark) {
	steps := j.marks[m.depth].steps
	clear(j.Steps[steps:])
	j.Steps = j.Steps[:steps]
	j.marks = j.marks[:m.depth]
}

// keep uses up a mark and all later ones. It drops the steps only if no earlier
// mark needs them.
func (j *journal) keep(m Mark) {
	j.marks = j.marks[:m.depth]
	if len(j.marks) == 0 {
		clear(j.Steps)
		j.Steps = j.Steps[:0]
	}
}

// watcher lists the changes since the follower of a snapshot saw it last. Without a follower it notes
// nothing.
type watcher struct {
	// by is the follower, nil if there is none.
	by any
	// point is the number that the follower returned when it saw the snapshot last: how far it had come with
	// its own changes.
	point uint64
	// pods has the versions of pods that were put or dropped since.
	pods []*outrank.Pod
	// nodes has the names of the nodes that came or went since.
	nodes []string
	// lost is set if there were too many changes to list. Both lists are nil then.
	lost bool
}

// mostUnseen is the length at which the list of nodes is given up. The list of pods may be longer by two for
// each slot.
const mostUnseen = 1024

// notePod notes that a version of a pod was put or dropped, in a snapshot with this many slots.
func (w *watcher) notePod(pod *outrank.Pod, slots int) {
	switch {
	case w.by == nil || w.lost:
	case len(w.pods) >= mostUnseen+2*slots:
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

// share returns a copy for another snapshot. Clipped lists have no spare capacity, so that neither side's
// additions show in the other.
func (w *watcher) share() watcher {
	c := *w
	c.pods, c.nodes = slices.Clip(w.pods), slices.Clip(w.nodes)
	return c
}

// seen starts new lists after the follower has seen everything.
func (w *watcher) seen(by any, point uint64) { *w = watcher{by: by, point: point} }
