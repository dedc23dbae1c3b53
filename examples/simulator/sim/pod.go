package sim

import (
	"math"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/kubeletadmit"
)

// Phase is the stage of a pod's life.
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
	// Terminating: it is on a node, but has to leave.
	Terminating
	// Finished: its work is done.
	Finished
	// Gone: it was evicted, deleted, or lost with its node.
	Gone
)

var phaseNames = [...]string{"unknown", "coming", "queued", "admitting", "running", "terminating", "finished", "gone"}

// String names the phase.
func (p Phase) String() string { return phaseNames[p] }

// pod is one pod of a run, from its arrival until it has left. Its successor is another pod of the same
// lineage.
type pod struct {
	// obj is the latest version. Versions never change.
	obj *outrank.Pod
	// shown is the version in the snapshot, or nil if the snapshot does not have the pod. It only has pods
	// that are on nodes or nominated.
	shown     *outrank.Pod
	work      *Work
	lineage   *lineage
	scheduler *schedulerState
	phase     Phase
	// asks has the pod's requests by column.
	asks []int64
	// tried is the state of the cluster in which the last attempt failed.
	tried uint64
	// queued is the time at which the pod entered the queue, and bound the time at which it started to run.
	queued, bound time.Duration
	// ends is the time at which the pod's work is done, and until the end of its grace period.
	ends, until time.Duration
	// host is the node that the pod is on, or was on last.
	host *host
	// reserved is the node on which room is reserved for the pod, and claim the reservation; both are nil if
	// there is none.
	reserved *host
	claim    *claim
	// there is set if the pod was on its node at the beginning of the run.
	there bool
	// started is set once the pod has started to work.
	started bool
	// evicted is set once the pod has been evicted. Deletion from outside is no eviction.
	evicted bool
	// lost is set if the node of the pod was removed.
	lost bool
	// cause is why the pod leaves, or left, before it has finished.
	cause Cause
	// uses is what the pod uses while it runs.
	uses kubeletadmit.Usage
	// class is the class of pods that equal this version, or nil if it has not been looked up.
	class *podClass
	// covering has the indexes of the budgets that cover the pod.
	covering []int32
}

// level returns the priority that counts for usage by level. Pods without a priority have the lowest level,
// because some rules let any pod preempt them.
func (p *pod) level() int64 {
	if p.obj.Priority == nil {
		return math.MinInt64
	}
	return int64(*p.obj.Priority)
}

// present reports whether the pod waits or is on a node.
func (p *pod) present() bool { return p.phase == Queued || p.onNode() }

// onNode reports whether the pod takes room on a node.
func (p *pod) onNode() bool {
	return p.phase == Admitting || p.phase == Running || p.phase == Terminating
}

// lineage is a pod with all its successors.
type lineage struct {
	name string
	// lives has the pods in the order in which they were made. The last one is the present one.
	lives []*pod
	// priority is the priority of the present pod.
	priority  int32
	evictions int
	// failures counts how often a kubelet has rejected a pod of the lineage or evicted it under pressure.
	failures int
	// givenUp is set once the controller has given up.
	givenUp bool
	// waited is the time that the pods spent in the queue, except one that is still there.
	waited time.Duration
	// refused is set if an attempt has failed, placed if a pod has started to work, and finished if one has
	// finished.
	arrived, refused, placed, finished bool
}

// current returns the present pod.
func (l *lineage) current() *pod { return l.lives[len(l.lives)-1] }

// revise replaces the version of the pod by a changed copy.
func (p *pod) revise(change func(*outrank.Pod)) {
	obj := *p.obj
	change(&obj)
	p.obj, p.class = &obj, nil
}

// relational reports whether the placement of a pod depends on the labels of other pods.
func relational(obj *outrank.Pod) bool {
	a := &obj.Affinity
	return len(a.PodAffinity)+len(a.PodAntiAffinity)+len(obj.TopologySpreadConstraints) > 0
}

// lives has all pods of a run, including those that have left.
type lives struct {
	// pods has the last pod with each key.
	pods map[outrank.Key]*pod
	// lineages has the lineages in the order in which their first pods were admitted; byLineage has them by
	// name.
	lineages  []*lineage
	byLineage map[string]*lineage
	// uids counts the pods. A pod without a UID gets one with its number.
	uids int
}

// find returns the pod with the key and the UID of obj, or nil if it does not wait or run any more.
func (l *lives) find(obj *outrank.Pod) *pod {
	p := l.pods[obj.Key()]
	if p == nil || p.obj.UID != obj.UID || !p.present() {
		return nil
	}
	return p
}

// fateOf returns what an event says about a pod besides the pod itself: its lineage, and the cause for which
// it leaves.
func (l *lives) fateOf(key outrank.Key) (lineage string, cause Cause, ok bool) {
	p := l.pods[key]
	if p == nil {
		return "", NoCause, false
	}
	return p.lineage.name, p.cause, true
}

// join adds a pod to its lineage, and reports whether the lineage is new.
func (l *lives) join(p *pod) (first bool) {
	name := p.work.Lineage
	if name == "" {
		w := p.work
		name = string(w.Pod.Key())
	}

	joined := l.byLineage[name]
	if joined == nil {
		first = true
		joined = &lineage{name: name}
		l.byLineage[name] = joined
		l.lineages = append(l.lineages, joined)
	}

	joined.lives = append(joined.lives, p)
	joined.priority = p.obj.PriorityValue()
	p.lineage = joined
	return first
}
