package sim

import (
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/kubeletadmit"
)

// Work is a pod that is going to come, and what becomes of it. All of it is only
// read.
type Work struct {
	// Pod is pending: it names no node. Its name is taken once in a run; where it
	// has no UID it is given one. Where there are [Kubelets] it may name one: it comes to
	// that past the schedulers, and a static pod has to.
	Pod *outrank.Pod
	// Arrival is when it comes, since the beginning.
	Arrival time.Duration
	// Duration is how long it runs. Endless says that it never ends; Duration is
	// then left alone.
	Duration time.Duration
	Endless  bool
	// Usage is what it uses while it runs, as long as nothing else is said with
	// [SetUsage]; nil means as much memory and disk as it requests. Only kubelets
	// look at it, and of it at Memory and Disk alone.
	Usage *kubeletadmit.Usage
	// Grace is the time it has to end when it is evicted or deleted; nil means the
	// pod's own Grace or, where it has none, [Config.Grace].
	Grace *time.Duration
	// Lineage is the name it shares with the pods it replaces and those that
	// replace it; empty means that of the pod, with its namespace.
	Lineage string
}

// Phase is where a pod is in its life. A pod is in one phase at any time.
type Phase uint8

// The phases.
const (
	// Unknown: there is no such pod.
	Unknown Phase = iota
	// Coming: it has not arrived yet.
	Coming
	// Queued: it waits for a node.
	Queued
	// Admitting: it is on a node, and waits for its kubelet to start it.
	Admitting
	// Running: it is on a node.
	Running
	// Terminating: it is on a node, and has been told to go.
	Terminating
	// Finished: it came to its end.
	Finished
	// Gone: it was evicted, deleted, or lost with its node.
	Gone
)

var phaseNames = [...]string{"unknown", "coming", "queued", "admitting", "running", "terminating", "finished", "gone"}

// String names the phase.
func (p Phase) String() string { return phaseNames[p] }

// pod is one life: from the arrival of a pod to its end. A pod that is recreated
// is another one, of the same lineage.
type pod struct {
	// obj is the latest version; versions are never changed.
	obj *outrank.Pod
	// shown is the version in the snapshot, nil where it is not there: only pods
	// on nodes and nominated ones are.
	shown     *outrank.Pod
	work      *Work
	lineage   *lineage
	scheduler *schedulerState
	phase     Phase
	// asks is what it takes of each resource.
	asks []int64
	// tried is the state of the cluster, by number, in which the last attempt
	// came to nothing.
	tried uint64
	// queued is since when it waits, bound since when it runs, ends when
	// its work is done, until when its grace period ends.
	queued, bound, ends, until time.Duration
	host                       *host
	// reserved is the node that it is nominated to in the snapshot, nil for none.
	reserved *host
	// there says that it was on its node from the beginning.
	there bool
	// started says that its work has begun, evicted that it was told to go and not from
	// outside, lost that its node went away.
	started, evicted, lost bool
	// cause is why a kubelet evicted it, uses what it uses while it runs.
	cause cause
	uses  kubeletadmit.Usage
	// class are the pods that it is alike to while it waits, nil where that is not
	// known.
	class *alike
	// covering are the budgets that cover it.
	covering []int32
}

// onNode reports whether the pod takes room on a node.
func (p *pod) onNode() bool {
	return p.phase == Admitting || p.phase == Running || p.phase == Terminating
}

// lineage is a pod with all those that were made in its place.
type lineage struct {
	name string
	// lives are in the order in which they were made; the last one is the
	// present one.
	lives     []*pod
	priority  int32
	evictions int
	// failures counts how often a kubelet turned it away or evicted it under pressure;
	// givenUp says that its controller did.
	failures int
	givenUp  bool
	// waited is for how long there was a life in the queue, the present one's
	// time left out.
	waited time.Duration
	// refused: an attempt came to nothing; placed, finished: it was on a node,
	// and came to its end there.
	arrived, refused, placed, finished bool
}

func (l *lineage) current() *pod { return l.lives[len(l.lives)-1] }

// revise makes a new version of the pod.
func (p *pod) revise(change func(*outrank.Pod)) {
	obj := *p.obj
	change(&obj)
	p.obj, p.class = &obj, nil
}
